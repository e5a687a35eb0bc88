"""Models: weighted sums, calibrated probabilities, and odds among candidates."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.content.title import TitleFeatures
from unweave.scoring.model import (
    Calibration,
    LinearModel,
    compute_log_odds,
    compute_probability,
    read_model_file,
)

FINITE = st.floats(-30, 30)


def test_weights_are_read_by_name_and_missing_ones_are_zero():
    model = LinearModel.from_json({"weights": {"b": 2.0}, "intercept": 1.0}, ("a", "b"))
    assert model == LinearModel((0.0, 2.0), 1.0)
    assert model.score((5.0, 3.0)) == 7.0


def test_the_model_of_titles_has_a_weight_for_every_feature():
    weights = read_model_file("unweave.content", "title_model.json")["weights"]
    assert set(weights) == set(TitleFeatures._fields)


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=9))
def test_a_score_is_the_weighted_sum(pairs):
    model = LinearModel(tuple(weight for weight, _ in pairs))
    expected = math.fsum(weight * value for weight, value in pairs)
    assert model.score([value for _, value in pairs]) == pytest.approx(expected, abs=1e-9)


@given(FINITE)
def test_probabilities_and_log_odds_are_inverse(log_odds):
    probability = compute_probability(log_odds)
    assert 0 < probability < 1
    assert compute_probability(-log_odds) == pytest.approx(1 - probability)


@given(st.lists(FINITE, min_size=1, max_size=6))
def test_the_highest_score_has_the_highest_odds(scores):
    odds = [compute_log_odds(score, scores) for score in scores]
    assert odds.index(max(odds)) == scores.index(max(scores)) or max(odds) == pytest.approx(
        odds[scores.index(max(scores))]
    )


def test_two_equal_candidates_have_even_odds():
    assert compute_log_odds(3.0, [3.0, 3.0]) == pytest.approx(0.0)
    assert compute_log_odds(3.0, [3.0]) > 10


POINTS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=8).map(
    lambda points: list(
        zip(
            sorted({x for x, _ in points}),
            sorted(y for _, y in points),
            strict=False,
        )
    )
)


@given(POINTS, st.floats(0, 1), st.floats(0, 1))
def test_a_calibration_is_monotone_and_goes_through_its_points(points, left, right):
    calibration = Calibration.from_json(points)
    for raw, confidence in points:
        assert calibration.apply(raw) == pytest.approx(confidence)
    low, high = sorted((left, right))
    assert calibration.apply(low) <= calibration.apply(high) + 1e-12


@pytest.mark.parametrize(
    ("package", "name"), [("unweave.lists", "model.json"), ("unweave.content", "title_model.json")]
)
def test_model_files_are_plain_numbers(package, name):
    content = read_model_file(package, name)
    assert json.loads(json.dumps(content)) == content
