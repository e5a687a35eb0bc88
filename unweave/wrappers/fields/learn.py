"""Learn wrappers for the fields of detail pages.

The labels of the template are found, all texts are located, and those that differ from page to page
are fields.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from unweave.column_selection import ColumnSpec, parse_columns
from unweave.errors import UsageError, WrapperError
from unweave.lists.split_prices import SplitPrices
from unweave.page.html_tables import find_label_nodes, number_cells
from unweave.page.page import Page
from unweave.page.template_paths import HIDDEN_PATH, TemplatePaths, list_identifiers
from unweave.schema import Schema
from unweave.values.look import ValueLook
from unweave.values.vocabulary import find_concepts
from unweave.wrappers.base import Wrapper, clean_text, is_value
from unweave.wrappers.fields.apply import Field, FieldWrapper
from unweave.wrappers.fields.evidence import (
    EvidenceCollector,
    FieldEvidence,
    FieldOccurrences,
    find_boilerplate,
)
from unweave.wrappers.fields.field_matching import FieldMatch
from unweave.wrappers.fields.label_matching import measure_labels
from unweave.wrappers.fields.labels import find_labels
from unweave.wrappers.fields.learn_tables import find_tables, name_tables, relearn_tables
from unweave.wrappers.fields.locators import (
    Anchors,
    LocatedBy,
    LocatedText,
    Locator,
    Position,
    PositionedText,
    is_line,
    locate_texts,
)
from unweave.wrappers.fields.models import FieldModels, load_models
from unweave.wrappers.fields.naming import FieldNames, choose_examples, find_most_common
from unweave.wrappers.fields.path_matching import PathStatistics
from unweave.wrappers.fields.ranking import are_unlike, find_copies, is_column
from unweave.wrappers.fields.row_tables import RowFinder, hide_rows, read_columns
from unweave.wrappers.fields.schema_matching import match_schema
from unweave.wrappers.fields.selection import find_examples, select_by_schema
from unweave.wrappers.fields.text_labels import cut_text, find_text_labels, has_labels
from unweave.wrappers.learning import Learner


@dataclass(frozen=True)
class FieldRules:
    """Which texts of pages are fields. Shares are of the pages unless stated otherwise."""

    stable_share: float = 0.9
    """Identifiers on this share belong to the template, others to single pages."""
    single_text_share: float = 0.8
    """A template path with one text on this share, and never more, locates the text."""
    min_pages: int = 2
    """A field is on this many pages, and …"""
    min_field_share: float = 0.15
    """… on this share of them, or …"""
    sufficient_pages: int = 4
    """… on this many pages, however many there are."""
    constant_share: float = 0.95
    """The same text on this share belongs to the template."""
    max_separate_texts: int = 3
    """Up to this many texts of one locator may be a field each, …"""
    same_count_share: float = 0.8
    """… if this share of the pages with the locator has the same number of them."""
    min_rows: int = 3
    """Label-value rows have this many labels, …"""
    min_row_share: float = 0.25
    """… each on this share: texts of users have other labels."""
    min_differing_rows: float = 0.2
    """If a smaller share of the rows differs from page to page, they are a list of all pages."""


_RULES = FieldRules()

# Of fields with the same texts on all pages, the one located by the first of these is kept.
_PREFERENCE = {
    LocatedBy.LABEL: 0,
    LocatedBy.PIECE: 0,
    LocatedBy.COLUMN: 1,
    LocatedBy.PATH: 2,
    LocatedBy.JOINED: 3,
}
# What says the same on all pages after these labels is of the site.
_OF_SITES = frozenset("phone email address website fax".split())
# Links and choices are cited as a whole, and so are titles.
_UNCUT_TAGS = frozenset("a option button head h1".split())
_LABELLED = (LocatedBy.LABEL, LocatedBy.PIECE)


class _FieldKey(NamedTuple):
    """A candidate for a field: the n-th text of a locator, or all of them if the number is None."""

    locator: Locator
    number: int | None


_Values = dict[int, tuple[str, ...]]
"""The texts of a field by the number of the page."""


@dataclass(frozen=True, kw_only=True)
class FieldLearner(Learner):
    """Learns the fields of detail pages: all of them, or those that somebody chose."""

    columns: Sequence[ColumnSpec | str] = ()
    """The fields of the result, with new names and types."""
    examples: Mapping[str, str] = field(default_factory=dict)
    """Values on one of the pages, by the names that their fields are to have."""
    schema: Any = None
    """A JSON Schema, its file, a pydantic model or a dataclass: the fields of the result."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", parse_columns(self.columns))
        if self.schema is not None:
            if self.columns or self.examples:
                raise UsageError("give a schema, or columns and examples, but not both")
            object.__setattr__(self, "schema", Schema.load(self.schema))

    def learn(self, pages: Sequence[Page]) -> FieldWrapper:
        """Return a wrapper for the fields of the pages."""
        learned = learn_fields(pages, schema=self.schema)
        if not (self.columns or self.examples):
            return learned.wrapper
        specs = [
            *parse_columns(self.columns),
            *find_examples(self.examples, learned.list_values(pages)),
        ]
        return learned.wrapper.select_fields(parse_columns(specs), learned.collect_texts())

    def learn_again(self, pages: Sequence[Page], old: Wrapper) -> FieldWrapper:
        """Return a wrapper for the fields of the pages, with the tables of an old one."""
        return learn(pages, old if isinstance(old, FieldWrapper) else None)


