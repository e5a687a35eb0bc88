"""Lists of one template for the tests of several modules."""

from collections.abc import Callable

from unweave.lists import default
from unweave.lists.listing import Listing
from unweave.lists.table_building import build_table
from unweave.page.page import Page
from unweave.table import Cell, Table

NAMES = ["Ash chair", "Birch table", "Cedar chest", "Elm bench", "Fir shelf", "Oak bed"]


def build_list_table(record: str | Callable[[int, str], str], names: list[str] = NAMES) -> Table:
    """Return the table of a list with a record for each name.

    ``record`` is the markup of a record, or a function of its number and name that returns it;
    NAME and N1 in it are replaced by the name and the number.
    """
    items: list[str] = []
    for number, name in enumerate(names):
        markup = record(number, name) if callable(record) else record
        items.append(f"<li>{markup.replace('NAME', name).replace('N1', str(number))}</li>")
    page = Page.parse(f"<main><ul>{''.join(items)}</ul></main>")
    labels = page.tree.labels
    listing = Listing(tuple((node,) for node, label in enumerate(labels) if label == "li"))
    aligner = default.make_aligner(page)
    return build_table(page, listing, 1.0, aligner, Page.join_siblings, default.name_columns)


def get_column(table: Table, name: str) -> list[Cell]:
    return [row[table.names.index(name)] for row in table]
