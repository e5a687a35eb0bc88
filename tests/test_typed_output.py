"""Typed output loses nothing: where a page has a text, every format has a cell."""

import io
import tarfile
from pathlib import Path

import openpyxl
import pyarrow.parquet
import pytest

import unweave
from unweave.errors import UnweaveError
from unweave.sinks.page_tables import encode_table

EXAMPLES = sorted(Path("examples").rglob("*.html"))
DATA = sorted(Path("../shared/data/records").glob("*.tar.xz"))


def count_cells(columns, names):
    return {name: sum(cell not in (None, "") for cell in columns[name]) for name in names}


def tables_of(markup, most=3):
    try:
        return unweave.records(markup)[:most]
    except UnweaveError:
        return []


def count_typed_columns(table):
    """Compare the non-empty cells with and without types; return how many columns have one."""
    shown, typed = table.to_columns(), table.to_columns(values=True)
    assert count_cells(typed, shown) == count_cells(shown, shown)
    json = table.to_json()
    values = json.get("values", {})
    for name, own in values.items():
        number = [column["name"] for column in json["columns"]].index(name)
        assert [value is None for value in own] == [row[number] is None for row in json["rows"]]
    return len(values)


def test_example_pages_have_as_many_cells_typed_as_untyped():
    tables = [table for path in EXAMPLES for table in tables_of(path.read_bytes())]
    assert sum(map(count_typed_columns, tables)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("archive", DATA, ids=lambda path: path.name.split(".")[0])
def test_real_pages_have_as_many_cells_typed_as_untyped(archive):
    with tarfile.open(archive) as tar:
        pages = (
            tar.extractfile(member)
            for member in tar
            if "/pages/" in member.name and member.isfile()
        )
        assert (
            sum(count_typed_columns(table) for page in pages for table in tables_of(page.read(), 1))
            > 0
        )


@pytest.mark.parametrize("name", ["table", "products", "forum", "auction-sjis", "gallery"])
def test_every_typed_format_has_a_cell_for_each_text(name):
    table = unweave.records(f"examples/{name}.html")[0]
    shown = table.to_columns()
    expected = count_cells(shown, shown)
    assert count_cells(table.to_arrow(values=True).to_pydict(), shown) == expected
    present = table.to_pandas(values=True).notna()
    assert {column: int(present[column].sum()) for column in shown} == expected
    parquet = pyarrow.parquet.read_table(io.BytesIO(encode_table(table, "parquet")))
    assert count_cells(parquet.to_pydict(), shown) == expected
    book = openpyxl.load_workbook(io.BytesIO(encode_table(table, "xlsx")))
    names, *rows = book.active.iter_rows(values_only=True)
    sheet = {column: [row[number] for row in rows] for number, column in enumerate(names)}
    assert count_cells(sheet, shown) == expected
