"""Many pages in the studio, as people use it: files and archives in, templates with their wrappers out."""

import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from examples.bigshop.make import make
from tests.extraction import extract
from tests.pipeline.conftest import write_warc
from tests.studio.conftest import running
from tests.studio.test_page_in_browser import inside, status
from tests.studio.test_set_routes import Search, is_running
from unweave.studio import page_groups
from unweave.studio.learned_wrappers import learn_wrapper
from unweave.wrappers.base import Wrapper

expect = pytest.importorskip("playwright.sync_api").expect
expect.set_options(timeout=15_000)  # wrappers are learned meanwhile

SHOP = sorted(Path("examples/shop").glob("*.html"))
PAGES = 80
SITE = "http://shop.example"
PHONE = {"width": 390, "height": 800, "has_touch": True}
FRAME = "#set .frame-container iframe"
ADDRESS = re.compile(r"#/set/[^/]+/0/[^/]+$")


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """A crawl of a shop, with what crawls have besides, as a WARC."""
    folder = tmp_path_factory.mktemp("many")
    truth = make(folder / "shop", PAGES)
    kind = "Content-Type"
    pages = [
        (SITE + own["path"], own["file"], f"text/html; charset={own['charset']}") for own in truth
    ]
    records = [
        (url, (folder / "shop" / file).read_bytes(), "200 OK", [(kind, type)])
        for url, file, type in pages
    ]
    records.append((f"{SITE}/a.pdf", b"%PDF-1.7 and more", "200 OK", [(kind, "text/html")]))
    return write_warc(folder / "shop.warc.gz", records)


@pytest.fixture(scope="module")
def site(crawl):
    """A studio as `unweave studio shop.warc.gz` starts it."""
    with running(str(crawl)) as studio:
        yield studio


@pytest.fixture
def groups(site, look):
    """A window on the templates of the shop."""
    window = look(site.address, permissions=["clipboard-write"])
    expect(card(window, "products")).to_be_visible()
    return window


@pytest.fixture
def products(groups):
    """A window on the template of the shop's products."""
    return opened(groups, "products")


def card(window, name):
    heading = window.get_by_role("heading", name=name, exact=True)
    return window.get_by_role("list", name="Templates").get_by_role("link").filter(has=heading)


def opened(window, name):
    card(window, name).click()
    expect(window.get_by_role("heading", name=name, exact=True)).to_be_visible()
    shown(window)
    return window


def shown(window):
    """Waits until a page is drawn and read."""
    expect(page_in(window).locator("body > *").first).to_be_attached()
    expect(status(window)).to_contain_text("fit ")


def tab(window, name):
    window.get_by_role("tab", name=name, exact=True).click()
    return window.get_by_role("tabpanel", name=name, exact=True)


def page_in(window):
    return window.frame_locator(FRAME)


def marks(window):
    """How many texts are coloured in the page, by what they are."""
    frame = window.locator(FRAME).element_handle().content_frame()
    return frame.evaluate(
        "Object.fromEntries([...CSS.highlights].map(([name, texts]) => [name, texts.size]))"
    )


def with_marks(window, *names):
    """Waits until exactly these kinds of texts are coloured: template, data."""
    frame = window.locator(FRAME).element_handle().content_frame()
    kinds = "[...new Set([...CSS.highlights.keys()].map(name => name.split('-')[0]))].sort().join()"
    frame.wait_for_function(f"wanted => {kinds} === wanted", arg=",".join(sorted(names)))


def landmarks(window):
    tab(window, "Wrapper").get_by_role("radio", name="Landmarks").check()
    tree = window.get_by_role("tree", name="Landmarks")
    expect(tree).to_be_visible()
    return tree


def files(paths):
    return [[path.name, path.read_text("utf-8")] for path in paths]


# ---- Opening -------------------------------------------------------------------------------------------------------


def test_several_files_that_are_dropped_become_templates_with_pictures(start, look):
    window = look(start().address)
    inside(window, "drop", ["#drop", files(SHOP)])
    expect(status(window)).to_have_text("6 pages, 1 template")
    expect(window.locator(".card")).to_contain_text("Detail pages · 6 pages")
    expect(window.locator(".card")).to_contain_text("all fit")
    picture = window.locator(".thumbnail")
    expect(picture.locator("iframe")).to_have_attribute("sandbox", "allow-scripts")
    expect(picture.frame_locator("iframe").locator("h1")).to_be_attached()
    assert picture.evaluate("place => place.inert && place.getAttribute('aria-hidden') === 'true'")
    box, card = picture.locator("iframe").bounding_box(), picture.bounding_box()
    assert abs(box["width"] - card["width"]) < 2


