"""Fields of detail pages with truth: learned from a few pages of each site, applied to all, and against the pinned floors.

    python -m bench.detail --data ../shared/data --score ../shared/score/score.py [--sample 20] [--seeds 3]
    python -m bench.detail … --curve     with 5, 10, 20 and 50 pages to learn from
    python -m bench.detail … --harm      with labels removed from the pages, and with a promotion inserted

Every figure is the mean over several draws of the pages that are learned from.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from functools import partial

from rich.table import Table

from bench.corpus import DETAIL, find_page_sets
from bench.floors import Figures, add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.sites import measure_sites
from unweave.page.page import Page
from unweave.wrappers.base import Wrapper
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.fields.learn import learn

_LABELS_REMOVED = 0.1
_PROMOTED = 0.5
_PROMOTION = (
    b"<div class=promo><h2>Offer of the day</h2><table><tr><th>Price:</th><td>9.99</td></tr>"
    b"<tr><td>Now</td><td>or never</td></tr></table><p>Only <b>today</b> and only here.</p></div>"
)
_CURVE = (5, 10, 20, 50)


def main() -> None:
    """Measure, print, compare."""
    parser = make_parser(__doc__)
    add_arguments(parser)
    parser.add_argument("--sample", type=int, default=20, help="pages of a site to learn from")
    parser.add_argument("--seeds", type=int, default=3, help="how many draws of them")
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--harm", action="store_true")
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "detail", DETAIL)
    if not sets or not arguments.score.exists():
        print(
            f"No detail pages with truth in {arguments.data}, or no scorer: nothing was measured."
        )
        return
    measure = partial(measure_sites, scorer=arguments.score, learn=_learn, seeds=arguments.seeds)
    console = make_console()
    grid = Table(
        "fields",
        *(own.name for own in sets),
        title="Detail pages: F1 (fields a site; seconds to learn: median, most)",
    )
    if arguments.curve:
        for sample in _CURVE:
            _add(grid, f"{sample} pages", [measure(own, sample=sample) for own in sets])
    elif arguments.harm:
        for name, harm in {
            "as they are": None,
            "labels removed": _without_labels,
            "promotion": _with_promotion,
        }.items():
            _add(grid, name, [measure(own, sample=arguments.sample, harm=harm) for own in sets])
    else:
        found = [measure(own, sample=arguments.sample) for own in sets]
        _add(grid, f"{arguments.sample} pages", found)
        console.print(grid)
        figures: Figures = {
            own.name: {"f1": value["f1"]} for own, value in zip(sets, found, strict=True)
        }
        sys.exit(
            check_floors(console, arguments, {f"fields, {arguments.seeds} draws": figures}, sets)
        )
    console.print(grid)


def _add(grid: Table, name: str, found: Sequence[dict[str, float]]) -> None:
    grid.add_row(
        name,
        *(
            f"{own['f1']:.3f} ({own['fields']:.0f}; {own['median']:.2f}, {own['most']:.2f})"
            for own in found
        ),
    )


def _learn(pages: Sequence[Page], seed: int) -> FieldWrapper:
    return learn(pages)


def _without_labels(markup: bytes, wrapper: Wrapper, chance: random.Random) -> bytes:
    """The page without one label in ten."""
    assert isinstance(wrapper, FieldWrapper)
    texts = sorted({text for _, _, text in wrapper.anchors.labels})
    for text in chance.sample(texts, round(len(texts) * _LABELS_REMOVED)):
        markup = re.sub(rb">\s*" + re.escape(text.encode()) + rb"\s*<", b"><", markup)
    return markup


def _with_promotion(markup: bytes, wrapper: Wrapper, chance: random.Random) -> bytes:
    """Half of the pages with a block inserted at the beginning of the body."""
    if chance.random() >= _PROMOTED:
        return markup
    return re.sub(rb"(?i)(<body[^>]*>)", lambda found: found[1] + _PROMOTION, markup, count=1)


if __name__ == "__main__":
    main()
