"""What CTVS does in each of its variants; docs/methods.md has the table of steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unweave.variants import Variant, check_variant


@dataclass(frozen=True, slots=True)
class Options:
    """Switches of CTVS. The first six are for its records, the others for its columns."""

    merge_first: bool = False
    """Merge similar regions before the query result section is chosen, as printed, and not after it."""
    equal_weights: bool = False
    """Without layout: weigh area, centre and number of values alike, and count all letters for the area alike."""
    prefer_coverage: bool = False
    """Of several tandem repeats, take the one that covers most of the tree before the one that comes first."""
    keep_last: bool = False
    """Keep a last record that lacks the end of the others (``ABABA``), and a first that lacks their start (``BABABx``)."""
    open_containers: bool = False
    """Return the records inside rows of a grid and under headings, and not the rows."""
    merge_same_place: bool = False
    """Merge only regions that stand in elements of the same tags."""
    join_texts: bool = False
    """Take a running text with marked words in it for one value, where the marks differ from record to record."""
    cut_rings: bool = False
    """Cut the weakest column of every ring of columns, and do not divide and conquer."""
    pack_columns: bool = False
    """Join columns of one tag path that no record tells apart."""
    varying_lists: bool = False
    """Take a repeated part for a list only if records have it in at least three different numbers."""
    printed_types: bool = False
    """Only the types that the text names, with the half for a common parent that the prose gives."""
    printed_mean: bool = False
    """Equation (2) to the letter: half of the mean similarity within a column."""


_PRESETS = {
    Variant.PRINTED: Options(merge_first=True, equal_weights=True, printed_types=True, printed_mean=True),
    Variant.CORRECTED: Options(),
    Variant.IMPROVED: Options(
        prefer_coverage=True,
        keep_last=True,
        open_containers=True,
        merge_same_place=True,
        join_texts=True,
        cut_rings=True,
        pack_columns=True,
        varying_lists=True,
    ),
}


def options_of(variant: str, **given: bool | None) -> Options:
    """Return the switches of a variant, with those that are given and not None in their place."""
    return replace(_PRESETS[check_variant(variant)], **{name: on for name, on in given.items() if on is not None})
