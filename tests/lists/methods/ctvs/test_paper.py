"""What the CTVS paper prints, by its sections, tables and figures, through the public method and in which variants."""

import pytest
from click.testing import CliRunner

import unweave
from unweave import Page
from unweave.cli import main
from unweave.lists.methods.ctvs import Ctvs
from unweave.page.layout import Box

VARIANTS = ("printed", "corrected", "improved")


def records(page, variant="corrected", **parameters):
    tables = unweave.records(page, method=Ctvs(variant=variant, **parameters))
    assert tables
    return tables


def page_of(*siblings, height=20, gaps=()):
    """A page of siblings below each other, with the gaps in pixels before each of them but the first, if any are given."""
    page = Page.parse(f"<main>{''.join(siblings)}</main>")
    if gaps:
        tops = [0]
        for gap in gaps:
            tops.append(tops[-1] + height + gap)
        page.boxes = [Box(0, 0, 500, tops[-1] + height)] * len(page.tree)
        top_level = page.tree.children(
            next(n for n, label in enumerate(page.tree.labels) if label == "main")
        )
        for node, top in zip(top_level, tops, strict=True):
            for inner in range(node, page.tree.ends[node]):
                page.boxes[inner] = Box(0, top, 500, top + height)
    return page


def heading(name):
    return f"<h3><a>{name}</a></h3>"


def paragraph(text, more=""):
    return f"<p>{text}<i>in</i><b>of</b><u>at</u><s>on</s>{more}</p>"


ADVERT = "<form><input><input><input><button>buy</button></form>"


