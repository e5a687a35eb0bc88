"""Which columns of a list are the fields of a schema."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from unweave.column_selection import ColumnSpec, select_columns
from unweave.schema import Schema
from unweave.table import LIST, URL_TYPES, Column, Table, format_cell
from unweave.values.types import Type
from unweave.wrappers.fields.evidence import FieldEvidence, FieldFeatures, describe_look
from unweave.wrappers.fields.models import load_models
from unweave.wrappers.fields.schema_matching import KnownField, SchemaMatch, match_schema

# Columns are not ranked: of the fields of detail pages, one in twenty is wanted.
_LOG_ODDS = -3.0
_UNKNOWN = dict.fromkeys(FieldFeatures._fields, 0.0)


def match_columns(table: Table, schema: Schema) -> list[SchemaMatch]:
    """Return the column of each field of a schema, and how sure that is."""
    merged = table.merge_list_columns()
    title = _find_title_column(merged)
    known: dict[str, KnownField] = {}
    for number, column in enumerate(merged.columns):
        texts = [text for row in merged.rows if (text := format_cell(row[number]))]
        features = _describe_column(column, texts, len(merged))
        evidence = FieldEvidence(features, {"label": column.name.replace("_", " ")})
        known[column.name] = KnownField(
            evidence, has_label=True, log_odds=_LOG_ODDS, title_share=float(number == title)
        )
    return match_schema(load_models().schema, schema.fields, known)


def make_specs(matches: Sequence[SchemaMatch]) -> list[ColumnSpec]:
    """Return the columns to select for the fields of a schema that a list has."""
    specs: list[ColumnSpec] = []
    for wanted, column, _ in matches:
        if column is not None:
            type_ = LIST if wanted.is_list else str(wanted.type)
            specs.append(ColumnSpec(column, wanted.name, type_))
    return specs


def select_schema(table: Table, schema: Schema) -> tuple[Table, list[SchemaMatch]]:
    """Return a table with exactly the columns of a schema, in its order, and what they are.

    A field that the table lacks is an empty column.
    """
    matches = match_columns(table, schema)
    specs = make_specs(matches)
    selected = select_columns(table, specs) if specs else table
    numbers = {name: number for number, name in enumerate(selected.names)} if specs else {}
    columns: list[Column] = []
    for wanted, _, _ in matches:
        number = numbers.get(wanted.name)
        columns.append(
            Column(wanted.name, wanted.type) if number is None else selected.columns[number]
        )
    order = [numbers.get(wanted.name) for wanted, _, _ in matches]
    rows = [[None if number is None else row[number] for number in order] for row in selected.rows]
    nodes = [[() if number is None else row[number] for number in order] for row in selected.nodes]
    return replace(table, columns=columns, rows=rows, nodes=nodes), matches


def _describe_column(column: Column, texts: Sequence[str], rows: int) -> FieldFeatures:
    looks = [describe_look(text) for text in texts]
    look = [sum(values) / len(looks) for values in zip(*looks, strict=True)] if looks else []
    names = list(FieldFeatures._fields)
    start = names.index("is_number")
    values = {
        **_UNKNOWN,
        **dict(zip(names[start : start + len(look)], look, strict=True)),
        "share": len(texts) / max(1, rows),
        "is_list": float(column.type == LIST),
        "length": math.log1p(sum(map(len, texts)) / max(1, len(texts))),
        "in_link": float(column.type in URL_TYPES),
    }
    return FieldFeatures(**values)


def _find_title_column(table: Table) -> int | None:
    """Return the number of the column that is most likely the title of the records.

    It is called so, or it is the first of texts that all differ.
    """
    for number, column in enumerate(table.columns):
        if column.name in ("title", "name"):
            return number
    for number, column in enumerate(table.columns):
        texts = [format_cell(row[number]) for row in table.rows]
        if column.type == Type.STRING and len(set(texts)) == len(texts) and all(texts):
            return number
    return None
