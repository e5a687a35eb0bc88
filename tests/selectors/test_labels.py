"""Conditions for labels, run by parsel."""

import parsel

from unweave.selectors.labels import ELEMENT_FOLDED, TEXT_FOLDED, Label

LABELS = ["Weight", "WEIGHT:", "weight :", "\xa0Weight:\xa0", "Weight\n"]


def test_labels_match_in_any_case_and_with_or_without_a_colon():
    label = Label.find("weight", {"Weight:", "Size"})
    for match in (ELEMENT_FOLDED, TEXT_FOLDED):
        for text in LABELS:
            root = parsel.Selector(text=f"<p>Weight limit</p><p>{text}</p>")
            assert len(root.xpath(f"//p[{label.make_condition(match).xpath}]")) == 1


def test_css_does_not_express_labels_that_are_parts_of_others():
    assert (
        Label.find("weight", {"Weight", "Size"}).make_condition(TEXT_FOLDED).css
        == ':contains("Weight")'
    )
    assert Label.find("weight", {"Weight", "Weight limit"}).make_condition(TEXT_FOLDED).css is None
    assert (
        Label.find("weight", {"Size"}).make_condition(TEXT_FOLDED).css is None
    )  # no page had a text with this label


def test_labels_with_unknown_texts_match_with_any_punctuation():
    label = Label.find("point", set())
    for text in ("Points", "POINTS.", "Point(s)", "points*"):
        assert (
            len(
                parsel.Selector(text=f"<p>{text}</p><p>pointer</p>").xpath(
                    f"//p[{label.make_condition(TEXT_FOLDED).xpath}]"
                )
            )
            == 1
        )