# ---- Section II-A and II-B: data regions, and the three heuristics of segmentation ---------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_section_2a_records_with_auxiliary_nodes_between_them(variant):
    """Records of one parent need not be contiguous."""
    names = [heading(name) + paragraph(name) for name in ("one", "two", "three")]
    page = page_of(names[0], names[1], ADVERT, names[2])
    assert [text.split()[0] for text in records(page, variant)[0].texts] == ["one", "two", "three"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_section_2b_the_repeat_that_stops_at_auxiliary_nodes(variant):
    """``BABABx``: the records are AB, even if the first B is the largest of all. Without the x they are BA."""
    siblings = [paragraph("intro", "<em>more</em>" * 2)]
    siblings += [
        sibling
        for name in ("one", "two")
        for sibling in (heading(name), paragraph(f"about {name} "))
    ]
    texts = records(page_of(*siblings, ADVERT), variant)[0].texts
    assert [text.split()[:3] for text in texts] == [
        ["one", "about", "one"],
        ["two", "about", "two"],
    ]
    assert records(page_of(*siblings), variant)[0].texts[0].startswith("intro")


@pytest.mark.parametrize("variant", VARIANTS)
def test_section_2b_the_gap_decides(variant):
    """``P H P H P H P`` with 60 pixels above each H and none below: the records are HP."""
    names = ("one", "two", "three")
    pairs = [sibling for name in names for sibling in (heading(name), paragraph(name))]
    page = page_of(paragraph("intro"), *pairs, gaps=(60, 0, 60, 0, 60, 0))
    assert [text.split()[0] for text in records(page, variant)[0].texts] == list(names)


@pytest.mark.parametrize("variant", VARIANTS)
def test_section_2b_the_gap_decides_for_the_other_rotation(variant):
    """The same siblings with the gap on the other side: the records are PH, whatever follows the last of them."""
    names = ("one", "two", "three")
    pairs = [sibling for name in names for sibling in (paragraph(f"{name} "), heading(name))]
    page = page_of(*pairs, paragraph("outro"), gaps=(0, 60, 0, 60, 0, 60))
    texts = records(page, variant, keep_last=False)[0].texts
    assert [(text.split()[0], text.split()[-1]) for text in texts] == [
        (name, name) for name in names
    ]


@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_section_2b_without_both_the_repeat_that_starts_the_region(variant):
    """``BABABABAB``: BA starts it. The repeat that covers more of the tree is ours, and a switch."""
    pairs = [
        sibling
        for n in range(4)
        for sibling in (paragraph(f"p{n} ", "<em>e</em>"), heading(f"h{n}"))
    ]
    page = page_of(
        "<h3><a></a></h3>", *pairs[:-2], paragraph("p3 ", "<em>e</em>" * 2), heading("h3")
    )
    starting = records(page, variant)[0]
    assert [text.split()[0] for text in starting.texts] == ["p0", "h0", "h1", "h2"]
    assert starting.texts[1].split()[1] == "p1"
    page = page_of(heading("x"), *pairs[:-1], "<h3><a>h3</a><a>h3</a></h3>")
    covering = records(page, variant, prefer_coverage=True)[0].texts
    assert [text.split()[0] for text in covering] == ["p0", "p1", "p2", "p3"]
    assert [text.split()[0] for text in records(page, variant)[0].texts] == ["x", "h0", "h1", "h2"]


def test_an_unfinished_last_record_is_ours():
    """``ABABA``: the paper drops the last A."""
    rules = [f"<div><h3>{name}</h3><p>about {name}</p></div><hr>" for name in ("one", "two")]
    page = page_of(*rules, "<div><h3>three</h3><p>about three</p></div>")
    assert len(records(page)[0].texts) == 2
    assert (
        len(records(page, keep_last=True)[0].texts) == len(records(page, "improved")[0].texts) == 3
    )


def test_a_first_record_without_its_start_is_ours():
    """``BABABx``: the records are AB, and the first B is one too if it is similar to them."""
    pairs = [
        sibling
        for name in ("one", "two")
        for sibling in (heading(name), paragraph(f"about {name} "))
    ]
    page = page_of(paragraph("about none "), *pairs, ADVERT)
    assert [text.split()[0] for text in records(page)[0].texts] == ["one", "two"]
    for table in (records(page, keep_last=True)[0], records(page, "improved")[0]):
        assert [text.split()[0] for text in table.texts] == ["about", "one", "two"]


def test_rows_of_a_grid_are_records_in_the_paper():
    """The paper looks for nothing below similar siblings. Opening them is ours."""
    card = "<div><h3><a>name</a></h3><p>about it</p><span>$5</span></div>"
    page = page_of(*[f"<section>{card * 3}</section>"] * 3)
    assert len(records(page)[0].texts) == 3
    assert (
        len(records(page, open_containers=True)[0].texts)
        == len(records(page, "improved")[0].texts)
        == 9
    )


# ---- Sections II-C and II-D: merging, and the query result section --------------------------------------------------


def entries(*names):
    return "".join(
        f"<li><h3>{name}</h3><p>a paragraph with a number of words in it</p></li>" for name in names
    )


def menus_and_list():
    """Three menus of similar links in different surroundings, and a list that has less text than all of them together."""
    menus = "".join(
        f"<{tag}><ul>{'<li><a>a link of the menu</a><i>!</i></li>' * 10}</ul>{'<hr>' * 40 * n}</{tag}>"
        for n, tag in enumerate(("div", "section", "article"))
    )
    return Page.parse(
        f"<body><header>{menus}</header><main><ul>{entries(*'ABCDEF')}</ul></main></body>"
    )


def test_sections_2c_and_2d_as_printed_merge_before_they_choose():
    """As printed, the menus become the largest list; corrected, the section is chosen first, and then takes in others."""
    page = menus_and_list()
    printed = records(page, "printed")
    assert [len(table.texts) for table in printed] == [30, 6]
    assert {text[0] for text in records(page)[0].texts} == set("ABCDEF")
    first = records(page, merge_first=True, equal_weights=True)
    assert [table.texts for table in first] == [table.texts for table in printed]


def parted_list():
    """A small part of a list in the centre of a page, and a large one at its top; another list between the two."""
    big, small = (
        "<ul>" + entries("A", "B", "C", "D") + "</ul>",
        "<ol>" + entries("E", "F") + "</ol>",
    )
    between = "<table>" + "<tr><td>x</td><td>y</td></tr>" * 4 + "</table>"
    page = Page.parse(
        f"<main><section>{big}{'<hr>' * 20}</section><form>{between}</form><article>{small}</article></main>"
    )
    page.boxes = [Box(0, 0, 1000, 1000)] * len(page.tree)
    boxes = {
        "ul": Box(0, 0, 1000, 50),
        "ol": Box(450, 450, 550, 550),
        "tbody": Box(300, 300, 900, 900),
    }
    boxes["table"] = boxes["tbody"]
    for node, label in enumerate(page.tree.labels):
        if label in ("li", "tr"):
            page.boxes[node] = boxes[page.tree.labels[page.tree.parents[node]]]
    return page


def test_section_2d_as_printed_the_centre_of_a_merged_region_is_that_of_its_largest_part():
    """The merged list reaches from the top to the centre; its largest part is at the top, far from the centre."""
    page = parted_list()
    tables = records(page, "printed")
    scores = {len(table.texts): table.score for table in tables}
    # area 230,000 of 1,440,000, the table 141 pixels from the centre and the list 475, two values a record each
    assert scores == {
        6: pytest.approx(
            (4 * 50_000 + 2 * 10_000) / 1_440_000 / 3 + 141.42 / 475 / 3 + 1 / 3, abs=1e-3
        ),
        4: pytest.approx(1),
    }


# ---- Section III-A: pairwise alignment, Table 1 and Figure 2 --------------------------------------------------------


def listing_of(*rows):
    """A list whose values all have the same tag path, so that only what they say tells which column they are of."""
    return Page.parse(
        "<main>"
        + "".join(f"<div>{''.join(f'<p>{value}</p>' for value in row)}</div>" for row in rows)
        + "</main>"
    )


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("left", "right", "other"),
    [
        ("23", "876", "Azkaban"),
        ("Jul 1, 2007", "2005.12.3, 1:30", "Azkaban"),
        ("$32.5", "$18", "Azkaban"),
        ("Harry Potter and the Goblet of Fire", "Harry Potter and the Prisoner of Azkaban", "876"),
    ],
    ids=["int", "date and datetime", "price", "string"],
)
def test_table_1_values_of_similar_types_share_a_column(variant, left, right, other):
    """Where a value is missing, the pairs of Table 1 are aligned, and not the pair of equal positions."""
    table = records(
        listing_of((other, left), (right,), (other, left)), variant, varying_lists=True
    )[0]
    assert table.rows == [[other, left], [None, right], [other, left]]


