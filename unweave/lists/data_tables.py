"""Tables of the lists of objects in a page's scripts, and of its microdata and RDFa.

The steps are: read the JSON of the scripts (``page.page_data``); collect the objects of all lists
by the path of the list, so that the lists of all sections are one; keep those whose objects have
most of their keys in common; flatten each object to a row. Nothing of this is a node of the page,
so the cells have no provenance; those of microdata and RDFa have.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from unweave.lists.table_building import Tables
from unweave.names import make_unique
from unweave.page.page import Page
from unweave.page.page_data import read_values
from unweave.table import LIST, URL, Cell, CellNodes, Column, Table
from unweave.values.column_format import infer_column_format
from unweave.values.naming import make_name
from unweave.values.types import TYPED

MIN_OBJECTS = 3
MAX_TABLES = 10
MAX_ROWS = 10_000
MAX_COLUMNS = 100
MAX_LEVELS = 3
"""Of objects inside an object that become columns."""

_MAX_VALUES = 500_000
_MAX_DEPTH = 40
_MAX_ITEMS = 50
_MAX_COUNTED_CHARACTERS = 100
_MIN_COMMON_SHARE = 0.5
_MAX_SHELL_CHARACTERS = 500
# The elements that the templates of the common frameworks have for what scripts draw.
_APPLICATION_IDS = frozenset(
    "app root main application __next __nuxt __layout ___gatsby svelte app-root".split()
)
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_URL = re.compile(r"(?:https?:)?//[^\s<>]+|/[^\s<>]*", re.IGNORECASE)
_IMAGE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)(?:[?#]|$)", re.IGNORECASE)
# Where the page is in its site: a list of steps, on nearly every page.
_PATH_TYPE = re.compile(r"Breadcrumb|/ListItem$")
_NAME_KEYS = ("name", "title", "label", "text", "value", "url", "src")
"""What stands for an object in a list of objects, in this order."""

Path = tuple[str, ...]
Object = Mapping[str, Any]


@dataclass(slots=True)
class ObjectList:
    """The objects at one path, flattened to cells by the path of their keys."""

    rows: list[dict[Path, Cell]] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    """For microdata and RDFa, the node of each object."""

    @property
    def size(self) -> int:
        """The characters of all different texts, of long ones only the beginning."""
        distinct: set[tuple[Path, str]] = set()
        for row in self.rows:
            for path, cell in row.items():
                items = cell if isinstance(cell, list) else [cell or ""]
                distinct |= {(path, item[:_MAX_COUNTED_CHARACTERS]) for item in items}
        return sum(len(text) for _, text in distinct)


def find_data_tables(page: Page) -> Tables:
    """Return the tables of the lists of similar objects in a page's data, best first.

    The first has the most different texts. The score is a list's share of the texts of all.
    """
    objects = _collect_objects(page)
    lists = [
        each for path, found in objects.items() if (each := _make_list(found, path)) is not None
    ]
    lists += [each for each in _collect_items(page) if _are_records(each.rows)]
    sizes = {number: each.size for number, each in enumerate(lists)}
    ranked = sorted(sizes, key=lambda number: -sizes[number])
    total = sum(sizes.values()) or 1
    seen: set[str] = set()
    builders: list[Callable[[], Table]] = []
    for number in ranked:
        rows = lists[number].rows
        content = json.dumps([list(row.values()) for row in rows])
        if content not in seen and len(builders) < MAX_TABLES:
            seen.add(content)
            builders.append(partial(_build_table, page, lists[number], sizes[number] / total))
    return Tables(builders)


def describe_hidden_lists(page: Page) -> str | None:
    """Return a warning for a page without a list whose scripts hold or make one."""
    sizes = [len(table) for table in find_data_tables(page)]
    if sizes:
        what = f"a list of {sizes[0]:,}" if len(sizes) == 1 else f"{len(sizes)} lists"
        return f"the data of its scripts and microdata has {what}: try --data (data=True)"
    if sum(map(len, page.texts)) > _MAX_SHELL_CHARACTERS:
        return None
    roots = (node for node, id in page.find_attribute("id").items() if id in _APPLICATION_IDS)
    if any(not page.text_nodes(node) for node in roots):
        return "the page seems to be made by scripts: try --render"
    return None


# ---- objects -------------------------------------------------------------------------------------


def _collect_objects(page: Page) -> dict[Path, list[Object]]:
    """Return the objects of all lists by the path of the list, in the order of the page."""
    objects: dict[Path, list[Object]] = {}
    for jsonld in page.metadata.jsonld_objects:
        type_name = jsonld.get("@type")
        if isinstance(type_name, str) and not _PATH_TYPE.search(type_name):
            objects.setdefault(("@type", type_name), []).append(jsonld)
    for name, value in page.metadata.open_graph.items():
        if isinstance(value, list):
            pictures = [each for each in value if isinstance(each, dict)]
            objects.setdefault(("open graph", name), []).extend(pictures)
    pending: list[tuple[Any, Path]] = [
        (value, (f"script {number}",))
        for number, value in enumerate(read_values(page.data_scripts))
    ]
    pending.reverse()
    remaining = _MAX_VALUES
    while pending and remaining > 0:
        value, path = pending.pop()
        remaining -= 1
        if len(path) > _MAX_DEPTH:
            continue
        if isinstance(value, list):
            path = (*path, "[]")
            children = [_unwrap(item) for item in value[:remaining]]
            found = [item for item in children if isinstance(item, dict)]
            named = [(item, path) for item in children]
        elif isinstance(value, dict):
            if value.get("@type") == "BreadcrumbList":
                continue
            found = [item for item in value.values() if isinstance(item, dict)]
            is_map = len(found) >= MIN_OBJECTS and len(found) == len(value) and _is_similar(found)
            if is_map:
                path = (*path, "{}")
                named = [(item, path) for item in found]
            else:
                found = []
                named = [(item, (*path, name)) for name, item in value.items()]
        else:
            continue
        if found:
            objects.setdefault(path, []).extend(found)
        containers = [pair for pair in named if isinstance(pair[0], (list, dict))]
        pending += reversed(containers[:remaining])
    return objects


def _unwrap(item: Any) -> Any:
    """Return the item of a ListItem of JSON-LD, or of a node of a connection of GraphQL."""
    if isinstance(item, dict):
        for name in ("item", "node"):
            inner = item.get(name)
            if isinstance(inner, dict) and len(item) <= MAX_LEVELS + 1:
                return inner
    return item


def _is_similar(objects: Sequence[Object]) -> bool:
    """Tell whether objects have most of their keys in common."""
    counts = Counter(name for each in objects for name in each)
    common = {name for name, count in counts.items() if 2 * count >= len(objects)}
    shares = [len(common & each.keys()) / len(each) for each in objects if each]
    return bool(shares) and sum(shares) >= _MIN_COMMON_SHARE * len(objects)


def _make_list(objects: Sequence[Object], path: Path) -> ObjectList | None:
    """Return the rows of similar objects; None if they are no list of records."""
    objects = objects[:MAX_ROWS]
    if len(objects) < MIN_OBJECTS or not _is_similar(objects):
        return None
    rows = [row for each in objects if (row := dict(_flatten(each)))]
    return ObjectList(rows) if _are_records(rows) else None


def _are_records(rows: Sequence[Mapping[Path, Cell]]) -> bool:
    """Tell whether rows are several, have several cells, and mostly differ."""
    names = {path for row in rows for path in row}
    distinct = {json.dumps(list(row.values())) for row in rows}
    return len(rows) >= MIN_OBJECTS and len(names) >= 2 and 2 * len(distinct) >= len(rows)


def _flatten(item: Object) -> Iterator[tuple[Path, Cell]]:
    """Yield the cells of an object by the path of their keys."""
    pending: list[tuple[Path, Any]] = [((name,), value) for name, value in item.items()]
    pending.reverse()
    count = 0
    while pending and count < MAX_COLUMNS:
        path, value = pending.pop()
        if path[-1].startswith(("@", "__")):
            continue
        if isinstance(value, dict):
            if len(path) < MAX_LEVELS:
                inner = [((*path, name), each) for name, each in value.items()]
                pending += reversed(inner[:MAX_COLUMNS])
            continue
        cell = _format_items(value) if isinstance(value, list) else _format_scalar(value)
        if cell:
            count += 1
            yield path, cell


def _format_items(values: list[Any]) -> list[str] | None:
    texts: list[str] = []
    for value in values[:_MAX_ITEMS]:
        if isinstance(value, dict):
            value = next((value[name] for name in _NAME_KEYS if value.get(name)), None)
        if text := _format_scalar(value):
            texts.append(text)
    return texts or None


def _format_scalar(value: Any) -> str | None:
    if isinstance(value, str):
        return " ".join(value.split()) or None
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return None


# ---- microdata and RDFa --------------------------------------------------------------------------


def _collect_items(page: Page) -> list[ObjectList]:
    """Return the items of microdata and RDFa by type, with the items that are parts of them."""
    lists: dict[tuple[str, str], ObjectList] = {}
    for item in page.data_items:
        if item.node is None or not item.type or _PATH_TYPE.search(item.type):
            continue
        each = lists.setdefault((item.syntax, item.type), ObjectList())
        if len(each.rows) < MAX_ROWS:
            row = dict(_flatten(item.to_dict()))
            if item.id and not item.id.startswith("#"):
                row.setdefault(("url",), item.id)
            each.rows.append(row)
            each.nodes.append(item.node)
    return list(lists.values())


# ---- tables --------------------------------------------------------------------------------------


def _build_table(page: Page, found: ObjectList, score: float) -> Table:
    """Return the table of a list, its columns in the order of their first use."""
    counts = Counter(path for row in found.rows for path in row)
    order = list(dict.fromkeys(path for row in found.rows for path in row))
    kept = {path for path, _ in counts.most_common(MAX_COLUMNS)}
    columns: list[Column] = []
    cells_by_column: list[list[Cell]] = []
    for path in order:
        if path in kept:
            cells = [row.get(path) for row in found.rows]
            column, cells = _describe_column(page, path, cells, [each.name for each in columns])
            columns.append(column)
            cells_by_column.append(cells)
    rows = [list(row) for row in zip(*cells_by_column, strict=True)]
    texts = [" ".join(_iter_texts(row)) for row in rows]
    records: list[tuple[int, ...]] = [(node,) for node in found.nodes] or [()] * len(rows)
    nodes: CellNodes = [
        [record if cell is not None else () for cell in row]
        for record, row in zip(records, rows, strict=True)
    ]
    return Table(tuple(columns), rows, nodes, records, texts, score, page)


def _describe_column(
    page: Page, path: Path, cells: list[Cell], taken: Sequence[str]
) -> tuple[Column, list[Cell]]:
    """Return a column with its name and type, and its cells; URLs become absolute."""
    name = make_unique(make_name(_CAMEL_CASE.sub("_", "_".join(path))) or "value", taken)
    if any(isinstance(cell, list) for cell in cells):
        return Column(name, LIST), [[cell] if isinstance(cell, str) else cell for cell in cells]
    texts = [cell for cell in cells if isinstance(cell, str)]
    if all(_URL.fullmatch(text) for text in texts):
        urls = [page.resolve_url(cell) if isinstance(cell, str) else None for cell in cells]
        is_image = all(_IMAGE.search(text) for text in texts)
        return Column(name, "image" if is_image else URL), [*urls]
    format = infer_column_format(texts)
    if format.type not in TYPED or format.prefix or format.suffix:
        return Column(name), cells  # "Lamp 1" is a name: data has values without words around
    return Column(name, format.type, date_order=format.date_order), cells


def _iter_texts(row: Iterable[Cell]) -> Iterator[str]:
    for cell in row:
        if isinstance(cell, list):
            yield from cell
        elif cell:
            yield cell
