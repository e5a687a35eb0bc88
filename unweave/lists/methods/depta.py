"""DEPTA (Zhai, Liu: WWW 2005): MDR with layout, and records aligned into columns by partial tree
alignment.

The record finder is the paper's MDR-2: MDR, with false combinations of nodes taken apart. A
generalized node of several nodes is false if the layout has a larger gap inside it than between
two of them (section 3.3), or if its nodes are similar to each other: that several nodes are in
one "indicates that these are not similar" (section 3.4.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unweave.lists.data_records import (
    K,
    RecordRules,
    T,
    find_data_record_lists,
    find_data_record_lists_in,
)
from unweave.lists.listing import Aligner, Listing, RankedLists, Record
from unweave.lists.method import ListMethod
from unweave.lists.methods.mdr import check_parameters
from unweave.lists.paper_alignment import make_tree_aligner
from unweave.lists.paper_ranking import rank_by_text_and_images
from unweave.lists.split_prices import SplitPrices
from unweave.page.layout import build_containment_tree, split_unclosed_entries
from unweave.page.page import Page
from unweave.registry import check_option_types
from unweave.values.parsing import detect_type
from unweave.values.types import Type
from unweave.variants import Variant, check_variant

# The box of the words of a line is by up to this many pixels taller than the line.
_MAX_PROTRUSION = 2.0
# A list is one of products if this share of its first records are.
_MIN_PRODUCT_SHARE = 0.5
_MAX_RECORDS_TESTED = 40


@dataclass(frozen=True, kw_only=True)
class DeptaOptions:
    """Options of DEPTA's record finder. Raises UsageError for values that are out of range."""

    k: int = K
    """The maximum number of siblings in a generalized node; the paper uses 10."""
    t: float = T
    """The maximum normalized edit distance of similar tag strings; 0.3, as in MDR."""
    variant: str = Variant.CORRECTED
    """``printed``, ``corrected`` or ``improved``: see ``nest_by_layout`` and ``find_lists``."""
    products: bool = False
    """Return only lists whose records have an image and a price, as in the paper (section 3.5)."""

    def __post_init__(self) -> None:
        check_option_types(self)
        check_parameters(self.k, self.t)
        check_variant(self.variant)


@dataclass(frozen=True, kw_only=True)
class Depta(DeptaOptions, ListMethod):
    """DEPTA and its options."""

    is_lazy: ClassVar[bool] = False  # the alignments of a page share one budget

    running_text: bool | None = None
    """Words marked inside a text are not nodes; None for yes, except in the printed variant."""

    def prepare_page(self, page: Page) -> Page:
        """Return a rendered page with its nodes nested as they are drawn."""
        return nest_by_layout(page, self)

    def rank_lists(self, page: Page) -> RankedLists:
        """Return all lists of the page, ranked by text and images: the paper does not rank them."""
        return rank_by_text_and_images(page, find_lists(page, self))

    def make_aligner(self, page: Page) -> Aligner:
        """Return the aligner by partial tree alignment."""
        return make_tree_aligner(page, variant=self.variant, running_text=self.running_text)


DEFAULT_OPTIONS = DeptaOptions()


def find_lists(page: Page, options: DeptaOptions = DEFAULT_OPTIONS) -> list[Listing]:
    """Return all lists of the page, in document order.

    The printed variant does not take false combinations apart. The improved one lets their parts
    continue over the borders of generalized nodes, and searches the trees of document and layout.
    """
    view = nest_by_layout(page, options)
    if options.variant == Variant.IMPROVED:
        listings = find_data_record_lists(page, k=options.k, t=options.t)
    else:
        is_printed = options.variant == Variant.PRINTED
        rules = RecordRules(as_printed=is_printed, split_combinations=not is_printed)
        listings = find_data_record_lists_in(view, view.tree, k=options.k, t=options.t, rules=rules)
    if options.products:
        listings = [listing for listing in listings if _is_product_list(view, listing)]
    return listings


def nest_by_layout(page: Page, options: DeptaOptions = DEFAULT_OPTIONS) -> Page:
    """Return a rendered page with its nodes nested as their boxes contain each other (section 3.2).

    Nodes keep their numbers, so that records are nodes of the document, too. The corrected variant
    also separates entries that the document does not close, and allows letters to protrude from
    their line. The improved variant returns the page as it is.
    """
    if page.boxes is None or page.original is not None or options.variant == Variant.IMPROVED:
        return page
    if options.variant == Variant.PRINTED:
        return page.with_tree(build_containment_tree(page.tree, page.boxes, page.invisible))
    tree = build_containment_tree(page.tree, page.boxes, page.invisible, tolerance=_MAX_PROTRUSION)
    return page.with_tree(split_unclosed_entries(tree, page.boxes, options.t))


def _is_product_list(page: Page, listing: Listing) -> bool:
    """Tell whether most records of a list have an image and a price (section 3.5)."""
    records = listing.records[:_MAX_RECORDS_TESTED]
    products = sum(_has_image(page, record) and _has_price(page, record) for record in records)
    return products >= _MIN_PRODUCT_SHARE * len(records)


def _has_image(page: Page, record: Record) -> bool:
    labels, ends = page.tree.labels, page.tree.ends
    return any("img" in labels[root : ends[root]] for root in record)


def _has_price(page: Page, record: Record) -> bool:
    """Tell whether a text of the record, perhaps after a label, or several texts together are a
    price.
    """
    for root in record:
        text_nodes = page.text_nodes(root)
        for number in text_nodes:
            if detect_type(page.texts[number].rsplit(": ", 1)[-1]) is Type.PRICE:
                return True
        prices = SplitPrices(page)
        prices.search(text_nodes)
        if prices.by_amount:
            return True
    return False
