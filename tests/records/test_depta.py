"""DEPTA: MDR with eyes, false combinations, and columns."""

from pathlib import Path

import pytest

import unweave
from unweave import Page, Renderer
from unweave.page.boxes import Box
from unweave.records import columns, depta
from unweave.records.gaps import GapRule


def texts(page, listing):
    return [" ".join(page.text(node) for node in record) for record in listing.records]


# ---- false combinations ----------------------------------------------------------------------------------------


def items(*counts):
    return "".join(f"<li><a>t</a>{'<p>x</p>' * count}</li>" for count in counts)


def test_one_odd_entry_does_not_pair_the_others():
    page = Page.parse(f"<ul>{items(2, 2, 2, 6, 2, 2, 2, 2)}</ul>")
    (listing,) = depta.find(page)
    assert [len(record) for record in listing.records] == [1] * 8


def test_a_heading_before_the_list_does_not_shift_it():
    page = Page.parse("<dl><dt>All terms</dt>" + "<dt><b>term</b></dt><dd><p>text</p><i>more</i></dd>" * 6 + "</dl>")
    (listing,) = depta.find(page)
    assert texts(page, listing)[-6:] == ["term text more"] * 6


def test_the_smallest_part_that_repeats_is_the_record():
    row = "<tr><td><b>n</b></td><td><a>x</a></td></tr><tr><td><p>t</p><p>u</p></td></tr>"
    odd = "<tr><td><b>n</b></td><td><a>x</a></td></tr><tr><td><p>t</p><p>u</p><p>v</p><p>w</p></td></tr>"
    page = Page.parse(f"<table>{row * 3}{odd}{row * 4}</table>")
    (listing,) = depta.find(page)
    assert [len(record) for record in listing.records] == [2] * 8


# ---- eyes ------------------------------------------------------------------------------------------------------


def test_the_gap_rule():
    apart = [Box(0, top, 10, top + 10) for top in (0, 12, 40, 52, 80, 92)]  # two close together, then a wide gap
    rule = GapRule(apart, frozenset())
    assert rule.accepts([(0, 1), (2, 3), (4, 5)])
    assert not rule.accepts([(1, 2), (3, 4)])
    assert rule.accepts([(0,), (1,), (2,), (3,), (4,), (5,)])


def test_what_is_unseen_has_no_gaps():
    boxes = [Box(0, 0, 10, 10), Box(0, 0, 0, 0), Box(0, 12, 10, 22), Box(0, 0, 0, 0)]
    assert GapRule(boxes, {1, 3}).accepts([(0, 1), (2, 3)])


@pytest.fixture(scope="module")
def gallery():
    with Renderer() as renderer:
        return Page.render("examples/gallery.html", renderer=renderer)


LOTS = [f"Lot {number}" for number in range(11, 19)]


@pytest.mark.browser
def test_eyes_see_which_caption_belongs_to_which_picture(gallery):
    """By tags alone, the picture before the list and the first caption make as good a pair as any."""
    for method in ("depta", "ctvs"):
        assert_lots(unweave.records(gallery, method=method)[0])


def assert_lots(table):
    assert [text.split(" A ")[0][:6] for text in table.texts] == LOTS
    assert table.texts[0].endswith("Oak, eight-day movement c. 1770")


def test_without_eyes_captions_go_with_the_picture_before_them():
    for method in ("mdr", "depta", "ctvs"):
        table = unweave.records("examples/gallery.html", method=method)[0]
        assert table.texts[0].startswith("The saleroom on preview day")


ITEMS = "".join(f"<li><div><b>name {k}</b></div><div><i>text {k}</i></div></li>" for k in range(6))


@pytest.mark.browser
@pytest.mark.parametrize(
    "style",
    ["li > div { float: left }", "li { display: contents }", "li { height: 5px }", "ul { position: absolute; top: 900px }"],
)
def test_eyes_lose_no_list_to_a_style_sheet(style):
    markup = f"<style>{style}</style><main><ul>{ITEMS}</ul></main>"
    drawn = Page.render(markup)
    blind, seeing = unweave.records(markup, method="depta")[0], unweave.records(drawn, method="depta")[0]
    assert seeing.rows == blind.rows
    assert seeing.score <= 1


