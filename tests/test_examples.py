"""The example pages: the number of their records that are rows of the first table, by method."""

import json
from pathlib import Path

import pytest

import unweave
from bench.papers import count_records, read_example_pages
from unweave.lists.methods.ctvs import Ctvs

TRUTH = [
    json.loads(line)
    for line in Path("examples/truth.jsonl").read_text(encoding="utf-8").splitlines()
]


LISTS = [page for page in TRUTH if page["records"]]
PARTED_OR_NESTED = [page for page in read_example_pages() if page not in LISTS]


def found(page, method, **parameters):
    """How many records stand alone in a row of the first table."""
    return count_records(page, method, **parameters).correct


# What MDR cannot do is in docs/explanation/methods.md.
MDR = {
    "products": 16,  # of 24: the four without a rating break the list into runs, and wide nodes pair some of the others
    "products-2": 16,
    "products-rows": 14,
    "search": 4,  # of 10: the advert and the box part them
    "bookstore-1998": 11,  # of 12
    "twocolumn": 12,
    "news": 0,  # each story has other parts than the next
    "forum": 0,  # posts differ too much in length
    "nested": 0,
    "table": 20,
    "jobs": 15,
    "definitions": 0,  # a term has one or two definitions
    "headings": 2,  # of 10
    "people": 9,
    "documents-gbk": 15,
    "auction-sjis": 10,  # of 12
    "gallery": 0,  # only eyes see which caption belongs to which picture
}


# By the paper, parts of records are cut at the borders of generalized nodes only; ours go on over them.
DEPTA = {
    "products": 24,
    "products-2": 24,
    "products-rows": 14,
    "search": 4,
    "bookstore-1998": 11,
    "twocolumn": 12,
    "news": 4,  # of 15
    "forum": 0,  # posts differ too much in length
    "nested": 0,
    "table": 20,
    "jobs": 15,
    "definitions": 0,  # a term has one or two definitions
    "headings": 2,  # of 10
    "people": 9,
    "documents-gbk": 15,
    "auction-sjis": 12,
    "gallery": 0,
}
DEPTA_IMPROVED = DEPTA | {"forum": 12, "definitions": 13, "headings": 6}


@pytest.mark.parametrize("page", LISTS, ids=lambda page: page["site"])
def test_depta_on_the_example_pages(page):
    assert found(page, "depta") == DEPTA[page["site"]]


@pytest.mark.parametrize("page", LISTS, ids=lambda page: page["site"])
def test_improved_depta_on_the_example_pages(page):
    assert found(page, "depta", variant="improved") == DEPTA_IMPROVED[page["site"]]


@pytest.mark.parametrize("page", LISTS, ids=lambda page: page["site"])
def test_mdr_on_the_example_pages(page):
    assert found(page, "mdr") == MDR[page["site"]]


CTVS = {
    "products": 24,
    "products-2": 24,
    "products-rows": 14,
    "search": 10,
    "bookstore-1998": 12,
    "twocolumn": 0,  # torn apart over two rows each
    "news": 15,
    "forum": 12,
    "nested": 30,
    "table": 20,
    "jobs": 15,
    "definitions": 16,  # of 20
    "headings": 9,  # of 10
    "people": 9,
    "documents-gbk": 15,
    "auction-sjis": 12,
    "gallery": 0,
}

# Without what is ours, rows of a grid and parts under headings are records, and the last of the bookstore is lost.
CTVS_CORRECTED = {**CTVS, "products-rows": 0, "bookstore-1998": 11, "nested": 0, "headings": 0}

# What CTVS does not find of the pages with parted and with nested records; all others are right, and nothing else is found.
CTVS_MISSES = {"auctions": 2, "museum": 14, "ricette": 13}
CTVS_CORRECTED_MISSES = {
    **CTVS_MISSES,
    "events": 12,
    "jobs-promoted": 1,
    "restaurants": 17,
    "cars": 14,
    "homes": 14,
    "decisions": 16,
}


@pytest.mark.parametrize(
    ("method", "counts"),
    [("ctvs:improved", CTVS), ("ctvs", CTVS_CORRECTED)],
    ids=["improved", "corrected"],
)
@pytest.mark.parametrize("page", LISTS, ids=lambda page: page["site"])
def test_ctvs_on_the_example_pages(page, method, counts):
    assert found(page, method) == counts[page["site"]]


@pytest.mark.parametrize(
    ("method", "misses"),
    [("ctvs:improved", CTVS_MISSES), ("ctvs", CTVS_CORRECTED_MISSES)],
    ids=["improved", "corrected"],
)
@pytest.mark.parametrize("page", PARTED_OR_NESTED, ids=lambda page: page["site"])
def test_ctvs_on_noncontiguous_and_nested_records(page, method, misses):
    counts = count_records(page, method)
    missed = misses.get(page["site"], 0)
    assert counts.records - counts.correct == missed
    assert counts.correct_pages == (not missed)


def test_the_lists_in_the_cells_are_those_of_the_truth():
    """Of seven of the ten pages with nested records, every repeated field is a column of lists."""
    nested = [page for page in read_example_pages() if Path(page["page"]).parent.name == "nested"]
    pages = [page for page in nested if page["site"] not in ("papers", "posts", "workshops")]
    assert len(pages) == 7
    for page in pages:
        table = unweave.records(page["page"], method=Ctvs(variant="improved"))[0]
        lists = [
            {" ".join(row[n]) for row in table.rows if row[n]}
            for n, c in enumerate(table.columns)
            if c.type == "list"
        ]
        truth = [
            {" ".join(row[n].split()) for row in page["records"] if row[n]}
            for n in range(len(page["fields"]))
        ]
        assert lists, page["site"]
        for values in lists:
            assert values in truth, (page["site"], values)
