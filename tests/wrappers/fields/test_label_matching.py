"""Reworded labels are recognized by their order and by the look of the values after them."""

import pytest

import unweave
from tests.wrappers.fields.products import learn_products, list_rows, make_product, read_values
from unweave.wrappers.base import Wrapper
from unweave.wrappers.fields import label_matching
from unweave.wrappers.fields.label_matching import (
    LabelUse,
    find_reworded_labels,
    labels_to_json,
    pair_reworded_labels,
    read_labels,
)


@pytest.fixture(scope="module")
def wrapper():
    return Wrapper.loads(learn_products().dumps())


def reword(number, new_labels, **new_rows):
    """Return a product with other labels, in the same order, and with new rows at the end."""
    rows = {new_labels.get(label, label): value for label, value in list_rows(number).items()}
    return make_product(number, rows=rows | new_rows)


def find(wrapper, markup):
    """Return the reworded labels of a page with the learned ones that they stand for."""
    page = unweave.load_page(markup)
    finder = wrapper._finder
    reworded = find_reworded_labels(
        page,
        wrapper.anchors.paths.number_nodes(page),
        wrapper.labels,
        finder._examples_by_label,
        finder._labels_of_fields,
    )
    return {page.texts[text_node]: label for text_node, label in reworded.items()}


def test_labels_are_learned_in_their_order_with_their_shares(wrapper):
    labels = [(label.text[2], label.share) for label in wrapper.labels if label.text[1] == 1]
    assert [text for text, _ in labels] == ["Colour", "Weight", "Maker", "Year"]
    assert {share for _, share in labels} == {0.889}  # on all of eight pages, and not on a ninth
    assert read_labels(labels_to_json(wrapper.labels)) == wrapper.labels


def test_no_label_of_an_unchanged_page_is_reworded(wrapper):
    assert find(wrapper, make_product(20)) == {}


@pytest.mark.parametrize("label", ["Colour", "Weight", "Maker", "Year"])
@pytest.mark.parametrize("number", [20, 22, 23])
def test_one_label_was_reworded(wrapper, label, number):
    markup = reword(number, {label: "Something else"})
    assert find(wrapper, markup) == {"Something else": label}
    assert read_values(wrapper, markup) == read_values(wrapper, make_product(number))


def test_all_labels_were_reworded(wrapper):
    new = {"Colour": "Shade", "Weight": "Mass", "Maker": "Produced by", "Year": "Built in"}
    assert find(wrapper, reword(20, new)) == {value: key for key, value in new.items()}


def test_neighbouring_labels_with_values_of_one_type_are_told_apart_by_their_order(wrapper):
    def make(number, rows):
        return make_product(
            number, rows={**rows, "Height": f"{number} cm", "Width": f"{number + 7} cm"}
        )

    learned = unweave.learn([make(number, list_rows(number)) for number in range(8)])
    rows = {"High": "31 cm", "Wide": "38 cm"}
    fields = read_values(learned, make_product(24, rows=list_rows(24) | rows))
    assert (fields["height"], fields["width"]) == ("31 cm", "38 cm")
    assert "high" not in fields


def test_a_new_label_is_a_new_field_where_none_is_missing(wrapper):
    fields = read_values(wrapper, make_product(20, rows={"Depth": "9 kg", **list_rows(20)}))
    assert fields == {**read_values(wrapper, make_product(20)), "depth": "9 kg"}


@pytest.mark.parametrize("value", ["made of steel", "2001", "EUR 4.20"])
def test_a_label_with_a_value_of_another_type_is_new(wrapper, value):
    rows = {"Material" if label == "Weight" else label: v for label, v in list_rows(20).items()}
    markup = make_product(20, rows=rows | {"Material": value})
    assert find(wrapper, markup) == {}
    fields = read_values(wrapper, markup)
    assert "weight" not in fields
    assert fields["material"] == value


def test_a_known_rare_label_is_never_taken_for_another_one(wrapper):
    rows = list_rows(20)
    rows = {"Guarantee" if label == "Weight" else label: value for label, value in rows.items()}
    markup = make_product(20, rows=rows)
    assert find(wrapper, markup) == {}
    fields = read_values(wrapper, markup)
    assert fields["guarantee"] == rows["Guarantee"]
    assert "weight" not in fields