class LearnedFields(NamedTuple):
    """A wrapper, and what is known of its fields."""

    wrapper: FieldWrapper
    evidence: Mapping[str, FieldEvidence]
    """By the names of the fields."""
    occurrences: Mapping[str, FieldOccurrences]

    def list_values(self, pages: Sequence[Page]) -> dict[str, list[Sequence[str]]]:
        """Return the texts of each field, and of each column of the tables, page by page."""
        values: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
        for name, each in self.occurrences.items():
            values[name] += each.texts.values()
        for page in pages if self.wrapper.tables else ():
            for name, cells in read_columns(page, self.wrapper.match(page).rows).items():
                values[name].append([cell for cell in cells if cell])
        return values

    def collect_texts(self) -> dict[str, list[str]]:
        """Return the values of each field, and of each column of the tables inside the pages."""
        labels = {field.name: field.text_label for field in self.wrapper.fields}
        texts = {
            name: [
                clean_text(text, labels[name]) for values in each.texts.values() for text in values
            ]
            for name, each in self.occurrences.items()
        }
        for table in self.wrapper.tables:
            texts |= {column.name: list(column.examples) for column in table.columns}
        return texts


def learn(pages: Sequence[Page], old: FieldWrapper | None = None) -> FieldWrapper:
    """Learn a wrapper from pages of one template; ``old`` is as for ``learn_fields``."""
    return learn_fields(pages, old).wrapper


