"""MDR, mining data records (Liu, Grossman, Zhai: KDD 2003).

Three steps: find data regions of similar adjacent siblings, find the data records in the
generalized nodes of each region, then join records that the layout of the page has split.
docs/explanation/methods.md lists for every step whether it is as printed, corrected, or chosen by
us where the paper leaves it open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unweave.errors import UsageError
from unweave.lists.data_records import K, RecordFinder, RecordRules, T, find_regions
from unweave.lists.listing import Listing, RankedLists
from unweave.lists.method import ListMethod
from unweave.lists.paper_ranking import rank_by_text_and_images
from unweave.page.page import Page
from unweave.registry import check_option_types
from unweave.variants import Variant, check_variant

TAGS: dict[str, frozenset[str] | None] = {
    "all": None,
    "tables": frozenset(
        "table caption colgroup col thead tbody tfoot tr th td"
        " form fieldset legend label input button select optgroup option textarea".split()
    ),
}
"""The tags of generalized nodes by the values of ``Mdr.tags``; None allows every tag."""


def check_parameters(k: int, t: float) -> None:
    """Raise UsageError if a parameter of MDR or DEPTA is out of range."""
    if k < 1:
        raise UsageError(f"k must be at least 1, not {k}")
    if not 0 <= t < 2:
        raise UsageError(f"t must be at least 0 and below 2, not {t}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mdr(ListMethod):
    """MDR and its options. Raises UsageError for values that are out of range."""

    k: int = K
    """The maximum number of siblings in a generalized node; the paper uses 10."""
    t: float = T
    """The maximum normalized edit distance of similar tag strings; the paper uses 0.3."""
    variant: str = Variant.CORRECTED
    """``printed``, ``corrected`` or ``improved``; for MDR, the last two are the same."""
    tags: str = "all"
    """``tables`` allows tags of tables and forms only, as the paper's system does; it misses other
    lists.
    """
    nested: bool = False
    """Search the records of each list for lists, too; the paper gives the outermost lists only."""

    def __post_init__(self) -> None:
        check_option_types(self)
        check_parameters(self.k, self.t)
        check_variant(self.variant)
        if self.tags not in TAGS:
            raise UsageError(f"unknown tags {self.tags!r}; choose from {', '.join(TAGS)}")

    def rank_lists(self, page: Page) -> RankedLists:
        """Return all lists of the page, ranked by text and images: the paper does not rank them."""
        return rank_by_text_and_images(page, find_lists(page, self))


DEFAULT_OPTIONS = Mdr()


def find_lists(page: Page, options: Mdr = DEFAULT_OPTIONS) -> list[Listing]:
    """Return all lists of the page, in document order."""
    rules = RecordRules(as_printed=options.variant == Variant.PRINTED)
    listings: set[Listing] = set()
    roots: Sequence[int] = [0]
    # Nesting is shallow: with the default t, each of two similar siblings has about half of the
    # nodes of their parent at most.
    while roots:
        regions = find_regions(
            page.tree, k=options.k, t=options.t, roots=roots, labels=TAGS[options.tags]
        )
        finder = RecordFinder(page, regions, options.t, rules=rules)
        in_roots = finder.find_data_record_lists()
        listings.update(in_roots)
        roots = finder.drop_table_rows(in_roots) if options.nested else []
    return sorted(listings, key=lambda listing: listing.records)
