"""Pages sorted by template: those of a sample by themselves, and the others by what they are most like."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from unweave.clustering.site_templates import Outline, bound, examples, nearest
from unweave.pipeline.learn import largest_first
from unweave.pipeline.run import ROUNDS, SAMPLE
from unweave.pipeline.scan import rank


def by_template(
    outlines: Mapping[int, Outline], names: Sequence[str], sites: Mapping[int, str]
) -> tuple[list[list[int]], list[int]]:
    """The numbers of the pages in groups, the largest first, and of pages that are like no other page of their site."""
    of_site: dict[str, list[int]] = defaultdict(list)
    for number in sorted(outlines, key=lambda own: (rank(names[own]), own)):
        of_site[sites[number]].append(number)
    groups: list[list[int]] = []
    alone: list[int] = []
    for numbers in of_site.values():
        found, left = _of_one_site(numbers, outlines)
        groups += found
        alone += left
    return sorted(groups, key=lambda own: (-len(own), min(own))), alone


def _of_one_site(
    numbers: Sequence[int], outlines: Mapping[int, Outline]
) -> tuple[list[list[int]], list[int]]:
    """Groups of one site's pages, whose order is as if by chance. Rare templates are found in what others leave."""
    groups: list[list[int]] = []
    left = list(numbers)
    for _ in range(ROUNDS):
        sample, others = left[:SAMPLE], left[SAMPLE:]
        found = [
            [sample[place] for place in group]
            for group in largest_first([outlines[own] for own in sample])
        ]
        known = [_known([outlines[own] for own in group]) for group in found]
        left = []
        for number in others:
            place = nearest(outlines[number], known)
            (left if place is None else found[place]).append(number)
        groups += found
        if not left:
            break
    return groups, left


def _known(outlines: Sequence[Outline]) -> tuple[Sequence[Outline], float]:
    few = examples(outlines)
    return few, bound(outlines, few)
