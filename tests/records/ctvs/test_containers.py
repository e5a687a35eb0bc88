"""Rows of a grid, columns of a page and parts under headings are opened; records are not."""

from unweave import Page
from unweave.records import ctvs


def card(name, extra=""):
    return f"<div><h3><a>{name}</a></h3><p>about {name}</p>{extra}<span>$5</span></div>"


def first_texts(page):
    _, listing = ctvs.ranked(page, variant="improved")[0]
    return [page.text(record[0]).split()[0] for record in listing.records]


def test_rows_of_a_grid():
    rows = "".join(f"<section>{''.join(map(card, names))}</section>" for names in ("ABC", "DEF", "GH"))
    assert first_texts(Page.parse(f"<main>{rows}</main>")) == list("ABCDEFGH")


def test_parts_under_headings_some_of_a_single_record():
    parts = "".join(
        f"<section><h2>{names[0].lower()}</h2><ul>{''.join(f'<li>{card(name)}</li>' for name in names)}</ul></section>"
        for names in ("AB", "C", "DEF", "G")
    )
    assert first_texts(Page.parse(f"<main>{parts}</main>")) == list("ABCDEFG")


def test_rows_in_columns():
    def column(names):
        rows = [f"<article>{''.join(map(card, row))}</article>" for row in (names[:2], names[2:])]
        return f"<section>{''.join(rows)}</section>"

    assert first_texts(Page.parse(f"<main>{column('ABCD')}{column('EFGH')}</main>")) == list("ABCDEFGH")


def test_a_record_with_two_similar_parts_is_no_container():
    """Name and description are of similar make, but never change places."""
    records = "".join(
        f"<li><div><b>name</b><a>{name}</a></div><div><b>x</b><b>y</b><i>text of {name}</i></div></li>" for name in "ABCDE"
    )
    assert len(first_texts(Page.parse(f"<ul>{records}</ul>"))) == 5


def test_labels_that_stay_where_they_are_make_fields():
    labels = ("Title", "Date", "Place")
    records = "".join(
        "<article>" + "".join(f"<p><b>{label}</b><i>{label[0]}{number}</i></p>" for label in labels) + "</article>"
        for number in range(5)
    )
    assert first_texts(Page.parse(f"<main>{records}</main>")) == ["Title"] * 5


def test_the_rows_of_a_data_table_are_no_containers():
    rows = "".join(f"<tr>{''.join(f'<td>{row}{cell}</td>' for cell in range(4))}</tr>" for row in range(6))
    assert len(first_texts(Page.parse(f"<table>{rows}</table>"))) == 6


def test_a_record_with_values_of_its_own_keeps_its_list():
    def record(name, count):
        sizes = "".join(f"<li><b>{size}</b><i>{size * 2} left</i></li>" for size in range(count))
        return f"<article><h3>{name}</h3><p>about {name}</p><b>$5</b><ul>{sizes}</ul></article>"

    page = Page.parse(f"<main>{''.join(record(name, 2 + n % 3) for n, name in enumerate('ABCDEF'))}</main>")
    assert first_texts(page) == list("ABCDEF")
