"""Words for the same thing: which concepts labels, classes and names have."""

import json
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.values.vocabulary import find_concepts, measure_concepts, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bookAuthor", ("book", "author")),
        ("Book authors:", ("book", "author")),
        ("ISBN13", ("isbn", "13")),
        ("release_date", ("release", "date")),
        ("views-field-7", ("view", "field", "7")),
        ("Categories", ("category",)),
        ("Glass", ("glass",)),
        ("Größe", ("grösse",)),
        ("", ()),
        ("::", ()),
    ],
)
def test_words_are_in_lower_case_and_in_the_singular(text, words):
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Written by", "author"),
        ("MSRP", "price"),
        ("List Price:", "price"),
        ("Published on", "publication_date"),
        ("Phone number", "phone"),
        ("opinions-date-filed", "date"),
        ("Colour", "color"),
        ("E-Mail", "email"),
    ],
)
def test_phrases_name_concepts(text, concept):
    assert concept in find_concepts(text)


def test_the_longest_phrase_counts():
    assert find_concepts("release date") == {"publication_date"}
    assert find_concepts("date") == {"date"}


def test_texts_without_known_words_name_nothing():
    assert find_concepts("Zibeline tulip") == frozenset()
    assert measure_concepts("Zibeline tulip", ["price"]) == 0
    assert measure_concepts("", ["price"]) == 0


def test_the_share_of_the_words_that_name_a_concept():
    assert measure_concepts("list price", ["price"]) == 1
    assert measure_concepts("price of coffee", ["price"]) == pytest.approx(1 / 3)
    assert measure_concepts("price of coffee", ["author"]) == 0


def test_every_phrase_of_the_vocabulary_names_its_concept():
    text = resources.files("unweave.values").joinpath("vocabulary.json").read_text("utf-8")
    vocabulary = json.loads(text)
    assert len(vocabulary) > 50
    for concept, phrases in vocabulary.items():
        for phrase in (concept, *phrases):
            assert concept in find_concepts(phrase), (concept, phrase)
            assert measure_concepts(phrase, [concept]) == 1, (concept, phrase)


@given(st.text(max_size=200))
def test_the_share_is_between_0_and_1(text):
    concepts = find_concepts(text)
    share = measure_concepts(text, concepts)
    assert 0 <= share <= 1
    assert (share > 0) == bool(concepts)
