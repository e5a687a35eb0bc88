"""The choice among selectors: the plainest that agrees with the wrapper, and none where all are wrong."""

from unweave.exports.choice import choose, same_first, same_texts
from unweave.exports.selectors import Form, Selector, Step

A, B, C = (Selector((Step(tag),)) for tag in "abc")
SECOND = Selector((Step("d"),), nth=2)


def chosen(found, expected, *, form=Form.XPATH, plainest=(A, B, C), surest=(C,), alike=same_texts):
    """What is chosen if each selector finds this on the pages."""
    pages = range(len(expected))
    return choose(plainest, surest, form, pages, expected, lambda page, text, selector: found[selector][page], alike)


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
    assert chosen(found, [["x"]], form=Form.CSS, plainest=[SECOND]).note.startswith("CSS cannot say")
