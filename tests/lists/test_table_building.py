"""Tables of lists: cells, values, and the nodes that they came from."""

import pickle

import unweave
from tests.lists.helpers import build_list_table


def test_tables_can_be_pickled():
    table = unweave.records("examples/products.html")[0]
    again = pickle.loads(pickle.dumps(table))
    assert (again.columns, again.rows, again.parse_values(), again.nodes) == (
        table.columns,
        table.rows,
        table.parse_values(),
        table.nodes,
    )


def test_a_dash_in_a_column_of_numbers_is_an_empty_cell():
    texts = ["3", "–", "5", "6", "n/a", "8"]
    table = build_list_table(lambda k, name: f"<h3>NAME</h3><p class='count'>{texts[k]}</p>")
    assert table.to_columns()["count"] == ["3", None, "5", "6", None, "8"]
    assert table.to_columns(values=True)["count"] == [3, None, 5, 6, None, 8]
    assert [row[table.names.index("count")] for row in table.nodes][1] == ()


def test_datetimes_of_different_zones_are_converted_to_one():
    texts = ["2020-01-01 10:00Z", "2020-01-02 10:00 UTC", "2020-01-03 11:00 +02:00"] * 2
    table = build_list_table(lambda k, name: f"<h3>NAME</h3><p class='seen'>{texts[k]}</p>")
    frame = table.to_pandas(values=True)
    assert str(frame["seen"].iloc[2]) == "2020-01-03 09:00:00"
    assert table.to_arrow(values=True)["seen"].null_count == 0
