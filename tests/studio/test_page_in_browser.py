"""One page in the studio, as people use it: a real Chromium, a real server, mouse and keys."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import unweave
from tests.extraction import extract
from tests.fetching.servers import serve
from tests.studio.conftest import running
from tests.studio.test_page_routes import TWO_LISTS
from unweave.wrappers.base import Wrapper

openpyxl = pytest.importorskip("openpyxl")
parquet = pytest.importorskip("pyarrow.parquet")
expect = pytest.importorskip("playwright.sync_api").expect

PRODUCTS = "examples/products.html"
PLATE = "Stoneware dinner plate, sand glaze"
COLUMNS = ["text_1", "brand", "title_link", "title", "rating", "count", "now_price", "was_price"]
TITLE, RATING, PRICE = COLUMNS.index("title"), COLUMNS.index("rating"), COLUMNS.index("now_price")

GIF = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
WINDOW = Path(__file__).with_name("in_the_window.js").read_text("utf-8")


@pytest.fixture(scope="module")
def products():
    """A studio as `unweave studio examples/products.html` starts it. No test opens another page in it."""
    with running(PRODUCTS) as studio:
        yield studio


@pytest.fixture
def shop(products, look):
    """A window on a page of 24 products."""
    window = look(products.address, permissions=["clipboard-write"])
    expect(status(window)).to_have_text("24 rows, 8 columns; 1 table found")
    expect(drawn(window).get_by_text(PLATE)).to_be_visible()
    return window


def inside(window, name, given=None):
    return window.evaluate(f"given => ({WINDOW.strip().rstrip(';')}).{name}(given)", given)


def http(kind, body):
    return (
        f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
    )


def status(window):
    return window.locator("#status")


def drawn(window):
    return window.frame_locator("iframe")


def cell(window, row, column):
    return window.locator(f"#cell-{row}-{column}")


def head(window, name):
    return window.locator("thead th").filter(has=window.get_by_text(name, exact=True))


def menu_of(window, name):
    head(window, name).get_by_role("button").click()
    return window.get_by_role("menu", name=f"Column {name}")


def names(window):
    return window.locator("thead .name")


# ---- Opening -------------------------------------------------------------------------------------------------------


def test_one_page_on_the_command_line_is_opened_at_once_and_the_token_leaves_the_address(shop):
    expect(shop).to_have_title(re.compile("Thistle"))
    expect(names(shop)).to_have_text(COLUMNS)
    assert "token" not in shop.url
    shop.reload()
    expect(status(shop)).to_have_text("24 rows, 8 columns; 1 table found")


def test_a_file_is_dropped_anywhere(start, look):
    window = look(start().address)
    inside(window, "drop", ["#drop", [["shop.html", Path(PRODUCTS).read_text("utf-8")]]])
    expect(status(window)).to_have_text("24 rows, 8 columns; 1 table found")
    inside(
        window,
        "drop",
        ["#table-pane", [["people.html", Path("examples/people.html").read_text("utf-8")]]],
    )
    expect(status(window)).to_contain_text("9 rows")
    window.get_by_role("button", name="Open").click()
    expect(window.locator("#opened-list li")).to_have_count(2)
    window.get_by_role("button", name=re.compile("Close .*Thistle")).click()
    expect(window.locator("#opened-list li")).to_have_count(1)


def test_a_file_is_chosen(start, look):
    window = look(start().address)
    with window.expect_file_chooser() as chooser:
        window.get_by_role("button", name="Choose files").click()
    chooser.value.set_files("examples/people.html")
    expect(status(window)).to_contain_text("9 rows")


@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
def test_html_is_pasted_anywhere(start, look, kind):
    window = look(start().address)
    items = "".join(f"<li><b>Cup {n}</b> <i>${n}.50</i></li>" for n in range(1, 8))
    inside(window, "paste", [kind, f"<ul>{items}</ul>"])
    expect(status(window)).to_contain_text("7 rows")


def test_html_is_pasted_into_the_dialog(start, look):
    window = look(start().address)
    window.get_by_role("button", name="Paste HTML").click()
    window.get_by_role("textbox", name=re.compile("source of a page")).fill(
        Path(PRODUCTS).read_text("utf-8")
    )
    window.get_by_role("button", name="Open", exact=True).click()
    expect(status(window)).to_contain_text("24 rows")


def test_what_cannot_be_opened_is_said_where_it_was_asked_for(start, look):
    window = look(start().address)
    window.get_by_label("or fetch a URL").fill("http://127.0.0.1:9/nothing-listens-here")
    window.get_by_role("button", name="Fetch").click()
    expect(window.locator("#start").get_by_role("alert")).to_contain_text("127.0.0.1")
    expect(window.get_by_label("or fetch a URL")).to_have_value(
        "http://127.0.0.1:9/nothing-listens-here"
    )
    look.complaints.clear()  # the browser tells of the answer's status as well


def test_an_address_is_read_and_its_looks_are_loaded_only_if_that_is_asked_for(start, look):
    items = "".join(
        f"<li><img src='/cup.gif' alt='A cup'> <b>Cup {n}</b> <i>${n}.50</i></li>"
        for n in range(1, 9)
    )
    page = (
        f"<!doctype html><title>Cups</title><link rel=stylesheet href='/look.css'><ul>{items}</ul>"
    )
    kinds = {
        "/cups": ("text/html", page.encode()),
        "/look.css": ("text/css", b"b { color: rgb(1, 2, 3) }"),
        "/cup.gif": ("image/gif", GIF),
    }
    answers = {path: http(kind, body) for path, (kind, body) in kinds.items()}
    with serve(answers) as server:
        window = look(start().address)
        window.get_by_label("or fetch a URL").fill(f"{server.url}/cups")
        window.keyboard.press("Enter")
        expect(status(window)).to_contain_text("8 rows")
        expect(drawn(window).locator("img").first).to_have_attribute("src", re.compile("A%20cup"))
        assert len(server.requests) == 1
        expect(window.locator("#notes")).to_contain_text(
            "2 images and style sheets are not loaded."
        )
        window.get_by_role("button", name="Load them").click()
        expect(drawn(window).locator("img").first).to_have_attribute(
            "src", re.compile("^data:image/gif")
        )
        expect(drawn(window).get_by_text("Cup 1")).to_have_css("color", "rgb(1, 2, 3)")
        expect(drawn(window).locator(".record").first).to_be_visible()
        expect(window.locator("#notes")).to_be_empty()


def test_without_the_token_it_is_said_how_to_get_in(products, look):
    window = look(products.origin)
    expect(window.get_by_role("heading", name="This studio is locked")).to_be_visible()
    expect(window.get_by_text("unweave studio printed")).to_be_visible()


ROWS = "".join(f"<li><b>Cup number {n}</b> <i>${n}.50</i></li>" for n in range(1, 9))


@pytest.mark.parametrize(
    "style",
    [
        "body { display: none }",
        "body { opacity: 0 }",
        "html { visibility: hidden }",
        ".no-js #main { display: none }",
        "#main { opacity: 0; transition: opacity 1s }",
    ],
)
def test_a_page_that_is_hidden_until_a_script_runs_says_so(start, look, tmp_path, style):
    page = tmp_path / "hidden page.html"
    page.write_text(
        f"<!doctype html><html class=no-js><style>{style}</style><div id=main><ul>{ROWS}</ul></div>",
        "utf-8",
    )
    window = look(start(str(page)).address)
    expect(status(window)).to_contain_text("8 rows")
    expect(window.locator("#notes")).to_contain_text(
        "This page hides its text until its scripts run."
    )
    expect(window.locator("#notes code")).to_have_text(
        f"unweave records --render --network '{page}'"
    )


def test_a_page_that_has_nothing_but_scripts_says_so(start, look):
    window = look(start().address)
    inside(
        window,
        "drop",
        ["#drop", [["app.html", "<!doctype html><div id=root></div><script src=app.js></script>"]]],
    )
    expect(status(window)).to_have_text("No table found")
    expect(window.locator("#notes")).to_contain_text("This page is empty until its scripts run.")
    expect(window.locator("#notes code")).to_have_text(
        "unweave records --render --network app.html"
    )


def test_a_page_that_hides_a_part_of_itself_says_nothing(start, look):
    window = look(start().address)
    html = f"<div hidden>{'A menu that opens later. ' * 9}</div><ul>{ROWS}</ul><script></script>"
    inside(window, "drop", ["#drop", [["page.html", html]]])
    expect(status(window)).to_contain_text("8 rows")
    expect(drawn(window).locator(".record").first).to_be_visible()
    expect(window.locator("#notes")).to_be_empty()


# ---- The page and the table ----------------------------------------------------------------------------------------


def test_a_cell_shows_its_place_in_the_page(shop):
    cell(shop, 0, PRICE).hover()
    ring = drawn(shop).locator(".cell.shown")
    expect(ring).to_have_count(1)
    expect(drawn(shop).locator(".record.shown")).to_have_attribute("data-number", "1")
    price, box = drawn(shop).get_by_text("€14.50").first.bounding_box(), ring.bounding_box()
    assert abs(price["x"] - box["x"]) < 4
    assert abs(price["y"] - box["y"]) < 8


def test_a_cell_that_is_clicked_brings_its_place_into_sight_and_is_shown_in_full(shop):
    shop.locator("#scroller").evaluate("scroller => scroller.scrollTo(0, 1e6)")
    cell(shop, 23, TITLE).click()
    expect(drawn(shop).locator(".cell.shown").first).to_be_in_viewport()
    expect(drawn(shop).locator(".record.shown")).to_have_attribute("data-number", "24")
    expect(shop.locator("#whole")).to_contain_text("row 24")


def test_the_page_shows_its_cell(shop):
    drawn(shop).get_by_text(PLATE).hover()
    expect(cell(shop, 0, TITLE)).to_have_class(re.compile("is-pointed"))
    expect(cell(shop, 0, TITLE)).to_have_text(PLATE)
    expect(cell(shop, 0, TITLE)).to_be_in_viewport()
    drawn(shop).get_by_text("€16.00").first.click()
    expect(cell(shop, 1, PRICE)).to_have_class(re.compile("is-active"))


def test_records_are_outlined_and_cells_have_the_colours_of_their_columns(shop):
    expect(drawn(shop).locator(".record").first).to_be_visible()
    expect(drawn(shop).locator(".cell").first).to_be_visible()
    colours = (
        drawn(shop)
        .locator(".cell")
        .evaluate_all("boxes => boxes.map(box => box.style.getPropertyValue('--colour'))")
    )
    title = drawn(shop).get_by_text(PLATE)
    assert len(set(colours)) >= 4
    title.hover()
    lit = (
        drawn(shop)
        .locator(".cell.shown")
        .first.evaluate("box => getComputedStyle(box).getPropertyValue('--colour')")
    )
    assert lit in colours


def test_nothing_in_the_page_can_be_followed(shop):
    frame = shop.frames[1]
    before = frame.url
    drawn(shop).get_by_role("button").first.click()
    drawn(shop).get_by_text(PLATE).click()
    expect(cell(shop, 0, TITLE)).to_have_class(re.compile("is-active"))
    assert frame.url == before
    assert len(shop.context.pages) == 1


def test_another_table_is_one_click_away(start, look):
    window = look(start().address)
    inside(window, "drop", ["#drop", [["two.html", TWO_LISTS.decode()]]])
    tabs = window.get_by_role("tablist", name="Tables found, best first").get_by_role("tab")
    expect(tabs).to_have_count(2)
    tabs.nth(1).click()
    expect(tabs.nth(1)).to_have_attribute("aria-selected", "true")
    first, second = unweave.records(TWO_LISTS)
    expect(status(window)).to_contain_text(f"{len(second)} rows")
    expect(drawn(window).locator(".record").first).to_be_in_viewport()
    tabs.nth(1).focus()
    window.keyboard.press("ArrowLeft")
    expect(status(window)).to_contain_text(f"{len(first)} rows")
    window.keyboard.press("ArrowRight")
    expect(status(window)).to_contain_text(f"{len(second)} rows")


def test_two_clicks_on_two_records_give_the_list_that_is_meant(shop):
    shop.get_by_role("button", name="Pick a list").click()
    facet = drawn(shop).locator("label")
    facet.filter(has_text="Aarne").click()
    expect(shop.locator("#pick-hint")).to_contain_text("another record")
    facet.filter(has_text="Quillon").click()
    chosen = shop.get_by_role("tab", name=re.compile("The list you picked"))
    expect(chosen).to_have_attribute("aria-selected", "true")
    expect(shop.get_by_role("grid")).to_contain_text("Aarne")
    expect(shop.get_by_role("button", name="Pick a list")).to_have_attribute(
        "aria-pressed", "false"
    )


def test_escape_leaves_picking(shop):
    toggle = shop.get_by_role("button", name="Pick a list")
    toggle.click()
    drawn(shop).get_by_text(PLATE).click()
    shop.keyboard.press("Escape")
    expect(toggle).to_have_attribute("aria-pressed", "false")
    expect(toggle).to_be_focused()


# ---- Columns -------------------------------------------------------------------------------------------------------


def test_a_column_is_renamed_and_that_is_undone_and_done_again(shop):
    menu_of(shop, "title").get_by_role("menuitem", name="Rename").click()
    field = shop.get_by_role("textbox", name="New name of the column title")
    field.fill("product")
    field.press("Enter")
    expect(head(shop, "product")).to_be_visible()
    shop.keyboard.press("Control+z")
    expect(head(shop, "title")).to_be_visible()
    expect(shop.get_by_role("button", name="Undo")).to_be_disabled()
    shop.keyboard.press("Control+Shift+z")
    expect(head(shop, "product")).to_be_visible()
    expect(shop.get_by_role("button", name="Redo")).to_be_disabled()


def test_a_name_that_is_taken_is_refused(shop):
    menu_of(shop, "title").get_by_role("menuitem", name="Rename").click()
    shop.get_by_role("textbox", name="New name of the column title").fill("brand")
    shop.keyboard.press("Enter")
    expect(shop.get_by_role("alert")).to_have_text(re.compile("already a column named brand"))
    expect(names(shop)).to_have_text(COLUMNS)


def test_an_edit_that_the_server_refuses_is_taken_back_and_the_others_stay(shop, look):
    menu_of(shop, "rating").get_by_role("menuitem", name="Hide").click()
    expect(head(shop, "rating")).to_have_count(0)
    menu_of(shop, "title").get_by_role("menuitem", name="Rename").click()
    shop.get_by_role("textbox", name="New name of the column title").fill("no\u200bname")
    shop.keyboard.press("Enter")
    expect(shop.get_by_role("alert")).to_contain_text("Invalid column name")
    expect(names(shop)).to_have_text([name for name in COLUMNS if name != "rating"])
    shop.get_by_role("button", name="Undo").click()
    expect(names(shop)).to_have_text(COLUMNS)
    look.complaints.clear()  # the browser tells of the answer's status as well


def test_leaving_a_page_loses_nothing(shop):
    menu_of(shop, "brand").get_by_role("menuitem", name="Hide").click()
    expect(status(shop)).to_contain_text("7 columns")
    shop.get_by_role("button", name="Open").click()
    expect(shop.get_by_role("heading", name="A page in, a table out")).to_be_visible()
    shop.go_back()
    expect(status(shop)).to_contain_text("7 columns")
    shop.get_by_role("button", name="Undo").click()
    expect(names(shop)).to_have_text(COLUMNS)


def test_a_column_gets_another_type(shop):
    menu_of(shop, "now_price").get_by_role("menuitemradio", name="Text").click()
    expect(head(shop, "now_price")).to_contain_text("Text")
    expect(cell(shop, 0, PRICE)).not_to_have_class(re.compile("is-right"))
    menu_of(shop, "now_price").get_by_role("menuitemradio", name="Price").click()
    expect(cell(shop, 0, PRICE)).to_have_class(re.compile("is-right"))


def test_columns_are_hidden_and_shown_again(shop):
    menu_of(shop, "brand").get_by_role("menuitem", name="Hide").click()
    expect(names(shop)).to_have_text([name for name in COLUMNS if name != "brand"])
    expect(status(shop)).to_contain_text("7 columns")
    shop.get_by_role("button", name="Columns").click()
    box = shop.get_by_role("menuitemcheckbox", name="brand")
    expect(box).to_have_attribute("aria-checked", "false")
    box.click()
    expect(names(shop)).to_have_text(COLUMNS)
    shop.keyboard.press("Escape")
    shop.get_by_role("button", name="Undo").click()
    expect(head(shop, "brand")).to_have_count(0)


def test_links_are_split_out(shop):
    expect(menu_of(shop, "title").get_by_role("menuitem", name="Split out links")).to_have_count(0)
    shop.keyboard.press("Escape")
    menu_of(shop, "text_1").get_by_role("menuitem", name="Split out links").click()
    expect(names(shop)).to_have_text([COLUMNS[0], "text_1_link", *COLUMNS[1:]])
    expect(cell(shop, 4, 1)).to_contain_text("/")
    assert shop.locator(".grid a").count() == 0, (
        "a stranger's address is text, and nothing to click on"
    )


# ---- Taking it away ------------------------------------------------------------------------------------------------


def exported(window, kind, folder):
    window.get_by_role("button", name="Export").click()
    with window.expect_download() as download:
        window.get_by_role("menuitem", name=kind).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_exports_hold_what_is_shown(shop, tmp_path):
    menu_of(shop, "brand").get_by_role("menuitem", name="Hide").click()
    shown = [name for name in COLUMNS if name != "brand"]
    expect(names(shop)).to_have_text(shown)

    lines = list(csv.reader(io.StringIO(exported(shop, "CSV", tmp_path).read_text("utf-8-sig"))))
    assert (lines[0], len(lines), lines[1][2]) == (shown, 25, PLATE)

    sheet = openpyxl.load_workbook(exported(shop, "Excel", tmp_path)).active
    rows = list(sheet.iter_rows(values_only=True))
    assert (len(rows), rows[1][2]) == (25, PLATE)

    table = parquet.read_table(exported(shop, "Parquet", tmp_path))
    assert (table.num_rows, table.column("title")[0].as_py()) == (24, PLATE)

    records = [
        json.loads(line)
        for line in exported(shop, "JSON Lines", tmp_path).read_text("utf-8").splitlines()
    ]
    assert (len(records), records[0]["title"], "brand" in records[0]) == (24, PLATE, False)


def test_numbers_are_exported_as_values_if_that_is_wanted(shop, tmp_path):
    shop.get_by_role("button", name="Export").click()
    shop.get_by_role("menuitemcheckbox", name="Numbers and dates as values").click()
    shop.keyboard.press("Escape")
    first = json.loads(exported(shop, "JSON Lines", tmp_path).read_text("utf-8").splitlines()[0])
    assert first["rating"] == 4.6


def test_the_table_is_copied_for_spreadsheets(shop):
    shop.get_by_role("button", name="Copy").click()
    expect(shop.locator("#news")).to_have_text("Copied 24 rows")
    inside(shop, "watchPasting")
    shop.get_by_role("button", name="Open").click()
    shop.get_by_role("button", name="Paste HTML").click()
    shop.keyboard.press("Control+v")
    expect(shop.locator("#paste-text")).to_have_value(re.compile("^text_1\tbrand"))
    plain, html = shop.evaluate("window.pasted")
    assert plain.splitlines()[1].split("\t")[TITLE] == PLATE
    assert f"<td>{PLATE}</td>" in html


def test_a_wrapper_is_saved_that_reads_the_page(shop, tmp_path):
    with shop.expect_download() as download:
        shop.get_by_role("button", name="Save as wrapper").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    table, fit = extract(Wrapper.load(path), PRODUCTS)
    assert (table.names, len(table), table.rows[0][TITLE], fit) == (COLUMNS, 24, PLATE, 1.0)


def test_the_same_as_code(shop):
    shop.get_by_role("button", name="As code").click()
    dialog = shop.get_by_role("dialog", name="This table as code")
    expect(dialog.get_by_role("region", name="Python")).to_contain_text("import unweave")
    expect(dialog.get_by_role("region", name="Command line")).to_contain_text("unweave records")
    dialog.get_by_role("button", name="Copy the Python").click()
    expect(dialog.get_by_role("button", name="Copied the Python")).to_have_text("Copied")
    shop.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()


# ---- For everybody -------------------------------------------------------------------------------------------------


def test_all_of_it_works_with_keys_alone(products, look):
    window = look(products.address)
    expect(status(window)).to_contain_text("24 rows")
    window.keyboard.press("Tab")
    expect(window.locator("#skip")).to_be_focused()
    window.get_by_role("grid").focus()
    window.keyboard.press("ArrowRight")
    window.keyboard.press("ArrowDown")
    expect(window.get_by_role("grid")).to_have_attribute("aria-activedescendant", "cell-1-1")
    expect(drawn(window).locator(".record.shown")).to_have_attribute("data-number", "2")
    window.keyboard.press("Control+End")
    expect(cell(window, 23, 7)).to_have_class(re.compile("is-active"))
    expect(cell(window, 23, 7)).to_be_in_viewport()
    window.keyboard.press("Control+Home")
    window.keyboard.press("ArrowRight")
    window.keyboard.press("ArrowRight")
    window.keyboard.press("ArrowUp")
    window.keyboard.press("Enter")
    expect(window.get_by_role("menuitem", name="Rename")).to_be_focused()
    window.keyboard.press("ArrowDown")
    window.keyboard.press("Enter")
    expect(head(window, "brand")).to_have_count(0)
    expect(window.get_by_role("grid")).to_be_focused()
    window.keyboard.press("F2")
    window.keyboard.type("address")
    window.keyboard.press("Enter")
    expect(head(window, "address")).to_be_visible()
    window.keyboard.press("Control+z")
    expect(head(window, "title_link")).to_be_visible()


def test_two_records_are_picked_with_keys(shop):
    shop.get_by_role("button", name="Pick a list").focus()
    shop.keyboard.press("Enter")
    expect(drawn(shop).locator(".record").first).to_be_visible()
    for key in ("ArrowDown", "Enter", "ArrowDown", "Enter"):
        shop.keyboard.press(key)
    expect(shop.get_by_role("tab", name=re.compile("The list you picked: 24 rows"))).to_be_visible()


def test_the_splitter_is_moved_with_keys_and_with_the_pointer(shop):
    bar = shop.get_by_role("separator", name="Width of the page")
    bar.focus()
    shop.keyboard.press("ArrowLeft")
    expect(bar).to_have_attribute("aria-valuenow", "48")
    box = bar.bounding_box()
    shop.mouse.move(box["x"] + 3, 400)
    shop.mouse.down()
    shop.mouse.move(384, 400)
    shop.mouse.up()
    expect(bar).to_have_attribute("aria-valuenow", "30")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_both_themes(products, look, scheme):
    window = look(products.address, color_scheme=scheme, reduced_motion="reduce")
    expect(status(window)).to_contain_text("24 rows")
    cell(window, 0, TITLE).click()
    assert inside(window, "paleTexts") == []
    window.get_by_role("button", name="Dark theme").click()
    expect(window.locator("html")).to_have_attribute(
        "data-theme", "light" if scheme == "dark" else "dark"
    )
    assert inside(window, "paleTexts") == []


def test_on_a_phone_one_side_is_seen_at_a_time(products, look):
    window = look(products.address, width=390, height=800, has_touch=True)
    expect(status(window)).to_contain_text("24 rows")
    expect(drawn(window).get_by_text(PLATE)).to_be_attached()
    expect(window.get_by_role("grid")).not_to_be_visible()
    window.get_by_role("tab", name="Table", exact=True).click()
    expect(window.get_by_role("grid")).to_be_visible()
    expect(window.locator("iframe")).not_to_be_visible()
    expect(window.get_by_role("button", name="Export")).to_be_in_viewport(ratio=1)
    cell(window, 2, 0).click()
    window.get_by_role("button", name="Show in the page").click()
    expect(drawn(window).locator(".record.shown")).to_be_in_viewport()
    assert window.evaluate("document.documentElement.scrollWidth") <= 390


def test_everything_has_a_name_and_ids_are_unique(shop):
    shop.get_by_role("button", name="As code").click()
    expect(shop.get_by_role("dialog", name="This table as code")).to_be_visible()
    assert inside(shop, "nameless") == []
    assert inside(shop, "wrongIds") == []


def test_what_is_seen_on_a_control_is_part_of_its_name(shop):
    def check(state):
        found = inside(shop, "mislabelled")
        assert found["count"] > 10, state
        assert found["wrong"] == [], state
        assert inside(shop, "nameless") == [], state

    check("a page")
    menu_of(shop, "brand").get_by_role("menuitem", name="Hide").click()
    expect(shop.get_by_role("button", name="Columns: 7 of 8")).to_be_visible()
    check("with a hidden column")
    for name in ["Columns", "Export"]:
        shop.get_by_role("button", name=name).click()
        expect(shop.get_by_role("menu")).to_be_visible()
        check(f"the menu {name}")
        shop.keyboard.press("Escape")
    shop.get_by_role("button", name="As code").click()
    shop.get_by_role("button", name="Copy the Python").click()
    expect(shop.get_by_role("button", name="Copied the Python")).to_be_visible()
    check("the code, copied")
    shop.keyboard.press("Escape")
    shop.get_by_role("button", name="Pick a list").click()
    expect(shop.get_by_role("button", name="Cancel")).to_be_visible()
    check("picking")
    for name in ["Aarne", "Quillon"]:
        drawn(shop).locator("label").filter(has_text=name).click()
    expect(shop.get_by_role("tab", name="The list you picked")).to_be_visible()
    check("a list that was picked")
    shop.set_viewport_size({"width": 390, "height": 800})
    expect(shop.get_by_role("tab", name="Page", exact=True)).to_be_visible()
    check("on a phone")


def test_a_long_table_is_drawn_as_far_as_it_is_seen(start, look, tmp_path):
    page = tmp_path / "long.html"
    items = "".join(
        f"<li><b>Item {n}</b> <i>${n % 90}.50</i> <span>word {n % 7}</span></li>"
        for n in range(2000)
    )
    page.write_text(f"<!doctype html><title>Long</title><ul>{items}</ul>", "utf-8")
    window = look(start(str(page)).address)
    expect(status(window)).to_contain_text("2,000 rows")
    assert window.locator(".grid tbody tr").count() < 200
    window.get_by_role("grid").focus()
    window.keyboard.press("Control+End")
    expect(window.locator(".grid tbody tr[data-row='1999']")).to_be_in_viewport()
    expect(drawn(window).locator(".record.shown")).to_be_in_viewport()
    assert drawn(window).locator(".record").count() < 400


def test_scripts_of_a_page_and_its_addresses_do_nothing(start, look, tmp_path):
    page = tmp_path / "bad.html"
    items = "".join(
        f"<li onmouseover='top.bad=1'><a href='javascript:top.bad=1' onclick='top.bad=1'>Item {n}</a> <b>${n}.50</b></li>"
        for n in range(1, 9)
    )
    page.write_text(
        f"<!doctype html><title><img src=x onerror=bad=1></title><script>parent.bad=1</script><ul>{items}</ul>",
        "utf-8",
    )
    window = look(start(str(page)).address)
    expect(status(window)).to_contain_text("8 rows")
    drawn(window).get_by_text("Item 1", exact=True).click()
    assert window.evaluate("window.bad") is None
    assert window.frames[1].evaluate(
        "[window.bad, document.scripts.length, document.querySelectorAll('[onclick], [onmouseover]').length]"
    ) == [None, 0, 0]
    assert window.locator(".grid a").count() == 0
