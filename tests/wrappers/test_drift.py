"""Many pages tell together which fields are not what was learned."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.wrappers.fields.products import make_product
from unweave.wrappers import drift
from unweave.wrappers.drift import Change, DriftMonitor

LEARNED, NEW = range(8), range(20, 40)


@pytest.fixture(scope="module")
def wrapper():
    return unweave.learn([make_product(number) for number in LEARNED])


def find_changes(wrapper, markups):
    monitor = DriftMonitor(wrapper)
    for markup in markups:
        monitor.add(unweave.apply(wrapper, markup))
    return {(each.name, each.change): (each.pages, each.of) for each in monitor.find_changes()}


def test_pages_like_the_learned_ones_have_not_changed(wrapper):
    assert find_changes(wrapper, [make_product(number) for number in NEW]) == {}


def test_a_field_that_all_pages_lack_is_missing(wrapper):
    markups = [make_product(number).replace(f"EUR {number}.50", "") for number in NEW]
    assert find_changes(wrapper, markups) == {("price", Change.MISSING): (20, 20)}


def test_one_page_without_a_field_proves_nothing(wrapper):
    markups = [make_product(number) for number in NEW]
    markups[3] = markups[3].replace("EUR 23.50", "")
    assert find_changes(wrapper, markups) == {}


def test_values_without_the_digits_that_all_had_are_unusual(wrapper):
    markups = [make_product(n).replace(f"EUR {n}.50", "sold") for n in NEW]
    assert find_changes(wrapper, markups)["price", Change.UNUSUAL] == (20, 20)


def test_a_field_that_differed_and_is_the_same_everywhere_is_reported(wrapper):
    markups = [make_product(n).replace(f"EUR {n}.50", "EUR 1.00") for n in NEW]
    assert find_changes(wrapper, markups)["price", Change.CONSTANT] == (20, 20)


def test_fields_elsewhere_are_reported_as_moved(wrapper):
    markups = [make_product(n).replace("<p class='price'>", "<p class='cost'>") for n in NEW]
    assert find_changes(wrapper, markups)["price", Change.MOVED] == (20, 20)


def test_a_report_names_the_fields_and_the_pages(wrapper):
    monitor = DriftMonitor(wrapper)
    for number in NEW:
        monitor.add(unweave.apply(wrapper, make_product(number).replace(f"EUR {number}.50", "")))
    assert monitor.summarize() == ["missing: price (20 of 20 pages)"]


def test_a_field_that_was_selected_twice_is_named_twice(wrapper):
    selected = wrapper.select("price=cost", "price")
    markups = [make_product(number).replace(f"EUR {number}.50", "") for number in NEW]
    assert find_changes(selected, markups) == {
        ("cost", Change.MISSING): (20, 20),
        ("price", Change.MISSING): (20, 20),
    }


def test_pages_of_another_template_have_a_low_fit(wrapper):
    monitor = DriftMonitor(wrapper)
    for number in range(5):
        monitor.add(unweave.apply(wrapper, f"<h2>Another page</h2><p>Number {number}</p>"))
    assert monitor.summarize()[-1] == "unlike the learned pages: 5 of 5 pages (fit below 0.5)"
    assert monitor.summarize(with_fits=False)[-1].startswith("missing: ")


@given(total=st.integers(0, 60), data=st.data())
def test_the_tail_is_that_of_the_binomial_distribution(total, data):
    count = data.draw(st.integers(0, total))
    probability = data.draw(st.fractions(0, 1, max_denominator=20))
    exact = sum(
        (
            comb(total, number) * probability**number * (1 - probability) ** (total - number)
            for number in range(count, total + 1)
        ),
        Fraction(),
    )
    assert drift._compute_tail(count, total, float(probability)) == pytest.approx(float(exact))
