"""Scores of tables, their order, and the message about a low score."""

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

import unweave
from bench.corpus import RECORDS, find_page_sets
from unweave.cli import main
from unweave.cli.records import MIN_CONFIDENT_SCORE
from unweave.lists.default import find_lists, rank_lists

# The module, not the command of the same name that stands in front of it.

EXAMPLES = sorted(map(str, Path("examples").rglob("*.html")))
SETS = find_page_sets(Path("../shared/data"), "records", RECORDS)
PAGES_PER_SET = 10


def sampled_pages():
    for page_set in SETS:
        paths = list(map(str, page_set.list_paths()))
        yield from paths[:: max(1, len(paths) // PAGES_PER_SET)][:PAGES_PER_SET]


PAGES = [
    pytest.param(lambda: EXAMPLES, id="examples"),
    pytest.param(
        lambda: list(sampled_pages()),
        id="real pages",
        marks=[
            pytest.mark.slow,
            pytest.mark.skipif(not SETS, reason="the sets of real pages are not at hand"),
        ],
    ),
]


@pytest.mark.parametrize("find_pages", PAGES)
@pytest.mark.parametrize("method", ["auto", "mdr", "depta", "ctvs"])
def test_tables_are_sorted_by_score(find_pages, method):
    pages = find_pages()[:: 1 if method == "auto" else 5]
    with_several_tables = 0
    for page in pages:
        if method == "auto":
            scores = [score for score, _ in rank_lists(unweave.load_page(page))]
        else:
            scores = [table.score for table in unweave.records(page, method=method)]
        assert scores == sorted(scores, reverse=True), page
        assert all(0 <= score <= 1 for score in scores), page
        with_several_tables += len(scores) > 1
    assert with_several_tables >= len(pages) / 5


@pytest.mark.parametrize("find_pages", PAGES)
def test_a_low_score_of_the_first_table_is_reported(find_pages):
    pages = find_pages()
    result = CliRunner().invoke(main, ["records", *pages])
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["page"] for line in lines] == pages
    low = {line["page"]: line["tables"][0]["score"] for line in lines if line["tables"]}
    low = {page: score for page, score in low.items() if score < MIN_CONFIDENT_SCORE}
    said = [line for line in result.stderr.splitlines() if "score" in line]
    assert len(said) == len(low) > 0
    for page, score in low.items():
        (line,) = [line for line in said if line.startswith(f"unweave: {page}: ")]
        shown = float(line.partition("score of ")[2].partition(",")[0])
        assert shown == pytest.approx(math.floor(100 * score) / 100, abs=0.0101)  # score is rounded
        assert f", below {MIN_CONFIDENT_SCORE}" in line


def test_the_score_of_a_table_does_not_depend_on_that_of_a_better_one():
    """Two clear lists on one page: a high score of the first does not lower that of the second."""
    books = "".join(
        f"<li class=book><h3><a href=b{k}>Book {k} of many</a></h3><p>A novel of {k} parts</p><b>${k}.99</b></li>"
        for k in range(20)
    )
    films = "".join(
        f"<div class=film><img src=f{k}.png><h4><a href=f{k}>Film {k}</a></h4>"
        f"<i>{1950 + k}</i><p>{k} minutes long</p></div>"
        for k in range(12)
    )
    first, second = unweave.records(f"<main><ul>{books}</ul><section>{films}</section></main>")[:2]
    assert {len(first), len(second)} == {20, 12}
    assert first.score >= second.score > 1 - first.score


def test_with_required_types_scores_order_the_lists_that_have_equally_many_of_them():
    with_and_without = 0
    for path in EXAMPLES:
        page = unweave.load_page(path)
        found = find_lists(page, want=["price"])
        order = [(each.required_types, each.confidence) for each in found.lists]
        assert order == sorted(order, reverse=True), path
        with_and_without += len({count for count, _ in order}) > 1
    assert with_and_without > 3
