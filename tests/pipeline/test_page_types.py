"""The page type depends on the content of pages, not on the names of their files."""

import json
from collections import Counter, defaultdict
from hashlib import blake2b
from itertools import pairwise

import pytest

import unweave

SCHEMES = {
    "numbers": lambda number: f"{number}.html",
    "shop": lambda number: f"shop-{700 + number}.html",
    "folders": lambda number: f"{number % 3}/{number:04d}.htm",
    "hashes": lambda number: f"{blake2b(str(number).encode(), digest_size=6).hexdigest()}.html",
    "news": lambda number: f"news-article-{number}.html",
}

SENTENCES = (
    "The parties were heard and the record of the lower court was read in full",
    "A tenant who repairs the roof at his own cost may keep the receipts for the landlord",
    "The order is reversed and the matter goes back for a new hearing on damages",
    "Both sides agree that the bridge was closed before the carriage arrived",
    "The trustee sold the orchard without the notice that the deed asks for",
    "It is settled that a map drawn by hand can show where a boundary lies",
)
NAMES = (
    "Ada Marsh",
    "Ben Holloway",
    "Cleo Tarrant",
    "Dov Pelham",
    "Edith Crane",
    "Finn Auster",
    "Greta Lowell",
)


def make_text(number, sentences):
    """Return sentences in an order that depends on the number."""
    return " ".join(
        f"{SENTENCES[(number * 5 + position) % len(SENTENCES)]} ({number}.{position})."
        for position in range(sentences)
    )


def make_opinions(first, count):
    """Return a list of court opinions, each with a case, a docket number and a few sentences."""
    entries = "".join(
        f"<div class=entry><h3><a href='/opinions/{n}.pdf'>{NAMES[n % 7]} v. "
        f"{NAMES[(n * 3 + 1) % 7]}</a></h3>"
        f"<p>{make_text(n, 2 + n % 4)}</p>"
        + (
            f"<p>{make_text(n + 1, 1)} <i>No. 24-{n:04d}</i></p>"
            if n % 3
            else f"<blockquote>{make_text(n, 1)}</blockquote>"
        )
        + "</div>"
        for n in range(first, first + count)
    )
    return (
        "<html><head><title>Opinions</title><meta property='og:type' content='article'>"
        "<meta name='author' content='Clerk Office'>"
        "<meta name='date' content='2024-06-03'></head><body>"
        "<header><a href='/'>Court of Appeals</a> <a href='/rules'>Rules</a></header>"
        f"<main><h1>Opinions of the court</h1>"
        f"<p class=byline>By Clerk Office, June {1 + first % 28}, 2024</p>"
        f"{entries}</main>"
        "<footer>Room 14, Court House</footer></body></html>"
    )


def make_product(number, is_signed):
    """Return a product with a long description, which may be signed and dated."""
    rows = {
        "Colour": NAMES[number % 7].split()[0],
        "Length": f"{number + 3} cm",
        "Maker": NAMES[number * 2 % 7],
    }
    signed = (
        f"<p class=byline>By {NAMES[number % 7]}</p><p class=when>May {1 + number}, 2023</p>"
        if is_signed
        else ""
    )
    specs = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    paragraphs = "".join(f"<p>{make_text(number * 9 + position, 4)}</p>" for position in range(3))
    return (
        f"<html><body><header><a href='/'>Shop</a></header><main><h1>Lamp {number}</h1>{signed}"
        f"<div class=about>{paragraphs}</div><table class=specs>{specs}</table></main>"
        "<footer>Paid by card</footer></body></html>"
    )


def save_pages(folder, pages, make_name):
    """Write pages to files, and return the numbers of the pages by file name."""
    numbers = {make_name(number): number for number in range(len(pages))}
    for name, number in numbers.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pages[number])
    return numbers


def read_json_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run_site(pages, scheme, folder, **options):
    """Return the type of each page, and the tables without their names, URLs and links."""
    numbers = save_pages(folder / "pages", pages, SCHEMES[scheme])
    unweave.site(folder / "pages", folder / "out", format="jsonl", runner="serial", **options)
    types = {
        numbers[row["url"]]: row["kind"] for row in read_json_lines(folder / "out" / "pages.jsonl")
    }
    tables = []
    for path in (folder / "out").glob("*.jsonl"):
        if path.stem not in ("pages", "templates", "columns"):
            rows = read_json_lines(path)
            links = {name for row in rows for name, cell in row.items() if "://" in str(cell)} | {
                "detail",
                "detail_table",
            }
            tables.append(
                sorted(repr((numbers[row["url"]], list_cells(row, links))) for row in rows)
            )
    return [types[number] for number in range(len(pages))], sorted(tables)


def list_cells(row, links):
    return sorted(
        (name, repr(cell)) for name, cell in row.items() if name not in links and name != "url"
    )


@pytest.mark.parametrize("count", [1, 4])
def test_a_list_of_court_opinions_is_not_an_article(count, tmp_path):
    pages = [make_opinions(40 * number, 30).encode() for number in range(count)]
    types, tables = run_site(pages, "numbers", tmp_path)
    assert types == ["list"] * count
    assert max(map(len, tables)) == 30 * count


def test_products_are_details_whatever_the_names_of_their_files(tmp_path):
    """Nearly half of them are signed and dated: a smaller sample could look like articles."""
    pages = [make_product(number, is_signed=number % 25 < 12).encode() for number in range(25)]
    results = {scheme: run_site(pages, scheme, tmp_path / scheme) for scheme in SCHEMES}
    assert {page_type for types, _ in results.values() for page_type in types} == {"detail"}
    for left, right in pairwise(results.values()):
        assert left == right


def test_a_whole_shop_gives_the_same_tables_whatever_the_names_of_its_files(shop, tmp_path):
    files = [
        json.loads(line)["file"]
        for line in (shop / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    pages = [(shop / file).read_bytes() for file in files]
    results = {
        scheme: run_site(pages, scheme, tmp_path / scheme)
        for scheme in ("numbers", "shop", "hashes")
    }
    types, tables = results["numbers"]
    assert {"list", "detail", "article"} <= set(types)
    assert len(tables) >= 5
    for scheme in ("shop", "hashes"):
        assert results[scheme] == (types, tables), scheme


def test_the_sample_does_not_change_the_page_types(shop, tmp_path):
    """Which pages are in a sample depends on their names."""
    truth = [
        json.loads(line) for line in (shop / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    pages = [(shop / page["file"]).read_bytes() for page in truth]
    for scheme in ("numbers", "shop", "hashes"):
        types, _ = run_site(pages, scheme, tmp_path / scheme, sample=60)
        by_template = defaultdict(Counter)
        for page, page_type in zip(truth, types, strict=True):
            by_template[page["template"]][page_type] += 1
        most = {
            name: counts.most_common(1)[0][0]
            for name, counts in by_template.items()
            if name != "other"
        }
        expected = {
            "category": "list",
            "index": "list",
            "product": "detail",
            "store": "detail",
            "article": "article",
        }
        assert most == expected, scheme