def test_names_of_dropped_files_may_be_long_and_in_any_script(start, look):
    window = look(start().address)
    own = files(SHOP)
    own[0][0] = f"ケトル {'x' * 120}.html"
    inside(window, "drop", ["#drop", own])
    expect(status(window)).to_have_text("6 pages, 1 template")
    window.locator(".card").click()
    expect(tab(window, "Pages").get_by_text(own[0][0])).to_be_visible()


def test_an_archive_is_chosen_and_can_be_closed(start, look, crawl):
    window = look(start().address)
    window.get_by_label("Files to open").set_input_files(str(crawl))
    expect(status(window)).to_have_text(re.compile(rf"{PAGES} pages, \d templates"))
    window.get_by_role("button", name="Open", exact=True).click()
    expect(
        window.get_by_role("link", name=re.compile(f"shop.warc.gz.*{PAGES} pages"))
    ).to_be_visible()
    window.get_by_role("button", name="Close shop.warc.gz").click()
    expect(window.locator("#set-list li")).to_have_count(0)


def test_how_far_the_work_is_is_told_in_numbers(start, look, crawl):
    window = look(start().address)
    states = iter([("reading", 0, 0), ("sorting", 12, 60), ("learning", 2, 5)])

    def answer(route):
        state, done, of = next(states, ("failed", 0, 0))
        told = {
            "id": "x",
            "name": "A crawl",
            "state": state,
            "done": done,
            "of": of,
            "pages": 60,
            "groups": [],
        }
        route.fulfill(
            json={
                **told,
                "left_out": [],
                "error": "the archive is broken" if state == "failed" else None,
            }
        )

    window.route("**/api/sets/x", answer)
    window.evaluate(
        """() => {
          window.seen = [];
          const tell = () => window.seen.push(document.querySelector(".set-progress .is-now")?.textContent ?? "");
          new MutationObserver(tell).observe(document.querySelector("#set"), { childList: true, subtree: true });
          location.hash = "#/set/x";
        }"""
    )
    expect(window.get_by_role("alert")).to_contain_text("the archive is broken")
    assert {
        "Sorting them by template12 of 60",
        "Learning a wrapper for each template2 of 5",
    } <= set(window.evaluate("window.seen"))


def test_what_cannot_be_read_is_told(start, look):
    window = look(start().address)
    inside(window, "drop", ["#drop", [["broken.zip", "this is no archive"]]])
    expect(window.get_by_role("alert")).to_contain_text("could not be read")


# ---- Templates -----------------------------------------------------------------------------------------------------


def test_templates_tell_what_they_are_and_how_well_their_pages_fit(groups):
    expect(card(groups, "products")).to_contain_text("Detail pages")
    expect(card(groups, "products")).to_contain_text(re.compile(r"Fit \d+ %"))
    expect(card(groups, "magazine")).to_contain_text("Articles")
    expect(groups.locator(".card").filter(has_text="List pages").first).to_be_attached()
    card(groups, "products").focus()
    groups.keyboard.press("Enter")
    expect(groups.get_by_role("heading", name="products", exact=True)).to_be_visible()


def test_only_some_of_many_pictures_are_alive(five, look):
    window = look(five.address)
    expect(status(window)).to_have_text("5 pages, 1 template")

    def many(route):
        told = route.fetch().json()
        told["groups"] = [
            {**told["groups"][0], "number": number, "name": f"g{number}"} for number in range(40)
        ]
        route.fulfill(json=told)

    window.route("**/api/sets/*", many)
    window.reload()
    expect(window.locator(".card")).to_have_count(40)
    for number in [0, 16, 28, 39]:
        card(window, f"g{number}").scroll_into_view_if_needed()
        expect(card(window, f"g{number}").locator(".thumbnail.is-drawn iframe")).to_be_attached()
    expect(window.locator(".thumbnail iframe")).to_have_count(12)


def test_pages_that_are_left_out_are_told_with_their_reasons(groups):
    groups.get_by_text("1 file or page was skipped").click()
    expect(groups.locator(".left-out")).to_contain_text(f"{SITE}/a.pdf")
    expect(groups.locator(".left-out strong")).not_to_be_empty()


# ---- A template ----------------------------------------------------------------------------------------------------