def learn_fields(
    pages: Sequence[Page],
    old: FieldWrapper | None = None,
    *,
    models: FieldModels | None = None,
    schema: Schema | None = None,
    ignored_concepts: Collection[str] = (),
) -> LearnedFields:
    """Learn a wrapper from pages of one template, and return what its fields were named by.

    If there is an old wrapper of the template, what it reads as the rows of a table are rows again,
    and what it reads as fields are not. The models are those that are shipped, if none are given.
    With a schema the result has its fields only, which are matched without the concepts of the
    vocabulary that are to be ignored.
    """
    if len(pages) < _RULES.min_pages:
        raise WrapperError(
            "fields are what differs from page to page: give two or more pages of one template"
        )
    paths = TemplatePaths(_find_stable_identifiers(pages))
    paths_of_pages = [paths.number_nodes(page, learning=True) for page in pages]
    statistics_of_paths = PathStatistics.measure(pages, paths_of_pages, paths)
    matches = list(map(old.match, pages)) if old else []
    tables = relearn_tables(pages, paths_of_pages, paths, [match.rows for match in matches])
    anchors = _find_anchors(pages, paths_of_pages, paths, matches)
    known_texts = [match.text_nodes for match in matches]
    tables += find_tables(pages, paths_of_pages, anchors, known_texts)
    finder = RowFinder(tables, anchors)
    for number, page in enumerate(pages):
        rows = finder.find_rows(page, paths_of_pages[number])
        paths_of_pages[number] = hide_rows(page, paths_of_pages[number], rows)
    anchors = _find_anchors(pages, paths_of_pages, paths, matches)
    statistics = _collect_statistics(pages, paths_of_pages, anchors)
    values_by_key = _drop_duplicates(dict(statistics.find_fields()), paths)
    models = models or load_models()
    names = FieldNames(statistics.label_texts, paths, models)
    collector = EvidenceCollector(pages)
    occurrences = {
        key: statistics.find_occurrences(key, pages)
        for key in sorted(values_by_key, key=_order_field)
    }
    evidence = {key: collector.describe(each) for key, each in occurrences.items()}
    probabilities = {key: models.compute_probability(each) for key, each in evidence.items()}
    groups: defaultdict[Locator, list[_FieldKey]] = defaultdict(list)
    for key in evidence:
        groups[key.locator].append(key)
    copies = find_copies(occurrences, evidence, list(groups.values()), probabilities)
    title = models.choose_title({key: each for key, each in evidence.items() if key not in copies})
    ranked = sorted(evidence, key=lambda key: (key != title, -probabilities[key]))
    kept = [key for key in ranked if key not in copies]
    given_names = names.add_fields(
        [(key.locator, evidence[key]) for key in kept], kept.index(title) if title else None
    )
    fields: list[Field] = []
    for key, name in zip(kept, given_names, strict=True):
        values = values_by_key[key]
        fields.append(
            Field(
                name=name,
                locators=statistics.synonyms[key.locator],
                number=key.number,
                share=len(values) / len(pages),
                examples=choose_examples(values[page][0] for page in sorted(values)),
                text_label="" if key == title else _find_text_label(key, evidence[key]),
                look=ValueLook.measure([text for texts in values.values() for text in texts]),
                is_other=key != title
                and not is_column(
                    evidence[key],
                    probabilities[key],
                    has_label=models.is_label(evidence[key]),
                ),
            )
        )
    if not fields and not tables:
        raise WrapperError(
            "the pages have nothing that differs from page to page at the same position"
        )
    wrapper = FieldWrapper(
        anchors,
        tuple(fields),
        statistics.label_value_rows,
        len(pages),
        name_tables(tables, names),
        statistics_of_paths,
        measure_labels(pages, paths_of_pages, anchors.labels),
    )
    by_name = {field.name: key for field, key in zip(fields, kept, strict=True)}
    learned = LearnedFields(
        wrapper,
        {name: evidence[key] for name, key in by_name.items()},
        {name: occurrences[key] for name, key in by_name.items()},
    )
    if schema is None:
        return learned
    known = models.describe_fields(learned.evidence)
    columns = [column.name for table in wrapper.tables for column in table.columns]
    schema_matches = match_schema(
        models.schema, schema.fields, known, ignored_concepts, further_names=columns
    )
    selected = select_by_schema(schema_matches, learned.collect_texts())
    return learned._replace(wrapper=replace(wrapper, selected=selected))


def _find_text_label(key: _FieldKey, evidence: FieldEvidence) -> str:
    """Return the label that the texts of a field start with; empty if they have none."""
    if key.locator.by is LocatedBy.PIECE or evidence.features.in_head:
        return ""
    return evidence.names.get("prefix", "")


def _order_field(key: _FieldKey) -> tuple[bool, int, int, str, str, int]:
    """Order by template path. Joined texts come last, so that their parts get the plain names."""
    locator, number = key
    is_joined = locator.by is LocatedBy.JOINED
    position = -1 if number is None else number
    return (
        is_joined,
        locator.path,
        locator.label_path,
        locator.label,
        locator.by,
        position,
    )


