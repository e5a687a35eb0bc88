"""The changes of bench.drift: each changes what it says, the same way in every run, nothing else."""

import re
from pathlib import Path

import pytest

import unweave
from bench.drift_changes import (
    SectionMove,
    insert_column,
    make_change,
    rename_all,
    rename_labels,
    select_half,
)
from bench.drift_detection import compute_auc

PATHS = sorted(Path("examples/shop").glob("*.html"))
PAGES = [path.read_bytes() for path in PATHS]
LABELS = ["Diameter", "Power", "Speeds", "Noise", "Swing", "Capacity", "Weight", "Colour"]
NAMES = ["labels", "section", "column", "all names", "labels+all names", "section+column"]


def wrap(markup):
    return markup.replace(b'<body class="page-product">', b'<body class="page-product"><div>')


def change_pages(name, pages=PAGES):
    return list(map(make_change(name, {"wrap": wrap}, pages, LABELS), pages))


def texts(markup):
    return unweave.load_page(markup).texts


def shape(markup):
    tree = unweave.load_page(markup).tree
    return list(tree.labels), list(tree.parents)


@pytest.mark.parametrize("name", NAMES)
def test_every_run_gives_the_same_pages(name):
    assert change_pages(name) == change_pages(name)
    assert change_pages(name) != PAGES


@pytest.mark.parametrize("name", NAMES)
def test_the_values_stay(name):
    fields = unweave.learn(PATHS, method="fields").apply(unweave.load_page(PAGES[2])).fields
    values = {value for value in fields.values() if isinstance(value, str)}
    assert values
    assert values <= {*texts(change_pages(name)[2]), *values.difference(texts(PAGES[2]))}


def test_all_names_are_renamed_the_same_way_on_all_pages():
    before, after = (
        re.findall(rb'(?:class|id)="([^"]*)"', b"".join(pages))
        for pages in (PAGES, change_pages("all names"))
    )
    pairs = {
        pair
        for left, right in zip(before, after, strict=True)
        for pair in zip(left.split(), right.split(), strict=True)
    }
    assert len(pairs) == len({left for left, _ in pairs}) == len({right for _, right in pairs})
    assert all(left != right for left, right in pairs)


def test_all_names_leave_everything_else():
    for before, after in zip(PAGES, change_pages("all names"), strict=True):
        names = re.compile(rb'\s(class|id)="[^"]*"')
        assert names.sub(b"", before) == names.sub(b"", after)
        assert texts(before) == texts(after)


@pytest.mark.parametrize(
    ("markup", "renamed"),
    [
        (b"<p class=a id='b c' title=a>", b"<p class=%s id='%s %s' title=a>"),
        (b'<P CLASS="a" data-id=x>id="x"', b'<P CLASS="%s" data-id=x>id="x"'),
        (b"<p class=''>", b"<p class=''>"),
    ],
)
def test_names_with_and_without_quotes(markup, renamed):
    names = re.findall(rb"(?<=[ '\"=])(r[0-9a-f]{7})", rename_all(markup))
    assert rename_all(markup) == renamed % tuple(names)


def test_labels_keep_case_colon_and_words():
    page = "<td>Main Author:</td><td> Straße&nbsp;A </td><td>F&amp;B</td>".encode()
    changed = rename_labels(page, {"Main Author:", "Straße A", "F&B"})
    assert changed == "<td>Neop Eavjus:</td><td> Tvseßi&nbsp;E </td><td>G&amp;C</td>".encode()


@pytest.mark.parametrize(
    "page",
    [
        b"<td>Author: Ann</td>",
        b"<td>Author:<b>Ann</b></td>",
        b"<p><i>x</i>Author:</p>",
        b"<title>Author:</title>",
        b"<script>Author:</script>",
        b"<p title='Author:'>Authors:</p>",
    ],
)
def test_labels_stay_where_they_are_not_all_of_an_element(page):
    assert rename_labels(page, {"Author:"}) == page


