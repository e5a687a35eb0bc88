"""Additive models: ranges, words and profiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.scoring.additive import AdditiveModel

DATA = {
    "features": {
        "length": {"edges": [10, 20], "weights": [[0, 0, 0], [1, 0, 2], [3, -1, 0]]},
        "links": {"edges": [0.5], "weights": [[1, 0, 0], [-1, 0, 0]]},
    },
    "words": {"class": {"menu": {"0": -2, "2": 1}, "post": {"1": 4}}},
}
MODEL = AdditiveModel.from_json(DATA, ["length", "links"], 2)


@pytest.mark.parametrize(
    ("features", "shares", "score"),
    [((5, 0), (1, 0), 1), ((10, 0), (1, 0), 2), ((25, 0.9), (1, 0), 1), ((15, 0), (0.5, 0.5), 3)],
)
def test_each_range_has_a_weight_and_each_profile_adds_to_it(features, shares, score):
    assert MODEL.mix(shares).score(features) == score


def test_words_have_weights_and_unknown_ones_have_none():
    words = MODEL.mix((0, 1)).words["class"]
    assert words.sum_up(["menu", "post", "other", "menu"]) == -2
    assert MODEL.mix((1, 0)).words["class"].sum_up(["post"]) == 4


@given(st.floats(0, 30), st.floats(0, 1), st.lists(st.sampled_from(["menu", "post", "x"])))
def test_the_scores_of_profiles_are_those_of_pages_that_are_surely_of_one(length, links, words):
    scores = MODEL.score_profiles((length, links), {"class": words})
    for number, score in enumerate(scores):
        mixed = MODEL.mix([float(number == each) for each in range(2)])
        total = mixed.score((length, links)) + mixed.words["class"].sum_up(words)
        assert score == pytest.approx(total)
