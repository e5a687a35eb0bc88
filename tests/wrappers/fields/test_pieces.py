"""Which pieces of a page are a field each: items of lists, cells with labels, rows of tables."""

import pytest

import unweave
from tests.wrappers.fields.templates import (
    AUTHORS,
    COUNT,
    TEAMS,
    TITLES,
    list_book_rows,
    make_page,
    make_rows,
)


def learn_page(make, count=10, number=0):
    """Return the fields of a page of a template."""
    wrapper = unweave.learn([make(each) for each in range(count)], method="fields")
    return unweave.apply(wrapper, make(number)).fields


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_unlike_items_of_one_list_become_fields(count):
    def make(number):
        values = [
            f"{number + 1} May 2020",
            f"${number + 5}.50",
            f"person{number}@example.com",
            TEAMS[number % 4],
            f"(555) 123-45{number:02}",
        ][:count]
        items = "".join(f"<li>{value}</li>" for value in values)
        return make_page(f"{TITLES[number]} - Shop", f"<h1>{TITLES[number]}</h1><ul>{items}</ul>")

    fields = learn_page(make)
    assert not [name for name, value in fields.items() if isinstance(value, list)], fields
    assert {"1 May 2020", "$5.50"} <= set(fields.values())


def test_unlike_headings_become_fields():
    def make(number):
        number %= COUNT
        headings = (AUTHORS[number], f"{number + 1} May 2020", f"${number + 5}.50")
        content = "".join(f"<h2>{heading}</h2>" for heading in headings)
        return make_page(f"{TITLES[number]} - Shop", f"<h1>{TITLES[number]}</h1>{content}")

    fields = learn_page(make)
    assert {"1 May 2020", "$5.50", AUTHORS[0]} <= {
        v for v in fields.values() if isinstance(v, str)
    }, fields


def test_the_label_of_a_cell_wins_over_the_header_above():
    def make(number):
        cells = (
            f"<td><strong>Director:</strong> {AUTHORS[number]}</td>"
            f"<td><strong>Year:</strong> {number + 1990}</td>"
        )
        table = f"<table><tr><th>Facts</th><th>More facts</th></tr><tr>{cells}</tr></table>"
        return make_page(f"{TITLES[number]} - Films", f"<h1>{TITLES[number]}</h1>{table}")

    fields = learn_page(make)
    assert (fields["director"], fields["year"]) == (AUTHORS[0], "1990")


def test_the_labels_of_cells_win_in_several_rows_under_one_header():
    def make(number):
        rows = "".join(
            f"<tr><td><strong>{label}:</strong> {value}</td></tr>"
            for label, value in {
                "Director": AUTHORS[number],
                "Year": number + 1990,
                "Studio": TEAMS[number % 4],
            }.items()
        )
        table = f"<table><tr><th>Details</th></tr>{rows}</table>"
        return make_page(f"{TITLES[number]} - Films", f"<h1>{TITLES[number]}</h1>{table}")

    fields = learn_page(make)
    found = (fields.get("director"), fields.get("year"), fields.get("studio"))
    assert found == (AUTHORS[0], "1990", TEAMS[0]), fields


def test_alternating_rows_of_divs_stay_one_table():
    def make(number):
        rows = "".join(
            f"<div class='row {('odd', 'even')[row % 2]}'><b>{AUTHORS[(number * 5 + row) % COUNT]}</b>"
            f"<i>{row + 1} May {number + 2000}</i><p>Text {row} of {number} says it</p></div>"
            for row in range(2 + number % 4)
        )
        return make_page(
            f"{TITLES[number]} - Shop",
            f"<h1>{TITLES[number]}</h1><h2>Reviews</h2><div>{rows}</div>",
        )

    wrapper = unweave.learn([make(number) for number in range(COUNT)])
    assert len(wrapper.tables) == 1
    fields = unweave.apply(wrapper, make(3)).fields
    assert {len(fields[c.name]) for c in wrapper.tables[0].columns} == {5}


def test_labelled_values_that_the_sample_shares_stay_fields():
    def make(number, condition="New"):
        rows = make_rows({**list_book_rows(number), "Condition": condition})
        return make_page(
            f"{TITLES[number % COUNT]} - Shop", f"<h1>{TITLES[number % COUNT]}</h1>{rows}"
        )

    wrapper = unweave.learn([make(number) for number in range(10)])
    assert unweave.apply(wrapper, make(11, "Used")).fields["condition"] == "Used"


def test_unlike_items_of_a_list_of_varying_length_become_fields():
    def make(number):
        values = [f"{number + 1} May 2020", f"${number + 5}.50", f"person{number}@example.com"]
        items = "".join(f"<li>{value}</li>" for value in values[: 3 - (number % 3 == 2)])
        return make_page(f"{TITLES[number]} - Shop", f"<h1>{TITLES[number]}</h1><ul>{items}</ul>")

    fields = learn_page(make)
    assert {"1 May 2020", "$5.50"} <= {v for v in fields.values() if isinstance(v, str)}, fields


def test_the_title_among_other_headings_of_one_kind():
    def make(number):
        number %= COUNT
        other = TITLES[(number + 4) % COUNT]
        content = f"<h2>{AUTHORS[number]}</h2><h2>{other}</h2><h2>{TITLES[number]}</h2>"
        return make_page(f"{TITLES[number]} - Shop", content)

    assert learn_page(make, COUNT)["title"] == "The Hobbit"


@pytest.mark.parametrize("mark", ["<b>Condition:</b> {}", "<dl><dt>Condition</dt><dd>{}</dd></dl>"])
def test_single_labelled_values_that_the_sample_shares_stay_fields(mark):
    def make(number, condition="New"):
        content = f"<h1>{TITLES[number % COUNT]}</h1><div><p>{mark.format(condition)}</p></div>"
        return make_page(f"{TITLES[number % COUNT]} - Shop", content)

    wrapper = unweave.learn([make(number) for number in range(10)])
    extraction = unweave.apply(wrapper, make(11, "Used"))
    assert extraction.fields.get("condition") == "Used", extraction


@pytest.mark.parametrize("line", ["Customer service: 555-1234", "<b>Phone:</b> 555-1234"])
def test_what_a_site_says_on_all_pages_is_no_field(line):
    def make(number):
        content = f"<h1>{TITLES[number]}</h1><p>{AUTHORS[number]}</p><div><p>{line}</p></div>"
        return make_page(f"{TITLES[number]} - Shop", content)

    assert "555-1234" not in str(learn_page(make))


def test_labelled_values_in_a_footer_are_no_fields():
    def make(number):
        content = f"<h1>{TITLES[number]}</h1><footer><p><b>Condition:</b> New</p></footer>"
        return make_page(f"{TITLES[number]} - Shop", content)

    assert "condition" not in learn_page(make)


@pytest.mark.parametrize("count", [4, 5, 9])
def test_like_items_of_one_list_stay_a_list(count):
    def make(number):
        items = "".join(
            f"<li>{TITLES[number]} of {AUTHORS[(number + item) % COUNT]}</li>"
            for item in range(count)
        )
        return make_page(f"{TITLES[number]} - Shop", f"<h1>{TITLES[number]}</h1><ul>{items}</ul>")

    lists = [value for value in learn_page(make).values() if isinstance(value, list)]
    assert list(map(len, lists)) == [count]