def _find_stable_identifiers(pages: Sequence[Page]) -> frozenset[str]:
    """Return the identifiers that nearly all pages have, on elements of whatever tag."""
    page_counts: Counter[str] = Counter()
    without_tag: dict[str, str] = {}
    for page in pages:
        names: set[str] = set()
        for tag, identifiers in set(zip(page.tree.labels, page.identifiers, strict=True)):
            for word in list_identifiers(tag, identifiers):
                without_tag[word] = word[len(tag) :]
                names.add(without_tag[word])
        page_counts.update(names)
    min_pages = _RULES.stable_share * len(pages)
    return frozenset([word for word, name in without_tag.items() if page_counts[name] >= min_pages])


def _find_anchors(
    pages: Sequence[Page],
    paths_of_pages: Sequence[Sequence[int]],
    paths: TemplatePaths,
    matches: Sequence[FieldMatch] = (),
) -> Anchors:
    """Find the labels, and the template paths with one text on nearly all pages and never more.

    If there are matches of an old wrapper with the pages, its labels are labels, too, and its
    values are not.
    """
    max_texts: Counter[int] = Counter()
    page_counts: Counter[int] = Counter()
    for page, numbers in zip(pages, paths_of_pages, strict=True):
        counts = Counter([numbers[parent] for parent in page.text_parents])
        page_counts.update(counts.keys())
        max_texts |= counts
    del max_texts[HIDDEN_PATH]
    min_pages = _RULES.single_text_share * len(pages)
    single = [
        path for path, count in max_texts.items() if count == 1 and page_counts[path] >= min_pages
    ]
    labels, label_positions = find_labels(pages, paths_of_pages)
    known, values = _collect_known_texts(pages, paths_of_pages, matches)
    labels -= values
    label_positions -= {value[:2] for value in values} - {label[:2] for label in known}
    colons = [(path, column) for path, column, text in labels if text.endswith(":")]
    text_labels = _find_text_labels(pages, paths_of_pages, paths)
    labels = frozenset([label for label in labels if not _may_be_cut(label, text_labels)])
    anchors = Anchors(
        paths, labels, frozenset(single), label_positions, frozenset(colons), text_labels
    )
    new_labels = [label for label in known if not anchors.is_label(*label)]
    return replace(anchors, labels=labels.union(new_labels))


def _find_text_labels(
    pages: Sequence[Page], paths_of_pages: Sequence[Sequence[int]], template: TemplatePaths
) -> dict[Position, tuple[str, ...]]:
    """Return the labels inside the texts of each position that has several of them."""
    texts: defaultdict[Position, dict[int, list[str]]] = defaultdict(dict)
    for number, (page, paths) in enumerate(zip(pages, paths_of_pages, strict=True)):
        columns = number_cells(page)
        for text_node, (text, parent) in enumerate(zip(page.texts, page.text_parents, strict=True)):
            if paths[parent] != HIDDEN_PATH and (has_labels(text) or is_line(page, text_node)):
                texts[paths[parent], columns[parent]].setdefault(number, []).append(text)
    found: dict[Position, tuple[str, ...]] = {}
    for position, by_page in texts.items():
        if len(by_page) >= _RULES.min_pages:
            labels = find_text_labels(list(by_page.values()), len(by_page))
            if labels and not _find_tags(position[0], template) & _UNCUT_TAGS:
                found[position] = labels
    return found


def _find_tags(path: int, template: TemplatePaths) -> set[str]:
    """Return the tags of the elements of a template path."""
    return {re.split(r"[.#@]", step)[0] for step in template.list_steps(path)}


def _may_be_cut(positioned: PositionedText, text_labels: Mapping[Position, Sequence[str]]) -> bool:
    """Tell whether a text has a label and a value, and is no label."""
    labels = text_labels.get(positioned[:2])
    return bool(labels and cut_text(positioned[2], labels))


