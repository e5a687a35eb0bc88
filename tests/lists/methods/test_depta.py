"""DEPTA: MDR with eyes, false combinations, and columns."""

from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import unweave
from unweave import Page, Renderer
from unweave.lists import paper_alignment
from unweave.lists.data_records import GapRule
from unweave.lists.methods import depta
from unweave.lists.methods.depta import Depta
from unweave.lists.methods.mdr import Mdr
from unweave.page.layout import Box


def texts(page, listing):
    return [" ".join(page.text(node) for node in record) for record in listing.records]


# ---- false combinations ----------------------------------------------------------------------------------------


def items(*counts):
    return "".join(f"<li><a>t</a>{'<p>x</p>' * count}</li>" for count in counts)


def test_one_odd_entry_does_not_pair_the_others():
    page = Page.parse(f"<ul>{items(2, 2, 2, 6, 2, 2, 2, 2)}</ul>")
    (listing,) = depta.find_lists(page)
    assert [len(record) for record in listing.records] == [1] * 8


def test_a_heading_before_the_list_does_not_shift_it():
    page = Page.parse(
        "<dl><dt>All terms</dt>"
        + "<dt><b>term</b></dt><dd><p>text</p><i>more</i></dd>" * 6
        + "</dl>"
    )
    (listing,) = depta.find_lists(page)
    assert texts(page, listing)[-6:] == ["term text more"] * 6


def test_the_smallest_part_that_repeats_is_the_record():
    row = "<tr><td><b>n</b></td><td><a>x</a></td></tr><tr><td><p>t</p><p>u</p></td></tr>"
    odd = "<tr><td><b>n</b></td><td><a>x</a></td></tr><tr><td><p>t</p><p>u</p><p>v</p><p>w</p></td></tr>"
    page = Page.parse(f"<table>{row * 3}{odd}{row * 4}</table>")
    (listing,) = depta.find_lists(page)
    assert [len(record) for record in listing.records] == [2] * 8


FIVE_ROWS = (
    "<tr><td><b>name {0}</b></td></tr><tr><td><i>author {0}</i><i>year</i><u>place</u></td></tr>"
    "<tr><td><b>other name {0}</b></td></tr><tr><td><i>editor {0}</i><i>year</i><u>place</u></td></tr>"
    "<tr><td><p>text</p><p>more {0}</p><p>text</p><p>and</p><ul><li>more</li><li>text</li></ul></td></tr>"
)


def five_rows(count=6):
    return Page.parse(
        f"<table>{''.join(FIVE_ROWS.format(number) for number in range(count))}</table>"
    )


def with_rows_drawn(page, gap):
    """The page with boxes: rows of 20 pixels, 4 apart, and ``gap`` apart after every fifth."""
    boxes, top, rows = [], 0, 0
    for node, label in enumerate(page.tree.labels):
        if label == "tr":
            top = rows * 24 + rows // 5 * (gap - 4)
            rows += 1
        boxes.append(
            Box(0, top, 600, top + 20) if "tr" in ancestors(page, node) else Box(0, 0, 600, 10_000)
        )
    page.boxes = boxes
    return page


def ancestors(page, node):
    return {page.tree.labels[above] for above in page.tree.ancestors(node)}


@pytest.mark.parametrize("variant", ["corrected", "improved"])
@pytest.mark.parametrize(
    "draw", [lambda page: page, lambda page: with_rows_drawn(page, 60)], ids=["markup", "drawn"]
)
def test_records_of_five_rows_that_begin_with_two_similar_pairs(variant, draw):
    """Parts of records never cross generalized nodes, and the fifth row is not skipped to find two pairs."""
    by_mdr = unweave.records(five_rows(), method="mdr")[0]
    table = unweave.records(draw(five_rows()), method=Depta(variant=variant))[0]
    assert [len(record) for record in table.records] == [5] * 6
    assert table.records == by_mdr.records


def test_pairs_that_go_on_over_generalized_nodes_are_records_in_the_improved_form():
    """Definitions of different lengths: two generalized nodes of seven elements cover more than pairs do."""
    lengths = (6, 8, 8, 8, 2, 2, 8)
    entries = (
        f"<dt><b>term {number}</b></dt><dd>{'<p>x</p>' * length}</dd>"
        for number, length in enumerate(lengths)
    )
    page = Page.parse(f"<dl>{''.join(entries)}</dl>")
    assert [len(record) for record in depta.find_lists(page)[0].records] == [7, 7]
    (listing,) = depta.find_lists(page, Depta(variant="improved"))
    assert [text.split(" x")[0] for text in texts(page, listing)] == [
        f"term {number}" for number in range(7)
    ]


