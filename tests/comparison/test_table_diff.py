"""The laws of a comparison: nothing is invented, nothing is lost, and the order of rows is free."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unweave
from unweave.errors import UsageError

COLUMNS = ("price", "stock", "tags")
TEXTS = st.sampled_from(["", "9.98", "9.980", "€9.98", "true", "a; b", "2024-02-11", "007", "x"])
CELLS = st.one_of(
    st.none(),
    TEXTS,
    st.integers(-2, 10),
    st.sampled_from([9.98, 7.0, float("nan"), float("inf")]),
    st.booleans(),
    st.dates(date(2024, 2, 10), date(2024, 2, 12)),
    st.lists(st.one_of(TEXTS, st.integers(0, 2)), max_size=2),
    st.dictionaries(st.sampled_from("ab"), TEXTS, max_size=2),
)
ROWS = st.fixed_dictionaries({}, optional=dict.fromkeys(COLUMNS, CELLS))
TEXT_ROWS = st.fixed_dictionaries({}, optional=dict.fromkeys(COLUMNS, TEXTS))
KEYS = st.one_of(st.none(), st.sampled_from("abc"), st.integers(0, 3))


def make_keyed_rows(rows):
    """Return a strategy of tables in which every row has another key."""
    keyed = st.dictionaries(st.sampled_from("abcdefgh"), rows, max_size=6)
    return keyed.map(lambda table: [{"id": key, **row} for key, row in table.items()])


UNIQUE = make_keyed_rows(ROWS)
# Without cells that are equal but not the same, such as 7 and 7.0.
PLAIN = make_keyed_rows(
    st.fixed_dictionaries(
        {},
        optional={
            "price": st.one_of(st.none(), st.integers(0, 3), st.sampled_from([0.5, 1e300])),
            "stock": st.one_of(st.none(), TEXTS),
            "tags": st.lists(st.one_of(st.none(), TEXTS.filter(bool)), max_size=2),
        },
    )
)
REPEATED = st.lists(st.builds(lambda key, row: {"id": key, **row}, KEYS, ROWS), max_size=8)


def compare(old, new, **options):
    return unweave.diff(old, new, key="id", all_columns=True, **options)


def list_changes(changes):
    """Return the changes without their kind, as texts that no order changes."""
    return sorted(
        repr([sorted((part or {}).items()) for part in (change.key, change.row, change.fields)])
        for change in changes
    )


def check_property(*strategies):
    """Return a decorator that runs a property, which returns whether an example showed anything."""

    def decorate(check):
        def test():
            shown = []

            @settings(max_examples=300)
            @given(st.tuples(*strategies))
            def run(examples):
                shown.append(bool(check(*examples)))

            run()
            assert sum(shown) > 20, "the property was hardly tried"

        test.__name__ = check.__name__
        test.__doc__ = check.__doc__
        return test

    return decorate


@check_property(REPEATED)
def test_a_table_does_not_differ_from_itself(rows):
    diff = compare(rows, [dict(row) for row in rows])
    assert not diff
    assert diff.unchanged == len(rows)
    return rows


@check_property(REPEATED, REPEATED)
def test_swapped_tables_give_the_opposite_changes(old, new):
    there, back = compare(old, new), compare(new, old)
    assert list_changes(there.added) == list_changes(back.removed)
    assert list_changes(there.removed) == list_changes(back.added)
    pairs = [Counter(), Counter()]
    for diff, count in zip((there, back), pairs, strict=True):
        for change in diff.changed:
            for name, cells in change.fields.items():
                count[name, repr(tuple(cells if diff is there else reversed(cells)))] += 1
    assert pairs[0] == pairs[1]
    assert there.unchanged == back.unchanged
    return there.changed and there.added


@check_property(REPEATED, REPEATED)
def test_every_row_is_counted_once(old, new):
    diff = compare(old, new)
    counts = diff.count_changes()
    paired = counts["changed"] + diff.unchanged
    assert len(old) == counts["removed"] + paired
    assert len(new) == counts["added"] + paired
    return diff


def apply_changes(rows, changes):
    """Return the rows of the old table after the changes, which are plain data."""
    rows = {row["id"]: dict(row) for row in rows}
    for change in changes:
        key = change["key"]["id"]
        if change["change"] == "removed":
            del rows[key]
        elif change["change"] == "added":
            assert key not in rows
            rows[key] = change["row"]
        else:
            rows[key] |= {name: cells["new"] for name, cells in change["fields"].items()}
    return list(rows.values())


@check_property(PLAIN, PLAIN)
def test_the_changes_lead_from_the_old_table_to_the_new_one(old, new):
    diff = compare(old, new)
    result = {row["id"]: drop_empty(row) for row in apply_changes(old, diff.to_dicts())}
    assert result == {row["id"]: drop_empty(row) for row in new}
    return diff.changed and diff.added and diff.removed


def drop_empty(row):
    return {name: cell for name, cell in row.items() if cell not in (None, "", [])}


@check_property(UNIQUE, UNIQUE, st.randoms())
def test_the_order_of_rows_is_free(old, new, random):
    diff = compare(old, new)
    for rows in (old, new):
        random.shuffle(rows)
    assert list_changes(compare(old, new).changes) == list_changes(diff.changes)
    return diff


@check_property(make_keyed_rows(TEXT_ROWS), make_keyed_rows(TEXT_ROWS))
def test_texts_are_compared_as_a_plain_loop_does(old, new):
    before, after = ({row["id"]: row for row in rows} for rows in (old, new))
    expected = {("removed", key) for key in before.keys() - after.keys()}
    expected |= {("added", key) for key in after.keys() - before.keys()}
    for key in before.keys() & after.keys():
        for name in COLUMNS:
            pair = before[key].get(name) or None, after[key].get(name) or None
            if pair[0] != pair[1]:
                expected.add(("changed", key, name, *pair))
    found = set()
    for change in compare(old, new).changes:
        key = change.key["id"]
        if change.change != "changed":
            found.add((change.change, key))
        found |= {("changed", key, name, *cells) for name, cells in change.fields.items()}
    assert found == expected
    return expected


# ---- keys ----------------------------------------------------------------------------------------


def test_rows_of_one_key_are_paired_in_order_equal_ones_first():
    old = [{"id": "a", "n": 1}, {"id": "a", "n": 2}, {"id": "a", "n": 3}]
    new = [{"id": "a", "n": 3}, {"id": "a", "n": 5}]
    diff = unweave.diff(old, new, key="id")
    assert diff.unchanged == 1
    assert [change.fields["n"] for change in diff.changed] == [(1, 5)]
    assert [change.row["n"] for change in diff.removed] == [2]
    assert diff.warnings == (
        "old: 1 key occurs more than once (id; 3 rows): rows with equal keys are paired in order,"
        " equal rows first",
        "new: 1 key occurs more than once (id; 2 rows): rows with equal keys are paired in order,"
        " equal rows first",
    )


def test_rows_without_a_key_are_compared_as_a_whole():
    old = [{"id": "", "n": 1}, {"id": None, "n": 2}, {"id": "a", "n": 0}]
    new = [{"n": 3}, {"n": 1}, {"id": "a", "n": 0}]
    diff = unweave.diff(old, new, key="id")
    assert [change.row["n"] for change in diff.added] == [3]
    assert [change.row["n"] for change in diff.removed] == [2]
    assert (diff.unchanged, diff.changed) == (2, [])
    assert diff.added[0].key == {"id": None}
    assert diff.warnings[0].startswith("old: 2 rows have an empty key (id)")


def test_tables_without_a_common_key_are_reported():
    old, new = ([{"page": f"{day}/1.html", "n": 1}] for day in ("monday", "tuesday"))
    assert unweave.diff(old, new).warnings == (
        "no row of old has the same key (page) as a row of new; is another column the key?",
    )
    assert unweave.diff(old, []).warnings == ()


def test_numbers_with_one_hash_take_linear_time():
    rows = [{"id": number * (2**61 - 1)} for number in range(1, 20_000)]
    assert unweave.diff(rows, rows[::-1], key="id").unchanged == len(rows)


def test_many_rows_of_one_key_take_linear_time():
    rows = [{"id": "a", "n": number} for number in range(20_000)]
    diff = unweave.diff(rows, rows[::-1], key="id")
    assert (diff.unchanged, diff.changes) == (20_000, ())


def test_compound_keys():
    old = [{"shop": s, "sku": k, "price": 1} for s in "xy" for k in "12"]
    new = [*old[1:], {"shop": "y", "sku": "3", "price": 1}]
    for key in ("shop,sku", ["shop", "sku"], "shop, sku", ("shop,sku",)):
        diff = unweave.diff(old, new, key=key)
        assert [dict(each.key) for each in diff.removed] == [{"shop": "x", "sku": "1"}]
        assert [dict(each.key) for each in diff.added] == [{"shop": "y", "sku": "3"}]
    assert not unweave.diff([{"a,b": 1}], [{"a,b": 1}], key="a,b")


@pytest.mark.parametrize("name", ["page", "url"])
def test_default_keys(name):
    old = [{name: "a", "n": 1}, {name: "b", "n": 1}]
    assert unweave.diff(old, old[:1]).key == (name,)


@pytest.mark.parametrize(
    ("old", "new", "options", "message"),
    [
        (
            [{"page": 1, "sku": "x"}, {"page": 1, "sku": "y"}],
            [{"page": 1, "sku": "x"}],
            {},
            "which column is the key? 'page' does not identify the rows of old;"
            " choose one with --key: sku is unique",
        ),
        (
            [{"sku": 1, "id": 1}],
            [{"sku": 1, "id": 2}],
            {},
            "which column is the key? the tables have no common column 'page';"
            " choose one with --key: sku, id are unique",
        ),
        (
            [{"a": 1, "b": 1}, {"a": 1, "b": 2}],
            [{"a": 1, "b": 1}, {"a": 2, "b": 1}],
            {},
            "no column alone is unique, but several may be, as in --key A,B; the columns are a, b",
        ),
        ([{"a": 1}], [{"b": 1}], {}, "the tables have no column in common"),
        (
            [{"title": 1}],
            [{"title": 1}],
            {"key": "Titel"},
            "old has no column 'Titel' (did you mean 'title'?); its columns are title",
        ),
        ([{"a": 1, "b": 1}], [{"b": 1}], {"key": "a"}, "new has no column 'a'; its columns are b"),
        ([{"a": 1}], [{"a": 1}], {"key": "a,"}, "the key 'a,' has a column without a name"),
        (
            [{"id": 1, "price": 1}],
            [{"id": 1}],
            {"key": "id", "ignore": "prize"},
            "neither table has a column 'prize' (did you mean 'price'?)",
        ),
        ([{"id": 1}], [{"id": 1}], {"key": "id", "only": ["x"]}, "neither table has a column 'x'"),
    ],
)
def test_wrong_columns_are_named(old, new, options, message):
    with pytest.raises(UsageError) as raised:
        unweave.diff(old, new, **options)
    assert message in str(raised.value)


def test_a_message_names_few_of_many_columns():
    row = {f"column {number} {'x' * 100}": number for number in range(500)}
    with pytest.raises(UsageError) as raised:
        unweave.diff([row], [row], key="zzz")
    assert len(str(raised.value)) < 3_000
    assert "and 480 more" in str(raised.value)


# ---- columns -------------------------------------------------------------------------------------

OLD = [{"id": 1, "price": 5, "was": 6}, {"id": 2, "price": 5}]
NEW = [{"id": 1, "price": 5, "sale": True}, {"id": 2, "price": 4, "sale": None}]


def test_columns_of_one_table_are_reported_and_not_compared():
    diff = unweave.diff(OLD, NEW, key="id")
    assert (diff.added_columns, diff.removed_columns) == ({"sale": 1}, {"was": 1})
    assert diff.columns == ("price",)
    assert [dict(change.fields) for change in diff.changes] == [{"price": (5, 4)}]
    assert diff.unchanged == 1


def test_columns_of_one_table_alone_are_a_difference():
    assert unweave.diff([{"id": 1, "a": 1}], [{"id": 1}], key="id")


def test_all_columns_are_compared_if_asked():
    diff = unweave.diff(OLD, NEW, key="id", all_columns=True)
    assert (diff.added_columns, diff.removed_columns) == ({}, {})
    assert dict(diff.changes[0].fields) == {"sale": (None, True), "was": (6, None)}
    assert diff.count_fields() == {"sale": 1, "was": 1, "price": 1}


def test_only_and_ignore():
    assert unweave.diff(OLD, NEW, key="id", only="price").columns == ("price",)
    diff = unweave.diff(OLD, NEW, key="id", ignore=["price", "was", "sale"])
    assert not diff
    assert diff.unchanged == 2
    new = [*NEW, {"id": 3, "price": 1, "sale": True}]
    assert unweave.diff(OLD, new, key="id", only="price").added[0].row == {"id": 3, "price": 1}
    assert "price" not in unweave.diff(OLD, new, key="id", ignore="price").added[0].row


def test_empty_tables():
    assert not unweave.diff([], [])
    assert not unweave.diff([], [], key="id")
    diff = unweave.diff([], [{"page": "a", "n": 1}])
    assert diff.key == ("page",)
    assert diff.count_changes() == {"added": 1, "removed": 0, "changed": 0}
    assert (diff.added_columns, diff.removed_columns) == ({}, {})
    assert unweave.diff([{"id": "a", "n": 1}], [], key="id").removed[0].row == {"id": "a", "n": 1}


def test_changes_are_in_the_order_of_the_tables():
    old = [{"id": key, "n": 1} for key in "zyxcba"]
    new = [{"id": key, "n": 2} for key in "mcalb"]
    diff = unweave.diff(old, new, key="id")
    assert [(change.change, change.key["id"]) for change in diff.changes] == [
        *[("added", key) for key in "ml"],
        *[("removed", key) for key in "zyx"],
        *[("changed", key) for key in "cab"],
    ]


def test_the_result_is_plain_data():
    diff = unweave.diff([{"id": 1, "day": date(2024, 1, 2)}], [{"id": 1, "day": None}], key="id")
    assert diff.to_dicts() == [
        {
            "change": "changed",
            "key": {"id": 1},
            "fields": {"day": {"old": "2024-01-02", "new": None}},
        }
    ]
    assert bool(diff)
    assert diff.warnings == ()