def test_figure_2_as_printed_types_with_a_common_parent_are_half_alike():
    """The prose gives a half for a common parent, as price and float have, the formula and Table 1 for parent and child."""
    page = listing_of(("red", "$7"), ("12.5",), ("blue", "$8"))
    printed, corrected = (
        records(page, variant, varying_lists=True)[0] for variant in ("printed", "corrected")
    )
    assert printed.rows[1] == [None, "12.5"]
    assert "12.5" in corrected.rows[1]
    assert corrected.rows[1] != [None, "12.5"]


def test_figure_2_as_printed_has_only_the_types_that_the_text_names():
    """A percentage is a string as printed: two of them share no word, so position decides."""
    page = listing_of(("red", "7%"), ("12%",), ("blue", "8%"))
    printed, corrected = (
        records(page, variant, varying_lists=True)[0] for variant in ("printed", "corrected")
    )
    assert corrected.rows[1] == [None, "12%"]
    assert printed.rows[1] != [None, "12%"]


# ---- Section III-B: holistic alignment ------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_section_3b_a_breach_path_is_cut_where_it_is_weakest(variant):
    """Two values of one record are never in one column, though both are like the single value of another."""
    page = listing_of(("Hamlet", "$5", "$6"), ("Macbeth", "$7"), ("Othello", "$8", "$9"))
    table = records(page, variant, varying_lists=True)[0]
    assert [row[:3] for row in table.rows] == [
        ["Hamlet", "$5", "$6"],
        ["Macbeth", "$7", None],
        ["Othello", "$8", "$9"],
    ]


