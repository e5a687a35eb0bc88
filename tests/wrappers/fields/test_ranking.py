"""Which fields are columns, in which order, and that no value has two of them."""

import csv
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unweave
from tests.test_cli import run
from tests.wrappers.fields.templates import (
    AUTHORS,
    COUNT,
    TITLES,
    find_name,
    list_book_rows,
    make_book,
    make_books,
    make_page,
    make_rows,
)


def learn_pages(make, count=COUNT):
    return unweave.learn([make(number) for number in range(count)], method="fields")


def list_texts(fields):
    """Return the texts of a page's fields, those of lists one by one."""
    return [
        text
        for value in fields.values()
        for text in (value if isinstance(value, list) else [value])
        if text
    ]


# ---- one value, one column -----------------------------------------------------------------------


def test_a_value_in_several_places_is_one_column():
    """A name may stand in the heading, a breadcrumb, an attribute row and a caption."""

    def make(number):
        title = TITLES[number % COUNT]
        content = (
            f"<div class=crumbs><span class=current>{title}</span></div><h1>{title}</h1>"
            f"{make_rows({'Format': ['Hardcover', 'Paperback'][number % 2]})}"
            f"<div class=caption><i>{title}</i></div><p class=label2>{title}</p>"
        )
        return make_page(f"{title} - Shop", content)

    fields = unweave.apply(learn_pages(make), make(0)).fields
    assert find_name(fields, TITLES[0]) == "title"


def test_the_better_of_two_names_stays():
    def make(number):
        author = AUTHORS[number % COUNT]
        content = f"<h1>{TITLES[number % COUNT]}</h1><div><i>{author}</i></div>"
        return make_page(
            TITLES[number % COUNT], content + make_rows({"Author": author, "No": number})
        )

    fields = unweave.apply(learn_pages(make), make(0)).fields
    assert find_name(fields, AUTHORS[0]) == "author"


def test_labelled_values_are_kept_even_if_they_are_the_same():
    def make(number):
        hours = f"{number % 5 + 7}:00"
        rows = make_rows({"Monday": hours, "Tuesday": hours, "Pages": number * 3 + 50})
        return make_page(TITLES[number % COUNT], f"<h1>{TITLES[number % COUNT]}</h1>{rows}")

    fields = unweave.apply(learn_pages(make), make(0)).fields
    assert (fields["monday"], fields["tuesday"]) == ("7:00", "7:00")


def test_a_list_is_not_given_as_its_parts_too():
    def make(number):
        items = ", ".join(f"<a href=x>{AUTHORS[(number + n) % COUNT]}</a>" for n in range(3))
        content = f"<h1>{TITLES[number % COUNT]}</h1><p><b>Authors:</b> {items}</p>"
        return make_page(TITLES[number % COUNT], content)

    fields = unweave.apply(learn_pages(make), make(0)).fields
    assert fields["authors"] == list(AUTHORS[:3])
    texts = list_texts(fields)
    assert [texts.count(author) for author in AUTHORS[:3]] == [1, 1, 1]
    assert not [text for text in texts if AUTHORS[0] in text and text != AUTHORS[0]]


def test_parts_and_the_text_that_they_are_of_are_not_both_given():
    def make(number):
        author = AUTHORS[number % COUNT]
        content = f"<h1>{TITLES[number % COUNT]}</h1><p>by <a href=a class=author>{author}</a></p>"
        return make_page(TITLES[number % COUNT], content)

    fields = unweave.apply(learn_pages(make), make(0)).fields
    assert [text for text in list_texts(fields) if AUTHORS[0] in text] == [AUTHORS[0]]


def test_a_paragraph_with_marked_words_is_one_column():
    def make(number):
        words = f"Day {number} was <i>dark {number}</i> and cold {number}."
        return make_page(TITLES[number], f"<h1>{TITLES[number]}</h1><p>{words}</p>")

    fields = unweave.apply(learn_pages(make, 10), make(7)).fields
    assert [text for text in list_texts(fields) if "dark" in text] == [
        "Day 7 was dark 7 and cold 7."
    ]


def test_no_text_of_a_page_is_in_two_columns():
    wrapper = unweave.learn(make_books())
    for page in make_books():
        texts = list_texts(unweave.apply(wrapper, page).fields)
        repeated = {text for text in texts if texts.count(text) > 1}
        assert texts
        assert not repeated


# ---- others --------------------------------------------------------------------------------------


def test_constant_fields_are_others():
    def make(number):
        note = "<p class=note>Ships in two days</p>" if number % 2 else ""
        notes = make_rows({"Colour": "black"}) if number % 3 else ""
        return make_book(number, extra=note + notes)

    wrapper = learn_pages(make)
    columns = {field.name for field in wrapper.columns}
    assert "note" not in columns
    extraction = unweave.apply(wrapper, make(1))
    assert "Ships in two days" not in list_texts(extraction.fields)


