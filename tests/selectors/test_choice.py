"""The choice among candidates: the first that agrees with the wrapper, or a note."""

from unweave.selectors.choice import (
    MAX_WORK_PER_PAGE,
    WORK_ENDED,
    Budget,
    SelectorChooser,
    compare_first,
    compare_texts,
)
from unweave.selectors.expressions import Form, Selector, Step

A, B, C = (Selector((Step(tag),)) for tag in "abc")
SECOND = Selector((Step("d"),), nth=2)


class Sample:
    """A sample page on which every selector costs one unit of work."""

    classes = frozenset()

    def __init__(self, number):
        self.number = number

    def estimate_cost(self, selector):
        return 1

    def select(self, form, text):
        return []


def choose(
    found,
    expected,
    *,
    form=Form.XPATH,
    candidates=(A, B, C),
    untested=(C,),
    compare=compare_texts,
    units=MAX_WORK_PER_PAGE,
):
    """Choose among selectors that find these texts on the pages."""
    samples = [Sample(number) for number in range(len(expected))]

    def read(sample, text, selector):
        return found[selector][sample.number]

    chooser = SelectorChooser(form, samples, Budget(1, units))
    return chooser.choose(candidates, untested, expected, read, compare)


def test_the_first_candidate_that_holds_on_all_pages_is_chosen():
    found = {A: [["x"], None], B: [["x"], ["y"]], C: [["x"], ["y"]]}
    best = choose(found, [["x"], ["y"]])
    assert (best.selector, best.holds, best.of) == (B, 2, 2)


def test_if_none_holds_on_all_pages_the_one_that_holds_on_most_is_chosen():
    found = {A: [["x"], None, None], B: [["x"], ["y"], None], C: [None, None, ["z"]]}
    best = choose(found, [["x"], ["y"], ["z"]])
    assert (best.selector, best.holds, best.of) == (B, 2, 3)


def test_a_selector_that_finds_too_much_is_better_than_one_that_finds_nothing():
    found = {A: [None, None, None], B: [["x"], ["?"], ["?"]], C: [None] * 3}
    assert choose(found, [["x"], None, None]).selector == B


def test_if_all_are_wrong_there_is_a_note_and_no_selector():
    found = {selector: [["?"], ["?"], ["?"]] for selector in (A, B, C)}
    best = choose(found, [["x"], ["y"], ["z"]])
    assert (best.selector, best.text, best.holds) == (None, None, None)
    assert best.note == "no selector finds on the pages what the wrapper finds"


def test_for_a_single_text_a_selector_that_finds_more_texts_comes_second():
    found = {A: [["x", "other"], ["y"]], B: [["x"], ["y", "y"]], C: [["x"], ["y"]]}
    assert choose(found, ["x", "y"], compare=compare_first).selector == B
    only = choose(found, ["x", "y"], candidates=[A], compare=compare_first)
    assert (only.selector, only.holds) == (A, 2)  # the first text is the expected one


def test_without_pages_the_first_untested_candidate_is_chosen():
    best = choose({}, [])
    assert (best.selector, best.holds) == (C, None)


def test_candidates_that_a_language_cannot_express_are_skipped():
    found = {SECOND: [["x"]], C: [["x"]]}
    assert choose(found, [["x"]], form=Form.CSS, candidates=[SECOND, C]).selector == C
    assert choose({}, [], form=Form.CSS, untested=[SECOND]).note.startswith("CSS cannot express")
    assert choose(found, [["x"]], form=Form.CSS, candidates=[SECOND]).note.startswith(
        "CSS cannot express"
    )


def test_at_the_end_of_the_budget_the_best_so_far_is_chosen_with_a_note():
    found = {A: [["x"], None], B: [["x"], ["y"]], C: [["x"], ["y"]]}
    best = choose(found, [["x"], ["y"]], units=3)  # A takes two units, B is stopped after one
    assert (best.selector, best.holds, best.of, best.note) == (A, 1, 2, WORK_ENDED)


def test_without_a_budget_the_untested_candidate_is_chosen_with_a_note():
    best = choose({}, [["x"]], units=0)
    assert (best.selector, best.holds, best.note) == (C, None, WORK_ENDED)


def test_a_sufficient_budget_gives_no_note():
    found = {A: [["x"]]}
    assert choose(found, [["x"]], candidates=[A], units=1).note == ""


def test_shares_are_equal_and_what_is_left_goes_to_later_shares():
    budget = Budget(3, units=30)
    budget.open_share()
    assert not budget.spend(11)
    assert budget.spend(2)
    budget.open_share()
    assert not budget.spend(15)
    assert budget.spend(14)
    budget.open_share()
    assert budget.spend(14)
    assert not budget.spend(1)