def _collect_known_texts(
    pages: Sequence[Page],
    paths_of_pages: Sequence[Sequence[int]],
    matches: Sequence[FieldMatch],
) -> tuple[frozenset[PositionedText], frozenset[PositionedText]]:
    """Return the labels and the other values that an old wrapper knows, with their positions.

    Without an old wrapper there are no matches.
    """
    labels: set[PositionedText] = set()
    values: set[PositionedText] = set()
    for page, paths, match in zip(pages, paths_of_pages, matches, strict=False):
        columns = number_cells(page)
        for text_node in match.text_nodes | match.labels:
            parent = page.text_parents[text_node]
            if paths[parent] != HIDDEN_PATH:
                texts = labels if text_node in match.labels else values
                texts.add((paths[parent], columns[parent], page.texts[text_node]))
    return frozenset(labels), frozenset(values - labels)


@dataclass(frozen=True, eq=False)
class _LocatorStatistics:
    """The texts and the labels of each locator on each page."""

    texts: Mapping[Locator, Mapping[int, list[str]]]
    located: Mapping[Locator, Mapping[int, list[LocatedText]]]
    """What the texts are of, in the same order."""
    labels: Mapping[Locator, Mapping[int, set[int]]]
    """The text nodes of the labels."""
    label_texts: Mapping[Locator, Counter[str]]
    synonyms: Mapping[Locator, tuple[Locator, ...]]
    """For each locator that is kept, all locators of the same meaning."""
    label_paths: frozenset[int]
    """Template paths that hold labels only."""
    known_labels: frozenset[Locator]
    """Those with a label that is one by its form and its words: its value may be any."""
    pages: int

    @cached_property
    def label_value_rows(self) -> frozenset[tuple[int, int]]:
        """Template paths of values and of labels where several labels have different values."""
        rows: Counter[tuple[int, int]] = Counter()
        differing: Counter[tuple[int, int]] = Counter()
        for locator, by_page in self.texts.items():
            if locator.by is not LocatedBy.LABEL:
                continue
            is_differing = len({text for texts in by_page.values() for text in texts}) > 1
            is_usual = is_differing and len(by_page) >= _RULES.min_row_share * self.pages
            if locator.label_path in self.label_paths or is_usual:
                rows[locator.path, locator.label_path] += 1
                differing[locator.path, locator.label_path] += is_differing or len(by_page) == 1
        return frozenset(
            [
                row
                for row, count in rows.items()
                if count >= _RULES.min_rows and differing[row] >= _RULES.min_differing_rows * count
            ]
        )

    def find_fields(self) -> Iterator[tuple[_FieldKey, _Values]]:
        """Yield the locators with different texts, each as one field, as several, or as a list."""
        min_pages = max(
            _RULES.min_pages, min(_RULES.min_field_share * self.pages, _RULES.sufficient_pages)
        )
        for locator, by_page in self.texts.items():
            if len(by_page) < min_pages:
                continue
            for number in self._choose_numbers(locator, by_page):
                values: _Values = {}
                for page, texts in by_page.items():
                    chosen = texts if number is None else texts[number : number + 1]
                    if present := tuple(filter(None, chosen)):
                        values[page] = present
                if self._is_field(locator, values):
                    yield _FieldKey(locator, number), values

    def find_occurrences(self, key: _FieldKey, pages: Sequence[Page]) -> FieldOccurrences:
        """Return the texts and the labels of a field."""
        locator, number = key
        texts: dict[int, list[str]] = {}
        text_nodes: dict[int, list[range]] = {}
        labels: dict[int, int] = {}
        cells: dict[int, int] = {}
        single_elements = own_elements = 0
        for page_number, located in self.located[locator].items():
            pairs = list(zip(self.texts[locator][page_number], located, strict=True))
            chosen = pairs if number is None else pairs[number : number + 1]
            present = [(text, each) for text, each in chosen if text]
            if not present:
                continue
            page = pages[page_number]
            texts[page_number] = [text for text, _ in present]
            text_nodes[page_number] = [each.text_nodes for _, each in present]
            first = present[0][1]
            if first.label >= 0:
                labels[page_number] = first.label
            cells[page_number] = number_cells(page)[page.text_parents[first.text_nodes.start]]
            parents = {page.text_parents[node] for node in first.text_nodes}
            single_elements += len(parents) == 1
            own_elements += page.count_texts(page.text_parents[first.text_nodes.start]) == 1
        return FieldOccurrences(
            texts,
            text_nodes,
            labels,
            number,
            locator.by is LocatedBy.COLUMN,
            locator.by is LocatedBy.JOINED,
            self._label_counts[_find_label_path(locator)],
            cells,
            has_own_label=locator.by in _LABELLED and not number,
            has_own_element=2 * own_elements > len(texts),
            is_one_element=2 * single_elements > len(texts),
            text_label=find_most_common(self.label_texts[locator], 0)
            if locator.by is LocatedBy.PIECE
            else "",
        )

    @cached_property
    def _label_counts(self) -> Counter[int]:
        """The number of different labels at each template path."""
        labels = {
            (_find_label_path(locator), locator.label) for locator in self.texts if locator.label
        }
        return Counter([path for path, _ in labels])

    def _choose_numbers(
        self, locator: Locator, by_page: Mapping[int, list[str]]
    ) -> list[int | None]:
        """Return which texts of a locator are fields: each by its number, or None for a list."""
        counts = Counter(map(len, by_page.values()))
        if counts.keys() == {1}:
            return [0]
        count, pages = counts.most_common(1)[0]
        is_same = (
            pages >= _RULES.same_count_share * len(by_page)
            and 1 < count <= _RULES.max_separate_texts
        )
        if is_same and locator.by is not LocatedBy.COLUMN:
            # A label that most pages repeat, such as that of a review, has a list of texts.
            labels = self.labels.get(locator, {})
            repeated = sum(len(text_nodes) > 1 for text_nodes in labels.values())
            if repeated * 2 <= len(by_page):
                return [*range(count), None]
        elif locator.by is LocatedBy.PATH and are_unlike(list(by_page.values())):
            return [*range(max(counts))]
        return [None]

    def _is_field(self, locator: Locator, values: _Values) -> bool:
        """Tell whether texts differ, or have a label that some pages lack or that is of a row."""
        distinct = {text for texts in values.values() for text in texts}
        if len(distinct) > 1:
            return True
        if locator in self.known_labels and distinct:
            return True
        if locator.by is not LocatedBy.LABEL or not distinct:
            return False
        is_optional = len(self.texts[locator]) < _RULES.constant_share * self.pages
        is_row = (locator.path, locator.label_path) in self.label_value_rows
        return is_optional or is_row