def test_a_cut_that_the_gaps_speak_against_is_not_made():
    """Four rows a record, drawn as (1)(2 3)(4): the pairs that tags suggest are torn apart by the layout."""
    row = "<tr><td><b>a</b><b>a</b></td></tr><tr><td><p>x</p><p>y</p><i>z</i></td></tr>"
    odd = "<tr><td><b>a</b><b>a</b></td></tr><tr><td><p>x</p><p>y</p><i>z</i><p>y</p><i>z</i><u>w</u></td></tr>"
    markup = f"<table>{row * 2}{row}{odd}{row * 2}</table>"
    assert [len(record) for record in depta.find_lists(Page.parse(markup))[0].records] == [2] * 6
    page = Page.parse(markup)
    rows, top, tops = 0, 0, {}
    for node, label in enumerate(page.tree.labels):
        if label == "tr":
            top += (100, 70, 42, 70)[rows % 4]
            rows += 1
        tops[node] = top
    page.boxes = [Box(0, tops[node], 600, tops[node] + 40) for node in range(len(page.tree))]
    page.boxes[:2] = [Box(0, 0, 600, 9999)] * 2
    assert [len(record) for record in depta.find_lists(page)[0].records] == [4] * 3


def test_as_printed_only_gaps_take_combinations_apart():
    """Figure 15 of the MDR paper as printed, and the rule of section 3.3."""
    page = Page.parse(f"<ul>{items(2, 2, 2, 4)}</ul>")
    (listing,) = depta.find_lists(page, Depta(variant="printed"))
    assert [len(record) for record in listing.records] == [2, 2]
    page.boxes, top = [], -100
    for label in page.tree.labels:
        top += 100 * (label == "li")
        height = (
            50 if top == 0 else 90
        )  # the first stands further from the second than the second from the third
        page.boxes.append(Box(0, top, 100, top + height) if top >= 0 else Box(0, 0, 100, 400))
    (listing,) = depta.find_lists(page, Depta(variant="printed"))
    assert [len(record) for record in listing.records] == [1, 1, 1]


def list_of(entries):
    """A list of entries, each of a label with so many paragraphs, and its entries in order; no two texts are the same."""
    markup = (
        f"<{label}><b>name {number}</b>{''.join(f'<p>text {number}.{line}</p>' for line in range(lines))}</{label}>"
        for number, (label, lines) in enumerate(entries)
    )
    page = Page.parse(f"<dl>{''.join(markup)}</dl>")
    return page, page.tree.children(page.tree.labels.index("dl"))


def entries_of(label, *lines):
    return [(label, own) for own in lines]


@pytest.mark.parametrize("variant", ["printed", "corrected", "improved"])
@given(
    st.lists(
        st.tuples(st.sampled_from(["li", "li", "dd"]), st.sampled_from([0, 2, 2, 3, 6, 8])),
        min_size=2,
        max_size=14,
    )
)
@example(entries_of("li", 2, 2, 2, 2, 6, 6, 2, 3, 3, 3))
@example(entries_of("li", 3, 2, 2, 8, 6, 2, 4, 3, 2, 4, 8))
@example(
    entries_of("dd", 6, 2, 2, 2, 2)
    + entries_of("li", 2)
    + entries_of("dd", 2, 2)
    + entries_of("li", 6)
    + entries_of("dd", 2, 2)
)
def test_every_node_of_a_region_is_in_some_record(variant, entries):
    """However generalized nodes are taken apart: the generalized nodes themselves are the records of MDR as printed."""
    page, siblings = list_of(entries)
    regions = unweave.records(page, method=Mdr(variant="printed"))
    in_regions = {node for found in regions for record in found.records for node in record}
    assume(in_regions)
    tables = unweave.records(page, method=Depta(variant=variant))
    in_records = [node for found in tables for record in found.records for node in record]
    assert in_regions <= set(in_records)
    assert len(in_records) == len(set(in_records))
    for found in tables:
        nodes = [node for record in found.records for node in record]
        first, last = siblings.index(nodes[0]), siblings.index(nodes[-1])
        assert nodes == list(siblings[first : last + 1])
        assert " ".join(found.texts) == " ".join(map(page.text, siblings[first : last + 1]))
        cells = "".join(cell or "" for row in found.rows for cell in row)
        assert letters(cells) == letters("".join(found.texts))


