"""Tables of a site are named after what their pages are about; controls make no tables."""

import pytest

import unweave
from unweave.page.page import Page
from unweave.pipeline.learn import learn_templates
from unweave.pipeline.subjects import list_subjects
from unweave.sources.source import FetchedPage

NOUNS = ["Kettle", "Lamp", "Fan", "Clock", "Toaster", "Bowl", "Chair", "Shelf", "Basket", "Mirror"]
MATERIALS = [f"{first}{last}" for first in ("Brass", "Oak", "Tin") for last in "abcdefghijklmnop"]


def make_product(number, panel=""):
    reviews = "".join(
        f"<li class=review><b>Reader {number}{n}</b><p>I say {NOUNS[n]} {number * 13 + n * 7}"
        for n in range(1 + number % 4)
    )
    return f"""<html><head><title>{NOUNS[number]}</title></head><body><div class=top>The shop</div>
{panel}<main><h1>{NOUNS[number]}</h1><p>Weight: <b>{number + 2} kg</b><p>Price: <b>${number}.50</b>
<p>Made in <i class=place>{NOUNS[-number]}land</i><h2>Reviews</h2><ul>{reviews}</ul></main></body>"""


def make_panel(kind, number):
    counts = [
        (MATERIALS[(number * 5 + n) % 48], number * 7 + n * 3 + 1) for n in range(3 + number % 4)
    ]
    if kind == "boxes":
        rows = [f"<li><input type=checkbox><i>{name}</i> <b>{n}</b></li>" for name, n in counts]
        return f"<div class=left><ul>{''.join(rows)}</ul></div>"
    if kind == "links":
        rows = [f"<li><a href=/f/{name}>{name}</a> <i>({n})</i></li>" for name, n in counts]
        return f"<div class=left><ul>{''.join(rows)}</ul></div>"
    rows = [f"<li><a href=/f/{name}>{name}</a> <i>{n} of them</i></li>" for name, n in counts]
    return f"<{kind}><ul>{''.join(rows)}</ul></{kind.split()[0]}>"


def learn(pages, name="http://shop.example/{}.html"):
    fetched = [
        FetchedPage(name.format(n), page.encode(), is_url=True) for n, page in enumerate(pages)
    ]
    return learn_templates(fetched)


@pytest.mark.parametrize("kind", ["boxes", "links", "nav", "div class=filters", "div id=menu"])
def test_controls_make_no_tables(kind):
    (template,) = learn([make_product(n, make_panel(kind, n)) for n in range(10)])
    assert list(template.nested) == ["reviews"]
    assert not any("brass" in name or "oak" in name for name in template.columns)


def test_a_panel_is_a_table_where_nothing_says_that_it_is_a_control():
    pages = [make_product(n, make_panel("div class=materials", n)) for n in range(10)]
    (template,) = learn(pages)
    assert len(template.nested) == 2


JSONLD = '<script type="application/ld+json">{{"@type": {}}}</script>'


@pytest.mark.parametrize(
    ("extra", "name"),
    [
        (JSONLD.format('"Product"'), "products"),
        (JSONLD.format('["Thing", "Book"]'), "books"),
        (JSONLD.format('"JobPosting"'), "job_postings"),
        ('<div itemscope itemtype="https://schema.org/Recipe"></div>', "recipes"),
        ("<p class=breadcrumb><a href=/>Home</a> <a href=/b>Kitchen</a> <i>Now</i></p>", "now"),
        (JSONLD.format('"WebPage"'), "detail"),
        ("", "detail"),
    ],
)
def test_a_table_is_named_after_what_its_pages_are_about(extra, name):
    (template,) = learn([make_product(n, extra) for n in range(8)])
    assert template.name == name
    assert template.nested == {"reviews": f"{name}_reviews"}


def test_the_folder_of_urls_comes_first():
    pages = [make_product(n, JSONLD.format('"Product"')) for n in range(8)]
    (template,) = learn(pages, "http://shop.example/kettles/{}.html")
    assert template.name == "kettles"


def test_what_only_one_page_has_is_no_subject():
    pages = [unweave.load_page(make_product(n, JSONLD.format(f'"Type{n}x"'))) for n in range(5)]
    assert list_subjects(pages) == []
    assert list_subjects([Page.parse("<h1>Only one</h1>")]) == []
    assert list_subjects([Page.parse(f"<h1>All books</h1>{n}") for n in range(3)]) == ["all_books"]