@pytest.mark.browser
def test_eyes_give_no_text_twice():
    """Nobody closed the entries, and their boxes stand side by side."""
    entries = (f"<div style='height:40px'><h3>Name {k}</h3><p>Text {k}</p><p>more</p><p>and more</p>" for k in range(6))
    tables = unweave.records(Page.render(f"<main>{''.join(entries)}</main>"), method="depta")
    assert len(tables) > 1
    for table in tables:
        assert table.score <= 1
        assert len({node for record in table.records for node in record}) == sum(map(len, table.records))


@pytest.mark.browser
def test_eyes_lose_no_list_that_is_found_without_them():
    with Renderer() as renderer:
        for name in ("products", "twocolumn", "table", "people", "jobs", "products-rows", "documents-gbk"):
            page = Page.render(f"examples/{name}.html", renderer=renderer)
            blind = unweave.records(f"examples/{name}.html", method="depta")[0]
            assert list(unweave.records(page, method="depta")[0].texts) == list(blind.texts)


# ---- columns ---------------------------------------------------------------------------------------------------


def table(markup, **options):
    return unweave.records(markup, method="depta", **options)[0]


def test_a_missing_field_leaves_a_hole():
    rows = "".join(f"<li><b>n{k}</b>{'<i>opt</i>' if k % 2 else ''}<u>t{k}</u><p>p</p></li>" for k in range(6))
    assert table(f"<ul>{rows}</ul>").rows[:2] == [["n0", None, "t0", "p"], ["n1", "opt", "t1", "p"]]


def test_links_and_pictures_are_items_made_absolute():
    row = "<li><a href='/p/{0}'>name {0}</a><img src='i/{0}.png'><p>text</p></li>"
    markup = "<ul>" + "".join(row.format(k) for k in range(3)) + "</ul>"
    found = table(markup, url="https://example.org/list/")
    assert [(column.name, column.type) for column in found.columns] == [
        ("link_1", "url"),
        ("text_1", "string"),
        ("image_1", "image"),
        ("text_2", "string"),
    ]
    assert found.rows[1] == ["https://example.org/p/1", "name 1", "https://example.org/list/i/1.png", "text"]
    assert table(markup).rows[1][0] == "/p/1"


def test_the_base_element_is_heeded():
    markup = "<base href='https://cdn.example.org/x/'><ul>" + "<li><a href='y'>t</a><p>u</p></li>" * 3 + "</ul>"
    assert table(markup, url="https://example.org/").rows[0][0] == "https://cdn.example.org/x/y"


def test_addresses_that_lead_nowhere_are_no_items():
    markup = (
        "<ul>" + "<li><a href='javascript:go()'>t</a><a href='#'>u</a><a href='http://[broken'>v</a></li>" * 3 + "</ul>"
    )
    assert table(markup, url="https://example.org/").rows[0] == ["t", "u", "http://[broken", "v"]


def test_words_marked_here_and_there_are_one_text():
    rows = ["one <b>word</b> marked", "<b>two</b> words <b>marked</b>", "none at all is marked"]
    found = table("<ul>" + "".join(f"<li><h3>t</h3><p>{row}</p><i>a</i><u>b</u><s>c</s></li>" for row in rows) + "</ul>")
    assert [row[1] for row in found.rows] == ["one word marked", "two words marked", "none at all is marked"]
    assert [found.page.text(nodes[1][0]) for nodes in found.nodes] == [row[1] for row in found.rows]


def test_words_marked_everywhere_alike_are_labels():
    found = table("<ul>" + "".join(f"<li><h3>t</h3><p><b>Price:</b> {k}.00</p></li>" for k in range(3)) + "</ul>")
    assert found.rows[1] == ["t", "Price:", "1.00"]


