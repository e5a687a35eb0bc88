"""The choice among selectors: the plainest that agrees with the wrapper, and none where all are wrong."""

from unweave.selectors.choosing import WORK_ENDED, Budget, choose, same_first, same_texts
from unweave.selectors.expressions import Form, Selector, Step

A, B, C = (Selector((Step(tag),)) for tag in "abc")
SECOND = Selector((Step("d"),), nth=2)


class Page:
    """A sample page on which every selector takes one unit of work, and finds no blank texts."""

    classes = frozenset()

    def __init__(self, number, cost=1):
        self.number, self._cost = number, cost

    def cost(self, selector):
        return self._cost

    def select(self, form, text):
        return []


def chosen(
    found,
    expected,
    *,
    form=Form.XPATH,
    plainest=(A, B, C),
    surest=(C,),
    alike=same_texts,
    **options,
):
    """What is chosen if each selector finds this on the pages."""
    pages = [Page(number) for number in range(len(expected))]

    def read(page, text, selector):
        return found[selector][page.number]

    return choose(plainest, surest, form, pages, expected, read, alike, **options)


def test_the_plainest_that_holds_on_all_pages_is_taken():
    found = {A: [["x"], None], B: [["x"], ["y"]], C: [["x"], ["y"]]}
    best = chosen(found, [["x"], ["y"]])
    assert (best.selector, best.holds, best.of) == (B, 2, 2)


def test_if_none_holds_on_all_the_one_that_holds_on_most_is_taken():
    found = {A: [["x"], None, None], B: [["x"], ["y"], None], C: [None, None, ["z"]]}
    best = chosen(found, [["x"], ["y"], ["z"]])
    assert (best.selector, best.holds, best.of) == (B, 2, 3)


def test_what_finds_too_much_is_better_than_what_finds_nothing():
    found = {A: [None, None, None], B: [["x"], ["?"], ["?"]], C: [None] * 3}
    assert chosen(found, [["x"], None, None]).selector == B


def test_where_all_are_wrong_there_is_a_note_and_no_selector():
    found = {selector: [["?"], ["?"], ["?"]] for selector in (A, B, C)}
    best = chosen(found, [["x"], ["y"], ["z"]])
    assert (best.selector, best.text, best.holds) == (None, None, None)
    assert best.note == "no selector finds on the pages what the wrapper finds"


def test_of_one_text_a_selector_that_finds_others_too_comes_second():
    found = {A: [["x", "other"], ["y"]], B: [["x"], ["y", "y"]], C: [["x"], ["y"]]}
    assert chosen(found, ["x", "y"], alike=same_first).selector == B
    only = chosen(found, ["x", "y"], plainest=[A], alike=same_first)
    assert (only.selector, only.holds) == (A, 2)  # the first text is what is asked for


def test_without_pages_the_surest_is_taken():
    best = chosen({}, [])
    assert (best.selector, best.holds) == (C, None)


def test_what_a_language_cannot_say_is_not_tried():
    found = {SECOND: [["x"]], C: [["x"]]}
    assert chosen(found, [["x"]], form=Form.CSS, plainest=[SECOND, C]).selector == C
    assert chosen({}, [], form=Form.CSS, surest=[SECOND]).note.startswith("CSS cannot say")
    assert chosen(found, [["x"]], form=Form.CSS, plainest=[SECOND]).note.startswith(
        "CSS cannot say"
    )


def test_where_the_budget_ends_the_best_so_far_is_taken_and_said_so():
    found = {A: [["x"], None], B: [["x"], ["y"]], C: [["x"], ["y"]]}
    best = chosen(
        found, [["x"], ["y"]], budget=Budget(1, units=3)
    )  # A takes two units, B is stopped after one
    assert (best.selector, best.holds, best.of, best.note) == (A, 1, 2, WORK_ENDED)


def test_where_the_budget_allows_no_trial_the_surest_is_taken_and_said_so():
    best = chosen({}, [["x"]], budget=Budget(1, units=0))
    assert (best.selector, best.holds, best.note) == (C, None, WORK_ENDED)


def test_a_budget_that_was_enough_is_not_spoken_of():
    found = {A: [["x"]]}
    assert chosen(found, [["x"]], plainest=[A], budget=Budget(1, units=1)).note == ""


def test_shares_are_equal_and_what_is_left_over_goes_to_the_others():
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
