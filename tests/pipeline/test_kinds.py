"""What the pages of a template are follows from what is on them, whatever their files are called."""

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


def text(number, sentences):
    """Sentences that no two numbers have in the same order."""
    return " ".join(
        f"{SENTENCES[(number * 5 + own) % len(SENTENCES)]} ({number}.{own})."
        for own in range(sentences)
    )


def opinions(first, count):
    """A list of court opinions, each of a case, a docket number, a judge, a date and a few sentences."""
    entries = "".join(
        f"<div class=entry><h3><a href='/opinions/{n}.pdf'>{NAMES[n % 7]} v. {NAMES[(n * 3 + 1) % 7]}</a></h3>"
        f"<p>{text(n, 2 + n % 4)}</p>"
        + (
            f"<p>{text(n + 1, 1)} <i>No. 24-{n:04d}</i></p>"
            if n % 3
            else f"<blockquote>{text(n, 1)}</blockquote>"
        )
        + "</div>"
        for n in range(first, first + count)
    )
    return (
        "<html><head><title>Opinions</title><meta property='og:type' content='article'>"
        "<meta name='author' content='Clerk Office'><meta name='date' content='2024-06-03'></head><body>"
        "<header><a href='/'>Court of Appeals</a> <a href='/rules'>Rules</a></header>"
        f"<main><h1>Opinions of the court</h1><p class=byline>By Clerk Office, June {1 + first % 28}, 2024</p>"
        f"{entries}</main>"
        "<footer>Room 14, Court House</footer></body></html>"
    )


def product(number, is_signed):
    """A product with a long description, which some makers have signed and dated."""
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
    paragraphs = "".join(f"<p>{text(number * 9 + own, 4)}</p>" for own in range(3))
    return (
        f"<html><body><header><a href='/'>Shop</a></header><main><h1>Lamp {number}</h1>{signed}"
        f"<div class=about>{paragraphs}</div><table class=specs>{specs}</table></main>"
        "<footer>Paid by card</footer></body></html>"
    )


def saved(folder, pages, name):
    """The pages as files, called by a scheme; their numbers by these names."""
    numbers = {name(number): number for number in range(len(pages))}
    for own, number in numbers.items():
        path = folder / own
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pages[number])
    return numbers


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sorted_out(pages, scheme, folder, **more):
    """For each page its kind; and all tables without what names pages: names of tables, addresses and links."""
    numbers = saved(folder / "pages", pages, SCHEMES[scheme])
    unweave.site(folder / "pages", folder / "out", format="jsonl", runner="serial", **more)
    kinds = {numbers[row["url"]]: row["kind"] for row in read(folder / "out" / "pages.jsonl")}
    tables = []
    for path in (folder / "out").glob("*.jsonl"):
        if path.stem not in ("pages", "templates", "columns"):
            rows = read(path)
            links = {name for row in rows for name, cell in row.items() if "://" in str(cell)} | {
                "detail",
                "detail_table",
            }
            tables.append(sorted(repr((numbers[row["url"]], cells(row, links))) for row in rows))
    return [kinds[number] for number in range(len(pages))], sorted(tables)


def cells(row, links):
    return sorted(
        (name, repr(cell)) for name, cell in row.items() if name not in links and name != "url"
    )


@pytest.mark.parametrize("count", [1, 4])
def test_a_list_of_court_opinions_is_a_list_and_no_article(count, tmp_path):
    pages = [opinions(40 * number, 30).encode() for number in range(count)]
    kinds, tables = sorted_out(pages, "numbers", tmp_path)
    assert kinds == ["list"] * count
    assert max(map(len, tables)) == 30 * count


def test_products_are_details_whatever_their_files_are_called(tmp_path):
    """Nearly half of them are signed and dated, so that a smaller sample could take them for articles."""
    pages = [product(number, is_signed=number % 25 < 12).encode() for number in range(25)]
    found = {scheme: sorted_out(pages, scheme, tmp_path / scheme) for scheme in SCHEMES}
    assert {kind for kinds, _ in found.values() for kind in kinds} == {"detail"}
    for one, other in pairwise(found.values()):
        assert one == other


def test_a_whole_shop_gives_the_same_tables_whatever_its_files_are_called(shop, tmp_path):
    files = [
        json.loads(line)["file"]
        for line in (shop / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    pages = [(shop / file).read_bytes() for file in files]
    found = {
        scheme: sorted_out(pages, scheme, tmp_path / scheme)
        for scheme in ("numbers", "shop", "hashes")
    }
    kinds, tables = found["numbers"]
    assert {"list", "detail", "article"} <= set(kinds)
    assert len(tables) >= 5
    for scheme in ("shop", "hashes"):
        assert found[scheme] == (kinds, tables), scheme


def test_a_sample_by_addresses_does_not_change_what_pages_are(shop, tmp_path):
    """Of more pages than a sample has, names tell which ones are drawn."""
    truth = [
        json.loads(line) for line in (shop / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    pages = [(shop / own["file"]).read_bytes() for own in truth]
    for scheme in ("numbers", "shop", "hashes"):
        kinds, _ = sorted_out(pages, scheme, tmp_path / scheme, sample=60)
        by_template = defaultdict(Counter)
        for own, kind in zip(truth, kinds, strict=True):
            by_template[own["template"]][kind] += 1
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
