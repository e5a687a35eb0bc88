"""The list that a person would call the page's list: many candidates, one score, and the best one wins.

``candidates`` makes lists of everything that repeats, ``signals`` says what speaks for and against each, ``weights`` weighs
it, and ``choice`` takes the best, and the next best of what is left of the page. ``roles`` and ``pieces`` say what of the
records is the same, ``columns`` makes columns of it, and ``naming`` says what they are. ``meant`` finds the list of
two records that somebody points at.
"""

from unweave.records.auto.choice import ranked
from unweave.records.auto.columns import by_role
from unweave.records.auto.meant import meant
from unweave.records.auto.naming import columns_of
from unweave.records.auto.together import together

__all__ = ["by_role", "columns_of", "meant", "ranked", "together"]
