"""The readings of the landmark paper's experiment: what each of them counts as right."""

from dataclasses import replace

import pytest

import unweave
from bench.landmark_readings import (
    Reading,
    Score,
    extract_regions,
    mean_over_attributes,
    mean_over_domains,
    score_site,
)
from unweave.wrappers.landmarks.learn import LandmarkLearner

EQUAL = Reading()
RATINGS = ["PG-13", "PG-13", "R", "G"]


def score(values, texts, reading):
    """The score of an attribute whose true values, and one field's texts, are given page by page."""
    pages = [
        ({"a": value}, {(7, False): text} if text else {})
        for value, text in zip(values, texts, strict=True)
    ]
    return score_site(pages, reading)["a"]


def test_equality_is_by_page_unless_all_pages_are_one_set():
    values, texts = [["x"], ["y"]], ["y", "x"]
    assert score(values, texts, EQUAL) == (0, 0)
    assert score(values, texts, replace(EQUAL, across_pages=True)) == (1, 1)


def test_words_that_all_true_values_share_can_be_left_out():
    values, texts = [["Phone: 12"], ["Phone: 34"]], ["12", "34"]
    assert score(values, texts, EQUAL) == (0, 0)
    assert score(values, texts, replace(EQUAL, ignores_shared_words=True)) == (1, 1)
    assert score([["12."], ["34."]], texts, replace(EQUAL, ignores_punctuation=True)) == (1, 1)


def test_a_part_of_a_true_value_is_a_run_of_its_words():
    parts = replace(EQUAL, accepts_parts=True)
    assert score([["the old man"], ["a b"]], ["old man", "b a"], parts) == (0.5, 0.5)


def test_one_of_several_true_values_may_be_enough():
    values, texts = [["x", "y"], ["z"]], ["x", "z"]
    assert score(values, texts, EQUAL) == (1, pytest.approx(2 / 3))
    assert score(values, texts, replace(EQUAL, needs_one_value=True)) == (1, 1)


def test_a_value_that_pages_share_is_a_landmark_and_stays_as_the_region_of_an_inner_node():
    pages = [f"<p>Rated <b>{rating}</b></p>" for rating in RATINGS]
    wrapper = unweave.learn(pages, method=LandmarkLearner(search="greedy"))
    read = [
        ({"rating": [rating]}, extract_regions(wrapper, unweave.load_page(page)))
        for rating, page in zip(RATINGS, pages, strict=True)
    ]
    assert score_site(read, EQUAL)["rating"].recall == 0.5  # not those two that are PG-13
    assert score_site(read, replace(EQUAL, with_inner_regions=True))["rating"] == (1, 1)


def test_means_over_attributes_and_over_domains_differ():
    sites = {"book-a": {"x": Score(1, 1), "y": Score(1, 1)}, "movie-a": {"z": Score(0, 0)}}
    assert mean_over_attributes(sites).f1 == pytest.approx(2 / 3)
    assert mean_over_domains(sites).f1 == 0.5