def _find_label_path(locator: Locator) -> int:
    """Return the template path of the label of a locator, before the value or inside the text."""
    return locator.path if locator.by is LocatedBy.PIECE else locator.label_path


def _collect_statistics(
    pages: Sequence[Page], paths_of_pages: Sequence[list[int]], anchors: Anchors
) -> _LocatorStatistics:
    prices_of_pages = list(map(SplitPrices.find, pages))
    located_of_pages: list[list[LocatedText]] = []
    for page, paths, prices in zip(pages, paths_of_pages, prices_of_pages, strict=True):
        located_of_pages.append(locate_texts(page, anchors, paths, prices))
    synonyms = _group_locators(located_of_pages, anchors.paths)
    kept = {locator: first for first, locators in synonyms.items() for locator in locators}
    texts: dict[Locator, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    located_texts: dict[Locator, dict[int, list[LocatedText]]] = defaultdict(
        lambda: defaultdict(list)
    )
    labels: dict[Locator, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    label_texts: dict[Locator, Counter[str]] = defaultdict(Counter)
    for number, page in enumerate(pages):
        for located in located_of_pages[number]:
            locator = kept[located.locator]
            text = located.read(prices_of_pages[number])
            texts[locator][number].append(text if is_value(text) else "")
            located_texts[locator][number].append(located)
            if located.label >= 0:
                labels[locator][number].add(located.label)
                label_texts[locator][page.texts[located.label]] += 1
            elif located.piece:
                label_texts[locator][located.piece.label] += 1
    label_paths = frozenset([path for path, _ in anchors.label_positions])
    known_labels = _find_known_labels(pages[0], located_texts)
    return _LocatorStatistics(
        texts, located_texts, labels, label_texts, synonyms, label_paths, known_labels, len(pages)
    )


def _find_known_labels(
    page: Page, located_texts: Mapping[Locator, Mapping[int, Sequence[LocatedText]]]
) -> frozenset[Locator]:
    """Return the locators of single values whose label on a page has a word of the vocabulary.

    It ends with a colon, or is the header of a row or a term, and is not in a part of the page that
    is the same all over the site.
    """
    is_label_node, is_boilerplate = find_label_nodes(page), find_boilerplate(page)
    known: list[Locator] = []
    for locator, by_page in located_texts.items():
        located = by_page.get(0, ())
        is_path_or_label = locator.by in (LocatedBy.LABEL, LocatedBy.PATH)
        if not is_path_or_label or len(located) != 1 or located[0].label < 0:
            continue
        label = located[0].label
        node = page.text_parents[label]
        has_form = page.texts[label].endswith(":") or is_label_node[node]
        if has_form and not is_boilerplate[node] and find_concepts(page.texts[label]) - _OF_SITES:
            known.append(locator)
    return frozenset(known)


def _group_locators(
    located_of_pages: Sequence[Sequence[LocatedText]], paths: TemplatePaths
) -> dict[Locator, tuple[Locator, ...]]:
    """Group the locators of the same meaning by the one of them that most pages have.

    Texts after one label at different template paths, never both on one page, mean the same: a name
    with a link on one page and without on another. So do siblings whose elements differ only in
    their tag: a price, and a new price.
    """
    pages_of: dict[Locator, set[int]] = defaultdict(set)
    for number, located_texts in enumerate(located_of_pages):
        for located in located_texts:
            pages_of[located.locator].add(number)
    groups: dict[Locator, list[Locator]] = {}
    pages_of_groups: dict[Locator, set[int]] = {}
    related: dict[tuple[LocatedBy, str, int], list[Locator]] = defaultdict(list)
    for locator, pages in sorted(pages_of.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        key = _find_relation(locator, paths)
        candidates = related[key] if key else []
        for first in candidates:
            if pages_of_groups[first].isdisjoint(pages):
                groups[first].append(locator)
                pages_of_groups[first] |= pages
                break
        else:
            candidates.append(locator)
            groups[locator], pages_of_groups[locator] = [locator], set(pages)
    return {first: tuple(locators) for first, locators in groups.items()}


def _find_relation(locator: Locator, paths: TemplatePaths) -> tuple[LocatedBy, str, int] | None:
    """Return what related locators have in common: the label, or parent path and identifiers."""
    if locator.by in _LABELLED:
        return locator.by, locator.label, locator.label_path
    if locator.by is not LocatedBy.PATH or locator.path < 0:
        return None
    parent, step = paths.parents[locator.path]
    _, dot, classes = step.partition(".")
    return (locator.by, classes, parent) if dot else None


def _drop_duplicates(
    fields: Mapping[_FieldKey, _Values], paths: TemplatePaths
) -> dict[_FieldKey, _Values]:
    """Return the fields without those that have the texts of another field on every page.

    Headings are preferred. Fields with different labels are kept: the hours of two days of the week
    may be the same on the learned pages.
    """
    headings = {path for (_, step), path in paths.numbers.items() if step.startswith("h1")}
    labels_by_content: dict[frozenset[tuple[int, frozenset[str]]], str] = {}
    kept: dict[_FieldKey, _Values] = {}

    def rank(key: _FieldKey) -> tuple[bool, int]:
        return key.locator.path not in headings, _PREFERENCE[key.locator.by]

    for key in sorted(fields, key=rank):
        content = frozenset([(page, frozenset(texts)) for page, texts in fields[key].items()])
        label = key.locator.label if key.locator.by in _LABELLED else ""
        known = labels_by_content.get(content)
        if known is None or (label and known and label != known):
            labels_by_content.setdefault(content, label)
            kept[key] = fields[key]
    return kept
