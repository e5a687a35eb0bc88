"""Tables: what they hold, where it came from, and the forms that they take."""

import builtins
import pickle

import pytest

import unweave
from unweave import MissingExtra
from unweave.lists.listing import Listing
from unweave.lists.paper_alignment import make_path_aligner, make_tree_aligner
from unweave.lists.table_building import build_table

PAGE = (
    "<ul>"
    + "".join(
        f"<li><b>n{k}</b>{'<i>opt</i>' if k == 2 else ''}<p>t{k}, “q”</p></li>" for k in range(4)
    )
    + "</ul>"
)


@pytest.fixture
def table():
    return unweave.records(PAGE, method="mdr")[0]


def test_cells_at_the_same_path_share_a_column(table):
    assert table.names == ["text_1", "text_2", "text_3"]
    assert table.rows == [
        ["n0", None, "t0, “q”"],
        ["n1", None, "t1, “q”"],
        ["n2", "opt", "t2, “q”"],
        ["n3", None, "t3, “q”"],
    ]


def test_every_cell_knows_its_nodes(table):
    assert any(cell for row in table for cell in row)
    for row, sources in zip(table.rows, table.nodes, strict=True):
        for cell, nodes in zip(row, sources, strict=True):
            assert (table.page.text(nodes[0]) if nodes else None) == cell


def test_every_row_knows_its_record(table):
    assert table.xpaths() == [[f"/html/body/ul/li[{number}]"] for number in (1, 2, 3, 4)]
    assert [table.page.text(record[0]) for record in table.records] == list(table.texts)


def test_a_table_is_a_sequence_of_rows(table):
    assert len(table) == 4
    assert next(iter(table)) == ["n0", None, "t0, “q”"]
    assert repr(table).startswith("<Table 4 rows x 3 columns, score 0.")


def test_csv(table, tmp_path):
    path = tmp_path / "t.csv"
    text = table.to_csv(path)
    assert text.splitlines()[:2] == ["text_1,text_2,text_3", 'n0,,"t0, “q”"']
    assert path.read_bytes() == text.encode()


def test_pandas(table):
    frame = table.to_pandas()
    assert list(frame.columns) == table.names
    assert frame["text_2"].notna().sum() == 1


def test_arrow(table):
    arrow = table.to_arrow()
    assert arrow.column_names == table.names
    assert arrow.to_pydict()["text_2"] == [None, None, "opt", None]


@pytest.mark.parametrize(
    ("form", "package", "extra"),
    [("to_pandas", "pandas", "pandas"), ("to_arrow", "pyarrow", "arrow")],
)
def test_a_missing_package_is_named_with_its_extra(table, monkeypatch, form, package, extra):
    real = builtins.__import__

    def without(name, *rest):
        if name == package:
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(
        MissingExtra, match=rf"{package} is not installed: pip install 'unweave\[{extra}\]'"
    ):
        getattr(table, form)()


def test_a_table_travels_between_processes(table):
    copy = pickle.loads(pickle.dumps(table))
    assert (copy.rows, copy.nodes, copy.xpaths()) == (table.rows, table.nodes, table.xpaths())


def test_a_table_with_too_many_cells_has_one_column_and_loses_nothing():
    """One record of 2,000 texts, and 1,500 records of which each has a text at a place of its own."""
    rows = [f"<li>{'<i></i>' * 30}{'<b>x</b>' * (k % 40)}<p>end</p></li>" for k in range(1_500)]
    page = unweave.Page.parse(
        "<ul>" + "".join(rows) + f"<li>{'<i></i>' * 30}{'<b>x</b>' * 2_000}</li></ul>"
    )
    roots = [node for node, label in enumerate(page.tree.labels) if label == "li"]
    table = build_table(
        page, Listing(tuple((root,) for root in roots)), 1.0, make_path_aligner(page)
    )
    assert table.names == ["text_1"]
    assert (
        [row[0] for row in table.rows] == [page.text(root) for root in roots] == list(table.texts)
    )
    assert table.nodes == [[(root,)] for root in roots]