def test_labels_in_another_order_are_the_same_labels(wrapper):
    rows = dict(reversed(list_rows(20).items()))
    markup = make_product(20, rows=rows)
    assert find(wrapper, markup) == {}
    assert read_values(wrapper, markup) == read_values(wrapper, make_product(20))


def test_a_label_at_another_point_of_the_order_is_not_reworded(wrapper):
    rows = list_rows(20)
    colour = rows.pop("Colour")
    markup = make_product(20, rows={**rows, "Shade": colour})  # last instead of first
    assert find(wrapper, markup) == {}
    assert read_values(wrapper, markup)["shade"] == colour


def test_a_value_is_not_a_reworded_label(wrapper):
    rows = {label: value for label, value in list_rows(20).items() if label != "Weight"}
    for wrong in ("12", "EUR 3.20", "a" * 61, "-"):
        assert find(wrapper, make_product(20, rows={"Colour": "red", wrong: "4 kg", **rows})) == {}


def test_a_label_at_the_end_of_the_page_has_no_value(wrapper):
    markup = "<table class='specs'><tr><td class='label'>Mass</td></tr></table>"
    page = make_product(20).split("<table")[0] + markup
    assert find(wrapper, page) == {}


def test_too_many_unknown_labels_are_not_compared(wrapper, monkeypatch):
    markup = reword(20, {"Weight": "Mass"})
    rows = {f"Label {'abcdefgh'[number]}": "9 kg" for number in range(8)}
    many = make_product(20, rows={"Colour": "red", **rows, "Maker": "A B", "Year": "2010"})
    assert find(wrapper, many)
    monkeypatch.setattr(label_matching, "_MAX_GAP", 7)
    assert find(wrapper, many) == {}
    assert find(wrapper, markup) == {"Mass": "Weight"}


def test_a_reworded_label_is_not_a_new_field_and_its_text_no_value(wrapper):
    page = unweave.load_page(reword(20, {"Weight": "Mass"}))
    extraction = wrapper.apply(page)
    assert "mass" not in extraction.fields
    assert (extraction.missing, extraction.moved, extraction.unusual) == ((), (), ())
    provenance = wrapper.provenance(page)
    assert [page.texts[node] for node in provenance["weight"]] == [extraction.fields["weight"]]


# ---- labels of two wrappers ----------------------------------------------------------------------

OLD_LABELS = {
    "colour": LabelUse(1.0, ["red", "green"]),
    "weight": LabelUse(1.0, ["3 kg", "8 kg"]),
    "price": LabelUse(0.9, ["EUR 3.50", "EUR 4.50"]),
    "year": LabelUse(1.0, ["1990", "1993"]),
}


def test_labels_between_the_same_labels_stand_for_each_other():
    new = {"shade" if label == "colour" else label: use for label, use in OLD_LABELS.items()}
    assert pair_reworded_labels(OLD_LABELS, new) == {"colour": "shade"}


def test_labels_in_other_words_are_told_by_their_values():
    new = {
        "mass": LabelUse(1.0, ["5 kg", "9 kg"]),
        "cost": LabelUse(1.0, ["EUR 13.50"]),
        "stock": LabelUse(1.0, ["12 left"]),
        "year": OLD_LABELS["year"],
    }
    assert pair_reworded_labels(OLD_LABELS, new) == {"weight": "mass", "price": "cost"}


def test_a_rare_label_does_not_stand_for_one_of_all_pages():
    new = {"mass": LabelUse(0.3, ["5 kg"]), "year": OLD_LABELS["year"]}
    assert pair_reworded_labels(OLD_LABELS, new) == {}


def test_labels_that_both_have_stand_for_themselves_only():
    assert pair_reworded_labels(OLD_LABELS, OLD_LABELS) == {}
    assert pair_reworded_labels({}, OLD_LABELS) == {}
    assert pair_reworded_labels(OLD_LABELS, {}) == {}