@pytest.mark.parametrize("variant", VARIANTS)
def test_section_3b_intersecting_components_are_split(variant):
    """b stands after i in most records, and before it in one: one of the two columns is cut, and the order holds."""
    orders = ("ib", "ib", "bi", "ib", "i")
    rows = ["".join(f"<{tag}>{tag}{n}</{tag}>" for tag in order) for n, order in enumerate(orders)]
    page = Page.parse(
        f"<main>{''.join(f'<div><h3>title</h3>{row}<p>text</p></div>' for row in rows)}</main>"
    )
    table = records(page, variant)[0]
    columns = [[cell for cell in column if cell] for column in zip(*table.rows, strict=True)]
    assert ["i0", "i1", "i2", "i3", "i4"] in columns
    assert ["b0", "b1", "b3"] in columns
    assert ["b2"] in columns
    assert [[cell for cell in row if cell][1:-1] for row in table.rows] == [
        [f"{tag}{n}" for tag in order] for n, order in enumerate(orders)
    ]


def test_cutting_rings_is_ours():
    """i before b, b before u, u before i: divided by i, u stands on both sides; cut as a ring, one column is in two."""
    rows = [
        "".join(f"<{tag}>{tag}{n}</{tag}>" for tag in order)
        for n, order in enumerate(("ib", "bu", "ui"))
    ]
    page = Page.parse(
        f"<main>{''.join(f'<div><h3>title</h3>{row}<p>text</p></div>' for row in rows)}</main>"
    )

    def columns(*args, **parameters):
        table = records(page, *args, **parameters)[0]
        return [[cell for cell in column if cell] for column in zip(*table.rows, strict=True)][1:-1]

    assert columns() == columns(cut_rings=False) == [["u2"], ["i0", "i2"], ["b0", "b1"], ["u1"]]
    assert (
        columns(cut_rings=True)
        == columns("improved")
        == [["i0"], ["b0", "b1"], ["u1", "u2"], ["i2"]]
    )


# ---- Section III-C: nested structures -------------------------------------------------------------------------------


