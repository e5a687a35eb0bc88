"""Names of fields: by header, label, property, class, title and type; rather none than wrong."""

import json

import pytest

import unweave
from tests.wrappers.fields.templates import (
    AUTHORS,
    COUNT,
    PLAYERS,
    TEAMS,
    TITLES,
    find_name,
    make_book,
    make_books,
    make_page,
    make_similar,
)
from unweave.wrappers.base import is_field_name


def learn_page(make, count=10, number=0):
    """Return the fields of a page of a template."""
    wrapper = unweave.learn([make(each) for each in range(count)], method="fields")
    return unweave.apply(wrapper, make(number)).fields


@pytest.fixture(scope="module")
def book():
    return learn_page(make_book, COUNT)


def test_names_by_header_cells_and_heading(book):
    assert book["title"] == "The Hobbit"
    assert book["publisher"] == "House of Bram Stoker"
    assert book["pages"] == "100"
    assert book["published"] == "1 May 2000"
    assert book["isbn"] == "0306410000"


def test_names_by_header_rows_of_tables():
    def make(number):
        rows = "".join(
            f"<tr><td>{year}</td><td>{number}{year}</td><td>{year}{number}</td></tr>"
            for year in (2001, 2002, 2003)
        )
        head = "<tr><th>Year</th><th>Games <br>played</th><th>Goals</th></tr>"
        return make_page(
            f"{PLAYERS[number]} - Sport", f"<h1>{PLAYERS[number]}</h1><table>{head}{rows}</table>"
        )

    fields = learn_page(make)
    assert fields["goals"] == ["20010", "20020", "20030"]
    assert find_name(fields, "02001") in ("games_played", "game_played")


def test_names_by_class(book):
    assert book["author"] == "J. Tolkien"
    assert book["description"].startswith("The long story of The Hobbit")


def test_the_price_is_that_of_the_page_and_not_of_similar_products():
    def make(number):
        title = TITLES[number % COUNT]
        content = (
            f"<h1>{title}</h1><div class=buying-info><div><b>${number + 10}.49</b></div></div>"
            f"{make_similar(number)}"
        )
        return make_page(f"{title} - Shop", content)

    assert find_name(learn_page(make), "$10.49") == "price"
    others = unweave.learn([make(number) for number in range(10)]).fields
    assert "$12.99" in next(
        field.examples for field in others if field.name == "similar_products_price"
    )


def test_a_menu_entry_before_a_value_is_no_label():
    def make(number):
        menu = "<div class=links><a href=1>Golf</a> <a href=2>Racing</a> <a href=3>Preakness</a>"
        player = f"<b>{PLAYERS[number % 10]}</b><p>Team: <a href=t>{TEAMS[number % 4]}</a></p>"
        return f"<title>{PLAYERS[number % 10]} Stats</title>{menu}</div><div>{player}</div>"

    fields = learn_page(make)
    assert fields["title"] == "Tom Brady"
    assert fields["team"] == "Lions"
    assert not [name for name in fields if "preakness" in name]


def test_the_title_agrees_with_the_title_of_the_page():
    def make(number):
        number %= COUNT
        other = TITLES[(number + 4) % COUNT]
        content = (
            f"<p><big>{AUTHORS[number]}</big></p><h2>{TITLES[number]}</h2><h3>{other}</h3>"
            f"<p>Pages: <b>{number + 100}</b></p>"
        )
        return make_page(f"{TITLES[number]} - Shop", content)

    fields = learn_page(make, COUNT)
    assert fields["title"] == "The Hobbit"
    assert find_name(fields, "J. Tolkien") != "title_2"


def test_semantic_classes_win_over_presentation():
    def make(number):
        number %= 10
        name = PLAYERS[number].split()[1]
        row = "".join(
            f"<div class='views-field views-field-{position}'><span class={class_}>{text}</span></div>"
            for position, (class_, text) in enumerate(
                {
                    "opinions-date-filed": f"{number + 1:02}/03/2015",
                    "opinions-case-name": f"{name} v. State",
                    "opinions-docket-number": f"{number}-{number * 31 + 100}",
                }.items()
            )
        )
        return make_page("Opinions - Court", f"<h1>Opinions</h1><div class=views-row>{row}</div>")

    fields = learn_page(make)
    assert fields["opinions_date_filed"] == "01/03/2015"
    assert fields["opinions_docket_number"] == "0-100"
    assert "Brady v. State" in fields.values()
    assert not [name for name in fields if name.startswith("views")]


def test_names_by_itemprop_and_microformat():
    def make(number):
        number %= 10
        content = (
            f"<h1>{PLAYERS[number]}</h1><p itemprop=telephone>555-01{number:02}</p>"
            f"<p itemprop='birthDate'>{number + 1} May 1980</p>"
            f"<p class=adr>{number + 1} Main Street, Leeds</p>"
        )
        return make_page(PLAYERS[number], content)

    fields = learn_page(make)
    assert fields["telephone"] == "555-0100"
    assert find_name(fields, "1 May 1980") in ("birthdate", "birth_date")
    assert fields["address"] == "1 Main Street, Leeds"


def test_names_by_keys_of_json_ld():
    def make(number):
        number %= COUNT
        data = {
            "@type": "Book",
            "name": TITLES[number],
            "illustrator": AUTHORS[(number + 2) % COUNT],
        }
        head = f"<script type='application/ld+json'>{json.dumps(data)}</script>"
        content = (
            f"<h1>{TITLES[number]}</h1><div><i>{AUTHORS[(number + 2) % COUNT]}</i></div>"
            f"<div><em>{AUTHORS[(number + 3) % COUNT]}</em></div>"
        )
        return make_page(TITLES[number], content, head=head)

    fields = learn_page(make, COUNT)
    assert fields["illustrator"] == AUTHORS[2]
    assert fields["title"] == TITLES[0]


