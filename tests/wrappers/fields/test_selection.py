"""The fields that somebody chose: by name, by an example of their values, or by a schema."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.wrappers.fields.templates import (
    AUTHORS,
    COUNT,
    TITLES,
    make_book,
    make_books,
    make_page,
    make_rows,
)
from unweave.errors import UsageError
from unweave.wrappers.base import Wrapper
from unweave.wrappers.fields.schema_matching import MIN_CONFIDENCE

PAGES = make_books()


@pytest.fixture(scope="module")
def wrapper():
    return unweave.learn(PAGES)


def make_reviewed(number):
    """Return the page of a book with a table of reviews."""
    rows = "".join(
        f"<div class=review><b>{AUTHORS[(number + row) % COUNT]}</b><i>{row + 1} May {2010 + number}</i>"
        f"<p>Review {row} of book {number}</p></div>"
        for row in range(2 + number % 3)
    )
    return make_book(number, extra=f"<h2>Reviews</h2><div class=reviews>{rows}</div>")


# ---- by name -------------------------------------------------------------------------------------


def test_fields_are_chosen_renamed_retyped_and_ordered():
    chosen = unweave.learn(
        PAGES, columns=["published=released:date", "pages:number", "title", "isbn:string"]
    )
    extraction = unweave.apply(chosen, make_book(20))
    assert list(extraction.fields.items()) == [
        ("released", "21 May 2020"),
        ("pages", "840"),
        ("title", "Kim"),
        ("isbn", "0306478380"),
    ]
    assert extraction.values == {"released": date(2020, 5, 21), "pages": 840}
    assert (extraction.fit, extraction.missing, extraction.invalid) == (1, (), ())
    assert not extraction.others


def test_the_links_of_a_field():
    def make(number):
        content = f"<h1>{TITLES[number % COUNT]}</h1><p>by <a href=/a/{number}>"
        return make_page(TITLES[number % COUNT], f"{content}{AUTHORS[number % COUNT]}</a></p>")

    wrapper = unweave.learn(
        [make(number) for number in range(8)], columns=["by=author", "by@link=author_link"]
    )
    fields = unweave.apply(wrapper, make(9), url="https://shop.example/books/9").fields
    assert fields == {"author": AUTHORS[9], "author_link": "https://shop.example/a/9"}


def test_what_is_missing_lowers_the_fit_even_if_its_field_is_given_twice(wrapper):
    extraction = unweave.apply(wrapper.select("author", "author@link"), PAGES[0])
    assert extraction.fields == {"author": AUTHORS[0]}
    assert extraction.missing == ("author_link",)
    assert extraction.fit == 0.5


def test_columns_of_tables_inside_the_pages_are_chosen():
    pages = [make_reviewed(number) for number in range(COUNT)]
    wrapper = unweave.learn(pages, columns=["title", "reviews_text_2=text"])
    assert unweave.apply(wrapper, make_reviewed(3)).fields == {
        "title": TITLES[3],
        "text": ["Review 0 of book 3", "Review 1 of book 3"],
    }


def test_columns_of_tables_have_values_of_a_type():
    pages = [make_reviewed(number) for number in range(COUNT)]
    extraction = unweave.apply(unweave.learn(pages, columns=["reviews_date=when:date"]), pages[3])
    assert extraction.fields == {"when": ["1 May 2013", "2 May 2013"]}
    assert extraction.values == {"when": [date(2013, 5, 1), date(2013, 5, 2)]}
    assert not extraction.invalid


def make_genres(number, count):
    genres = ", ".join(f"<a href=x>{AUTHORS[(number + each) % COUNT]}</a>" for each in range(count))
    content = f"<h1>{TITLES[number % COUNT]}</h1><p><b>Heroes:</b> {genres}</p>"
    return make_page(TITLES[number % COUNT], content)


def test_a_chosen_list_is_a_list_on_every_page():
    wrapper = unweave.learn([make_genres(number, number % 4 + 1) for number in range(COUNT)])
    page = make_genres(3, 1)
    assert unweave.apply(wrapper, page).fields["heroes"] == [AUTHORS[3]]
    assert unweave.apply(wrapper.select("heroes"), page).fields == {"heroes": [AUTHORS[3]]}
    text = wrapper.select("heroes=hero:string")
    assert unweave.apply(text, page).fields == {"hero": AUTHORS[3]}
    assert unweave.apply(text, page).invalid == ()
    assert unweave.apply(text, make_genres(3, 2)).invalid == ("hero",)


def test_others_can_be_chosen():
    def make(number):
        return make_book(number, extra="<p class=note>Ships now</p>" if number % 2 else "")

    pages = [make(number) for number in range(24)]
    wrapper = unweave.learn(pages)
    others = [field.name for field in wrapper.fields if field.is_other]
    for name in others:
        assert unweave.apply(wrapper.select(name), pages[1]).others == {}


def test_a_selection_is_remembered_by_the_file(wrapper):
    chosen = wrapper.select("price=cost", "title")
    loaded = Wrapper.loads(chosen.dumps())
    assert loaded.selected == chosen.selected
    assert unweave.apply(loaded, PAGES[0]) == unweave.apply(chosen, PAGES[0])
    assert list(unweave.apply(loaded, PAGES[0]).fields) == ["cost", "title"]


def test_a_selection_can_be_dropped(wrapper):
    assert wrapper.select("title").drop_selection() == wrapper


def test_a_selection_stays_when_the_wrapper_is_learned_again():
    wrapper = unweave.learn(PAGES, columns=["author=writer", "title"])
    changed = [page.replace("class=author", "class=by") for page in PAGES]
    repaired = unweave.repair(wrapper, changed).wrapper
    fields = unweave.apply(repaired, changed[4]).fields
    assert list(fields.items()) == [("writer", AUTHORS[4]), ("title", TITLES[4])]


@given(st.data())
def test_a_selection_is_idempotent(data):
    wrapper = _learn_once()
    names = [field.name for field in wrapper.columns]
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    once = wrapper.select(*chosen)
    assert once.select(*chosen) == once
    assert once.drop_selection().select(*chosen) == once
    fields = unweave.apply(once, PAGES[2]).fields
    whole = unweave.apply(wrapper, PAGES[2]).fields
    assert list(fields.items()) == [(name, whole[name]) for name in chosen]


def _learn_once(cache=[]):  # noqa: B006
    if not cache:
        cache.append(unweave.learn(PAGES))
    return cache[0]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["colour"], "the pages have no field 'colour'; they have title, "),
        (["title", "title"], "two columns would be called 'title'"),
        (["title=a", "author=a"], "two columns would be called 'a'"),
        (["title=page"], "invalid field name 'page'"),
        (["title=fit"], "invalid field name 'fit'"),
        (["=a"], "the pages have no field ''"),
        (["title= "], "invalid column name ' '"),
        (["title=a\nb"], "invalid column name"),
        ([f"title={'a' * 201}"], "invalid column name"),
        ("title", "columns must be a list"),
    ],
)
def test_columns_that_are_refused(wrapper, columns, message):
    with pytest.raises(UsageError) as raised:
        unweave.learn(PAGES, columns=columns)
    assert message in str(raised.value)
    if isinstance(columns, list):
        with pytest.raises(UsageError) as raised:
            wrapper.select(*columns)
        assert message in str(raised.value)


def test_an_unknown_type_is_refused():
    with pytest.raises(UsageError, match="unknown type 'money'"):
        unweave.ColumnSpec("title", type="money")


# ---- by example ----------------------------------------------------------------------------------


def test_an_example_finds_its_field():
    wrapper = unweave.learn(PAGES, examples={"name": "The Hobbit", "writer": "Jane Austen"})
    assert unweave.apply(wrapper, make_book(15)).fields == {"name": "Dracula", "writer": AUTHORS[3]}
    assert Wrapper.loads(wrapper.dumps()).selected == wrapper.selected


def test_examples_are_read_without_regard_to_case_and_spaces():
    wrapper = unweave.learn(PAGES, examples={"name": "  the   HOBBIT "})
    assert unweave.apply(wrapper, PAGES[1]).fields == {"name": "Emma"}


def test_a_part_of_a_value_is_an_example_if_no_value_is_equal():
    wrapper = unweave.learn(PAGES, examples={"story": "long story of Ulysses"})
    assert "Dracula" in unweave.apply(wrapper, PAGES[3]).fields["story"]


def test_a_cell_of_a_table_inside_a_page_is_an_example():
    pages = [make_reviewed(number) for number in range(COUNT)]
    wrapper = unweave.learn(pages, examples={"text": "Review 1 of book 7"})
    fields = unweave.apply(wrapper, make_reviewed(3)).fields
    assert fields == {"text": ["Review 0 of book 3", "Review 1 of book 3"]}


def test_examples_come_after_columns():
    wrapper = unweave.learn(PAGES, columns=["pages"], examples={"name": "Emma"})
    assert list(unweave.apply(wrapper, PAGES[3]).fields) == ["pages", "name"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"examples": {"name": "The Silmarillion"}},
            "none of the pages has a field with the value",
        ),
        ({"examples": {"name": "  "}}, "the example of 'name' is empty"),
        ({"examples": {"": "Emma"}}, "the field of the example 'Emma' has no name"),
        ({"examples": {"page": "Emma"}}, "invalid field name 'page'"),
        ({"columns": ["title=a"], "examples": {"a": "Emma"}}, "two columns would be called 'a'"),
        ({"columns": ["title"], "schema": {"properties": {"a": {}}}}, "not both"),
        ({"examples": {"a": "Emma"}, "schema": {"properties": {"a": {}}}}, "not both"),
    ],
)
def test_examples_that_are_refused(options, message):
    for method in ("fields", "auto"):
        with pytest.raises(UsageError) as raised:
            unweave.learn(PAGES, method=method, **options)
        assert message in str(raised.value)


def test_one_page_has_no_fields_for_examples():
    with pytest.raises(UsageError, match="give several pages"):
        unweave.learn(PAGES[:1], examples={"a": "Emma"})


# ---- by schema -----------------------------------------------------------------------------------

SCHEMA = {
    "properties": {
        "cost": {"type": "number"},
        "title": {"type": "string"},
        "writer": {"type": "string"},
        "release_date": {"type": "string", "format": "date"},
        "isbn": {"type": "string"},
        "page_count": {"type": "integer"},
    },
    "required": ["title"],
}


class Book(pydantic.BaseModel):
    cost: Decimal
    title: str
    writer: str
    release_date: date
    isbn: str
    page_count: int


@dataclass
class BookRow:
    cost: float
    title: str
    writer: str
    release_date: date
    isbn: str
    page_count: int


@pytest.mark.parametrize("schema", [SCHEMA, Book, BookRow], ids=["JSON", "pydantic", "dataclass"])
def test_exactly_the_fields_of_a_schema(schema):
    pages = [page.replace("class=amount", "class=price") for page in PAGES]
    wrapper = unweave.learn(pages, schema=schema)
    extraction = unweave.apply(wrapper, pages[1])
    assert list(extraction.fields.items()) == [
        ("cost", "$11.49"),
        ("title", "Emma"),
        ("writer", "Jane Austen"),
        ("release_date", "2 May 2001"),
        ("isbn", "0306417919"),
        ("page_count", "137"),
    ]
    assert extraction.values == {
        "cost": Decimal("11.49"),
        "release_date": date(2001, 5, 2),
        "page_count": 137,
    }
    assert (extraction.missing, extraction.invalid) == ((), ())
    assert Book(**{**extraction.fields, **extraction.values}).page_count == 137
    assert all(MIN_CONFIDENCE <= each.confidence <= 1 for each in wrapper.selected)


def test_a_schema_that_the_pages_do_not_have():
    schema = {
        "properties": {"title": {}, "horsepower": {"type": "integer"}},
        "required": ["horsepower"],
    }
    wrapper = unweave.learn(PAGES, schema=schema)
    assert [each.name for each in wrapper.selected] == ["title", "horsepower"]
    lacking = wrapper.selected[1]
    assert lacking.confidence < 0.2


def test_missing_and_invalid_values_are_reported():
    wrapper = unweave.learn(
        PAGES,
        schema={
            "properties": {
                "pages": {"type": "integer"},
                "author": {"type": "string"},
                "publisher": {"enum": ["House of Bram Stoker", "House of Emile Zola"]},
            },
            "required": ["author"],
        },
    )
    page = PAGES[0].replace("<td>100</td>", "<td>many</td>")
    first = unweave.apply(wrapper, page)
    assert (first.invalid, first.missing, first.values) == (("pages",), (), {})
    second = unweave.apply(wrapper, PAGES[1].replace("<p class=author>Jane Austen</p>", ""))
    assert (second.invalid, second.missing) == (("publisher",), ("author",))
    assert second.values == {"pages": 137}
    assert second.fit == pytest.approx(2 / 3)


def test_synonyms_extend_the_vocabulary():
    def make(number):
        rows = make_rows({"Pageantry": f"{number} tulips", "Zibeline": f"{number * 3} zib"})
        return make_page(TITLES[number % COUNT], f"<h1>{TITLES[number % COUNT]}</h1>{rows}")

    pages = [make(number) for number in range(10)]
    (plain,) = unweave.learn(pages, schema={"properties": {"fleece": {}}}).selected
    schema = {"properties": {"fleece": {"synonyms": ["zibeline"]}}}
    wrapper = unweave.learn(pages, schema=schema)
    (known,) = wrapper.selected
    assert known.field == "zibeline"
    assert known.confidence > max(0.5, plain.confidence)
    assert unweave.apply(wrapper, pages[4]).fields == {"fleece": "12 zib"}


def test_lists_of_a_schema_have_lists_of_values():
    def make(number):
        years = ", ".join(f"<a href=x>{1900 + number + year}</a>" for year in range(1 + number % 4))
        content = f"<h1>{TITLES[number % COUNT]}</h1><p><b>Years:</b> {years}</p>"
        return make_page(TITLES[number % COUNT], content)

    schema = {"properties": {"years": {"type": "array", "items": {"type": "integer"}}}}
    pages = [make(number) for number in range(12)]
    wrapper = unweave.learn(pages, schema=schema)
    first, second = (unweave.apply(wrapper, pages[number]) for number in (0, 2))
    assert (first.fields, first.values) == ({"years": ["1900"]}, {"years": [1900]})
    assert second.values == {"years": [1902, 1903, 1904]}
    assert not second.invalid


def test_each_field_is_given_once():
    schema = {"properties": {name: {} for name in ("title", "name", "headline", "book_title")}}
    wrapper = unweave.learn(PAGES, schema=schema)
    chosen = [each.field for each in wrapper.selected if each.field]
    assert "title" in chosen
    assert len(set(chosen)) == len(chosen)


@pytest.mark.parametrize("make", [make_book, make_reviewed])
def test_learning_with_the_schema_of_a_wrapper_gives_the_same_fields(make):
    pages = [make(number) for number in range(12)]
    wrapper = unweave.learn(pages)
    schema = unweave.schema_of(wrapper)
    again = unweave.learn(pages, schema=schema)
    assert [each.field for each in again.selected] == list(schema["properties"])
    assert unweave.schema_of(again) == schema
    for page in pages:
        first, second = unweave.apply(wrapper, page), unweave.apply(again, page)
        assert first.fields == second.fields
        assert list(first.fields) == list(second.fields)
        assert not second.invalid


def test_the_schema_of_a_file(tmp_path, wrapper):
    wrapper.save(tmp_path / "books.json")
    schema = unweave.schema_of(tmp_path / "books.json")
    assert schema == unweave.schema_of(wrapper)
    assert schema["properties"]["published"] == {"type": "string", "format": "date"}
    assert schema["properties"]["price"] == {"type": "number"}
    assert {"title", "isbn", "price"} <= set(schema["required"])


def test_the_schema_of_a_selection(wrapper):
    chosen = wrapper.select("published=when:date", "title")
    assert unweave.schema_of(chosen)["properties"] == {
        "when": {"type": "string", "format": "date"},
        "title": {"type": "string"},
    }


def test_a_schema_with_as_many_fields_as_are_allowed_is_matched():
    schema = {"properties": {f"price_{number}": {"type": "number"} for number in range(500)}}
    wrapper = unweave.learn(PAGES, schema=schema)
    chosen = [each.field for each in wrapper.selected if each.field]
    assert len(wrapper.selected) == 500
    assert len(set(chosen)) == len(chosen) > 0


@pytest.mark.parametrize("name", ["page", "fit"])
def test_names_of_a_schema_that_output_lines_need_are_refused(name):
    with pytest.raises(UsageError, match=f"a field cannot be called '{name}'"):
        unweave.learn(PAGES, schema={"properties": {name: {}}})