def test_only_lists_of_products():
    """Section 3.5: as an option, records with an image and a price only."""
    products = "".join(
        f"<li><img src=/{k}.png><b>name {k}</b><p>$ {k}.99</p></li>" for k in range(4)
    )
    places = "".join(
        f"<li><img src=/{k}.png><b>place {k}</b><p>near the sea</p></li>" for k in range(4)
    )
    markup = f"<ul>{places}</ul><div><p>between</p><p>them</p></div><ul>{products}</ul>"
    assert len(unweave.records(markup, method="depta")) > 1
    (table,) = unweave.records(markup, method=Depta(products=True))
    assert table.texts[0] == "name 0 $ 0.99"
    assert unweave.records(f"<ul>{places}</ul>", method=Depta(products=True)) == []


def test_a_price_in_parts_is_a_price():
    markup = "".join(
        f"<li><img src=/{k}.png><b>name {k}</b><p><s>$</s><u>{k}</u><sup>99</sup></p></li>"
        for k in range(4)
    )
    assert len(unweave.records(f"<ul>{markup}</ul>", method=Depta(products=True))) == 1


# ---- eyes ------------------------------------------------------------------------------------------------------


def test_the_gap_rule():
    apart = [
        Box(0, top, 10, top + 10) for top in (0, 12, 40, 52, 80, 92)
    ]  # two close together, then a wide gap
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
    ("style", "variants"),
    [
        ("li > div { float: left }", ["corrected", "improved"]),
        ("li { display: contents }", ["corrected", "improved"]),
        ("ul { position: absolute; top: 900px }", ["corrected", "improved"]),
        ("li { height: 5px }", ["improved"]),  # overlap is not containment
    ],
)
def test_no_list_is_lost_to_a_style_sheet(style, variants):
    markup = f"<style>{style}</style><main><ul>{ITEMS}</ul></main>"
    drawn = Page.render(markup)
    for variant in variants:
        without, with_layout = (
            unweave.records(page, method=Depta(variant=variant))[0] for page in (markup, drawn)
        )
        assert with_layout.rows == without.rows
        assert with_layout.score <= 1


ENTRIES = [
    f"<h3>Name {number}</h3>About {number}<p>Text {number}</p><p>more</p>" for number in range(6)
]
ENTRY_TEXTS = [f"Name {number} About {number} Text {number} more" for number in range(6)]


def unclosed(height=None):
    """Entries that nobody closed, drawn one below the other: of this height, or as high as all that follows."""
    page = Page.parse(f"<body><main><div>{'<div>'.join(ENTRIES)}</main></body>")
    page.boxes, entry, line = [], -1, 0
    for label in page.tree.labels:
        if label == "div":
            entry, line = entry + 1, 0
            top = 100 * entry
            page.boxes.append(Box(0, top, 600, top + height if height else 600))
        elif entry < 0:
            page.boxes.append(Box(0, 0, 600, 600))
        else:
            page.boxes.append(Box(0, 100 * entry + line, 600, 100 * entry + line + 25))
            line += 30
    return page


def test_a_page_of_unclosed_elements_that_looks_like_a_list_gives_the_list():
    """Section 3.2: the tree is what is drawn, whatever the markup nests."""
    for variant in ("printed", "corrected"):
        page = unclosed(height=90)
        (table,) = unweave.records(page, method=Depta(variant=variant))
        assert list(table.texts) == ENTRY_TEXTS
        assert table.rows == [
            text.replace(" A", "|A").replace(" T", "|T").replace(" m", "|m").split("|")
            for text in ENTRY_TEXTS
        ]
        assert [page.tree.labels[node] for (node,) in table.records] == ["div"] * 6
        assert table.page is page
    without_layout = unweave.records(
        Page.parse(f"<main><div>{'<div>'.join(ENTRIES)}</main>"), method="depta"
    )
    assert all(list(table.texts) != ENTRY_TEXTS for table in without_layout)


def test_unclosed_elements_whose_boxes_hold_all_that_follows():
    (table,) = unweave.records(unclosed(), method="depta")
    assert list(table.texts) == ENTRY_TEXTS
    assert all(
        list(table.texts) != ENTRY_TEXTS
        for table in unweave.records(unclosed(), method=Depta(variant="printed"))
    )


@pytest.mark.browser
@pytest.mark.parametrize("style", ["", "height: 150px", "float: left"])
def test_unclosed_elements_in_a_browser(style):
    drawn = Page.render(
        f"<main><div style='{style}'>{f'<div style={style!r}>'.join(ENTRIES)}</main>"
    )
    table = unweave.records(drawn, method="depta")[0]
    assert [text.split(" Text")[0] for text in table.texts] == [
        f"Name {number} About {number}" for number in range(6)
    ]
    assert len({node for record in table.records for node in record}) == sum(
        map(len, table.records)
    ), "no text twice"


