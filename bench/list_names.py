"""Names of the columns of lists, by the measure for the fields of details.

    python -m bench.list_names --data ../shared/data --score ../shared/score/score.py [--show]

The truth of webdext has the fields of its records in an order for each site. What they are is
written here, as words of which a good name has one. The column of a field is the one whose cells
agree best with it over all pages of a site, as the scorer finds that of an attribute of details.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import unweave
from bench.corpus import PageSet, find_page_sets
from bench.floors import add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.scoring import load_scorer

_SETS = ("webdext",)
_FIELDS = {
    "amazon.com-search": [
        "title|name|product",
        "date|publi|released",
        "author|by|writer|contributor",
        "author|by|writer|contributor",
        "rating|star",
        "review|count|ratings",
        "sponsor|ad",
    ],
    "google.com-search": [
        "title|name|heading",
        "url|link|cite|site|address",
        "text|descri|snippet|summary",
    ],
    "qq.com-news": ["categor|topic|channel|type|tag|section", "title|headline", "date|time"],
    "reddit.com-list": [
        "rank|number|position",
        "score|points|votes|likes",
        "title|headline",
        "domain|site|source|host",
        "flair|linkflair|tag|categor|label|topic",
        "time|date|age|ago|submitted|when|posted",
        "author|user|by|submitter",
        "subreddit|community|forum|group",
        "comment",
    ],
    "taobao.com-shelf": [
        "price|cost",
        "deal|sold|sales|count|paid|buyers",
        "title|name|product",
        "shop|seller|store|nick|vendor",
        "loc|place|area|city",
    ],
    "twitter.com-search": [
        "name|fullname|author|user",
        "verified|badge",
        "user|handle|account|screen",
        "time|date|ago|when|posted",
        "text|tweet|content|message|body",
        "repl|comment",
        "retweet|share",
        "like|favorite|favourite",
    ],
    "wikipedia.org-search": [
        "title|heading|name",
        "text|descri|snippet|summary|result",
        "data|date|size|meta|info",
    ],
    "yahoo.com-news": [
        "author|source|publisher|provider|by|category",
        "title|headline",
        "text|descri|summary",
        "comment|reaction|count",
    ],
    "youtube.com-search": [
        "user|author|channel|by|uploader",
        "text|descri|summary",
        "title|name",
        "duration|length|time",
        "date|time|age|ago|when|posted",
        "view",
        "ad|badge|sponsor|label",
    ],
}
"""The words for each field of a site, as regular expressions for a part of a word.

Fields with the same words, such as the first author and further ones, count as one.
"""
_MIN_F1, _F1_MARGIN = 0.5, 0.02  # those of the scorer

Cells = Counter[tuple[str, str]]
"""Folded texts, each with its page."""


class NamedColumn(NamedTuple):
    """The column of a field of the truth."""

    site: str
    words: str
    """The words that say what the field is."""
    column: str
    """Empty if no column has the field."""
    is_right: bool


def main() -> None:
    """Print the share of right names, and check the floor."""
    parser = make_parser(__doc__)
    add_arguments(parser)
    parser.add_argument("--show", action="store_true", help="list the fields without a right name")
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "records", _SETS)
    if not sets or not arguments.score.exists():
        print(f"No lists with named fields in {arguments.data}: nothing was measured.")
        return
    console = make_console()
    figures: dict[str, dict[str, float]] = {}
    with ProcessPoolExecutor() as workers:
        for page_set in sets:
            sites = list(page_set.group_by_site().items())
            found = [
                column
                for columns in workers.map(
                    _name_columns, repeat(page_set), sites, repeat(arguments.score)
                )
                for column in columns
            ]
            right = sum([each.is_right for each in found]) / len(found)
            figures[page_set.name] = {"names_right": right}
            console.print(f"{page_set.name}: {right:.3f} of {len(found)} fields are well named")
            for each in found if arguments.show else ():
                if not each.is_right:
                    console.print(f"  {each.site}: {each.words} is {each.column or 'no column'}")
    sys.exit(check_floors(console, arguments, {"names of columns": figures}, sets))


def _name_columns(
    page_set: PageSet, site: tuple[str, Sequence[Mapping[str, Any]]], scorer_path: Path
) -> list[NamedColumn]:
    """Return the columns of the fields of one site."""
    scorer = load_scorer(scorer_path)
    name, pages = site
    truth: defaultdict[str, Cells] = defaultdict(Cells)
    given: defaultdict[str, Cells] = defaultdict(Cells)
    for page in pages:
        for record in page["records"]:
            for words, text in zip(_FIELDS[name], record, strict=True):
                _add(truth[words], page["page"], [text], scorer)
        tables = unweave.records(page_set.folder / page["page"])
        for record in tables[0].to_dicts() if tables else ():
            for column, cell in record.items():
                texts = cell if isinstance(cell, list) else [cell]
                _add(given[column], page["page"], texts, scorer)
    return [_choose_column(name, words, cells, given) for words, cells in truth.items() if cells]


def _add(cells: Cells, page: str, texts: Iterable[str | None], scorer: Any) -> None:
    cells.update([(page, folded) for text in texts if text and (folded := scorer.folded(text))])


def _choose_column(site: str, words: str, cells: Cells, given: Mapping[str, Cells]) -> NamedColumn:
    """Return the first of the columns that agree best with a field."""
    scores = {
        column: 2 * (cells & texts).total() / (cells.total() + texts.total())
        for column, texts in given.items()
    }
    best = max(scores.values(), default=0.0)
    columns = [each for each, f1 in scores.items() if f1 >= max(_MIN_F1, best - _F1_MARGIN)]
    column = columns[0] if columns else ""
    is_right = any(re.match(words, part) for part in column.split("_"))
    return NamedColumn(site, words, column, is_right)


if __name__ == "__main__":
    main()