def test_template_and_data_are_coloured_in_the_page(products):
    with_marks(products, "template", "data")
    found = marks(products)
    assert found["template"] > 20
    assert sum(name.startswith("data-") for name in found) > 8
    for mode, kinds in {
        "Template": ["template"],
        "Data": ["data"],
        "Off": [],
        "Both": ["template", "data"],
    }.items():
        products.get_by_role("group", name="What is coloured").get_by_role(
            "radio", name=mode
        ).check()
        with_marks(products, *kinds)


def test_a_field_shows_its_place_in_the_page_and_the_other_way_round(products):
    title = (
        products.get_by_role("tabpanel", name="Fields")
        .locator(".field")
        .filter(has_text=re.compile("^title"))
    )
    heading = page_in(products).locator("h1")
    title.hover()
    with_marks(products, "template", "data", "lit")
    expect(heading).to_be_in_viewport()
    tab(products, "Fields")
    expect(title).not_to_have_class(re.compile("is-lit"))
    heading.hover()
    expect(title).to_have_class(re.compile("is-lit"))
    heading.click()
    expect(title).to_be_focused()
    expect(title.locator(".field-value")).to_contain_text(heading.inner_text())


def test_a_list_is_a_table_with_its_records_outlined(groups):
    groups.locator(".card").filter(has_text="List pages").first.click()
    shown(groups)
    grid = groups.get_by_role("grid")
    expect(grid).to_be_visible()
    expect(page_in(groups).locator(".record").first).to_be_attached()
    groups.locator("#cell-1-1").click()
    expect(page_in(groups).locator(".record.shown")).to_have_attribute("data-number", "2")
    with_marks(groups, "template")


def test_the_tree_of_landmarks_is_walked_with_keys(products):
    tree = landmarks(products)
    items = tree.get_by_role("treeitem")
    expect(tree.locator(".leaf").first).to_be_visible()
    root = items.first
    assert root.get_attribute("aria-expanded") == "true"
    root.focus()
    products.keyboard.press("ArrowLeft")
    expect(root).to_have_attribute("aria-expanded", "false")
    expect(tree.locator(".leaf").first).to_be_hidden()
    products.keyboard.press("ArrowRight")
    products.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    assert items.nth(1).get_attribute("aria-level") == "2"
    products.keyboard.press("ArrowLeft")
    products.keyboard.press("ArrowLeft")
    expect(root).to_be_focused()
    products.keyboard.press("End")
    products.keyboard.press("Home")
    expect(root).to_be_focused()
    products.get_by_role("button", name="Open all").click()
    expect(tree.locator("[aria-expanded=false]")).to_have_count(0)
    with_marks(products, "template", "data")
    tree.get_by_role("treeitem", name=re.compile("field_1 ")).focus()
    with_marks(products, "template", "data", "lit")
    products.get_by_role("button", name="Close all").click()
    expect(items.nth(1)).to_be_hidden()


def test_every_method_tells_what_it_learned(products):
    panel = tab(products, "Wrapper")
    expect(panel).to_contain_text("Here: fields")
    expect(panel.locator(".field").filter(has_text=re.compile("^title"))).to_contain_text(
        "on 100 % of the pages"
    )
    panel.get_by_role("radio", name="Pattern").check()
    expect(panel.locator(".lines pre")).to_contain_text("· field_1")
    panel.get_by_role("radio", name="Fields").check()
    expect(panel.locator(".lines")).to_have_count(0)
    panel.get_by_role("button", name="Copy the command").click()
    expect(products.locator("#news")).to_have_text("Copied the command")
    tab(products, "Pages").get_by_role("button", name="Try on a new page").click()
    field = products.get_by_label("or paste its HTML")
    field.press("Control+v")
    expect(field).to_have_value("unweave apply products.wrapper.json PAGE...")


@pytest.fixture
def search(monkeypatch):
    with closing(Search(monkeypatch)) as found:
        yield found


