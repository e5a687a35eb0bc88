"""CTVS, combining tag and value similarity (Su, Wang, Lochovsky, Liu: TKDE 2012), after a paraphrase of the paper.

``options`` has the switches of each variant: printed, corrected and improved. Section numbers are
those of the paraphrase.

Records are found among all are_similar siblings, adjacent or not (``regions``, ``segments``). The list
that a person would choose is chosen, and merged with regions that continue it (``sections``).
Values (``values``) are aligned by their tag path and similarity: in pairs of records and over all
of them (``alignment``, ``column_order``), and where a record repeats a part (``nested``); ``columns``
does these steps in turn.
"""

from unweave.lists.methods.ctvs.columns import align_by_value, by_value
from unweave.lists.methods.ctvs.options import CtvsOptions
from unweave.lists.methods.ctvs.sections import find_ranked_lists, ranked

__all__ = ["CtvsOptions", "align_by_value", "by_value", "find_ranked_lists", "ranked"]
