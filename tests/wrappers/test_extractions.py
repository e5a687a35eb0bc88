"""What a wrapper extracts from several pages, as rows and as a DataFrame, with and without types."""

from datetime import date
from decimal import Decimal

import pytest

import unweave
from tests.wrappers.fields.templates import make_books

BOOKS = [page.replace("class=amount", "class=price") for page in make_books()]


@pytest.fixture(scope="module")
def wrapper():
    return unweave.learn(BOOKS)


def test_it_is_an_iterator(wrapper):
    extractions = unweave.apply(wrapper, BOOKS[:3])
    first = next(extractions)
    assert first.fields["title"] == "The Hobbit"
    assert len(list(extractions)) == 2
    assert extractions.to_dicts() == []


def test_rows_have_texts_or_typed_values(wrapper):
    texts = unweave.apply(wrapper, BOOKS[:3]).to_dicts()
    typed = unweave.apply(wrapper, BOOKS[:3]).to_dicts(values=True)
    assert [row["page"] for row in typed] == [None] * 3
    assert (texts[0]["price"], texts[0]["published"]) == ("$10.49", "1 May 2000")
    assert (typed[0]["price"], typed[0]["published"]) == (Decimal("10.49"), date(2000, 5, 1))
    for text_row, typed_row in zip(texts, typed, strict=True):
        present = {name for name, cell in text_row.items() if cell is not None}
        assert present <= {name for name, cell in typed_row.items() if cell is not None}


def test_rows_have_the_columns_of_a_selection(wrapper):
    chosen = wrapper.select("price=cost:number", "title=name")
    rows = unweave.apply(chosen, BOOKS[:2]).to_dicts(values=True)
    assert [list(row) for row in rows] == [["page", "fit", "cost", "name"]] * 2
    assert rows[1]["cost"] == Decimal("11.49")


def test_a_data_frame_has_types(wrapper):
    pytest.importorskip("pandas")
    frame = unweave.apply(wrapper, BOOKS).to_pandas(values=True)
    types = {name: str(frame.dtypes[name]) for name in ("pages", "price", "published")}
    assert types == {"pages": "Int64", "price": "float64", "published": "datetime64[us]"}
    assert len(frame) == len(BOOKS)
    texts = unweave.apply(wrapper, BOOKS).to_pandas()
    assert frame[list(texts)].notna().equals(texts.notna())


def test_lists_have_a_row_for_each_record_with_its_page():
    paths = ["examples/products.html", "examples/products-2.html"]
    wrapper = unweave.learn(paths[0], method="records")
    rows = unweave.apply(wrapper, paths).to_dicts(values=True)
    assert len(rows) == 48
    assert {row["page"] for row in rows} == set(paths)
    assert isinstance(rows[0]["rating"], Decimal)


def test_provenance_has_the_names_of_a_selection(wrapper):
    page = unweave.load_page(BOOKS[0])
    nodes = wrapper.select("title=name").provenance(page)
    assert nodes == {"name": wrapper.provenance(page)["title"]}