def tagged(*counts):
    return Page.parse(
        "<main>"
        + "".join(
            f"<article><h3>n{n}</h3><ul>{''.join(f'<li>{k + n}</li>' for k in range(count))}</ul><p>x</p></article>"
            for n, count in enumerate(counts)
        )
        + "</main>"
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_section_3c_a_repeated_attribute_is_a_list(variant):
    table = records(tagged(1, 2, 3, 0), variant)[0]
    assert [row[1] for row in table.rows] == [["0"], ["1", "2"], ["2", "3", "4"], None]
    assert [column.type for column in table.columns] == ["string", "list", "string"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("image_first", [True, False])
def test_section_3c_the_images_of_a_repeated_part_are_a_list_as_well(variant, image_first):
    """An image beside its text, in the same span, in one to three spans a record; the record has an image of its own."""

    def author(name):
        image, text = f"<img src={name}.png>", f"Author {name}"
        return f"<span>{image}{text}</span>" if image_first else f"<span>{text}{image}</span>"

    names = [[f"{n}{k}" for k in range(n % 3 + 1)] for n in range(6)]
    cards = [
        f"<div><img src=/{n}><h3>Title {n}</h3>{''.join(map(author, own))}<p>x</p></div>"
        for n, own in enumerate(names)
    ]
    table = records(Page.parse(f"<main>{''.join(cards)}</main>"), variant)[0]
    for n, (row, own) in enumerate(zip(table.rows, names, strict=True)):
        texts, images = [f"Author {name}" for name in own], [f"{name}.png" for name in own]
        assert row == [
            f"/{n}",
            f"Title {n}",
            *((images, texts) if image_first else (texts, images)),
            "x",
        ]


def test_section_3c_the_cells_of_a_data_table_repeat_too():
    """By the paper's ratio two columns of numbers are one attribute. That the counts must vary is ours."""
    page = Page.parse(
        "<table>"
        + "".join(f"<tr><th>n{n}</th><td>{n}</td><td>{n + 5}</td></tr>" for n in range(4))
        + "</table>"
    )
    assert records(page)[0].rows[0] == ["n0", ["0", "5"]]
    assert records(page, "improved")[0].rows[0] == ["n0", "0", "5"]


def test_equation_2_as_printed_is_half_of_the_mean():
    """Values that are two fifths as alike across repetitions as within one: nested to the letter, and not as meant."""
    page = Page.parse(
        "<main>"
        + "".join(
            f"<article><h3>{n}</h3><p>red wool a b c</p><p>red wool f g h</p></article>"
            for n in range(4)
        )
        + "</main>"
    )
    to_the_letter = records(page, printed_mean=True)[0]
    assert "list" in [column.type for column in to_the_letter.columns]
    assert "list" not in [column.type for column in records(page)[0].columns]


# ---- what the paper leaves open -------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_link_stays_with_its_text(variant):
    """The second record has no price: its date goes to the column of dates, and so does the link of the date."""
    rows = [
        ("Hamlet", "$5", "2016-01-01"),
        ("Macbeth", "2016-02-02"),
        ("Othello", "$7", "2016-03-03"),
    ]
    links = ["".join(f"<p><a href=/{value}>{value}</a></p>" for value in row) for row in rows]
    page = Page.parse(f"<main>{''.join(f'<div>{row}</div>' for row in links)}</main>")
    table = records(page, variant)[0]
    assert table.rows[1] == ["/Macbeth", "Macbeth", None, None, "/2016-02-02", "2016-02-02"]
    assert table.rows[0] == ["/Hamlet", "Hamlet", "/$5", "$5", "/2016-01-01", "2016-01-01"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_link_of_an_image_is_not_that_of_the_title(variant):
    """Both links have the same tag path, and the second record has no image."""

    def card(name, image):
        picture = f"<a href=/i{name}><img src={name}.png></a>" if image else ""
        return f"<div>{picture}<a href=/{name}>{name}</a><p>x<br><br><br><br></p></div>"

    page = Page.parse(f"<main>{card('one', True)}{card('two', False)}{card('three', True)}</main>")
    table = records(page, variant)[0]
    assert table.rows == [
        ["/ione", "one.png", "/one", "one", "x"],
        [None, None, "/two", "two", "x"],
        ["/ithree", "three.png", "/three", "three", "x"],
    ]


def test_a_badge_in_some_links_does_not_part_them():
    def card(name, badge=""):
        return f"<div><a href=/{name}><img src={name}.png>{badge}</a><h3>{name}</h3><p>x</p></div>"

    page = Page.parse(f"<main>{card('one')}{card('two', '<em>new</em>')}{card('three')}</main>")
    table = records(page)[0]
    assert [row[0] for row in table.rows] == ["/one", "/two", "/three"]
    assert [row[1] for row in table.rows] == ["one.png", "two.png", "three.png"]


def test_a_value_in_several_leaves_is_not_handled_in_the_paper():
    """Section VI names it as a limit of CTVS. Joining running texts whose marks differ is ours."""
    texts = ("plain words", "some <b>bold</b> words", "more <i>of</i> <b>them</b>")
    page = Page.parse(
        f"<main>{''.join(f'<div><h3>n</h3><p>{text}</p></div>' for text in texts)}</main>"
    )
    assert records(page)[0].rows[1] != ["n", "some bold words"]
    for table in (records(page, join_texts=True)[0], records(page, "improved")[0]):
        assert [row[1] for row in table.rows] == ["plain words", "some bold words", "more of them"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_command_line_takes_variant_and_switches(variant, tmp_path):
    path = tmp_path / "grid.html"
    card = "<div><h3><a>name</a></h3><p>about it</p><span>$5</span></div>"
    path.write_text(f"<main>{f'<section>{card * 3}</section>' * 3}</main>", encoding="utf-8")
    command = ["records", str(path), "--method", "ctvs", "--variant", variant]
    opened = CliRunner().invoke(main, [*command, "-p", "open_containers=yes", "--format", "csv"])
    closed = CliRunner().invoke(main, [*command, "-p", "open_containers=no", "--format", "csv"])
    assert (opened.exit_code, closed.exit_code) == (0, 0)
    assert len(opened.stdout.splitlines()) == 10
    assert len(closed.stdout.splitlines()) == 4


def test_an_unknown_variant_is_refused():
    with pytest.raises(
        unweave.UsageError, match="unknown variant 'best'; choose from printed, corrected, improved"
    ):
        unweave.records("<p>x</p>", method=Ctvs(variant="best"))
