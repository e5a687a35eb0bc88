"""What a wrapper that was learned from the old design of a shop extracts from the new design."""

import json
from pathlib import Path

import pytest

import unweave

FOLDER = Path("examples/redesign")
TRUTH = json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))
OLD_PAGES = [name for name in TRUTH if name.startswith("before/")]
NEW_PAGES = [name for name in TRUTH if name.startswith("after/")]

CHANGED_LABELS = {"mass": "weight", "built_in": "year"}
COLUMNS = {
    "customer_reviews_author": ("reviews", "author"),
    "customer_reviews_date": ("reviews", "date"),
    "customer_reviews_comment": ("reviews", "text"),
    "you_may_also_like_name": ("related", "title"),
    "you_may_also_like_price": ("related", "price"),
}

SPECIFICATION = [
    *("condition", "format", "lens_mount", "shutter", "light_meter", "battery", "bellows"),
    *("movements", "filter_thread"),
]
FIELDS = ["title", "item_number", "price", "old_price", "availability", "description"]
FIELDS += [*SPECIFICATION, *CHANGED_LABELS.values(), *COLUMNS]

RARE = {"battery", "movements", "filter_thread"}
"""Fields that only one of the old pages has: they are among the others."""
BREADCRUMBS = {"Rangefinders", "Medium format", "Reflex cameras", "Large format", "Lenses"}

FOUND = {"title", "old_price", *SPECIFICATION} - {"battery", "movements", "filter_thread"}
"""Fields of the old wrapper that are right on all pages of the new design."""
WRONG = {"description": "only the first paragraph is beside the label"}
"""Fields that have a wrong value on a page of the new design."""


def read_expected_fields(name):
    """Return the fields of a page by the names that the old wrapper gives them."""
    truth = TRUTH[name]
    expected = {
        key: value for key, value in truth.items() if key not in ("specification", "reviews")
    }
    del expected["related"]
    for label, value in truth["specification"].items():
        field = label.lower().replace(" ", "_")
        expected[CHANGED_LABELS.get(field, field)] = value
    for field, (table, column) in COLUMNS.items():
        if truth[table]:
            expected[field] = [row[column] for row in truth[table]]
    return expected


@pytest.fixture(scope="module")
def wrapper():
    return unweave.learn([FOLDER / name for name in OLD_PAGES])


@pytest.fixture(scope="module")
def extracted(wrapper):
    """The fields of all pages of the new design."""
    extractions = unweave.apply(wrapper, [FOLDER / name for name in NEW_PAGES])
    return {
        name: extraction.fields for name, extraction in zip(NEW_PAGES, extractions, strict=True)
    }


def test_designs_have_the_same_items_but_two():
    old, new = ({TRUTH[name]["item_number"] for name in names} for names in (OLD_PAGES, NEW_PAGES))
    assert (len(old), len(new), len(old & new)) == (8, 8, 7)


@pytest.mark.parametrize("name", TRUTH)
def test_the_truth_is_on_the_page(name):
    text = " ".join(unweave.load_page(FOLDER / name).texts)
    for value in read_expected_fields(name).values():
        for part in [value] if isinstance(value, str) else value:
            assert part in text


@pytest.mark.parametrize("name", OLD_PAGES)
def test_old_design(wrapper, name):
    extraction = unweave.apply(wrapper, FOLDER / name)
    assert extraction.fit == 1
    expected = read_expected_fields(name)
    read = extraction.fields | extraction.others
    assert {field: read[field] for field in expected} == expected
    assert set(extraction.others) <= RARE
    further = {field: read[field] for field in set(extraction.fields) - set(expected)}
    assert len(further) == 2
    assert further.pop("page_title").startswith(expected["title"])
    assert set(further.values()) <= BREADCRUMBS


@pytest.mark.parametrize("name", NEW_PAGES)
def test_fit_of_the_new_design_tells_that_fields_are_missing(wrapper, name):
    extraction = unweave.apply(wrapper, FOLDER / name)
    assert extraction.fit < 0.6
    assert {"price", "item_number", "weight"} <= set(extraction.missing)
    assert {"title", "condition"} <= set(extraction.moved)


def test_a_repaired_wrapper_has_the_old_names_on_the_new_design(wrapper):
    repaired = unweave.repair(wrapper, [FOLDER / name for name in NEW_PAGES])
    assert repaired.lost == ()
    for name in NEW_PAGES:
        expected = read_expected_fields(name)
        fields = unweave.apply(repaired.wrapper, FOLDER / name).fields
        for field in {"title", "price", "item_number", "weight", "year", *COLUMNS} & set(expected):
            assert fields[field] == expected[field]


@pytest.mark.parametrize(
    "field",
    [
        field
        if field in FOUND
        else pytest.param(
            field,
            marks=pytest.mark.xfail(
                strict=True, reason=WRONG.get(field, "missing on the new design")
            ),
        )
        for field in FIELDS
    ],
)
def test_field_is_found_on_the_new_design(extracted, field):
    expected = {name: read_expected_fields(name).get(field) for name in NEW_PAGES}
    assert {name: fields.get(field) for name, fields in extracted.items()} == expected


@pytest.mark.parametrize(
    "field",
    [
        pytest.param(field, marks=pytest.mark.xfail(strict=True, reason=WRONG[field]))
        if field in WRONG
        else field
        for field in FIELDS
    ],
)
def test_field_is_right_or_missing_on_the_new_design(extracted, field):
    for name, fields in extracted.items():
        if field in fields:
            assert fields[field] == read_expected_fields(name).get(field)