def test_texts_of_different_parts_of_a_record_have_columns_of_their_own():
    page = unweave.Page.parse(
        "<table>" + "<tr><td>name</td></tr><tr><td>text</td></tr>" * 2 + "</table>"
    )
    rows = [node for node, label in enumerate(page.tree.labels) if label == "tr"]
    for aligner in (make_path_aligner(page), make_tree_aligner(page)):
        table = build_table(page, Listing(((rows[0], rows[1]), (rows[2], rows[3]))), 1.0, aligner)
        assert table.rows == [["name", "text"]] * 2


@pytest.mark.slow
def test_lists_that_are_too_large_together_are_left_out_and_said():
    lists = "".join(f"<ul>{'<li><b>x</b><p>y</p></li>' * 1_000 * 2**k}</ul><hr>" for k in range(7))
    deep = "<div>" * 200 + lists
    page = unweave.Page.parse(deep)
    tables = unweave.records(page, alternatives=True)
    assert 0 < len(tables) < 7
    assert tables.warnings[0].startswith(f"only {len(tables)} of ")
    assert page.warnings == ()


@pytest.mark.parametrize(
    ("source", "kind"),
    [(PAGE, "markup"), (PAGE.encode(), "bytes"), (unweave.Page.parse(PAGE), "page")],
)
def test_records_takes_markup_bytes_and_pages(source, kind):
    assert len(unweave.records(source)[0]) == 4, kind


def test_records_takes_paths(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    assert len(unweave.records(path)[0]) == len(unweave.records(str(path))[0]) == 4


def test_the_url_stays_with_the_page():
    assert (
        unweave.records(PAGE, url="https://example.org/list")[0].page.url
        == "https://example.org/list"
    )


# ---- lists in cells ------------------------------------------------------------------------------------------------


@pytest.fixture
def nested():
    entries = [
        f"<article><h3>n{k}</h3><ul>{''.join(f'<li>{n}</li>' for n in range(k))}</ul></article>"
        for k in range(4)
    ]
    return unweave.records(f"<main>{''.join(entries)}</main>", method="ctvs")[0]


def test_a_cell_may_be_a_list(nested):
    assert nested.rows == [["n0", None], ["n1", ["0"]], ["n2", ["0", "1"]], ["n3", ["0", "1", "2"]]]
    assert nested.format_rows() == [["n0", None], ["n1", "0"], ["n2", "0; 1"], ["n3", "0; 1; 2"]]
    assert nested.collect_lists() == {"text_2": [None, ["0"], ["0", "1"], ["0", "1", "2"]]}


def test_in_json_cells_stay_texts_and_lists_stand_beside_them(nested, table):
    assert nested.to_json()["rows"] == nested.format_rows()
    assert nested.to_json()["lists"] == nested.collect_lists()
    assert "lists" not in table.to_json()


def test_lists_in_arrow_and_pandas(nested):
    pyarrow = pytest.importorskip("pyarrow")
    assert nested.to_arrow().schema.field("text_2").type == pyarrow.list_(pyarrow.string())
    assert nested.to_arrow().column("text_2").to_pylist() == nested.collect_lists()["text_2"]
    assert nested.to_pandas()["text_2"].tolist() == nested.collect_lists()["text_2"]


def test_notebooks_show_it_without_what_the_page_would_have_them_run():
    items = "".join(
        f"<li><b>&lt;script&gt;{n}&lt;/script&gt;</b><i>{n} &amp; more</i></li>" for n in range(80)
    )
    table = unweave.records(f"<ul>{items}</ul>")[0]
    shown = table._repr_html_()
    assert shown.count("<tr>") == 51
    assert "&lt;script&gt;3&lt;/script&gt;" in shown
    assert "<script>" not in shown
    assert "and 30 more rows" in shown


def test_a_table_without_columns_has_its_rows_in_pandas():
    pytest.importorskip("pandas")
    (table,) = unweave.records(b"<b>&#0</b><b>&#0</b><b>&#0</b>")
    assert (len(table), table.columns) == (3, ())
    assert table.to_pandas().shape == (3, 0)
