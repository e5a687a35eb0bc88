"""Which cells are equal: typed ones by value, texts as they are."""

from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

import unweave


def is_equal(old, new):
    """Tell whether two cells are equal, in both directions."""
    results = {
        bool(unweave.diff([{"id": 1, "x": a}], [{"id": 1, "x": b}], key="id", all_columns=True))
        for a, b in ((old, new), (new, old))
    }
    assert len(results) == 1
    return not results.pop()


EMPTY = [None, "", [], float("nan"), Decimal("NaN"), Decimal("sNaN")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("9.98", 9.98),
        ("9.980", 9.98),
        ("-9.98", Decimal("-9.98")),
        (9, 9.0),
        (9, Decimal("9.00")),
        ("9", 9),
        ("1e3", 1000),
        ("9.0", 9),
        ("€9.98", 9.98),
        ("1,299.00 €", 1299),
        ("true", True),
        ("2024-02-11", date(2024, 2, 11)),
        ("11 February 2024", date(2024, 2, 11)),
        (date(2024, 2, 11), datetime(2024, 2, 11)),
        ("2024-02-11 06:00:00", datetime(2024, 2, 11, 6)),
        ("2024-02-11T06:00:00Z", datetime(2024, 2, 11, 6, tzinfo=UTC)),
        ("2024-02-11T07:00:00+01:00", datetime(2024, 2, 11, 6)),
        ("06:30", time(6, 30)),
        (["a", "b"], ["a", "b"]),
        (["a", "b"], "a; b"),
        (["1", "2"], [1, 2]),
        ([["a"], {"b": 1}], [["a"], {"b": 1.0}]),
        ({"a": 1, "b": None}, {"a": 1}),
        (float("inf"), float("inf")),
        (10**400, 10**400),
        (0.0, -0.0),
        ("-0", 0),
        (Decimal("1e999999"), Decimal("1e999999")),
        (Decimal("1e300"), Decimal("10e299")),
        ("x" * 5_000_00, "x" * 5_000_00),
        *[(a, b) for a in EMPTY for b in EMPTY],
    ],
)
def test_equal(old, new):
    assert is_equal(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.10", "1.1"),  # versions
        ("007", 7),
        ("007", "7"),
        ("9,98", "9.98"),
        ("a", "A"),
        ("a", "a "),
        (True, 1),
        (False, None),
        (0, None),
        ("0", ""),
        (["a", "b"], ["b", "a"]),
        (["a"], ["a", "a"]),
        ([None, "a"], ["a"]),
        (["a"], "b"),
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, "a"),
        (date(2024, 2, 11), date(2024, 2, 12)),
        (datetime(2024, 2, 11, 6), date(2024, 2, 11)),
        (float("inf"), float("-inf")),
        (10**400, 10**400 + 1),
        ("9" * 5000, 5),
        ("€9.98", 9.99),
    ],
)
def test_different(old, new):
    assert not is_equal(old, new)


def test_numbers_of_thousands_of_digits(tmp_path):
    assert is_equal(10**9000, 10**9000)
    assert not is_equal(10**9000, 10**9000 + 1)
    unweave.diff([{"id": 1, "x": 10**9000}], [{"id": 1, "x": 1}], key="id").save(tmp_path / "d.csv")


def test_texts_are_read_by_their_column():
    """The suffix, and the order of day and month, are those of all texts of the column."""
    old = [
        {"id": 1, "x": "7 views", "d": "01/02/2024"},
        {"id": 2, "x": "1 view", "d": "25/02/2024"},
    ]
    new = [{"id": 1, "x": 7, "d": date(2024, 2, 1)}, {"id": 2, "x": 2, "d": date(2024, 2, 25)}]
    assert [dict(each.fields) for each in unweave.diff(old, new, key="id").changes] == [
        {"x": ("1 view", 2)}
    ]


def test_keys_are_compared_by_value_too():
    old, new = [{"id": "1", "x": "a"}, {"id": "02", "x": "b"}], [{"id": 1, "x": "a"}]
    assert unweave.diff(old, new, key="id").count_changes() == {
        "added": 0,
        "removed": 1,
        "changed": 0,
    }
    texts = [{"id": "1.10"}, {"id": "1.1"}]
    assert unweave.diff(texts, texts, key="id").warnings == ()
