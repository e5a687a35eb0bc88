"""Which field is which field of a schema: each once, the best together."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.schema import SchemaField
from unweave.scoring.model import compute_probability
from unweave.values.types import Type
from unweave.wrappers.fields import schema_matching
from unweave.wrappers.fields.evidence import FieldEvidence, FieldFeatures
from unweave.wrappers.fields.models import load_models
from unweave.wrappers.fields.schema_matching import (
    MIN_CONFIDENCE,
    SIGNS,
    KnownField,
    PairFeatures,
    describe_pair,
    describe_schema,
    match_schema,
)

NO_FEATURES = dict.fromkeys(FieldFeatures._fields, 0.0)


def make_field(label="", *, class_="", title_share=0.0, **features):
    """Return a field on all pages with this label and class."""
    names = {key: name for key, name in {"label": label, "class": class_}.items() if name}
    evidence = FieldEvidence(FieldFeatures(**{**NO_FEATURES, "share": 1.0, **features}), names)
    return KnownField(evidence, bool(label), 0.0, title_share)


def match(wanted, known, **options):
    matches = match_schema(load_models().schema, wanted, known, **options)
    assert [each.wanted for each in matches] == list(wanted)
    return {each.wanted.name: each.field for each in matches}


def test_fields_are_matched_by_label_and_words_for_the_same_thing():
    known = {
        "a": make_field("Written by"),
        "b": make_field("MSRP", is_price=1.0),
        "c": make_field("Colour"),
    }
    wanted = [SchemaField(name) for name in ("author", "price", "color", "engine")]
    assert match(wanted, known) == {"author": "a", "price": "b", "color": "c", "engine": None}


def test_a_concept_that_is_ignored_is_not_used():
    known = {"a": make_field("Written by")}
    wanted = [SchemaField("author")]
    assert match(wanted, known) == {"author": "a"}
    with_concept, without = (
        match_schema(load_models().schema, wanted, known, ignored)[0].confidence
        for ignored in ((), ("author",))
    )
    assert without < with_concept


def test_a_synonym_is_as_good_as_a_name():
    known = {"a": make_field("Zibeline"), "b": make_field("Tulip")}
    assert match([SchemaField("fleece", synonyms=("zibeline",))], known) == {"fleece": "a"}


def test_a_field_of_the_very_name_is_at_least_likely():
    known = {"text_2": make_field(), "text_3": make_field()}
    (matched,) = match_schema(load_models().schema, [SchemaField("text_3")], known)
    assert (matched.field, matched.confidence) == ("text_3", 0.5)
    further = match([SchemaField("reviews_b")], known, further_names=["reviews_b"])
    assert further == {"reviews_b": "reviews_b"}


def test_types_and_formats_decide_between_equal_labels():
    known = {"text": make_field("Released"), "date": make_field("Released", is_date=1.0)}
    wanted = [SchemaField("released", Type.DATE, "date")]
    assert match(wanted, known) == {"released": "date"}
    numbers = {
        "old": make_field("ISBN 10", has_digit=1.0, is_isbn=1.0),
        "new": make_field("ISBN 13", has_digit=1.0, is_isbn=1.0),
    }
    assert match([SchemaField("isbn_13"), SchemaField("isbn_10")], numbers) == {
        "isbn_13": "new",
        "isbn_10": "old",
    }


def test_the_title_is_the_field_that_is_likely_the_title():
    known = {
        "heading": make_field(title_share=0.9, heading1=1.0),
        "other": make_field(title_share=0.1),
    }
    assert match([SchemaField("title")], known) == {"title": "heading"}


def test_no_field_and_no_schema():
    assert match([SchemaField("a")], {}) == {"a": None}
    assert match([], {"a": make_field("A")}) == {}


LABELS = st.sampled_from(["Price", "List price", "Author", "By", "Colour", "Zib", "", "ISBN 10"])
NAMES = st.sampled_from(["price", "cost", "author", "color", "zib", "isbn_10", "title", "year"])


@given(
    st.lists(NAMES, max_size=5, unique=True),
    st.dictionaries(st.sampled_from("abcdef"), LABELS, max_size=6),
)
def test_each_field_is_given_once_and_no_pair_is_left(names, labels):
    wanted = [SchemaField(name) for name in names]
    known = {name: make_field(label) for name, label in labels.items()}
    model = load_models().schema
    matches = match_schema(model, wanted, known)
    chosen = [each.field for each in matches if each.field]
    assert len(set(chosen)) == len(chosen)
    confidences = [
        {
            name: compute_probability(model.score(describe_pair(each, words, field)))
            for name, field in known.items()
        }
        for each, words in zip(wanted, describe_schema(wanted), strict=True)
    ]
    for each, by_name in zip(matches, confidences, strict=True):
        if each.field:
            assert each.confidence == by_name[each.field] >= MIN_CONFIDENCE
        else:
            assert each.confidence == 0
            free = set(known) - set(chosen)
            assert all(by_name[name] < MIN_CONFIDENCE for name in free)


def test_exchanges_find_what_the_best_first_misses():
    """The author is the best of both, but the other one has nothing else."""
    known = {"a": make_field("Author"), "b": make_field("Creator")}
    wanted = [SchemaField("author"), SchemaField("author_name", synonyms=("author",))]
    assert set(match(wanted, known).values()) == {"a", "b"}


def test_the_weights_have_the_signs_of_what_the_features_say():
    model = load_models().schema
    names = set(" ".join(SIGNS.values()).split())
    assert names == set(PairFeatures._fields)
    weights = dict(zip(PairFeatures._fields, itertools.repeat(0.0)))
    for name in names:
        features = PairFeatures(**{**weights, name: 1.0})
        gain = model.score(features) - model.score(PairFeatures(**weights))
        assert gain >= 0 if name in SIGNS["positive"].split() else gain <= 0, name


SCORES = st.lists(
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from([-2.5, -1, 0, 1.5, 3, 6])), max_size=5
)


@given(SCORES)
def test_names_are_given_once_with_a_higher_sum_than_the_best_first(scores):
    chosen = schema_matching._assign(scores)
    given_names = [name for name in chosen if name]
    assert len(set(given_names)) == len(given_names)
    first = [None] * len(scores)
    pairs = [
        (-score, row, name) for row, by_name in enumerate(scores) for name, score in by_name.items()
    ]
    for _, row, name in sorted(pairs):
        if first[row] is None and name not in first:
            first[row] = name
    sums = [
        sum(scores[row][name] + schema_matching._NO_MATCH for row, name in enumerate(names) if name)
        for names in (chosen, first)
    ]
    assert sums[0] >= sums[1]
    for row, name in enumerate(chosen):
        if name is None:
            assert set(scores[row]) <= set(given_names)


@pytest.mark.parametrize("count", [0, 1, 60])
def test_large_schemas_of_equal_fields_are_matched(count):
    known = {f"f{number}": make_field("Price", is_price=1.0) for number in range(count)}
    wanted = [SchemaField(f"price_{number}", Type.NUMBER) for number in range(count)]
    matched = match(wanted, known)
    assert len({field for field in matched.values() if field}) == count


def test_a_date_is_no_number():
    wanted = SchemaField("horsepower", Type.INTEGER)
    (words,) = describe_schema([wanted])
    date = describe_pair(wanted, words, make_field(is_date=1.0, has_digit=1.0))
    power = describe_pair(wanted, words, make_field(has_digit=1.0))  # as in "158 hp"
    assert (date.type_agrees, date.type_differs) == (0.0, 1.0)
    assert (power.type_agrees, power.type_differs) == (1.0, 0.0)
