"""Which field of a wrapper is which field of a schema.

Every pair of them is described by features: whether names, labels, classes and descriptions have
words in common or words for the same thing, whether the values look like those of the type, whether
both are the title, and how likely the field is wanted at all. A model gives the probability that
they are the same; the pairs are chosen together, so that each field is given once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from unweave.schema import SchemaField
from unweave.scoring.model import LinearModel, compute_probability
from unweave.values.types import NUMERIC, TEMPORAL, Type
from unweave.values.vocabulary import find_concepts, measure_concepts, split_words
from unweave.wrappers.fields.evidence import FieldEvidence, FieldFeatures

MIN_CONFIDENCE = 0.05
"""A field of a schema that no field matches better is missing."""
_SAME_NAME = 0.0
"""The least score of a field that has the very name of one of the schema, such as ``text_2``."""
_NO_MATCH = 5.0  # is added to all scores, so that any match is better than none
_MIN_GAIN = 1e-9
_MAX_LOG_ODDS = 6.0
_MIN_LOOK_SHARE = 0.5
_DATES = frozenset("date date_posted publication_date birth_date deadline year start end".split())
_TITLE_WORDS = frozenset("title name model headline".split())
_STOP_WORDS = frozenset(
    "a an the of or and to in on for with by if it its at is has have where what which page them"
    " together kind example e g field value text string number list".split()
)


class PairFeatures(NamedTuple):
    """The features of a field of a wrapper and one of a schema."""

    label_words: float
    """How many words the label and a name of the wanted field have in common."""
    label_concept: float
    """The share of the words of the label that are words for the same thing."""
    class_words: float
    """The same for the property, or else the class, of an element near the value."""
    class_concept: float
    metadata_words: float
    description_words: float
    """How many words the label, or else the class, has in common with the description."""
    other_label: float
    """Whether the label names something else."""
    other_class: float
    other_wanted: float
    """Whether label or class name another field of the schema."""
    other_number: float
    """Whether both have numbers, and other ones, as ISBN 10 and ISBN 13 have."""
    title: float
    """If the wanted field is a title, how likely the field is the title."""
    only_field_title: float
    """If it is none, the same."""
    format_agrees: float
    """Whether the values are of the format: an ISBN, a telephone number, an address."""
    format_differs: float
    type_agrees: float
    type_differs: float
    is_list_differs: float
    log_odds: float
    """How likely the field is wanted, by its features."""
    share: float
    is_joined: float
    number: float
    in_boilerplate: float


SIGNS = {
    "positive": "label_words label_concept class_words class_concept metadata_words"
    " description_words title format_agrees type_agrees log_odds share",
    "negative": "other_label other_class other_wanted other_number only_field_title format_differs"
    " type_differs is_list_differs is_joined number in_boilerplate",
}
"""What each feature says: a weight may not contradict it."""


class SchemaMatch(NamedTuple):
    """A field of a schema, and the field that it is, if any."""

    wanted: SchemaField
    field: str | None
    confidence: float


class WantedField(NamedTuple):
    """A field of a schema, with the words that it may have on pages."""

    names: tuple[frozenset[str], ...]
    concepts: frozenset[str]
    description: frozenset[str]
    is_title: bool
    others: frozenset[str] = frozenset()
    """The words and concepts of the other fields of the schema."""


def describe_schema(
    wanted: Sequence[SchemaField], ignored_concepts: Collection[str] = frozenset()
) -> list[WantedField]:
    """Return the words for each field of a schema; without concepts that are to be ignored."""
    described = [_describe_wanted(each, ignored_concepts) for each in wanted]
    terms = [
        each.concepts.union(*[name for name in each.names if len(name) == 1]) for each in described
    ]
    counts = Counter(term for each in terms for term in each)
    return [
        each._replace(others=frozenset([term for term in counts if term not in own]))
        for each, own in zip(described, terms, strict=True)
    ]


def _describe_wanted(wanted: SchemaField, ignored_concepts: Collection[str]) -> WantedField:
    names = (wanted.name, *wanted.synonyms)
    description = frozenset(split_words(wanted.description)) - _STOP_WORDS
    concepts = frozenset().union(*map(find_concepts, names)) - frozenset(ignored_concepts)
    words = split_words(wanted.name)
    is_title = bool(_TITLE_WORDS.intersection(words[-1:])) or (
        "name of" in wanted.description or "title of" in wanted.description
    )
    return WantedField(
        tuple([frozenset(split_words(name)) for name in names]), concepts, description, is_title
    )


class KnownField(NamedTuple):
    """A field of a wrapper that may be one of a schema."""

    evidence: FieldEvidence
    has_label: bool
    """Whether the text before it is a label."""
    log_odds: float
    """How likely it is wanted at all."""
    title_share: float
    """How likely it is the title, compared with the others."""


def describe_pair(
    wanted: SchemaField,
    words: WantedField,
    known: KnownField,
    ignored_concepts: Collection[str] = frozenset(),
) -> PairFeatures:
    """Return the features of a pair.

    Args:
        wanted: The field of the schema.
        words: The same, as ``describe_schema`` returns it.
        known: The field of the wrapper.
        ignored_concepts: The concepts of the vocabulary that are not to be used.
    """
    features, names = known.evidence
    label = names.get("prefix") or (names.get("label", "") if known.has_label else "")
    near = [names.get(key, "") for key in ("property", "class concept", "class")]
    class_ = next(filter(None, near), "")
    ignored = frozenset(ignored_concepts)
    label_concepts, class_concepts = (find_concepts(text) - ignored for text in (label, class_))
    label_words = _compare_words(label, words.names)
    class_words = max(_compare_words(text, words.names) for text in near)
    label_concept = measure_concepts(label, words.concepts)
    class_concept = max(measure_concepts(text, words.concepts) for text in near)
    numbers = {word for name in words.names for word in name if word.isdigit()}
    label_numbers = set(filter(str.isdigit, split_words(label)))
    format_ = _compare_format(wanted, words.concepts, features)
    type_ = _compare_type(wanted, features)
    return PairFeatures(
        label_words,
        label_concept,
        class_words,
        class_concept,
        _compare_words(names.get("metadata", ""), words.names),
        max(_compare_words(text, [words.description]) for text in (label, class_)),
        bool(label_concepts) and not any((label_concept, label_words, class_concept, format_ > 0)),
        bool(class_concepts) and not any((class_concept, class_words, label_concept)),
        not words.others.isdisjoint(
            {*label_concepts, *class_concepts, *split_words(label), *split_words(class_)}
        ),
        bool(numbers and label_numbers) and numbers.isdisjoint(label_numbers),
        known.title_share * words.is_title,
        known.title_share * (not words.is_title),
        format_ > 0,
        format_ < 0,
        type_ > 0,
        type_ < 0,
        wanted.is_list and not features.is_list,
        max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, known.log_odds)),
        features.share,
        features.is_joined,
        features.number,
        features.in_boilerplate,
    )


def _compare_words(text: str, names: Sequence[frozenset[str]]) -> float:
    """Return the greatest share of words that a text has in common with a name."""
    words = frozenset(split_words(text)) - _STOP_WORDS
    if not words:
        return 0.0
    return max([len(words & name) / len(words | name) for name in names if name], default=0.0)


def _compare_format(
    wanted: SchemaField, concepts: frozenset[str], features: FieldFeatures
) -> float:
    """Return 1 if the values are of the format of the wanted field, -1 if not, 0 without one."""
    looks = {
        "isbn": features.is_isbn,
        "phone": features.is_phone,
        "email": features.is_email,
        "website": features.is_url,
        "price": features.is_price,
    }
    shares = [looks[concept] for concept in concepts if concept in looks]
    if wanted.format == "email":
        shares.append(features.is_email)
    if wanted.type == Type.URL:
        shares.append(max(features.is_url, features.in_link))
    if not shares:
        return 0.0
    return 1.0 if max(shares) >= _MIN_LOOK_SHARE else -1.0


def _compare_type(wanted: SchemaField, features: FieldFeatures) -> float:
    """Return 1 if the values look like those of the type, -1 if not, 0 for texts."""
    concepts = find_concepts(wanted.name)
    if wanted.type in NUMERIC:
        # A date has digits, but is no number.
        share = max(features.is_number, features.is_price, features.has_digit - features.is_date)
    elif wanted.type in TEMPORAL or concepts & _DATES:
        share = max(features.is_date, features.has_digit * (wanted.type not in TEMPORAL))
    else:
        return 0.0
    return 1.0 if share >= _MIN_LOOK_SHARE else -1.0


def match_schema(
    model: LinearModel,
    wanted: Sequence[SchemaField],
    known: Mapping[str, KnownField],
    ignored_concepts: Collection[str] = frozenset(),
    *,
    further_names: Collection[str] = (),
) -> list[SchemaMatch]:
    """Return the field of each field of a schema; each field is given once.

    Args:
        model: The weights of ``PairFeatures``.
        wanted: The fields of the schema.
        known: The fields of the wrapper by name.
        ignored_concepts: The concepts of the vocabulary that are not to be used.
        further_names: Fields of which nothing but the name is known.
    """
    scores: list[dict[str, float]] = []
    for each, words in zip(wanted, describe_schema(wanted, ignored_concepts), strict=True):
        pairs = {
            name: model.score(describe_pair(each, words, field, ignored_concepts))
            for name, field in known.items()
        }
        if each.name in pairs or each.name in further_names:
            pairs[each.name] = max(pairs.get(each.name, _SAME_NAME), _SAME_NAME)
        scores.append(
            {
                name: score
                for name, score in pairs.items()
                if compute_probability(score) >= MIN_CONFIDENCE
            }
        )
    chosen = _assign(scores)
    return [
        SchemaMatch(each, name, compute_probability(scores[number][name]) if name else 0.0)
        for number, (each, name) in enumerate(zip(wanted, chosen, strict=True))
    ]


def _assign(scores: Sequence[Mapping[str, float]]) -> list[str | None]:
    """Return a name for each row, each once, with a high sum: the best first, then exchanges."""
    pairs = [
        (-score, row, name) for row, names in enumerate(scores) for name, score in names.items()
    ]
    assignment = _Assignment(scores)
    for _, row, name in sorted(pairs):
        if assignment.names[row] is None and name not in assignment.rows:
            assignment.give(row, name)
    for _ in range(len(scores)):
        improved = list(map(assignment.improve, range(len(scores))))
        if not any(improved):
            break
    return assignment.names


class _Assignment:
    """Which row has which name. Any name is better than none."""

    def __init__(self, scores: Sequence[Mapping[str, float]]) -> None:
        self.names: list[str | None] = [None] * len(scores)
        self.rows: dict[str, int] = {}
        self._scores = scores
        self._ranked = [sorted(names, key=names.__getitem__, reverse=True) for names in scores]

    def give(self, row: int, name: str | None) -> None:
        """Give a row a name that no other row has, in place of its own."""
        before = self.names[row]
        if before is not None and self.rows.get(before) == row:
            del self.rows[before]
        self.names[row] = name
        if name is not None:
            self.rows[name] = row

    def improve(self, row: int) -> bool:
        """Give a row a better name, and the row that had it its next best, if the sum is higher."""
        now = self._get(row, self.names[row])
        for name in self._ranked[row]:
            gain = self._get(row, name) - now
            if gain <= _MIN_GAIN:
                return False
            owner = self.rows.get(name)
            if owner is None:
                self.give(row, name)
                return True
            second = self._find_free(owner, self.names[row])
            if gain + self._get(owner, second) - self._get(owner, name) > _MIN_GAIN:
                self.give(row, None)
                self.give(owner, second)
                self.give(row, name)
                return True
        return False

    def _find_free(self, row: int, freed: str | None) -> str | None:
        """Return the best name for a row that no row has, or that is given up."""
        free = (name for name in self._ranked[row] if name == freed or name not in self.rows)
        return next(free, None)

    def _get(self, row: int, name: str | None) -> float:
        """Return a score; those that are possible are all better than no match."""
        return 0.0 if name is None else self._scores[row][name] + _NO_MATCH