@pytest.mark.parametrize(
    ("name", "make_value"),
    [
        ("price", lambda number: f"${number * 3 + 1}.50"),
        ("date", lambda number: f"{number + 1} March 2021"),
        ("email", lambda number: f"person{number}@example.com"),
        ("phone", lambda number: f"(555) 123-45{number:02}"),
        ("website", lambda number: f"www.site{number}.org"),
    ],
)
def test_names_by_type(name, make_value):
    def make(number):
        content = f"<h1>{TITLES[number % COUNT]}</h1><div><i>{make_value(number)}</i></div>"
        return make_page(TITLES[number % COUNT], content)

    assert find_name(learn_page(make), make_value(0)) == name


def test_a_rating_is_named_by_its_class():
    def make(number):
        content = f"<h1>{TITLES[number]}</h1><span class=star-rating>{number / 2 % 5:.1f}</span>"
        return make_page(TITLES[number], content)

    assert learn_page(make)["star_rating"] == "0.0"


def test_a_general_name_is_better_than_a_wrong_one():
    def make(number):
        content = f"<h1>{TITLES[number]}</h1><div class='col-md-4'><p>{AUTHORS[number]}</p></div>"
        return make_page(TITLES[number], content)

    assert learn_page(make)["text"] == "J. Tolkien"


@pytest.mark.parametrize("label", ["Page", "Fit", "Title", "a" * 500, "☃☃", "Größe (cm)", "price"])
def test_names_are_unique_and_valid_whatever_the_label(label):
    pages = make_books(rows=None)
    pages = [
        page.replace("<table>", f"<table><tr><th>{label}</th><td>Value {number}</td></tr>")
        for number, page in enumerate(pages)
    ]
    wrapper = unweave.learn(pages)
    names = [field.name for field in wrapper.fields]
    assert len(set(names)) == len(names)
    assert all(map(is_field_name, names))
    assert "title" in names
    fields = unweave.apply(wrapper, pages[3]).fields
    assert len(find_name(fields, "Value 3")) < 60


def test_a_field_that_only_later_pages_have_is_named_too():
    """Of many pages the first are compared; what is on none of them is described by others."""

    def make(number):
        award = f"<p class=award>Prize {number}</p>" if number >= 24 else ""
        page = make_book(number, extra=award)
        return page.replace(TITLES[number % COUNT], f"{TITLES[number % COUNT]} {number}")

    wrapper = unweave.learn([make(number) for number in range(30)])
    assert unweave.apply(wrapper, make(25)).others["award"] == "Prize 25"
    assert unweave.apply(wrapper, make(25)).fields["title"] == "Emma 25"


@pytest.mark.parametrize(
    "before",
    [
        "<button>Add to cart</button>",
        "<p><a href=/help>Customer service</a></p>",
        "<div><h2>You may also like</h2><a href=/x>Garden hose</a></div>",
    ],
    ids=["button", "link", "product"],
)
def test_what_merely_precedes_a_value_is_no_label(before):
    def make(number):
        content = f"<h1>{TITLES[number % COUNT]}</h1>{before}<p>{AUTHORS[number % COUNT]}</p>"
        return make_page(f"{TITLES[number % COUNT]} - Shop", content)

    fields = learn_page(make)
    name = find_name(fields, "J. Tolkien")
    assert not {"cart", "service", "like", "hose"}.intersection(name.split("_")), name


def test_a_price_after_in_stock_is_a_price():
    def make(number):
        content = (
            f"<h1>{TITLES[number % COUNT]}</h1><div>In stock</div><div>${number + 10}.49</div>"
        )
        return make_page(f"{TITLES[number % COUNT]} - Shop", content)

    assert find_name(learn_page(make), "$10.49") == "price"


def test_the_author_is_not_the_title_although_the_page_title_starts_with_it():
    def make(number):
        number %= COUNT
        content = f"<h1>{TITLES[number]}</h1><h2>{AUTHORS[number]}</h2>"
        return make_page(f"{AUTHORS[number]}: {TITLES[number]} - Shop", content)

    assert learn_page(make, COUNT)["title"] == "The Hobbit"


def test_the_names_of_reviewers_are_no_labels():
    """With 12 pages these rows are the table "reviews"; with 10 a name becomes a field."""

    def make(number):
        rows = "".join(
            f"<div class=review><b>{AUTHORS[(number + row) % COUNT]}</b>"
            f"<i>{row + 1} May {2010 + number}</i><p>Review {row} of book {number}</p></div>"
            for row in range(2 + number % 3)
        )
        return make_book(number, extra=f"<h2>Reviews</h2><div class=reviews>{rows}</div>")

    wrapper = unweave.learn([make(number) for number in range(10)])
    names = [field.name for field in wrapper.columns]
    assert not [name for name in names if name.startswith(("bram", "george", "ann_"))], names


def test_a_score_that_is_called_metascore_has_its_label():
    def make(number):
        content = (
            f"<h1>{TITLES[number]}</h1><div><a href=/about>Metascore</a> <span>"
            f"<b class=score>{40 + number * 3}</b></span></div>"
        )
        return make_page(TITLES[number], content)

    assert learn_page(make)["metascore"] == "40"


def test_columns_of_rows_are_named_by_classes_and_types():
    """``review-author`` and ``review-date`` are not on pages without a review."""
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan", "clock", "toaster")]
    assert unweave.learn(pages).nested_tables == {
        "reviews": ["reviews_text", "reviews_text_2", "reviews_author", "reviews_date"]
    }
