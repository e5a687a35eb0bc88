"""Fit the models that name and order fields, with whole verticals of sites left out.

    python -m bench.field_models --data ../shared/data --score ../shared/score/score.py [--write]

Fields are learned from 20 pages of each site and read on all of its pages. A field is wanted if it
is the best one for an attribute of the truth; it is the title if that attribute is the name of what
the page is about; and the text before it is a label if it says which attribute that is. Figures are
those of models that were fitted to the other verticals; ``--write`` fits to all and writes
``unweave/wrappers/fields/models.json``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table as Grid

import unweave
from bench.corpus import DETAIL, PageSet, find_page_sets
from bench.fitting import (
    Choice,
    Floats,
    fit_choice,
    fit_logistic,
    get_set,
    get_signs,
    leave_out,
    predict,
    round_weights,
)
from bench.reporting import make_console, make_parser
from bench.scoring import load_scorer
from unweave.wrappers.base import make_field_name
from unweave.wrappers.fields.evidence import FieldEvidence, FieldFeatures
from unweave.wrappers.fields.learn import learn_fields

MODELS = Path(unweave.__file__).parent / "wrappers" / "fields" / "models.json"
_LEARNED_PAGES = 20
_MIN_F1, _F1_MARGIN = 0.5, 0.02
_RIDGE = {"order": 20.0, "title": 0.03, "label": 5.0}
_TITLES = ("title", "name", "model")

_TITLE_FEATURES = (
    "share is_list is_labelled is_joined number variety is_long length heading1 heading in_title"
    " title_share starts_title in_metadata is_title_key class_title in_boilerplate in_link position"
    " before_heading after_heading repeated has_digit is_number is_date is_price label_row"
    " label_colon"
).split()
_TITLE_POSITIVE = (
    "share variety heading1 heading in_title title_share starts_title is_title_key class_title"
)
_TITLE_NEGATIVE = (
    "is_list is_joined number is_long in_boilerplate is_number is_date is_price label_row"
    " label_colon"
)
_LABEL_FEATURES = (
    "number label_colon label_row label_link label_heading label_distance label_steps"
    " label_siblings label_boilerplate label_concept is_list before_heading text_count heading1"
    " heading class_concept has_property"
).split()


@dataclass(frozen=True)
class Site:
    """The fields of one site, and how well each gives the attributes of the truth."""

    set: str
    """Its vertical."""
    site: str
    page_set: str
    evidence: Mapping[str, FieldEvidence]
    f1: Mapping[str, Mapping[str, float]]
    """By attribute, then by field."""
    said_by: Mapping[str, frozenset[str]]
    """By attribute, the fields whose label says which it is."""

    def find_best(self, attribute: str) -> set[str]:
        """Return the fields that are the best for an attribute, or nearly so."""
        figures = self.f1[attribute]
        best = max(figures.values(), default=0.0)
        return {name for name, f1 in figures.items() if f1 >= _MIN_F1 and f1 >= best - _F1_MARGIN}


@dataclass(frozen=True)
class Example:
    """The features of a field, and whether it is what a model looks for."""

    set: str
    site: str
    name: str
    features: Sequence[float]
    right: bool
    weight: float = 1.0


def main() -> None:
    """Print the figures, and write the models if asked to."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=2, help="number of random samples of pages")
    parser.add_argument("--write", action="store_true", help="write the fitted models")
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "detail", DETAIL)
    if not sets or not arguments.score.exists():
        print(f"No detail pages in {arguments.data}, or no scorer: nothing was fitted.")
        return
    sites = collect_sites(sets, arguments.score, arguments.seeds)
    grid = Grid("model", "figure", "verticals left out", title=f"{len(sites)} readings of sites")
    models: dict[str, Any] = {}
    order = _make_order_examples(sites)
    left_out = _predict_left_out(order, _fit_order)
    for page_set in sets:
        recalled = _compute_recall(sites, order, left_out, page_set.name)
        grid.add_row("order", f"recall in the first 15, {page_set.name}", f"{recalled:.3f}")
    models["order"] = _describe(FieldFeatures._fields, _fit_order(order))
    labels = _make_label_examples(sites)
    right = np.mean(
        [
            (probability > 0.5) == example.right
            for probability, example in zip(
                _predict_left_out(labels, _fit_labels), labels, strict=True
            )
        ]
    )
    grid.add_row("label", f"right, of {len(labels)}", f"{right:.3f}")
    models["label"] = _describe(_LABEL_FEATURES, _fit_labels(labels))
    titles = _make_title_choices(sites)
    hits = [
        choice.quality[int(np.argmax(choice.features @ _fit_titles(fitted)))] > 1 - _F1_MARGIN
        for fitted, measured in leave_out(titles, get_set)
        for choice in measured
    ]
    grid.add_row("title", f"right, of {len(titles)}", f"{np.mean(hits):.3f}")
    models["title"] = {"weights": round_weights(_TITLE_FEATURES, _fit_titles(titles))}
    make_console().print(grid)
    if arguments.write:
        MODELS.write_text(json.dumps(models, indent=1) + "\n", encoding="utf-8")


# ---- sites ---------------------------------------------------------------------------------------


def collect_sites(sets: Sequence[PageSet], scorer: Path, seeds: int) -> list[Site]:
    """Learn and read all sites."""
    jobs = [
        (page_set, pages, seed)
        for page_set in sets
        for pages in page_set.group_by_site().values()
        for seed in range(seeds)
    ]
    with ProcessPoolExecutor() as workers:
        return list(workers.map(_read_site, jobs, repeat(scorer)))