def test_while_a_method_learns_the_old_result_is_put_away_and_cancelling_brings_it_back(
    appliances, search, monkeypatch
):
    panel = tab(appliances, "Wrapper")
    expect(panel.locator(".field").first).to_be_visible()
    fields = appliances.locator("#panel-fields")
    panel.get_by_role("radio", name="Pattern").check()
    process = search.process()
    expect(panel.get_by_role("status")).to_have_text(re.compile(r"Learning from the pages: \d+ s"))
    expect(panel.locator(".field")).to_have_count(0)
    expect(panel.get_by_role("button", name="Save wrapper")).to_be_disabled()
    expect(appliances.get_by_role("button", name="Export all pages")).to_be_disabled()
    expect(fields).to_have_attribute("aria-busy", "true")
    with_marks(appliances)
    panel.get_by_role("button", name="Cancel").click()
    expect(panel.get_by_role("radio", name="Automatic")).to_be_checked()
    expect(panel.locator(".field").first).to_be_visible()
    expect(panel.get_by_role("button", name="Save wrapper")).to_be_enabled()
    expect(fields).to_have_attribute("aria-busy", "false")
    appliances.mouse.move(1, 1)  # away from a field, which would be lit
    with_marks(appliances, "template", "data")
    # The next one begins when the one before has ended.
    monkeypatch.setattr(page_groups, "learn_wrapper", learn_wrapper)
    panel.get_by_role("radio", name="Pattern").check()
    expect(panel.locator(".lines pre")).to_contain_text("· field_1")
    assert not is_running(process)


@pytest.mark.parametrize("leave", ["another method", "another page"])
def test_what_nobody_waits_for_any_more_is_not_learned(appliances, search, monkeypatch, leave):
    panel = tab(appliances, "Wrapper")
    panel.get_by_role("radio", name="Landmarks").check()
    process = search.process()
    monkeypatch.setattr(page_groups, "learn_wrapper", learn_wrapper)
    if leave == "another page":
        appliances.get_by_role("link", name="‹").click()
        expect(appliances.locator(".card")).to_be_visible()
        appliances.locator(".card").click()
        shown(appliances)
        tab(appliances, "Wrapper")
    panel.get_by_role("radio", name="Records").check()
    expect(panel.get_by_role("radio", name="Records")).to_be_checked()
    expect(appliances.locator(".is-learning")).to_have_count(0)
    assert not is_running(process)


@pytest.mark.parametrize("method", ["Automatic", "Landmarks"])
def test_the_wrapper_is_saved_and_finds_the_same(products, method, crawl):
    tab(products, "Wrapper").get_by_role("radio", name=method).check()
    expect(products.locator(".is-learning")).to_have_count(0)
    with products.expect_download() as download:
        products.get_by_role("button", name="Save wrapper").click()
    assert download.value.suggested_filename == "products.wrapper.json"
    page = next((crawl.parent / "shop" / "products").glob("*.html"))
    found, fit = extract(Wrapper.load(download.value.path()), page)
    assert found
    assert fit > 0.5


def test_pages_that_do_not_fit_stand_on_top_and_are_shown_when_they_are_chosen(groups):
    bad = groups.locator(".card").filter(has_text="not fit").first
    bad.click()
    shown(groups)
    panel = tab(groups, "Pages")
    pages = panel.get_by_role("option")
    fits = [int(text.split()[0]) for text in pages.locator(".figure").all_inner_texts()]
    assert fits == sorted(fits)
    assert fits[0] < 50
    expect(pages.first).to_contain_text("missing: ")
    panel.get_by_role("checkbox").check()
    expect(pages).to_have_count(sum(fit < 50 for fit in fits))
    pages.first.click()
    expect(status(groups)).to_contain_text(f"fit {fits[0]} %")
    expect(pages.first).to_have_attribute("aria-selected", "true")
    groups.keyboard.press("ArrowDown")
    expect(pages.nth(1)).to_have_attribute("aria-selected", "true")
    expect(status(groups)).to_contain_text(f"fit {fits[1]} %")
    expect(tab(groups, "Fields").locator(".missing")).to_contain_text("Missing: ")


def test_tables_are_found_on_a_page_of_a_template(products):
    assert ADDRESS.search(products.url)
    products.get_by_role("link", name="Find tables on this page").click()
    expect(status(products)).to_contain_text("found")
    products.go_back()
    shown(products)
    expect(products.get_by_role("heading", name="products", exact=True)).to_be_visible()


def test_pages_of_which_nothing_can_be_learned_can_still_be_looked_at(start, look):
    window = look(start().address)
    inside(window, "drop", ["#drop", [[f"{name}.html", "<h1>All the same</h1>"] for name in "abc"]])
    expect(window.locator(".card")).to_contain_text("No wrapper could be learned")
    window.locator(".card").click()
    expect(page_in(window).locator("h1")).to_have_text("All the same")
    expect(window.get_by_role("tabpanel", name="Fields")).to_contain_text("No wrapper was learned")
    expect(tab(window, "Wrapper").get_by_role("alert")).to_contain_text("learned")
    look.complaints.clear()  # the browser tells of the answer's status as well


