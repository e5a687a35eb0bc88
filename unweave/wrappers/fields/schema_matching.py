"""Which field of a wrapper is which field of a schema.

Every pair of them is described by features: whether names, labels, classes and descriptions have
words in common or words for the same thing, whether the values look like those of the type, whether
both are the title, and how likely the field is wanted at all. A model gives the probability that
they are the same; the most likely pairs are taken first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from unweave.schema import SchemaField
from unweave.scoring.model import LinearModel, compute_probability
from unweave.values.types import NUMERIC, TEMPORAL, Type
from unweave.values.vocabulary import find_concepts, split_words
from unweave.wrappers.fields.evidence import FieldEvidence, FieldFeatures

MIN_CONFIDENCE = 0.1
"""A field of a schema that no field matches better is missing."""
_TITLES = frozenset("title name model movie book job school restaurant player".split())
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
    property_words: float
    property_concept: float
    class_words: float
    class_concept: float
    metadata_words: float
    description_words: float
    """How many words the label, or else the class, has in common with the description."""
    other_concept: float
    """The label names something else."""
    both_title: float
    """The field has the best score as a title, and the wanted field is one."""
    only_wanted_title: float
    only_field_title: float
    title_score: float
    type_agrees: float
    type_differs: float
    is_list_differs: float
    probability: float
    """How likely the field is wanted, by its features."""
    share: float
    is_joined: float
    is_list: float
    number: float
    length: float
    in_boilerplate: float
    in_title: float
    variety: float


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


def describe_wanted(
    wanted: SchemaField, ignored_concepts: Collection[str] = frozenset()
) -> WantedField:
    """Return the words for a field of a schema; without concepts that are to be ignored."""
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


def describe_pair(
    wanted: SchemaField,
    words: WantedField,
    evidence: FieldEvidence,
    probability: float,
    title_share: float,
    ignored_concepts: Collection[str] = frozenset(),
) -> PairFeatures:
    """Return the features of a pair.

    Args:
        wanted: The field of the schema.
        words: The same, as ``describe_wanted`` returns it.
        evidence: What is known of the field of the wrapper.
        probability: How likely that is wanted at all.
        title_share: How likely it is the title, compared with the others.
        ignored_concepts: The concepts of the vocabulary that are not to be used.
    """
    features, names = evidence
    label, property_ = names.get("label", ""), names.get("property", "")
    class_ = names.get("class concept") or names.get("class", "")
    ignored = frozenset(ignored_concepts)
    label_concepts = find_concepts(label) - ignored
    is_title = title_share > 0.5
    agrees = _agree_on_type(wanted, words.concepts, features)
    label_words = _compare_words(label, words.names)
    label_concept = bool(label_concepts & words.concepts)
    return PairFeatures(
        label_words,
        label_concept,
        _compare_words(property_, words.names),
        bool((find_concepts(property_) - ignored) & words.concepts),
        _compare_words(class_, words.names),
        bool((find_concepts(class_) - ignored) & words.concepts),
        _compare_words(names.get("metadata", ""), words.names),
        _compare_words(label or property_ or class_, [words.description]),
        bool(label_concepts) and not label_concept and not label_words,
        words.is_title and is_title,
        words.is_title and not is_title,
        is_title and not words.is_title,
        title_share * words.is_title,
        agrees > 0,
        agrees < 0,
        wanted.is_list != bool(features.is_list),
        probability,
        features.share,
        features.is_joined,
        features.is_list,
        features.number,
        features.length,
        features.in_boilerplate,
        features.in_title * words.is_title,
        features.variety * words.is_title,
    )


def _compare_words(text: str, names: Sequence[frozenset[str]]) -> float:
    """Return the greatest share of words that a text has in common with a name."""
    words = frozenset(split_words(text)) - _STOP_WORDS
    if not words:
        return 0.0
    return max([len(words & name) / len(words | name) for name in names if name], default=0.0)


def _agree_on_type(wanted: SchemaField, concepts: frozenset[str], features: FieldFeatures) -> float:
    """Return 1 if the values look like those of the type, -1 if they do not, 0 if unknown."""
    looks = {
        "isbn": features.is_isbn,
        "phone": features.is_phone,
        "email": features.is_email,
        "website": features.is_url,
        "price": max(features.is_price, features.is_number),
        "date": features.is_date,
        "publication_date": features.has_digit,
        "date_posted": features.has_digit,
    }
    known = [looks[concept] for concept in concepts if concept in looks]
    if wanted.type in NUMERIC:
        known.append(max(features.is_number, features.is_price, features.has_digit))
    elif wanted.type in TEMPORAL:
        known.append(features.is_date)
    elif wanted.type == Type.URL:
        known.append(max(features.is_url, features.in_link))
    elif wanted.format == "email":
        known.append(features.is_email)
    if not known:
        return 0.0
    return 1.0 if max(known) >= 0.5 else -1.0


def match_schema(
    model: LinearModel,
    wanted: Sequence[SchemaField],
    evidence: Mapping[str, FieldEvidence],
    probabilities: Mapping[str, float],
    title_shares: Mapping[str, float],
    ignored_concepts: Collection[str] = frozenset(),
) -> list[SchemaMatch]:
    """Return the field of each field of a schema; each field is given once.

    Args:
        model: The weights of ``PairFeatures``.
        wanted: The fields of the schema.
        evidence: The fields by name.
        probabilities: How likely each of them is wanted at all.
        title_shares: How likely each is the title, compared with the others.
        ignored_concepts: The concepts of the vocabulary that are not to be used.
    """
    scores: list[tuple[float, int, str]] = []
    for number, each in enumerate(wanted):
        words = describe_wanted(each, ignored_concepts)
        for name, known in evidence.items():
            pair = describe_pair(
                each, words, known, probabilities[name], title_shares[name], ignored_concepts
            )
            scores.append((model.score(pair), number, name))
    chosen: dict[int, tuple[str, float]] = {}
    taken: set[str] = set()
    for score, number, name in sorted(scores, key=lambda row: -row[0]):
        confidence = compute_probability(score)
        if confidence >= MIN_CONFIDENCE and number not in chosen and name not in taken:
            chosen[number] = name, confidence
            taken.add(name)
    return [
        SchemaMatch(each, *chosen.get(number, (None, 0.0))) for number, each in enumerate(wanted)
    ]
