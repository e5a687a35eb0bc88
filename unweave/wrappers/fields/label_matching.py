"""Find the labels of a page that were reworded: "Mass" instead of "Weight".

A label that is missing on a page, and an unknown text at the position of labels, belong together
if they are at the same point in the order of the other labels, and if the value that follows looks
like the values of the missing label.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, NamedTuple

from unweave.page.html_tables import number_cells
from unweave.page.page import Page
from unweave.text_cleaning import normalize_label
from unweave.values.look import compare_values
from unweave.values.parsing import detect_type
from unweave.values.types import Type
from unweave.wrappers.fields.locators import PositionedText, may_be_label

_MAX_GAP = 60  # labels, or texts, that are compared with each other


@dataclass(frozen=True)
class LabelRules:
    """When an unknown text is taken for a missing label."""

    always_share: float = 0.8
    """A label on this share of the pages is hardly ever missing: it was reworded …"""
    min_look: float = 0.4
    """… if the value looks this much like its values."""
    min_share: float = 0.3
    """Other labels are on this share of the pages, and …"""
    min_telling_look: float = 0.9
    """… the value is equal, of the same telling type, or has the same unit."""
    max_share_difference: float = 0.3
    """Labels of two samples that stand for each other are on about the same share of the pages."""


_RULES = LabelRules()

_MIN_ORDERED_LABELS = 2
"""So many labels and unknown texts in the same order stand for each other, whatever follows."""


class Label(NamedTuple):
    """A label of the template."""

    text: PositionedText
    share: float
    """The share of the pages that have it: of the learned ones, and one more that lacks it."""


def measure_labels(
    pages: Sequence[Page],
    paths_of_pages: Sequence[Sequence[int]],
    labels: frozenset[PositionedText],
) -> tuple[Label, ...]:
    """Return the labels in the order in which the pages have them, with their shares."""
    page_counts: Counter[PositionedText] = Counter()
    positions: defaultdict[PositionedText, float] = defaultdict(float)
    following: defaultdict[PositionedText, set[PositionedText]] = defaultdict(set)
    for page, paths in zip(pages, paths_of_pages, strict=True):
        columns = number_cells(page)
        found: dict[PositionedText, None] = {}
        for text_node, (parent, text) in enumerate(zip(page.text_parents, page.texts, strict=True)):
            label = (paths[parent], columns[parent], text)
            if label in labels and label not in found:
                found[label] = None
                positions[label] += text_node / len(page.texts)
        page_counts.update(found.keys())
        for label, next_label in pairwise(found):
            following[label].add(next_label)
    means = {label: positions[label] / max(1, page_counts[label]) for label in labels}
    return tuple(
        [
            Label(label, round(page_counts[label] / (len(pages) + 1), 3))
            for label in _order_labels(means, following)
        ]
    )


def _order_labels(
    positions: Mapping[PositionedText, float],
    following: Mapping[PositionedText, Collection[PositionedText]],
) -> list[PositionedText]:
    """Return labels in an order that agrees with the labels that follow each on some page.

    Labels that no page has an order for are ordered by position; so are those in a circle.
    """
    preceding = Counter(label for labels in following.values() for label in labels)
    by_position = sorted(positions, key=lambda label: (positions[label], label))
    ready = [(positions[label], label) for label in by_position if not preceding[label]]
    waiting = iter(by_position)
    ordered: dict[PositionedText, None] = {}
    while len(ordered) < len(positions):
        if ready:
            label = heappop(ready)[1]
        else:
            label = next(label for label in waiting if label not in ordered)
        if label in ordered:
            continue
        ordered[label] = None
        for next_label in following.get(label, ()):
            preceding[next_label] -= 1
            if not preceding[next_label]:
                heappush(ready, (positions[next_label], next_label))
    return list(ordered)


def labels_to_json(labels: Sequence[Label]) -> list[list[Any]]:
    """Return labels as plain data."""
    return [[*label.text, label.share] for label in labels]


def read_labels(data: Sequence[Sequence[Any]]) -> tuple[Label, ...]:
    """Read untrusted plain data."""
    return tuple(
        Label((int(path), int(column), str(text)), float(share))
        for path, column, text, share in data
    )


def find_reworded_labels(
    page: Page,
    paths: Sequence[int],
    labels: Sequence[Label],
    examples: Mapping[PositionedText, Sequence[str]],
    known_labels: Container[str] = (),
    columns: Sequence[int] | None = None,
) -> dict[int, str]:
    """Return the text nodes of reworded labels, with the learned texts that they stand for.

    Args:
        page: A page of the template.
        paths: The template path of each of its nodes.
        labels: The learned labels in their usual order.
        examples: Values after the labels.
        known_labels: Normalized labels of fields, also of those that few pages have.
        columns: The number of the table cell of each node, if it is not that of ``number_cells``.
    """
    number_of = {label.text: number for number, label in enumerate(labels)}
    positions = {label.text[:2] for label in labels}
    columns = number_cells(page) if columns is None else columns
    # The texts at positions of labels, with the number of the label that each is.
    texts: list[tuple[int, int | None]] = [(-1, -1)]  # with one label before and one after all
    last = -1
    for text_node, (parent, text) in enumerate(zip(page.text_parents, page.texts, strict=True)):
        position = (paths[parent], columns[parent])
        if position not in positions:
            continue
        number = number_of.get((*position, text))
        if number is None and normalize_label(text) in known_labels:
            continue
        if number is None:
            texts.append((text_node, None))
        elif number > last:  # a label out of order says nothing about what is between
            texts.append((text_node, number))
            last = number
    texts.append((len(page.texts), len(labels)))
    present = {number for _, number in texts if number is not None}
    known = [(index, number) for index, (_, number) in enumerate(texts) if number is not None]
    reworded: dict[int, str] = {}
    for (first, start), (second, stop) in pairwise(known):
        missing = [number for number in range(start + 1, stop) if number not in present]
        unknown = [text_node for text_node, _ in texts[first + 1 : second]]
        if 0 < len(missing) <= _MAX_GAP and 0 < len(unknown) <= _MAX_GAP:
            scores = [
                [
                    _score(page, paths, columns, text_node, labels[number], examples)
                    for number in missing
                ]
                for text_node in unknown
            ]
            _prefer_order(scores, [labels[number] for number in missing])
            for row, column in _align(scores):
                reworded[unknown[row]] = labels[missing[column]].text[2]
    return reworded


def _prefer_order(scores: list[list[float]], missing: Sequence[Label]) -> None:
    """Raise the scores of texts and labels in the same order, if there are as many of both.

    Only labels that are hardly ever missing count, and texts and labels of one position together;
    one text and one label prove nothing.

    Args:
        scores: The scores of each unknown text as each missing label; they are changed.
        missing: The missing labels in their usual order.
    """
    usual: defaultdict[tuple[int, int, bool], list[int]] = defaultdict(list)
    for column, label in enumerate(missing):
        if label.share >= _RULES.always_share:
            usual[*label.text[:2], label.text[2].endswith(":")].append(column)
    for columns in usual.values():
        rows = [row for row, of_text in enumerate(scores) if of_text[columns[0]] >= 0]
        if len(rows) == len(columns) >= _MIN_ORDERED_LABELS:
            for row, column in zip(rows, columns, strict=True):
                scores[row][column] += 1


class LabelUse(NamedTuple):
    """How a wrapper knows a label."""

    share: float
    """The share of the pages that have it."""
    examples: Sequence[str]
    """Values after it."""


def pair_reworded_labels(
    old_labels: Mapping[str, LabelUse], new_labels: Mapping[str, LabelUse]
) -> dict[str, str]:
    """Return the labels of an old wrapper that a new one has in other words, with these words.

    The labels of both are in the order in which pages have them.
    """
    number_of = {label: number for number, label in enumerate(old_labels)}
    # The labels that both have, in the same order, with one before and one after all.
    known = [(-1, -1)]
    for index, label in enumerate(new_labels):
        if number_of.get(label, -1) > known[-1][1]:
            known.append((index, number_of[label]))
    known.append((len(new_labels), len(old_labels)))
    old_order, new_order = list(old_labels), list(new_labels)
    reworded: dict[str, str] = {}
    for (first, start), (second, stop) in pairwise(known):
        missing = [label for label in old_order[start + 1 : stop] if label not in new_labels]
        unknown = [label for label in new_order[first + 1 : second] if label not in number_of]
        if 0 < len(missing) <= _MAX_GAP and 0 < len(unknown) <= _MAX_GAP:
            scores = [
                [_compare_uses(old_labels[old], new_labels[new]) for old in missing]
                for new in unknown
            ]
            for row, column in _align(scores):
                reworded[missing[column]] = unknown[row]
    return reworded


def _compare_uses(old: LabelUse, new: LabelUse) -> float:
    """Return how much the values of two labels look alike; 0 if they are not of one field."""
    if abs(old.share - new.share) > _RULES.max_share_difference:
        return 0.0
    looks = [max(compare_values(value, other) for other in old.examples) for value in new.examples]
    look = sum(looks) / len(looks)
    return look if look >= _RULES.min_look else 0.0


def _score(
    page: Page,
    paths: Sequence[int],
    columns: Sequence[int],
    text_node: int,
    label: Label,
    examples: Mapping[PositionedText, Sequence[str]],
) -> float:
    """Return how likely a text is a label that was reworded, from 0 to 1.

    It is 0 if the value after it does not look like the values of the label, and -1 if it is no
    label or stands somewhere else.
    """
    parent, text = page.text_parents[text_node], page.texts[text_node]
    position = (paths[parent], columns[parent])
    known_values = examples.get(label.text)
    following = text_node + 1
    if (
        position != label.text[:2]
        or not may_be_label(text)
        or text.endswith(":") != label.text[2].endswith(":")
        or detect_type(text) != Type.STRING
        or following >= len(page.texts)
    ):
        return -1.0
    value = page.texts[following]
    look = max([compare_values(value, known) for known in known_values or ()], default=0.0)
    min_look = _RULES.min_look if label.share >= _RULES.always_share else _RULES.min_telling_look
    return look if label.share >= _RULES.min_share and look >= min_look else 0.0


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _align(scores: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Return pairs of rows and columns in the same order that have the highest sum of scores."""
    rows, columns = len(scores), len(scores[0])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            score = scores[row][column]
            paired = score + best[row + 1][column + 1] if score > 0 else 0.0
            best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
    pairs: list[tuple[int, int]] = []
    row = column = 0
    while row < rows and column < columns:
        if best[row][column] == best[row + 1][column]:
            row += 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            pairs.append((row, column))
            row, column = row + 1, column + 1
    return pairs