# ---- A new page ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    """A studio as `unweave studio FOLDER` starts it, on five pages of a template; the sixth is new to it."""
    folder = tmp_path_factory.mktemp("five")
    for path in SHOP[:-1]:
        shutil.copy(path, folder)
    with running(str(folder)) as studio:
        yield studio


@pytest.fixture
def appliances(five, look):
    window = look(five.address)
    window.locator(".card").click()
    shown(window)
    return window


def is_tried(window):
    expect(window.locator(".read-head")).to_contain_text("New page")
    expect(window.locator(".read-head")).to_contain_text(re.compile(r"100 %\s*fits"))
    expect(
        window.get_by_role("tabpanel", name="Fields")
        .locator(".field")
        .filter(has_text="toaster")
        .first
    ).to_be_visible()
    expect(page_in(window).locator("h1")).to_contain_text("toaster")


def test_the_wrapper_is_tried_on_a_page_that_is_dropped(appliances):
    inside(appliances, "drop", [".group-panes", files(SHOP[-1:])])
    is_tried(appliances)
    with_marks(appliances, "template", "data")
    expect(tab(appliances, "Pages").get_by_role("option").first).to_contain_text("New page")
    tab(appliances, "Wrapper").get_by_role("radio", name="Landmarks").check()
    expect(appliances.get_by_role("tree")).to_be_visible()
    expect(tab(appliances, "Fields").locator(".badge")).to_have_text("New page")


def test_the_wrapper_is_tried_on_a_page_that_is_chosen_or_pasted(appliances):
    tab(appliances, "Pages")
    appliances.get_by_role("button", name="Try on a new page").click()
    with appliances.expect_file_chooser() as chooser:
        appliances.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(str(SHOP[-1]))
    is_tried(appliances)
    inside(appliances, "paste", ["text/plain", "<p>nothing of the kind</p>"])
    expect(appliances.locator(".read-head")).to_contain_text(re.compile(r"\d %\s*does not fit"))
    expect(appliances.locator(".read-head")).to_contain_text("Missing: ")


def test_an_address_that_cannot_be_read_is_told_in_the_dialog(appliances, look):
    tab(appliances, "Pages")
    appliances.get_by_role("button", name="Try on a new page").click()
    appliances.get_by_label("or fetch a URL").last.fill("http://127.0.0.1:9/nothing-listens-here")
    appliances.get_by_role("button", name="Try", exact=True).click()
    expect(appliances.get_by_role("dialog").get_by_role("alert")).to_contain_text("127.0.0.1")
    look.complaints.clear()  # the browser tells of the answer's status as well


# ---- For everybody -------------------------------------------------------------------------------------------------


def test_on_a_phone_one_thing_is_seen_at_a_time(site, look):
    window = look(site.address, **PHONE)
    opened(window, "products")
    pane = window.locator("#set .page-pane")
    expect(pane).to_be_visible()
    for name in ["Fields", "Wrapper", "Pages"]:
        expect(tab(window, name)).to_be_visible()
        expect(pane).to_be_hidden()
        assert window.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    window.get_by_role("option").first.click()
    expect(pane).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_has_a_name_and_can_be_read(site, look, scheme):
    window = look(site.address, color_scheme=scheme)
    expect(card(window, "products")).to_be_visible()
    assert inside(window, "paleTexts") == []
    opened(window, "products")
    for name in ["Fields", "Pages", "Wrapper"]:
        tab(window, name)
        assert inside(window, "nameless") == []
        assert inside(window, "wrongIds") == []
        assert inside(window, "paleTexts") == []


def test_what_is_seen_on_a_control_is_part_of_its_name(groups):
    def check(state):
        found = inside(groups, "mislabelled")
        assert found["count"] > 5, state
        assert found["wrong"] == [], state
        assert inside(groups, "nameless") == [], state

    check("the templates")
    opened(groups, "products")
    for name in ["Fields", "Pages", "Wrapper"]:
        tab(groups, name)
        check(name)
    landmarks(groups)
    groups.get_by_role("button", name="Open all").click()
    check("landmarks")
    tab(groups, "Pages").get_by_role("button", name="Try on a new page").click()
    check("a new page")


def test_tabs_are_walked_with_arrow_keys(products):
    products.get_by_role("tab", name="Fields").focus()
    products.keyboard.press("ArrowRight")
    expect(products.get_by_role("tab", name="Wrapper")).to_be_focused()
    expect(products.get_by_role("tabpanel", name="Wrapper")).to_be_visible()
    products.keyboard.press("ArrowLeft")
    products.keyboard.press("ArrowLeft")
    expect(products.get_by_role("tab", name="Pages")).to_be_focused()
