"""The list that a person would call the page's list: many candidates, one score, and the best one wins.

``candidates`` makes lists of everything that repeats, ``signals`` says what speaks for and against each, ``weights`` weighs
it, and ``choice`` takes the best, and the next best of what is left of the page.
"""

from unweave.records.auto.choice import ranked

__all__ = ["ranked"]
