"""Fit the models that name, order and choose fields, with whole verticals of sites left out.

    python -m bench.field_models --data ../shared/data --score ../shared/score/score.py [--write]

Fields are learned from 20 pages of each site and read on all of its pages. A field is wanted if it
is the best one for an attribute of the truth; it is the title if that attribute is the name of what
the page is about; the text before it is a label if it says which attribute that is; and it is the
field of a schema if it gives the attribute of that name. Then every site is learned and scored
again with models that were fitted to the other verticals only: these are the figures. ``--write``
fits to all sites and writes ``unweave/wrappers/fields/models.json``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
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
    round_weights,
)
from bench.reporting import make_console, make_parser
from bench.scoring import load_scorer
from unweave.page.page import Page
from unweave.schema import Schema, SchemaField
from unweave.wrappers.base import make_field_name
from unweave.wrappers.fields.evidence import FieldEvidence, FieldFeatures
from unweave.wrappers.fields.learn import learn_fields
from unweave.wrappers.fields.models import FieldModels
from unweave.wrappers.fields.schema_matching import (
    SIGNS,
    PairFeatures,
    describe_pair,
    describe_schema,
)

MODELS = Path(unweave.__file__).parent / "wrappers" / "fields" / "models.json"
_LEARNED_PAGES = 20
_MIN_F1, _F1_MARGIN = 0.5, 0.02
_RIDGE = {"order": 20.0, "title": 0.03, "label": 5.0, "schema": 60.0}
_TITLES = ("title", "name", "model")
_FIGURES = (
    "f1",
    "page_f1",
    "names_right",
    "recall_at_15",
    "fields_per_site",
    "schema_f1",
    "schema_f1, no own words",
)

_SETS_WITH_SCHEMAS = ("swde",)

_TITLE_FEATURES = (
    "share is_list is_joined number variety is_long length heading1 heading in_title"
    " title_share starts_title title_start is_unique in_metadata is_title_key class_title"
    " in_boilerplate in_link position before_heading after_heading repeated has_digit is_number"
    " is_date is_price is_isbn is_phone is_url label_row label_colon label_other class_other"
    " first_part_share"
).split()
_TITLE_POSITIVE = (
    "share variety heading1 heading in_title title_share starts_title title_start is_unique"
    " is_title_key class_title first_part_share"
)
_TITLE_NEGATIVE = (
    "is_list is_joined number is_long in_boilerplate is_number is_date is_price label_row"
    " label_colon is_isbn is_phone is_url label_other class_other"
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
    """The name of the site."""
    page_set: str
    evidence: Mapping[str, FieldEvidence]
    f1: Mapping[str, Mapping[str, float]]
    """By attribute, then by field."""
    said_by: Mapping[str, frozenset[str]]
    """By attribute, the fields whose label says which it is."""


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
    schemas = load_schemas(arguments.data)
    sites = collect_sites(sets, arguments.score, arguments.seeds)
    if arguments.write:
        text = json.dumps(fit_models(sites, schemas), indent=1)
        MODELS.write_text(text + "\n", encoding="utf-8")
    figures = measure_left_out(sets, sites, schemas, arguments.score, arguments.seeds)
    print_left_out(make_console(), figures)


def measure_left_out(
    sets: Sequence[PageSet],
    sites: Sequence[Site],
    schemas: Mapping[str, Schema],
    scorer_path: Path,
    seeds: int,
) -> dict[str, dict[str, float]]:
    """Return the figures of each set, with models that are fitted to the other verticals."""
    jobs: list[Job] = []
    for fitted, measured in leave_out(sites, get_set):
        models = fit_models(fitted, schemas)
        vertical = measured[0].set
        jobs += [
            Job(page_set, pages, seed, models, schemas.get(vertical))
            for page_set, pages, seed in _iter_sites(sets, seeds)
            if pages[0]["site"].split("-")[0] == vertical
        ]
    with ProcessPoolExecutor() as workers:
        outputs = list(workers.map(_read_with_models, jobs))
    scorer = load_scorer(scorer_path)
    figures: dict[str, dict[str, float]] = {}
    for page_set in sets:
        rows = [_score(scorer, jobs, outputs, page_set, seed) for seed in range(seeds)]
        figures[page_set.name] = {
            name: float(np.mean([row[name] for row in rows]))
            for name in _FIGURES
            if page_set.name in _SETS_WITH_SCHEMAS or not name.startswith("schema")
        }
    return figures


def print_left_out(console: Console, figures: Mapping[str, Mapping[str, float]]) -> None:
    """Print the figures of each set."""
    grid = Grid("set", *_FIGURES, title="Verticals left out")
    for name, values in figures.items():
        cells = [f"{values[figure]:.3f}" if figure in values else "" for figure in _FIGURES]
        grid.add_row(name, *cells)
    console.print(grid)


@dataclass(frozen=True)
class Job:
    """A site that is read with models of other verticals."""

    page_set: PageSet
    pages: Sequence[dict[str, Any]]
    seed: int
    models: Mapping[str, Any]
    schema: Schema | None


def _read_with_models(job: Job) -> list[dict[str, Any]]:
    """Return the output for each page: fields, their order, and those of the schema."""
    paths = {page["page"]: job.page_set.folder / page["page"] for page in job.pages}
    pages = _load_sample(paths, job.seed)
    models = FieldModels.from_json(job.models)
    wrapper = learn_fields(pages, models=models).wrapper
    wanted: dict[str, Any] = {}
    if job.schema is not None:
        own = [field.name for field in job.schema.fields]
        for key, ignored in _list_vocabularies(own):
            wanted[key] = learn_fields(
                pages, models=models, schema=job.schema, ignored_concepts=ignored
            ).wrapper
    outputs: list[dict[str, Any]] = []
    order = [field.name for field in wrapper.columns]
    for name, path in paths.items():
        page = unweave.load_page(path)
        line = {"page": name, "fields": wrapper.apply(page).fields or {}, "order": order}
        outputs.append(line | {key: each.apply(page).fields or {} for key, each in wanted.items()})
    return outputs


def _list_vocabularies(own: Collection[str]) -> list[tuple[str, Collection[str]]]:
    """Return the concepts that are not to be used, by the key of the output."""
    return [("schema", ()), ("schema, own words", own)]


def _score(
    scorer: Any,
    jobs: Sequence[Job],
    outputs: Sequence[list[dict[str, Any]]],
    page_set: PageSet,
    seed: int,
) -> dict[str, float]:
    """Return the figures of a set of pages and a draw."""
    truth: list[dict[str, Any]] = []
    lines: dict[str, dict[str, Any]] = {}
    for job, output in zip(jobs, outputs, strict=True):
        if job.page_set.name == page_set.name and job.seed == seed:
            truth += job.pages
            lines |= {line["page"]: line for line in output}
    figures: dict[str, float] = scorer.score_detail(truth, lines, 0)[0]
    for key, name in (("schema", "schema_f1"), ("schema, own words", "schema_f1, no own words")):
        given = {page: {"fields": line.get(key, {})} for page, line in lines.items()}
        figures[name] = scorer.score_detail(truth, given, 0)[0]["schema_f1"]
    return figures


# ---- sites ---------------------------------------------------------------------------------------


def load_schemas(data: Path) -> dict[str, Schema]:
    """Return the schemas of the verticals."""
    return {
        path.stem: Schema.load(path)
        for path in sorted((data / "detail" / "schemas").glob("*.json"))
    }


def collect_sites(sets: Sequence[PageSet], scorer: Path, seeds: int) -> list[Site]:
    """Learn and read all sites."""
    with ProcessPoolExecutor() as workers:
        return list(workers.map(_read_site, _iter_sites(sets, seeds), repeat(scorer)))


def _iter_sites(
    sets: Sequence[PageSet], seeds: int
) -> Iterator[tuple[PageSet, list[dict[str, Any]], int]]:
    for page_set in sets:
        for pages in page_set.group_by_site().values():
            for seed in range(seeds):
                yield page_set, pages, seed


def _load_sample(paths: Mapping[str, Path], seed: int) -> list[Page]:
    names = list(paths)
    chosen = random.Random(seed).sample(names, min(_LEARNED_PAGES, len(names) // 2))
    return [unweave.load_page(paths[name]) for name in chosen]


def find_best(site: Site, attribute: str) -> set[str]:
    """Return the fields that are the best for an attribute, or nearly so."""
    figures = site.f1[attribute]
    best = max(figures.values(), default=0.0)
    return {name for name, f1 in figures.items() if f1 >= _MIN_F1 and f1 >= best - _F1_MARGIN}


def _read_site(job: tuple[PageSet, list[dict[str, Any]], int], scorer_path: Path) -> Site:
    page_set, pages, seed = job
    scorer = load_scorer(scorer_path)
    paths = {page["page"]: page_set.folder / page["page"] for page in pages}
    learned = learn_fields(_load_sample(paths, seed))
    wrapper = learned.wrapper
    given: dict[str, set[tuple[str, str]]] = {}
    true: dict[str, set[tuple[str, str]]] = {}
    for page in pages:
        extraction = wrapper.apply(unweave.load_page(paths[page["page"]]))
        all_fields = {**(extraction.fields or {}), **extraction.others}
        for found, values in ((given, all_fields), (true, page["fields"])):
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


def fit_models(sites: Sequence[Site], schemas: Mapping[str, Schema]) -> dict[str, Any]:
    """Return the weights of all models, fitted to these sites."""
    order = _fit(_make_order_examples(sites), _RIDGE["order"])
    title = fit_choice(
        _make_title_choices(sites),
        get_signs(_TITLE_FEATURES, positive=_TITLE_POSITIVE, negative=_TITLE_NEGATIVE),
        _RIDGE["title"],
    )
    models = {
        "order": _describe(FieldFeatures._fields, order),
        "title": {"weights": round_weights(_TITLE_FEATURES, title)},
        "label": _describe(_LABEL_FEATURES, _fit(_make_label_examples(sites), _RIDGE["label"])),
        "schema": {"weights": {}},
    }
    pairs = _make_pair_examples(sites, schemas, FieldModels.from_json(models))
    signs = get_signs(PairFeatures._fields, **SIGNS)
    weights = _fit(pairs, _RIDGE["schema"], signs)
    return models | {"schema": _describe(PairFeatures._fields, weights)}


def _make_pair_examples(
    sites: Sequence[Site], schemas: Mapping[str, Schema], models: FieldModels
) -> list[Example]:
    """Return the pairs of fields and attributes; without a schema, by the name of the attribute."""
    examples: list[Example] = []
    for site in sites:
        known = models.describe_fields(site.evidence)
        schema = schemas.get(site.set) if site.page_set == "swde" else None
        by_name = {field.name: field for field in schema.fields} if schema else {}
        wanted_fields = [
            by_name.get(name) or SchemaField(name.rpartition("|")[2].strip(" *"))
            for name in site.f1
        ]
        for attribute, wanted, words in zip(
            site.f1, wanted_fields, describe_schema(wanted_fields), strict=True
        ):
            best = find_best(site, attribute)
            if not best:
                continue
            weight = 1 / len(site.f1)
            for field, each in known.items():
                pair = describe_pair(wanted, words, each)
                examples.append(
                    Example(
                        site.set,
                        site.site,
                        field,
                        pair,
                        field in best,
                        weight if field in best else weight / len(site.evidence) * 4,
                    )
                )
    return examples


def _make_order_examples(sites: Sequence[Site]) -> list[Example]:
    examples: list[Example] = []
    for site in sites:
        wanted = {name for attribute in site.f1 for name in find_best(site, attribute)}
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
        for name in sorted(find_best(site, attribute))
        if "label" in site.evidence[name].names
    ]


def _make_title_choices(sites: Sequence[Site]) -> list[Choice]:
    choices: list[Choice] = []
    for site in sites:
        for attribute in site.f1:
            if attribute.casefold() in _TITLES and find_best(site, attribute):
                rows = [_select(each, _TITLE_FEATURES) for each in site.evidence.values()]
                quality = np.array([site.f1[attribute][name] for name in site.evidence])
                choices.append(Choice(site.set, site.site, np.array(rows), quality / quality.max()))
    return choices


def _select(evidence: FieldEvidence, names: Sequence[str]) -> list[float]:
    return [getattr(evidence.features, name) for name in names]


def _fit(examples: Sequence[Example], ridge: float, signs: Sequence[int] = ()) -> Floats:
    """Return the weights of a logistic regression; those that contradict their sign are 0."""
    rows = np.array([example.features for example in examples], dtype=float)
    right = np.array([example.right for example in examples], dtype=float)
    row_weights = np.array([example.weight for example in examples])
    used = np.ones(rows.shape[1], dtype=bool)
    while True:
        weights = fit_logistic(rows * used, right, row_weights, ridge)
        wrong = used & (np.array(signs) * weights[:-1] < 0) if signs else ~used & used
        if not wrong.any():
            return np.append(weights[:-1] * used, weights[-1])
        used &= ~wrong


def _describe(names: Sequence[str], weights: Floats) -> dict[str, Any]:
    return {
        "weights": round_weights(names, weights[:-1]),
        "intercept": round(float(weights[-1]), 4),
    }


if __name__ == "__main__":
    main()