def _read_site(job: tuple[PageSet, Sequence[dict[str, Any]], int], scorer_path: Path) -> Site:
    page_set, pages, seed = job
    scorer = load_scorer(scorer_path)
    names = [page["page"] for page in pages]
    chosen = random.Random(seed).sample(names, min(_LEARNED_PAGES, len(names) // 2))
    learned = learn_fields([unweave.load_page(page_set.folder / name) for name in chosen])
    wrapper = learned.wrapper.drop_selection()
    given: dict[str, set[tuple[str, str]]] = {}
    true: dict[str, set[tuple[str, str]]] = {}
    for page in pages:
        extraction = unweave.apply(wrapper, page_set.folder / page["page"])
        for found, values in ((given, extraction.fields or {}), (true, page["fields"])):
            for name, value in values.items():
                texts = scorer.values(value)
                found.setdefault(name, set()).update((page["page"], text) for text in texts)
    f1: dict[str, dict[str, float]] = {}
    said_by: dict[str, frozenset[str]] = {}
    for attribute, gold in true.items():
        f1[attribute] = {
            name: 2 * len(gold & given.get(name, set())) / (len(gold) + len(given.get(name, ())))
            for name in learned.evidence
        }
        said_by[attribute] = frozenset(
            [
                name
                for name, each in learned.evidence.items()
                if "label" in each.names
                and scorer.name_says(attribute, make_field_name(each.names["label"]))
            ]
        )
    site = pages[0]["site"]
    vertical = site.split("-")[0]
    return Site(vertical, site, page_set.name, learned.evidence, f1, said_by)


# ---- models --------------------------------------------------------------------------------------


def _make_order_examples(sites: Sequence[Site]) -> list[Example]:
    examples: list[Example] = []
    for site in sites:
        wanted = {name for attribute in site.f1 for name in site.find_best(attribute)}
        weight = 1 / len(site.evidence)
        for name, each in site.evidence.items():
            examples.append(
                Example(site.set, site.site, name, each.features, name in wanted, weight)
            )
    return examples


def _make_label_examples(sites: Sequence[Site]) -> list[Example]:
    return [
        Example(
            site.set,
            site.site,
            name,
            _select(site.evidence[name], _LABEL_FEATURES),
            name in site.said_by[attribute],
        )
        for site in sites
        for attribute in site.f1
        for name in sorted(site.find_best(attribute))
        if "label" in site.evidence[name].names
    ]


def _make_title_choices(sites: Sequence[Site]) -> list[Choice]:
    choices: list[Choice] = []
    for site in sites:
        for attribute in site.f1:
            if attribute.casefold() in _TITLES and site.find_best(attribute):
                rows = [_select(each, _TITLE_FEATURES) for each in site.evidence.values()]
                quality = np.array([site.f1[attribute][name] for name in site.evidence])
                choices.append(Choice(site.set, site.site, np.array(rows), quality / quality.max()))
    return choices


def _select(evidence: FieldEvidence, names: Sequence[str]) -> list[float]:
    return [getattr(evidence.features, name) for name in names]


def _fit_order(examples: Sequence[Example]) -> Floats:
    return _fit(examples, _RIDGE["order"])


def _fit_labels(examples: Sequence[Example]) -> Floats:
    return _fit(examples, _RIDGE["label"])


def _fit_titles(choices: Sequence[Choice]) -> Floats:
    signs = get_signs(_TITLE_FEATURES, positive=_TITLE_POSITIVE, negative=_TITLE_NEGATIVE)
    return fit_choice(choices, signs, _RIDGE["title"])


def _fit(examples: Sequence[Example], ridge: float) -> Floats:
    rows = np.array([example.features for example in examples], dtype=float)
    right = np.array([example.right for example in examples], dtype=float)
    return fit_logistic(rows, right, np.array([example.weight for example in examples]), ridge)


def _predict_left_out(
    examples: Sequence[Example], fit: Callable[[Sequence[Example]], Floats]
) -> list[float]:
    """Return the probability of each example by a model fitted to the other verticals."""
    predicted: dict[int, float] = {}
    for fitted, measured in leave_out(examples, get_set):
        rows = np.array([example.features for example in measured], dtype=float)
        for example, probability in zip(measured, predict(fit(fitted), rows), strict=True):
            predicted[id(example)] = float(probability)
    return [predicted[id(example)] for example in examples]


def _compute_recall(
    sites: Sequence[Site], examples: Sequence[Example], scores: Sequence[float], page_set: str
) -> float:
    """Return the share of the attributes whose best field is among the first 15 of its site."""
    remaining = iter(zip(examples, scores, strict=True))
    found: list[bool] = []
    for site in sites:
        ranked = sorted((next(remaining) for _ in site.evidence), key=lambda pair: -pair[1])
        first = {example.name for example, _ in ranked[:15]}
        if site.page_set == page_set:
            found += [not first.isdisjoint(site.find_best(attribute)) for attribute in site.f1]
    return float(np.mean(found))


def _describe(names: Sequence[str], weights: Floats) -> dict[str, Any]:
    return {
        "weights": round_weights(names, weights[:-1]),
        "intercept": round(float(weights[-1]), 4),
    }


if __name__ == "__main__":
    main()