def test_a_text_after_an_element_that_is_drawn_elsewhere():
    """Where the element of a text has ended as drawn, the text belongs to what is around it."""
    page = Page.parse("<body><div>one<p>two</p>three</div></body>")
    labels = page.tree.labels
    boxes = {"div": Box(0, 0, 100, 20), "p": Box(0, 500, 100, 520)}
    page.boxes = [boxes.get(label, Box(0, 0, 100, 900)) for label in labels]
    view = depta.nest_by_layout(page)
    assert [view.text(labels.index(label)) for label in ("div", "p")] == ["one", "two"]
    assert view.text() == page.text() == "one two three"
    assert view.original is page
    assert depta.nest_by_layout(view) is view
    assert depta.nest_by_layout(page, Depta(variant="improved")) is page


@pytest.mark.browser
def test_eyes_lose_no_list_that_is_found_without_them():
    with Renderer() as renderer:
        for name in (
            "products",
            "twocolumn",
            "table",
            "people",
            "jobs",
            "products-rows",
            "documents-gbk",
        ):
            page = Page.render(f"examples/{name}.html", renderer=renderer)
            blind = unweave.records(f"examples/{name}.html", method="depta")[0]
            assert list(unweave.records(page, method="depta")[0].texts) == list(blind.texts)


# ---- columns ---------------------------------------------------------------------------------------------------


def table(markup, *, url=None, **options):
    return unweave.records(markup, method=Depta(**options), url=url)[0]


SHARED = "<q>" + "<i></i>" * 30 + "</q>"


def letters_page(*records):
    """Records whose items are letters, in elements of that name, after what all records share."""
    rows = "".join(
        f"<li>{SHARED}{''.join(f'<{letter}>{letter}</{letter}>' for letter in record)}</li>"
        for record in records
    )
    return f"<ul>{rows}</ul>"


def column_letters(found):
    """The letter of each column, and the columns that each record fills."""
    letters = [
        "".join(sorted({row[n] for row in found.rows if row[n]})) for n in range(len(found.columns))
    ]
    return "".join(letters), ["".join(cell or "" for cell in row) for row in found.rows]


@pytest.mark.parametrize("variant", ["printed", "corrected", "improved"])
def test_table_1_columns_stand_in_the_order_of_the_seed(variant):
    """Line 22 of Figure 13, on the trees of Figure 14."""
    found = table(letters_page("tuvwxbd", "bnckg", "bcdhk"), variant=variant)
    assert column_letters(found) == ("tuvwxbncdhkg", ["tuvwxbd", "bnckg", "bcdhk"])


def test_a_text_after_the_elements_of_its_node_comes_after_their_columns():
    rows = "".join(
        f"<li><h3>t{k}</h3><div><p>p{k}</p><p>q</p>tail {k}</div><s>s</s></li>" for k in range(3)
    )
    assert table(f"<ul>{rows}</ul>").rows[1] == ["t1", "p1", "q", "tail 1", "s"]


def test_items_without_a_link_follow_their_left_neighbour():
    found = table(letters_page("abe", "axe", "aye"))
    assert column_letters(found)[0] in ("axybe", "ayxbe", "abxye", "abyxe")


def test_words_marked_in_a_text_are_items_of_their_own_as_printed():
    rows = ["one <b>word</b> marked", "<b>two</b> words <b>marked</b>", "none at all is marked"]
    markup = (
        "<ul>"
        + "".join(f"<li><h3>t</h3><p>{row}</p><i>a</i><u>b</u><s>c</s></li>" for row in rows)
        + "</ul>"
    )
    assert "word" in table(markup, variant="printed").rows[0]
    assert "word" in table(markup, running_text=False).rows[0]
    assert "one word marked" in table(markup, variant="printed", running_text=True).rows[0]


def test_a_missing_field_leaves_a_hole():
    rows = "".join(
        f"<li><b>n{k}</b>{'<i>opt</i>' if k % 2 else ''}<u>t{k}</u><p>p</p></li>" for k in range(6)
    )
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
    assert found.rows[1] == [
        "https://example.org/p/1",
        "name 1",
        "https://example.org/list/i/1.png",
        "text",
    ]
    assert table(markup).rows[1][0] == "/p/1"


def test_the_base_element_is_heeded():
    markup = (
        "<base href='https://cdn.example.org/x/'><ul>"
        + "<li><a href='y'>t</a><p>u</p></li>" * 3
        + "</ul>"
    )
    assert table(markup, url="https://example.org/").rows[0][0] == "https://cdn.example.org/x/y"