def test_labels_in_other_encodings():
    assert rename_labels("<b>Größe</b>".encode("latin-1"), {"Größe"}) == "<b>Hsößi</b>".encode(
        "latin-1"
    )


def test_half_of_the_labels_are_renamed_and_nothing_else():
    chosen = select_half(LABELS)
    assert 0 < len(chosen) < len(LABELS)
    for before, after in zip(PAGES, change_pages("labels"), strict=True):
        assert shape(before) == shape(after)
        pairs = list(zip(texts(before), texts(after), strict=True))
        assert {left for left, right in pairs if left != right} == chosen & {*texts(before)}
        assert all(len(left) == len(right) for left, right in pairs)


def test_a_label_has_the_fate_of_the_same_with_a_colon():
    assert {f"{label}:" for label in select_half(LABELS)} == select_half(
        f"{label}:" for label in LABELS
    )


def test_a_block_is_moved_behind_its_next_sibling():
    pages = [
        f"<body><p>top</p><ul><li>{n}<li>b<li>c</ul> <p>next</p>\r\n<p>end</p>".encode()
        for n in range(5)
    ]
    move = SectionMove.choose(pages)
    assert move(pages[3]) == b"<body><p>top</p> <p>next</p><ul><li>3<li>b<li>c</ul>\r\n<p>end</p>"


def test_the_same_block_of_all_pages_is_moved():
    for before, after in zip(PAGES, change_pages("section"), strict=True):
        assert len(before) == len(after)
        assert before != after
        assert sorted(before) == sorted(after)
        assert sorted(texts(before)) == sorted(texts(after))
        assert sorted(shape(before)[0]) == sorted(shape(after)[0])


def test_pages_without_a_block_stay():
    pages = [b"<body><p>one</p>", b"<body><p>two</p>"]
    assert SectionMove.choose(pages) == SectionMove(None)
    assert change_pages("section", pages) == pages


def test_blocks_that_are_the_same_on_all_pages_are_not_chosen():
    pages = [
        b"<body><ul><li>a</li><li>b</li><li>c</li></ul><p>%d</p>" % number for number in range(5)
    ]
    assert SectionMove.choose(pages).key is None


def test_a_cell_in_front_of_each_row():
    table = b"<table><tr><th>A<th>B\r\n<tr><td>x<td>1\r\n<tr><td colspan=2>all\n<tr><th>y</th><td>2</table>"
    assert insert_column(table) == (
        b"<table><tr><th>No.</th><th>A<th>B\r\n<tr><td>2</td><td>x<td>1\r\n"
        b"<tr><td>3</td><td colspan=2>all\n<tr><td>4</td><th>y</th><td>2</table>"
    )


@pytest.mark.parametrize(
    "page",
    [
        b"<table><tr><td>a<tr><td>b</table>",
        b"<table><tr><td>a<td>b</table>",
        b"<table><tr><td>a<td><table><tr><td>b</table><tr><td>c<td>d</table>",
        b"<p>none",
    ],
)
def test_layout_tables_and_single_columns_get_no_cell(page):
    assert insert_column(page) == page


def test_a_column_adds_cells_only():
    for before, after in zip(PAGES, change_pages("column"), strict=True):
        assert re.sub(rb"(<tr>)<td>(\d+|new|top|old)</td>", rb"\1", after) == before
        assert after.count(b"<tr>") == after.count(b"<td>") - before.count(b"<td>")


def test_names_joined_by_plus_are_applied_together():
    assert change_pages("all names+wrap") == change_pages("all names")  # wrap looks for a class
    assert change_pages("wrap+all names") == [rename_all(wrap(page)) for page in PAGES]
    assert change_pages("wrap+section") == [wrap(page) for page in change_pages("section")]


def test_an_unknown_change():
    with pytest.raises(KeyError):
        make_change("else", {}, PAGES, LABELS)


def test_auc_is_the_share_of_pairs_in_order():
    assert compute_auc([0.1, 0.5], [0.5, 0.9]) == 0.875
    assert compute_auc([0.9], [0.1]) == 0
    assert compute_auc([], [0.5]) is None
