"""Detail pages of several made-up sites, for tests of how fields are named, ordered and chosen."""

from __future__ import annotations

TITLES = (
    "The Hobbit",
    "Emma",
    "Ulysses",
    "Dracula",
    "Walden",
    "Persuasion",
    "Middlemarch",
    "Ivanhoe",
    "Kim",
    "Siddhartha",
    "Candide",
    "Germinal",
)
AUTHORS = (
    "J. Tolkien",
    "Jane Austen",
    "James Joyce",
    "Bram Stoker",
    "Henry Thoreau",
    "Ann Radcliffe",
    "George Eliot",
    "Walter Scott",
    "Rudyard Kipling",
    "Hermann Hesse",
    "Francois Voltaire",
    "Emile Zola",
)
PLAYERS = (
    "Tom Brady",
    "Al Ford",
    "Bo Jackson",
    "Cy Young",
    "Dan Marino",
    "Ed Reed",
    "Fred Dean",
    "Gus Hall",
    "Hal Key",
    "Ian Low",
)
TEAMS = ("Lions", "Bears", "Rams", "Jets")
COUNT = len(TITLES)
MENU = (
    "<nav class=menu><ul><li><a href=/>Home</a></li><li><a href=/golf>Golf</a></li>"
    "<li><a href=/races>Preakness</a></li></ul></nav>"
)
FOOTER = "<footer><p>All rights reserved</p></footer>"


def make_page(title, content, *, head=""):
    """Return a page with a menu and a footer."""
    return (
        f"<html><head><title>{title}</title>{head}</head>"
        f"<body>{MENU}<div id=main>{content}</div>{FOOTER}</body></html>"
    )


def make_rows(rows):
    """Return a table of rows of a header cell and a value."""
    cells = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in rows.items())
    return f"<table>{cells}</table>"


def list_book_rows(number):
    """Return the labels and values of a book."""
    return {
        "Publisher": f"House of {AUTHORS[(number + 3) % COUNT]}",
        "Pages": str(100 + number * 37),
        "Published": f"{number % 28 + 1} May {2000 + number}",
        "ISBN": f"03064{(number * 7919) % 90000 + 10000}",
    }


def make_similar(number):
    """Return the names and prices of three other books."""
    items = "".join(
        f"<li class=item><a href=/{other}>{TITLES[other % COUNT]}</a>"
        f"<span class=price>${other * 7 % 20 + 5}.99</span></li>"
        for other in range(number + 1, number + 4)
    )
    return f"<div class=similar><h2>Similar products</h2><ul>{items}</ul></div>"


def make_book(number, *, extra="", rows=None):
    """Return the page of a book in a shop, with similar books below."""
    title, author = TITLES[number % COUNT], AUTHORS[number % COUNT]
    content = (
        f"<h1>{title}</h1><p class=author>{author}</p>"
        f"<div class=buying-info><span class=amount>${number + 10}.49</span></div>{extra}"
        f"{make_rows(list_book_rows(number) if rows is None else rows)}"
        f"<p class=description>The long story of {title} tells of {AUTHORS[(number + 5) % COUNT]}"
        f" and of many other people who lived there.</p>{make_similar(number)}"
    )
    return make_page(f"{title} by {author} - Book Shop", content)


def make_books(count=COUNT, **options):
    """Return the pages of books."""
    return [make_book(number, **options) for number in range(count)]


def find_name(fields, value):
    """Return the only name of a field that is or holds a value."""
    names = [
        name
        for name, each in fields.items()
        if each == value or (isinstance(each, list) and value in each)
    ]
    assert len(names) == 1, (value, names, fields)
    return names[0]
