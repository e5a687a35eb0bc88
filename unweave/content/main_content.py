"""The main content of any kind of page: the blocks that a reader came for, and the page type.

Every block is described by what it says and what surrounds it; an additive model with a profile for
each type of page gives the probability that it is content. A second model looks at these
probabilities around each block. The blocks with the highest expected F1 are selected.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from unweave.content import page_type
from unweave.content.block_features import (
    ElementFeatures,
    PageBlocks,
    PlaceFeatures,
    Span,
    TextFeatures,
    describe_blocks,
)
from unweave.content.blocks import AllBlocks, Block, count_words, find_all_blocks
from unweave.content.body import NOTICE
from unweave.content.shared_template import (
    MIN_PAGES,
    Mark,
    SharedTemplate,
    find_copies,
    find_template_marks,
    match_template_blocks,
)
from unweave.content.title import find_best_title
from unweave.errors import UnweaveError
from unweave.page.page import Page
from unweave.scoring.additive import AdditiveModel
from unweave.scoring.model import compute_probability, read_model_file

MIN_NOSCRIPT_LENGTH = 1_500
MIN_NOSCRIPT_WORDS = 80
"""Markup for browsers without scripts that is shorter holds pixels for counting visitors."""
MIN_REPEATED_WORDS = 5
"""Longer texts are given once, as a rule: the second is a copy for small screens."""

MIN_LOG_ODDS = -5.0
"""Blocks with lower ones are not looked at again."""

MIN_PROBABILITY = 0.05
"""Less likely blocks are never content."""

_MAX_LOG_ODDS = 8.0
_NEAR = 3  # blocks to each side


@dataclass(frozen=True, slots=True)
class MainContent:
    """The main content of a page."""

    kind: str
    """The type of the page, one of PAGE_TYPES."""
    confidence: float
    """The probability of the type."""
    blocks: tuple[Block, ...]
    """The blocks of the content with its headings, in page order."""
    title: str | None
    page: Page
    """The page that the blocks are of: that of the noscript elements if it has more text."""
    found: AllBlocks | None = None
    """All blocks of this page, if they are known."""


class NeighbourFeatures(NamedTuple):
    """What the first pass found for a block and around it."""

    own: float
    previous: float
    next: float
    previous_2: float
    next_2: float
    highest_near: float
    mean_near: float
    element_1: float
    element_2: float
    element_3: float
    element_5: float
    alike: float
    alike_count: float
    page: float
    before: float
    after: float
    heading: float
    words: float
    linked: float
    tag: float
    is_repeated: float
    hidden: float


@dataclass(frozen=True, slots=True)
class TextModel:
    """The models of the page type and of both passes."""

    page_type: AdditiveModel
    texts: AdditiveModel
    places: AdditiveModel
    elements: AdditiveModel
    neighbours: AdditiveModel


@cache
def load_models() -> TextModel:
    """Return the models that bench/text.py fitted."""
    data = read_model_file("unweave.content", "main_content_model.json")
    profiles = len(page_type.PAGE_TYPES)
    return TextModel(
        page_type.load_model(),
        AdditiveModel.from_json(data["texts"], TextFeatures._fields, profiles),
        AdditiveModel.from_json(data["places"], PlaceFeatures._fields, profiles),
        AdditiveModel.from_json(data["elements"], ElementFeatures._fields, profiles),
        AdditiveModel.from_json(data["neighbours"], NeighbourFeatures._fields, profiles),
    )


def find_main_content(page: Page, template: SharedTemplate | None = None) -> MainContent:
    """Return the main content of a page; ``template`` is what the pages of its site share."""
    readable = find_readable_page(page)
    marks = template.marks if template else frozenset()
    return _read_blocks(page, readable, find_all_blocks(readable), marks)


def find_main_contents(pages: Sequence[Page]) -> list[MainContent]:
    """Return the main content of each of several pages of one template.

    What several of the pages have is boilerplate; three pages are needed to tell.
    """
    readable = list(map(find_readable_page, pages))
    found = list(map(find_all_blocks, readable))
    blocks = [each.with_hidden for each in found]
    marks: frozenset[Mark] = frozenset()
    if len(pages) >= MIN_PAGES:
        marks = find_template_marks(list(zip(readable, blocks, strict=True)), find_copies(blocks))
    return [
        _read_blocks(page, shown, page_blocks, marks)
        for page, shown, page_blocks in zip(pages, readable, found, strict=True)
    ]


def _read_blocks(
    page: Page, readable: Page, found: AllBlocks, marks: frozenset[Mark]
) -> MainContent:
    blocks = found.with_hidden
    described = describe_blocks(readable, blocks, found.visible)
    models = load_models()
    shares = page_type.compute_type_probabilities(
        models.page_type,
        page_type.describe_page(described),
        page_type.list_page_words(described, page),
    )
    kind, confidence = page_type.choose_type(shares)
    probabilities = compute_content_probabilities(described, shares, models)
    for shared in match_template_blocks(readable, blocks, marks) if marks else ():
        probabilities[shared] = 0.0
    content = tuple([blocks[number] for number in select_blocks(blocks, probabilities)])
    title = find_title(readable, blocks, content)
    return MainContent(kind, confidence, content, title, readable, found)


def find_title(page: Page, blocks: Sequence[Block], content: Sequence[Block]) -> str | None:
    """Return the title of the content of a page, given all blocks of the page."""
    candidate = find_best_title(page, blocks, content)
    return candidate.text if candidate else None


def find_readable_page(page: Page) -> Page:
    """Return the page that the noscript elements hold if it has more text than the page."""
    if len(page.noscript) < MIN_NOSCRIPT_LENGTH:
        return page
    try:
        inner = Page.parse(page.noscript, url=page.url)
    except UnweaveError:
        return page
    words = sum(map(count_words, inner.texts))
    if words < MIN_NOSCRIPT_WORDS or words <= sum(map(count_words, page.texts)):
        return page
    return inner


# ---- probabilities -------------------------------------------------------------------------------


def compute_content_probabilities(
    described: PageBlocks, shares: Sequence[float], models: TextModel
) -> list[float]:
    """Return for each block the probability that it is content, the mean of both passes."""
    first = compute_first_pass(described, shares, models)
    second = models.neighbours.mix(shares)
    probabilities = list(map(compute_probability, first))
    numbers = [number for number, odds in enumerate(first) if odds > MIN_LOG_ODDS]
    for number, features in zip(
        numbers, describe_neighbours(described, first, numbers), strict=True
    ):
        probability = compute_probability(second.score(features))
        probabilities[number] = (probabilities[number] + probability) / 2
    return probabilities


def compute_first_pass(
    described: PageBlocks, shares: Sequence[float], models: TextModel
) -> list[float]:
    """Return the log odds of each block by itself and what surrounds it."""
    texts, places = models.texts.mix(shares), models.places.mix(shares)
    elements = models.elements.mix(shares)
    near, far = elements.words["near"], elements.words["far"]
    own, heading = texts.words["own"], places.words["heading"]
    names, parents = described.names, described.page.tree.parents
    sums: dict[int, tuple[float, float]] = {}  # by the identity of the names, which many share
    near_sums, far_sums = {-1: 0.0}, {-1: 0.0}
    for node, words in names.items():  # parents first
        both = sums.get(id(words))
        if both is None:
            both = sums[id(words)] = (near.sum_up(words), far.sum_up(words))
        near_sums[node] = both[0]
        far_sums[node] = far_sums[parents[node]] + both[1]
    element_scores = list(map(elements.score, described.elements))
    heading_scores = {-1: 0.0}
    scores: list[float] = []
    for number, (block, element) in enumerate(
        zip(described.blocks, described.element_numbers, strict=True)
    ):
        parent = parents[block.owner]
        above = described.headings[number]
        if above not in heading_scores:
            heading_scores[above] = heading.sum_up(described.phrases[above])
        scores.append(
            element_scores[element]
            + texts.score(described.texts[number])
            + places.score(described.places[number])
            + own.sum_up(described.phrases[number])
            + near_sums[block.owner]
            + near_sums[parent]
            + far_sums[parents[parent] if parent >= 0 else -1]
            + heading_scores[above]
        )
    return scores


def describe_neighbours(
    described: PageBlocks, log_odds: Sequence[float], numbers: Sequence[int]
) -> list[NeighbourFeatures]:
    """Return the features of the second pass of some blocks, given the log odds of all."""
    blocks, count = described.blocks, len(described.blocks)
    element_numbers = described.element_numbers
    bounded = [min(_MAX_LOG_ODDS, max(-_MAX_LOG_ODDS, value)) for value in log_odds]
    probabilities = list(map(compute_probability, bounded))
    weights = [math.sqrt(block.words) for block in blocks]
    mass = list(accumulate(map(float.__mul__, weights, probabilities), initial=0.0))
    weight = list(accumulate(weights, initial=0.0))
    content = list(
        accumulate(
            [
                block.words * probability
                for block, probability in zip(blocks, probabilities, strict=True)
            ],
            initial=0.0,
        )
    )
    groups: dict[int, list[float]] = defaultdict(list)
    for kind, value in zip(described.kinds, bounded, strict=True):
        groups[kind].append(value)
    means = {kind: sum(values) / len(values) for kind, values in groups.items()}
    total = content[-1] or 1.0
    page = content[-1] / (sum([block.words for block in blocks]) or 1.0)
    padded = [-_MAX_LOG_ODDS] * 2 + bounded + [-_MAX_LOG_ODDS] * 2
    around: dict[Span, float] = {}
    rows: list[NeighbourFeatures] = []
    for number in numbers:
        block, kind = blocks[number], described.kinds[number]
        place, element = described.places[number], described.elements[element_numbers[number]]
        shares: list[float] = []
        for span in described.levels[number]:
            share = around.get(span)
            if share is None:
                first, end = span
                share = (mass[end] - mass[first]) / (weight[end] - weight[first] or 1.0)
                around[span] = share
            shares.append(share)
        first, end = max(0, number - _NEAR), min(count, number + _NEAR + 1)
        heading = described.headings[number]
        rows.append(
            NeighbourFeatures(
                bounded[number],
                padded[number + 1],
                padded[number + 3],
                padded[number],
                padded[number + 4],
                max(bounded[first:number] + bounded[number + 1 : end], default=-_MAX_LOG_ODDS),
                (mass[end] - mass[first]) / (weight[end] - weight[first] or 1.0),
                shares[0],
                shares[1],
                shares[2],
                shares[3],
                means[kind],
                len(groups[kind]),
                page,
                content[number] / total,
                (content[-1] - content[number + 1]) / total,
                bounded[heading] if heading >= 0 else 0.0,
                described.texts[number].words,
                block.linked,
                element.tag,
                place.occurs_before + 2 * (place.occurrences > 1),
                element.hidden,
            )
        )
    return rows


# ---- selection -----------------------------------------------------------------------------------


def select_blocks(blocks: Sequence[Block], probabilities: Sequence[float]) -> list[int]:
    """Return the numbers of the blocks with the highest expected F1 of words, in page order.

    The F1 of a set is expected to be about twice the words of content in it, by the words in it and
    those of all content. The best set has the most probable blocks. The F1 of no block is expected
    to be the probability that none is content, as on a page that scripts fill.
    """
    kept = [
        number
        for number in _drop_copies(blocks, probabilities)
        if probabilities[number] >= MIN_PROBABILITY and not NOTICE.match(blocks[number].text)
    ]
    kept.sort(key=lambda number: -probabilities[number])
    content = sum([blocks[number].words * probabilities[number] for number in kept])
    best, best_size = math.prod([1 - probabilities[number] for number in kept]), 0
    inside = selected = 0.0
    for size, number in enumerate(kept, start=1):
        inside += blocks[number].words * probabilities[number]
        selected += blocks[number].words
        expected = 2 * inside / (selected + content or 1.0)
        if expected >= best:
            best, best_size = expected, size
    return sorted(kept[:best_size])


def _drop_copies(blocks: Sequence[Block], probabilities: Sequence[float]) -> list[int]:
    """Return the numbers of the blocks, of several with one long text the most probable."""
    best: dict[str, int] = {}
    kept: list[int] = []
    for number, block in enumerate(blocks):
        if block.words < MIN_REPEATED_WORDS:
            kept.append(number)
            continue
        other = best.get(block.text)
        if other is None or probabilities[number] > probabilities[other]:
            best[block.text] = number
    return kept + list(best.values())
