"""Tables of a site for tests, and the cells that every sink should store."""

import json
import math
from dataclasses import replace
from datetime import date, datetime, time

from hypothesis import strategies as st

from unweave.sinks.cells import CELL_CONVERTERS, SiteColumn
from unweave.sinks.site_tables import SiteTable

INT64 = range(-(2**63), 2**63)


def make_table(folder, name, columns, rows, *, key=(), files=1):
    """Return a table whose rows are spread over several files."""
    paths = tuple(
        folder / f"{len(list(folder.iterdir()))}-{number}.jsonl" for number in range(files)
    )
    for number, path in enumerate(paths):
        path.write_text(
            "".join(json.dumps(row) + "\n" for row in rows[number::files]), encoding="utf-8"
        )
    return SiteTable(name, tuple(SiteColumn(*column) for column in columns), tuple(key), paths)


def make_products(folder, rows=None, **more):
    """Return a table with columns of every type."""
    columns = [("sku",), ("stock", "integer"), ("price", "number"), ("new", "boolean")]
    columns += [("day", "date"), ("seen", "datetime"), ("opens", "time"), ("tags", "list")]
    return make_table(
        folder, "products", columns, PRODUCTS if rows is None else rows, key=("sku",), **more
    )


def make_fully_keyed_table(folder):
    """Return a table whose key has every type that can be indexed."""
    table = make_products(folder, PRODUCTS[1:])
    return replace(
        table, key=tuple(column.name for column in table.columns if column.type != "list")
    )


PRODUCTS = [
    {"sku": "b", "stock": 2**63, "price": 10**400, "tags": []},
    {
        "sku": "a\0",
        "stock": -5,
        "price": 2.5,
        "new": True,
        "day": "2024-05-01",
        "seen": "2024-05-01T10:00:00",
        "opens": "10:30:00",
        "tags": ['x"; y', "\ud800"],
    },
]

STORED_PRODUCTS = [
    (
        "a",
        -5,
        2.5,
        True,
        date(2024, 5, 1),
        datetime(2024, 5, 1, 10),
        time(10, 30),
        ['x"; y', "\ufffd"],
    ),
    ("b", None, None, None, None, None, None, []),
]

HOSTILE = [
    "",
    "\0",
    "a\0b",
    "\ud800",
    "x\udfff",
    "'; DROP TABLE x; --",
    '"',
    "\\N",
    "\\.",
    "a\r\nb",
    "\r",
    ",",
    "{}",
    "\u202eb",
]
HOSTILE_NAMES = [
    "Price",
    "price",
    "PRICE",
    "select",
    "xmin",
    "rowid",
    "sqlite_master",
    "x" * 70,
    "x" * 71,
    "ü" * 40,
    "con",
]

# JSON joins two adjacent surrogates to a character.
texts = (st.text(st.characters(), max_size=8) | st.sampled_from(HOSTILE)).map(
    lambda text: json.loads(json.dumps(text))
)
names = texts | st.sampled_from(HOSTILE_NAMES)

values = {
    "text": texts,
    "integer": st.integers() | st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**300]),
    "number": st.floats() | st.integers() | st.sampled_from([10**400, -0.0, 5e-324]),
    "boolean": st.booleans(),
    "date": st.dates().map(date.isoformat),
    "datetime": st.datetimes().map(datetime.isoformat),
    "time": st.times().map(time.isoformat),
    "list": st.lists(texts, max_size=3),
}


@st.composite
def draw_table(draw):
    """The columns of a table, and its rows; the first column numbers them."""
    columns = draw(
        st.lists(
            st.tuples(names, st.sampled_from(list(CELL_CONVERTERS))),
            max_size=5,
            unique_by=lambda column: column[0],
        )
    )
    row = st.fixed_dictionaries(
        {}, optional={name: st.none() | values[type] for name, type in columns}
    )
    rows = [
        {**cells, "number": number} for number, cells in enumerate(draw(st.lists(row, max_size=6)))
    ]
    return [("number", "integer"), *(column for column in columns if column[0] != "number")], rows


def convert_value(type, value):
    """Return what a sink should store for a value, as Python has it."""
    return None if value is None else _STORED[type](value)


def convert_text(text):
    """Return the text as it should be stored, computed letter by letter."""
    return "".join(
        "\ufffd" if 0xD800 <= ord(letter) <= 0xDFFF else letter for letter in text if letter != "\0"
    )


def _number(value):
    try:
        return float(value) + 0.0 if math.isfinite(value) else None
    except OverflowError:
        return None


_STORED = {
    "text": convert_text,
    "integer": lambda value: value if value in INT64 else None,
    "number": _number,
    "boolean": bool,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "list": lambda value: [convert_text(item) for item in value],
}
