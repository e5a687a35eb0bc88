"""The default method: find the lists of a page that a person would call its lists, and make tables of them.

The steps are, in this order:

1. ``candidates``: everything on the page that repeats, and ``data_records``, the lists that the
   mining of data regions gives;
2. ``features`` and ``ranking``: score the candidates with the weights of ``model``, and select the
   best ones that share no text;
3. ``segmentation``: cut each record into segments, and give each the path of its element;
4. ``columns``: align segments of different records to columns;
5. ``naming``: name the columns and find their types.

``table_building`` then makes the table. ``by_example`` and ``multi_page`` are variants of the first
two steps: the list of two example nodes, and the list that several pages continue.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from unweave.lists.candidates import find_candidates
from unweave.lists.columns import make_aligner
from unweave.lists.data_records import find_listings
from unweave.lists.listing import RankedLists
from unweave.lists.naming import name_columns
from unweave.lists.page_index import PageIndex
from unweave.lists.ranking import Candidate, score_candidates, select_lists
from unweave.lists.required_types import parse_required_types
from unweave.page.page import Page

__all__ = ["PageLists", "find_lists", "make_aligner", "name_columns", "rank_lists"]


@dataclass(frozen=True, slots=True)
class PageLists:
    """The top candidates of a page and the lists that are selected from them, both best first."""

    candidates: list[Candidate]
    lists: RankedLists


def find_lists(page: Page, *, want: Iterable[str] = ()) -> PageLists:
    """Find the candidates and the lists of a page; ``want`` is as for ``rank_lists``."""
    required = parse_required_types(want)
    index = PageIndex(page)
    data_lists = find_listings(page)
    candidates = score_candidates(index, find_candidates(index, data_lists), required)
    return PageLists(candidates, select_lists(index, data_lists, candidates))


def rank_lists(page: Page, *, want: Iterable[str] = ()) -> RankedLists:
    """Return the lists of a page, best first, each with a score from 0 to 1: the confidence in this list alone.

    Scores never increase. ``want`` names types that the list holds, such as ``price`` or
    ``image``: lists whose records have them come first, and scores order those that have equally
    many of the types.
    """
    return find_lists(page, want=want).lists