def test_addresses_that_lead_nowhere_are_no_items():
    markup = (
        "<ul>"
        + "<li><a href='javascript:go()'>t</a><a href='#'>u</a><a href='http://[broken'>v</a></li>"
        * 3
        + "</ul>"
    )
    assert table(markup, url="https://example.org/").rows[0] == ["t", "u", "http://[broken", "v"]


def test_words_marked_here_and_there_are_one_text():
    rows = ["one <b>word</b> marked", "<b>two</b> words <b>marked</b>", "none at all is marked"]
    found = table(
        "<ul>"
        + "".join(f"<li><h3>t</h3><p>{row}</p><i>a</i><u>b</u><s>c</s></li>" for row in rows)
        + "</ul>"
    )
    assert [row[1] for row in found.rows] == [
        "one word marked",
        "two words marked",
        "none at all is marked",
    ]
    assert [found.page.text(nodes[1][0]) for nodes in found.nodes] == [row[1] for row in found.rows]


def test_words_marked_everywhere_alike_are_labels():
    found = table(
        "<ul>"
        + "".join(f"<li><h3>t</h3><p><b>Price:</b> {k}.00</p></li>" for k in range(3))
        + "</ul>"
    )
    assert found.rows[1] == ["t", "Price:", "1.00"]


def letters(text):
    return sorted(text.replace(" ", ""))


@pytest.mark.parametrize(
    "page", sorted(Path("examples").glob("*.html")), ids=lambda path: path.stem
)
def test_every_text_is_in_one_cell_and_none_is_lost(page):
    tables = unweave.records(page, method="depta")
    assert tables
    for found in tables:
        strings = [number for number, column in enumerate(found.columns) if column.type == "string"]
        assert found.texts
        for row, text in zip(found.rows, found.texts, strict=True):
            assert letters("".join(row[number] or "" for number in strings)) == letters(text)


def test_a_link_inside_a_text_is_not_given_twice():
    rows = [
        "Sold by Ann today",
        "Sold by <a href=/bob>Bob</a> today",
        "Sold by <a href=/eve>Eve</a> today",
    ]
    found = table(
        "<ul>" + "".join(f"<li><h3>t</h3><p>{row}</p><i>a</i></li>" for row in rows) + "</ul>"
    )
    assert [cell for cell in found.rows[1] if cell] == ["t", "Sold by Bob today", "/bob", "a"]
    assert [cell for cell in found.rows[0] if cell] == ["t", "Sold by Ann today", "a"]


def test_a_link_that_is_in_every_text_stands_apart():
    found = table(
        "<ul>"
        + "".join(f"<li><h3>t</h3><p>by <a href=/{k}>name {k}</a></p></li>" for k in range(3))
        + "</ul>"
    )
    assert found.rows[1] == ["t", "by", "/1", "name 1"]


def test_items_without_a_link_have_columns_of_their_own():
    rows = [
        "<b>a</b><i>m</i><u>e</u>",
        "<b>a</b><s>x</s><s>y</s><u>e</u>",
        "<b>a</b><s>z</s><u>e</u>",
    ]
    found = table(
        "<ul>"
        + "".join(f"<li><h3>t</h3>{row}<p>p</p><p>q</p><p>r</p></li>" for row in rows)
        + "</ul>"
    )
    assert len(found) == 3
    for row, record in zip(found.rows, found.texts, strict=True):
        assert letters("".join(filter(None, row))) == letters(record)


def test_every_cell_knows_its_nodes():
    found = unweave.records("examples/products.html", method="depta")[0]
    assert any(
        cell and column.type == "string"
        for row in found
        for cell, column in zip(row, found.columns, strict=True)
    )
    for row, sources in zip(found.rows, found.nodes, strict=True):
        for column, cell, nodes in zip(found.columns, row, sources, strict=True):
            assert bool(cell) == bool(nodes)
            if cell and column.type == "string":
                assert cell in found.page.text(nodes[0])


def test_records_too_large_to_match_are_aligned_by_their_paths():
    """Two records of 3,000 texts, every tenth in another element than the other record's."""
    huge = [
        "".join(f"<{tag}>x</{tag}>" for k in range(3_000) if (tag := odd if k % 10 == 0 else "b"))
        for odd in ("h2", "h3")
    ]
    found = table("<ul>" + "".join(f"<li>{record}</li>" for record in huge) + "</ul>")
    assert len(found) == 2
    assert sum(cell is not None for cell in found.rows[0]) == 3_000


def test_where_the_budget_is_spent_links_are_kept_and_columns_stay(monkeypatch):
    monkeypatch.setattr(paper_alignment, "MAX_MATCHED_PAIRS", 10)
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
