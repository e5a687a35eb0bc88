"""List methods: what finds the lists of a page, and the tables that are built from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Protocol

from unweave.lists.data_tables import describe_hidden_lists
from unweave.lists.listing import Aligner, Listing, RankedLists, Record
from unweave.lists.table_building import Namer, Tables, add_sections, build_table
from unweave.page.page import Page
from unweave.registry import Registry
from unweave.table import Table

# Hostile pages can make the output far larger than the page: nested lists repeat their texts, and
# the XPaths of deep records are long.
MAX_OUTPUT_ITEMS = 4_000_000


class ListMethod(Protocol):
    """Finds the lists of a page and aligns their records to columns.

    A method is a class that inherits from this one and has a ``rank_lists``; the rest has defaults.
    Its options are the fields of a frozen dataclass, which raises UsageError for wrong values.
    """

    is_lazy: ClassVar[bool] = True
    """False if building tables in another order changes them, as with a shared budget of work."""

    def prepare_page(self, page: Page) -> Page:
        """Return the page as the method reads it: the same nodes, perhaps nested in another way."""
        return page

    def rank_lists(self, page: Page) -> RankedLists:
        """Return the lists of a prepared page, best first.

        Each has a score from 0 to 1, a probability in the default method, and at least one record.
        """
        ...

    def make_aligner(self, page: Page) -> Aligner:
        """Return a function that aligns the records of a list of the page."""
        from unweave.lists.paper_alignment import make_path_aligner

        return make_path_aligner(page)

    @property
    def namer(self) -> Namer | None:
        """What names the columns; None numbers them by what they hold: text_1, link_1."""
        return None

    def join_text(self, page: Page, record: Record) -> str:
        """Return the whole text of a record."""
        return page.join_subtrees(record)

    def find_section_headings(self, page: Page, listing: Listing) -> Sequence[int | None]:
        """Return for each record the heading of its section; empty if there are no sections."""
        return ()


METHODS: Registry[type[ListMethod]] = Registry(
    "method",
    "unweave.list_methods",
    {
        "auto": "unweave.lists.default:DefaultMethod",
        "mdr": "unweave.lists.methods.mdr:Mdr",
        "depta": "unweave.lists.methods.depta:Depta",
        "ctvs": "unweave.lists.methods.ctvs:Ctvs",
    },
)
"""The list methods by name. ``auto`` is the default."""


def find_tables(page: Page, method: ListMethod) -> Tables:
    """Return the tables of a page, best first."""
    page = method.prepare_page(page)
    ranked = method.rank_lists(page)
    aligner = method.make_aligner(page)
    builders: list[Callable[[], Table]] = []
    warnings: list[str] = []
    budget = MAX_OUTPUT_ITEMS
    for score, listing in ranked:
        builders.append(partial(build_method_table, method, page, listing, score, aligner))
        budget -= _estimate_output_items(page, listing)
        if budget < 0:
            warnings.append(
                f"only {len(builders)} of {len(ranked)} lists are given: the output is too large"
            )
            break
    if not builders and (warning := describe_hidden_lists(page)):
        warnings.append(warning)
    tables = Tables(builders, warnings)
    if not method.is_lazy:
        list(tables)  # in order, so that the first lists get the shared budget first
    return tables


def build_method_table(
    method: ListMethod, page: Page, listing: Listing, score: float, aligner: Aligner
) -> Table:
    """Build the table of a list, as the method aligns and names its columns."""
    table = build_table(page, listing, score, aligner, method.join_text, method.namer)
    headings = method.find_section_headings(page, listing)
    return add_sections(table, page, headings) if headings else table


def _estimate_output_items(page: Page, listing: Listing) -> int:
    """Return about how large the output of a list is: its texts, and the steps of its XPaths."""
    steps = sum(1 for _ in page.tree.ancestors(listing.records[0][0]))
    return sum(map(page.count_texts, listing.nodes)) + len(listing.records) * steps
