"""The benchmark of main content: what counts as right, and what a page that fails counts as."""

from types import SimpleNamespace

import pytest

from bench.text_peers import (
    EXTRACTORS,
    PeerText,
    compute_trimmed_mean,
    extract_or_fail,
    is_same_author,
    is_same_day,
)

PARAGRAPHS = [
    "The ferry to the island left two hours late on Monday, after ice had closed the harbour.",
    "Passengers waited in the hall, where the town council served tea and soup until evening.",
    "The company said that it would refund all tickets, and that boats run again on Tuesday.",
]
PAGE = f"""<!doctype html><html lang="en"><head><meta charset="iso-8859-1">
<title>Ferry to Læsø delayed by ice</title></head><body>
<nav><ul><li><a href="/">Start</a></li><li><a href="/weather">Weather</a></li></ul></nav>
<article><h1>Ferry to Læsø delayed by ice</h1>{"".join(f"<p>{text}</p>" for text in PARAGRAPHS)}
</article><footer><a href="/imprint">Imprint</a></footer></body></html>""".encode("iso-8859-1")


@pytest.mark.parametrize(
    "method",
    [
        "unweave news",
        "trafilatura",
        "trafilatura, no comments",
        "trafilatura, recall",
        "readability-lxml",
        "resiliparse",
    ],
)
def test_each_method_reads_bytes_of_an_article(method):
    text, failure = extract_or_fail(EXTRACTORS[method], PAGE, "https://ferries.example/late")
    assert not failure
    assert text.title == "Ferry to Læsø delayed by ice"
    positions = [text.text.index(paragraph) for paragraph in PARAGRAPHS]
    assert positions == sorted(positions)
    assert "Imprint" not in text.text


def test_a_failure_counts_as_an_empty_text():
    def fail(markup, url):
        raise RecursionError

    assert extract_or_fail(fail, PAGE, None) == (PeerText(), "RecursionError")


def test_a_missing_package_is_no_failure_of_a_page():
    def fail(markup, url):
        raise ModuleNotFoundError("No module named 'newspaper'")

    with pytest.raises(ModuleNotFoundError):
        extract_or_fail(fail, PAGE, None)


SCORER = SimpleNamespace(
    overlap=lambda truth, given: (0, 0, float(truth.casefold() == given.casefold()))
)


@pytest.mark.parametrize(
    ("truth", "given", "same"),
    [
        ("Ada Byron", "ADA BYRON", True),
        ("Ada Byron, Mary Sand, and Jo Orlando", "Jo Orlando; Ada Byron; Mary Sand", True),
        ("Maria & Katerina", "Maria; Katerina", True),
        ("Ada Byron and Mary Sand", "Ada Byron", False),
        ("Sandy Anderson", "S; y", False),
    ],
)
def test_authors_are_the_same_in_any_order_and_case(truth, given, same):
    assert is_same_author(SCORER, truth, given) is same


@pytest.mark.parametrize(
    ("truth", "given", "same"),
    [
        ("2025-03-04", "2025-03-04T23:10:00+01:00", True),
        ("2025-03-04T08:00:00", "2025-03-04", True),
        ("2025-03", "2025-03-04", True),
        ("2025-03-04", "2025-03-05", False),
        ("2025-03-04", "2025-03", False),
    ],
)
def test_days_are_the_same_whatever_the_time(truth, given, same):
    assert is_same_day(truth, given) is same


def test_a_trimmed_mean_has_no_outliers():
    assert compute_trimmed_mean([1.0] * 19 + [1000.0], share=0.05) == 1.0
    assert compute_trimmed_mean([2.0, 4.0]) == 3.0
