"""Parameters of CTVS; docs/explanation/methods.md has the table of steps and variants."""

from __future__ import annotations

from dataclasses import dataclass, fields

from unweave.registry import check_option_types
from unweave.variants import Variant, check_variant

_SWITCHES_ON = {
    Variant.PRINTED: {"merge_first", "equal_weights", "printed_types", "printed_mean"},
    Variant.CORRECTED: set[str](),
    Variant.IMPROVED: {
        "prefer_coverage",
        "keep_last",
        "open_containers",
        "merge_same_place",
        "join_texts",
        "cut_rings",
        "pack_columns",
        "varying_lists",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CtvsOptions:
    """A variant of CTVS and its switches; a switch that is None is set as the variant has it.

    The first six switches concern records, the others columns. Those of the printed variant are
    ``merge_first``, ``equal_weights``, ``printed_types`` and ``printed_mean``; the improved variant
    has all others, and the corrected variant none.
    """

    variant: str = Variant.CORRECTED

    merge_first: bool | None = None
    """Merge similar regions before the query result section is chosen, as printed, instead of after
    it.
    """
    equal_weights: bool | None = None
    """Without layout: give area, centre and number of values equal weights, and all letters the
    same area.
    """
    prefer_coverage: bool | None = None
    """Of several tandem repeats, prefer the one that covers most of the tree to the one that starts
    first.
    """
    keep_last: bool | None = None
    """Keep a last record without the end of the others (``ABABA``) and a first without their start
    (``BABABx``).
    """
    open_containers: bool | None = None
    """Return the records inside the rows of a grid and under headings instead of the rows."""
    merge_same_place: bool | None = None
    """Merge only regions whose records have the same tags around them."""
    join_texts: bool | None = None
    """Treat running text with inline markup as one value if the markup differs between records."""
    cut_rings: bool | None = None
    """Cut the weakest column of every cycle of columns instead of dividing and conquering."""
    pack_columns: bool | None = None
    """Join columns of one tag path if no record has both."""
    varying_lists: bool | None = None
    """Treat a repeated part as a list only if records have it in at least three different numbers.
    """
    printed_types: bool | None = None
    """Use only the types that the paper names, and 0.5 for types with a common parent, as its prose
    says.
    """
    printed_mean: bool | None = None
    """Follow equation (2) as printed: half of the mean similarity within a column."""

    def __post_init__(self) -> None:
        check_option_types(self)
        switches_on = _SWITCHES_ON[check_variant(self.variant)]
        for field in fields(self):
            if getattr(self, field.name) is None:
                object.__setattr__(self, field.name, field.name in switches_on)


DEFAULT_OPTIONS = CtvsOptions()
