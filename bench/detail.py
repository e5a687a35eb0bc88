"""Fields of detail pages: learned from a few pages of each site, applied to all, against floors.

    python -m bench.detail --data ../shared/data --score ../shared/score/score.py
    python -m bench.detail … --sample 20 --seeds 3
    python -m bench.detail … --curve     with 5, 10, 20 and 50 pages to learn from
    python -m bench.detail … --harm      with labels removed, or an advertisement inserted

Every figure is the mean over several random samples of the pages to learn from. Names, order and
fields of schemas are measured with models that were fitted without the vertical of the site; the
schemas with the vocabulary of the project, and without what it has for the fields of the vertical.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from functools import partial

from rich.table import Table

from bench.corpus import DETAIL, find_page_sets
from bench.field_models import collect_sites, load_schemas, measure_left_out, print_left_out
from bench.floors import Figures, add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.sites import measure_sites
from unweave.page.page import Page
from unweave.wrappers.base import Wrapper
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.fields.learn import learn

_REMOVED_LABEL_SHARE = 0.1
_ADVERTISEMENT_SHARE = 0.5
_ADVERTISEMENT = (
    b"<div class=promo><h2>Offer of the day</h2><table><tr><th>Price:</th><td>9.99</td></tr>"
    b"<tr><td>Now</td><td>or never</td></tr></table><p>Only <b>today</b> and only here.</p></div>"
)
_SAMPLE_SIZES = (5, 10, 20, 50)


def main() -> None:
    """Print the figures, and check the floors."""
    parser = make_parser(__doc__)
    add_arguments(parser)
    parser.add_argument("--sample", type=int, default=20, help="pages of a site to learn from")
    parser.add_argument("--seeds", type=int, default=3, help="number of random samples")
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
        *(page_set.name for page_set in sets),
        title="Detail pages: F1 (fields per site; seconds to learn: median, maximum)",
    )
    if arguments.curve:
        for sample in _SAMPLE_SIZES:
            _add_row(grid, f"{sample} pages", [measure(each, sample=sample) for each in sets])
    elif arguments.harm:
        for name, harm in {
            "as they are": None,
            "labels removed": _remove_labels,
            "advertisement": _insert_advertisement,
        }.items():
            figures = [measure(each, sample=arguments.sample, harm=harm) for each in sets]
            _add_row(grid, name, figures)
    else:
        figures = [measure(each, sample=arguments.sample) for each in sets]
        _add_row(grid, f"{arguments.sample} pages", figures)
        console.print(grid)
        measured: Figures = {}
        for page_set, values in zip(sets, figures, strict=True):
            measured[page_set.name] = {"f1": values["f1"]}
        sites = collect_sites(sets, arguments.score, arguments.seeds)
        left_out = measure_left_out(
            sets, sites, load_schemas(arguments.data), arguments.score, arguments.seeds
        )
        print_left_out(console, left_out)
        draws = f"{arguments.seeds} draws"
        for values in left_out.values():
            del values["fields_per_site"]  # fewer are better: it has no floor
        floors = {f"fields, {draws}": measured, f"fields, verticals left out, {draws}": left_out}
        sys.exit(check_floors(console, arguments, floors, sets))
    console.print(grid)


def _add_row(grid: Table, name: str, figures: Sequence[dict[str, float]]) -> None:
    cells: list[str] = []
    for values in figures:
        seconds = f"{values['median']:.2f}, {values['maximum']:.2f}"
        cells.append(f"{values['f1']:.3f} ({values['fields']:.0f}; {seconds})")
    grid.add_row(name, *cells)


def _learn(pages: Sequence[Page], seed: int) -> FieldWrapper:
    return learn(pages)


def _remove_labels(markup: bytes, wrapper: Wrapper, rng: random.Random) -> bytes:
    """Return the page without one label in ten."""
    assert isinstance(wrapper, FieldWrapper)
    texts = sorted({text for _, _, text in wrapper.anchors.labels})
    for text in rng.sample(texts, round(len(texts) * _REMOVED_LABEL_SHARE)):
        markup = re.sub(rb">\s*" + re.escape(text.encode()) + rb"\s*<", b"><", markup)
    return markup


def _insert_advertisement(markup: bytes, wrapper: Wrapper, rng: random.Random) -> bytes:
    """Insert a block at the start of the body of half of the pages."""
    if rng.random() >= _ADVERTISEMENT_SHARE:
        return markup
    return re.sub(rb"(?i)(<body[^>]*>)", lambda match: match[1] + _ADVERTISEMENT, markup, count=1)


if __name__ == "__main__":
    main()