def letters(text):
    return sorted(text.replace(" ", ""))


@pytest.mark.parametrize("page", sorted(Path("examples").glob("*.html")), ids=lambda path: path.stem)
def test_every_text_is_in_one_cell_and_none_is_lost(page):
    tables = unweave.records(page, method="depta")
    assert tables
    for found in tables:
        strings = [number for number, column in enumerate(found.columns) if column.type == "string"]
        assert found.texts
        for row, text in zip(found.rows, found.texts, strict=True):
            assert letters("".join(row[number] or "" for number in strings)) == letters(text)


def test_a_link_inside_a_text_is_not_given_twice():
    rows = ["Sold by Ann today", "Sold by <a href=/bob>Bob</a> today", "Sold by <a href=/eve>Eve</a> today"]
    found = table("<ul>" + "".join(f"<li><h3>t</h3><p>{row}</p><i>a</i></li>" for row in rows) + "</ul>")
    assert [cell for cell in found.rows[1] if cell] == ["t", "Sold by Bob today", "/bob", "a"]
    assert [cell for cell in found.rows[0] if cell] == ["t", "Sold by Ann today", "a"]


def test_a_link_that_is_in_every_text_stands_apart():
    found = table("<ul>" + "".join(f"<li><h3>t</h3><p>by <a href=/{k}>name {k}</a></p></li>" for k in range(3)) + "</ul>")
    assert found.rows[1] == ["t", "by", "/1", "name 1"]


def test_items_without_a_link_have_columns_of_their_own():
    rows = ["<b>a</b><i>m</i><u>e</u>", "<b>a</b><s>x</s><s>y</s><u>e</u>", "<b>a</b><s>z</s><u>e</u>"]
    found = table("<ul>" + "".join(f"<li><h3>t</h3>{row}<p>p</p><p>q</p><p>r</p></li>" for row in rows) + "</ul>")
    assert len(found) == 3
    for row, record in zip(found.rows, found.texts, strict=True):
        assert letters("".join(filter(None, row))) == letters(record)


def test_every_cell_knows_its_nodes():
    found = unweave.records("examples/products.html", method="depta")[0]
    assert any(cell and column.type == "string" for row in found for cell, column in zip(row, found.columns, strict=True))
    for row, sources in zip(found.rows, found.nodes, strict=True):
        for column, cell, nodes in zip(found.columns, row, sources, strict=True):
            assert bool(cell) == bool(nodes)
            if cell and column.type == "string":
                assert cell in found.page.text(nodes[0])


def test_records_too_large_to_match_are_aligned_by_their_paths():
    """Two records of 3,000 texts, every tenth in another element than the other record's."""
    huge = [
        "".join(f"<{tag}>x</{tag}>" for k in range(3_000) if (tag := odd if k % 10 == 0 else "b")) for odd in ("h2", "h3")
    ]
    found = table("<ul>" + "".join(f"<li>{record}</li>" for record in huge) + "</ul>")
    assert len(found) == 2
    assert sum(cell is not None for cell in found.rows[0]) == 3_000


def test_where_the_budget_is_spent_links_are_kept_and_columns_stay(monkeypatch):
    monkeypatch.setattr(columns, "MOST_MATCHING", 10)
    lists = [
        f"<ul>{''.join(f'<li><a href=/{k}>n{k}</a>{opt * (k % 2)}<p>t</p></li>' for k in range(4))}</ul>"
        for opt in ("<i>x</i>", "<b>y</b>")
    ]
    found = unweave.records(lists[0] + "<hr><p>between</p><p>them</p>" + lists[1], method="depta")
    assert [len(one) for one in found] == [4, 4, 2]
    for one in found[:2]:
        assert {"url", "string"} <= {column.type for column in one.columns}
        for row, sources in zip(one.rows, one.nodes, strict=True):
            assert [bool(cell) for cell in row] == [bool(nodes) for nodes in sources]