def test_rare_fields_are_others():
    def make(number):
        extra = f"<p class=award>Prize of {number} years</p>" if number in (3, 8, 21, 30) else ""
        return make_book(number, extra=extra)

    wrapper = learn_pages(make, 48)
    (award,) = [field for field in wrapper.fields if field.name == "award"]
    assert award.is_other
    assert award.share < 0.1
    extraction = unweave.apply(wrapper, make(3))
    assert extraction.others["award"] == "Prize of 3 years"
    assert "award" not in extraction.fields


def test_labels_that_no_learned_page_had_are_others():
    wrapper = unweave.learn(make_books())
    rows = {**list_book_rows(3), "Illustrator": "Quentin Blake"}
    extraction = unweave.apply(wrapper, make_book(3, rows=rows))
    assert extraction.others == {"illustrator": "Quentin Blake"}
    assert extraction.fields["pages"] == "211"


def test_rows_with_a_label_of_their_own_on_every_page_are_others():
    def make(number):
        rows = {**list_book_rows(number), f"Chapter {number}": f"On {AUTHORS[number % COUNT]}"}
        return make_book(number, rows=rows)

    wrapper = learn_pages(make)
    extraction = unweave.apply(wrapper, make(30))
    assert extraction.others == {"chapter_30": f"On {AUTHORS[30 % COUNT]}"}


def test_others_do_not_count_in_the_fit_and_are_not_missing():
    def make(number):
        return make_book(number, extra="<p class=note>Ships now</p>" if number % 9 else "")

    wrapper = learn_pages(make)
    extraction = unweave.apply(wrapper, make(9))
    assert (extraction.fit, extraction.missing) == (1, ())


# ---- order ---------------------------------------------------------------------------------------

FIRST = ["title", "author", "publisher", "pages", "published", "isbn", "price"]
LAST = ["page_title", "similar_products_price"]


def test_what_matters_comes_first():
    wrapper = unweave.learn([page.replace("class=amount", "") for page in make_books()])
    fields = unweave.apply(wrapper, make_book(0).replace("class=amount", "")).fields
    names = list(fields)
    assert names[0] == "title"
    similar = [name for name, value in fields.items() if TITLES[1] in value or TITLES[2] in value]
    assert similar
    for name in ["title", "author", "publisher", "isbn", "published"]:
        assert names.index(name) < min(map(names.index, [*similar, *LAST])), names


def test_all_outputs_have_the_same_order(tmp_path):
    """The first page lacks the author, which comes before most other fields nevertheless."""
    pages = make_books()
    wrapper = unweave.learn(pages)
    order = [field.name for field in wrapper.columns]
    assert order.index("author") < len(order) - 2
    wrapper.save(tmp_path / "books.json")
    paths = []
    for number in range(3):
        page = pages[number]
        if not number:
            page = page.replace("<p class=author>J. Tolkien</p>", "")
        paths.append(str(tmp_path / f"{number}.html"))
        (tmp_path / f"{number}.html").write_text(page, encoding="utf-8")
    result = run("apply", str(tmp_path / "books.json"), *paths, "--format", "csv")
    header = next(csv.reader(result.stdout.splitlines()))
    assert header == ["page", "fit", *order]
    lines = run("apply", str(tmp_path / "books.json"), *paths).stdout.splitlines()
    assert list(json.loads(lines[1])["fields"]) == order
    assert list(unweave.schema_of(wrapper)["properties"]) == order
    shown = run("show", str(tmp_path / "books.json"), env={"COLUMNS": "200"}).stdout
    rows = [line.split() for line in shown.splitlines()]
    first_words = [words[0] for words in rows if words]
    names = [
        name  # long names are cut on the terminal
        for word in first_words
        for name in order
        if name == word or (word.endswith("…") and name.startswith(word[:-1]))
    ]
    assert names == order


def test_duckdb_has_the_order_of_the_wrapper(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, page in enumerate(make_books()):
        (folder / f"{number:02}.html").write_text(page, encoding="utf-8")
    out = tmp_path / "site.duckdb"
    result = run("site", str(folder), "-o", str(out))
    assert result.exit_code == 0, result.output
    with duckdb.connect(str(out), read_only=True) as connection:
        tables = [name for (name,) in connection.execute("show tables").fetchall()]
        columns = {
            table: [row[0] for row in connection.execute(f'describe "{table}"').fetchall()]
            for table in tables
        }
    books = next(names for names in columns.values() if "publisher" in names)
    names = [name for name in books if name in (*FIRST, *LAST)]
    assert names[0] == "title"
    assert names.index("publisher") < names.index("page_title")


@settings(max_examples=15)
@given(st.permutations(range(COUNT)))
def test_the_result_does_not_depend_on_the_order_of_the_pages(order):
    first = unweave.learn([make_book(number) for number in range(COUNT)])
    other = unweave.learn([make_book(number) for number in order])
    fields, others = (unweave.apply(each, make_book(5)).fields for each in (first, other))
    assert fields == others
    assert list(fields) == list(others)
