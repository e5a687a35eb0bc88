"""CTVS, combining tag and value similarity (Su, Wang, Lochovsky, Liu: TKDE 2012).

The source is a paraphrase of the paper.

``options`` has the switches of each variant: printed, corrected and improved. Section numbers are
those of the paraphrase.

Records are found among all similar siblings, adjacent or not (``regions``, ``segments``). The list
that a person would choose is chosen, and merged with regions that continue it (``sections``).
Values (``values``) are aligned by their tag path and similarity: in pairs of records and over all
of them (``alignment``, ``column_order``), and where a record repeats a part (``nested``);
``columns`` does these steps in turn.
"""

from dataclasses import dataclass
from typing import ClassVar

from unweave.lists.listing import Aligner, RankedLists
from unweave.lists.method import ListMethod
from unweave.lists.methods.ctvs.columns import align_by_value
from unweave.lists.methods.ctvs.options import CtvsOptions
from unweave.lists.methods.ctvs.sections import find_ranked_lists
from unweave.page.page import Page


@dataclass(frozen=True, kw_only=True)
class Ctvs(CtvsOptions, ListMethod):
    """CTVS and its options."""

    is_lazy: ClassVar[bool] = False  # the alignments of a page share one budget

    def rank_lists(self, page: Page) -> RankedLists:
        """Return the lists of a page, best first; the first is the query result section."""
        return find_ranked_lists(page, self)

    def make_aligner(self, page: Page) -> Aligner:
        """Return the aligner by tag paths and similar values."""
        return align_by_value(page, self)
