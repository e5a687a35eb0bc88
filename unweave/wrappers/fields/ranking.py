"""Which fields come first, which are copies of others, and which are no columns.

What people want of a page is on most of its pages, has a label or a heading, and differs from page
to page; menus, prices of similar products and texts of users do not. A model over the features of
fields orders them; those that are hardly ever wanted are others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import TypeVar

from unweave.values.look import compare_values
from unweave.wrappers.fields.evidence import FieldEvidence, FieldFeatures, FieldOccurrences

T = TypeVar("T", bound=Hashable)


_MAX_COMPARED_PAGES = 10


@dataclass(frozen=True)
class RankingRules:
    """Which fields are copies of others, and which are not wanted."""

    min_probability: float = 0.025
    """A field that is less likely wanted is no column, unless …"""
    min_named_probability: float = 0.003
    """… the page names it: by a label in a row, in a header, inside of its text or with a word
    of the vocabulary, or by its type."""
    min_type_share: float = 0.7
    """A type says what a field is if this share of its values has it."""
    min_column_share: float = 0.1
    """A field on a smaller share of the pages is no column."""
    min_joined_share: float = 0.8
    """A paragraph is one text if it has several parts on this share of the pages of each, …"""
    wanted_probability: float = 0.5
    """… and none of them is this likely wanted by itself."""
    min_value_share: float = 0.7
    """A part of a paragraph is a value if this share of its texts has a type or a class."""
    min_alike: float = 0.6
    """The n-th texts of a locator are one list if they look as much alike."""
    min_in_title: float = 0.9
    """But they are not if one of them is in the title on this share of the pages."""
    max_unlike_texts: int = 8
    """Up to this many texts of a locator are a field each if none looks like another, …"""
    max_unlike: float = 0.25
    """… which is to say more than this, …"""
    min_same_look: float = 0.4
    """… and each like those with its number on other pages."""
    min_same_share: float = 0.95
    """Fields with the same text on this share of their pages are copies."""


_RULES = RankingRules()


def is_column(evidence: FieldEvidence, probability: float, *, has_label: bool) -> bool:
    """Tell whether a field is a column, and not one of the others.

    ``probability`` is how likely it is wanted; ``has_label``, that the text before it names it.
    """
    features = evidence.features
    if features.share < _RULES.min_column_share or (features.is_constant and not has_label):
        return False
    is_row = features.label_colon > 0.5 or features.label_row > 0.5
    types = [features.is_url, features.is_email, features.is_phone, features.is_isbn]
    if features.class_concept > 0.5:
        types += [features.is_price, features.is_date]
    is_named = (
        (has_label and (is_row or features.label_concept > 0.5))
        or "prefix" in evidence.names
        or features.is_column
        or features.in_head > 0.5
        or max(types) >= _RULES.min_type_share
    )
    limit = _RULES.min_named_probability if is_named else _RULES.min_probability
    return probability >= limit


def find_copies(
    fields: Mapping[T, FieldOccurrences],
    evidence: Mapping[T, FieldEvidence],
    groups: Sequence[Sequence[T]],
    probabilities: Mapping[T, float],
) -> set[T]:
    """Return the fields whose values other fields have, too.

    Args:
        fields: The fields on the pages.
        evidence: What is known of them.
        groups: Fields of one locator: its n-th texts, and all of them as a list.
        probabilities: How likely each field is wanted.
    """
    copies: set[T] = set()
    for group in groups:
        copies.update(_find_copies_of_list(group, fields, evidence))
    kept = {key: field for key, field in fields.items() if key not in copies}
    copies.update(_find_copies_of_paragraphs(kept, evidence, probabilities))
    kept = {key: field for key, field in kept.items() if key not in copies}
    copies.update(_find_equal(kept, probabilities))
    return copies


def _find_copies_of_list(
    group: Sequence[T],
    fields: Mapping[T, FieldOccurrences],
    evidence: Mapping[T, FieldEvidence],
) -> Iterator[T]:
    """Yield either the list or its parts.

    Parts that look alike are one list, unless only one of them is in the titles of the pages.
    """
    lists = [key for key in group if fields[key].number is None]
    parts = [key for key in group if fields[key].number is not None]
    if lists and parts:
        shares = [evidence[key].features.in_title for key in parts]
        is_title = [share >= _RULES.min_in_title for share in shares]
        may_be = [share > 1 - _RULES.min_in_title for share in shares]
        has_title = sum(is_title) == sum(may_be) == 1
        is_list = not has_title and _are_alike([fields[key] for key in parts])
        yield from parts if is_list else lists


def _are_alike(parts: Sequence[FieldOccurrences]) -> bool:
    """Tell whether parts are of one list: not in cells or after labels of their own."""
    first, *others = parts
    looks: list[float] = []
    for other in others:
        for page in first.texts.keys() & other.texts.keys():
            if first.labels.get(page) != other.labels.get(page):
                return False
            if first.cells[page] != other.cells[page]:
                return False
            looks.append(compare_values(first.texts[page][0], other.texts[page][0]))
    return bool(looks) and mean(looks) >= _RULES.min_alike


def are_unlike(texts_of_pages: Sequence[Sequence[str]]) -> bool:
    """Tell whether the texts of a locator are different things on every page, in one order.

    Some pages may lack the last of them.
    """
    pages = texts_of_pages[:_MAX_COMPARED_PAGES]
    count = max(map(len, texts_of_pages))
    if not 1 < count <= _RULES.max_unlike_texts:
        return False
    for number in range(count):
        same = [
            compare_values(left[number], right[number])
            for left, right in pairwise([texts for texts in pages if number < len(texts)])
        ]
        others = [
            compare_values(texts[number], other)
            for texts in pages
            if number < len(texts)
            for other in texts[number + 1 :]
        ]
        if not same or mean(same) < _RULES.min_same_look:
            return False
        if others and mean(others) > _RULES.max_unlike:
            return False
    return True


def _find_copies_of_paragraphs(
    fields: Mapping[T, FieldOccurrences],
    evidence: Mapping[T, FieldEvidence],
    probabilities: Mapping[T, float],
) -> Iterator[T]:
    """Yield joined texts whose parts say it all, and parts of texts that are one."""
    owners: defaultdict[tuple[int, int], list[T]] = defaultdict(list)
    for key, field in fields.items():
        if not field.is_joined:
            for page, ranges in field.text_nodes.items():
                for text_nodes in ranges:
                    for text_node in text_nodes:
                        owners[page, text_node].append(key)
    for key, field in fields.items():
        if field.is_joined:
            parts = _find_parts(field, owners)
            is_text = all(
                len(field.texts) >= _RULES.min_joined_share * len(fields[part].texts)
                and probabilities[part] < _RULES.wanted_probability
                and not _is_value(evidence[part].features, fields[part])
                and not _stands_for(fields[part], field)
                for part in parts
            )
            yield from parts if is_text else [key]


def _find_parts(joined: FieldOccurrences, owners: Mapping[tuple[int, int], Sequence[T]]) -> list[T]:
    """Return the fields that are inside a joined text on most of its pages."""
    counts: Counter[T] = Counter()
    for page, ranges in joined.text_nodes.items():
        counts.update({owner for node in ranges[0] for owner in owners.get((page, node), ())})
    return [part for part, count in counts.items() if 2 * count > len(joined.texts)]


def _is_value(features: FieldFeatures, part: FieldOccurrences) -> bool:
    """Tell whether a part of a text is a value by itself, by its type, class or property."""
    types = (features.is_price, features.is_date, features.is_email, features.is_phone)
    # Names around the whole paragraph do not say what a line of it is.
    has_name = part.has_own_element and (features.has_property or features.class_concept)
    return max(*types, features.is_url, has_name) >= _RULES.min_value_share


def _stands_for(part: FieldOccurrences, joined: FieldOccurrences) -> bool:
    """Tell whether the rest of a joined text is the same on all pages, such as "by"."""
    if part.number is None and joined.is_one_element:
        return False  # lines of one text, such as an address
    rests: Counter[str] = Counter()
    for page, texts in joined.texts.items():
        rest = texts[0]
        for text in part.texts.get(page, ()):
            rest = rest.replace(text, "", 1)
        rests["".join(filter(str.isalnum, rest))] += 1
    return rests.most_common(1)[0][1] >= _RULES.min_value_share * len(joined.texts)


def _find_equal(
    fields: Mapping[T, FieldOccurrences], probabilities: Mapping[T, float]
) -> Iterator[T]:
    """Yield the fields that have the texts of one that is more likely wanted."""
    by_text: defaultdict[tuple[str, int], list[T]] = defaultdict(list)
    ranked = sorted(fields, key=lambda key: -probabilities[key])
    for key in ranked:
        field = fields[key]
        counts: defaultdict[T, int] = defaultdict(int)
        for page, texts in field.texts.items():
            for other in by_text["".join(texts).casefold(), page]:
                counts[other] += 1
        min_pages = _RULES.min_same_share * len(field.texts)
        equal = [
            other
            for other, count in counts.items()
            if count >= min_pages and not (field.has_own_label and fields[other].has_own_label)
        ]
        if equal:
            yield key
            continue
        for page, texts in field.texts.items():
            by_text["".join(texts).casefold(), page].append(key)
