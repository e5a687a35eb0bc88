"""The fields that somebody chose: by name, by a schema, or by an example of their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unweave.column_selection import MAX_NAME_LENGTH, ColumnSpec
from unweave.errors import UsageError
from unweave.page.page import Page
from unweave.schema import Schema, SchemaField
from unweave.table import Cell, CellValue, Column
from unweave.text_cleaning import strip_stray_punctuation
from unweave.values.column_format import infer_column_format, iter_string_formats
from unweave.values.types import TYPED, Type
from unweave.wrappers.base import is_field_name
from unweave.wrappers.fields.evidence import fold_text
from unweave.wrappers.fields.schema_matching import SchemaMatch

if TYPE_CHECKING:
    from unweave.wrappers.fields.field_matching import Value

_MAX_NAMED = 12  # fields that an error message lists
_MAX_CHOICES = 1_000


@dataclass(frozen=True)
class SelectedField:
    """One field of the result."""

    field: str
    """The name of the field that it is; empty if the pages have none."""
    column: Column
    """Its name in the result, and how its texts are converted."""
    link: bool = False
    """Give the URL of the link around the value instead of its text."""
    is_list: bool = False
    is_required: bool = False
    confidence: float | None = None
    """How likely it is the field of the schema; None if it was chosen by name or example."""
    choices: tuple[str, ...] = ()
    """The texts that are allowed; empty if all are."""
    description: str = ""

    @property
    def name(self) -> str:
        """Its name in the result."""
        return self.column.name

    def to_json(self) -> dict[str, Any]:
        """Return the selected field as plain data, without what has its default."""
        optional = {
            "link": self.link,
            "list": self.is_list,
            "required": self.is_required,
            "choices": list(self.choices),
            "description": self.description,
        }
        given = {key: value for key, value in optional.items() if value}
        if self.confidence is not None:
            given["confidence"] = round(self.confidence, 4)
        return {"field": self.field, "column": self.column.to_json(), **given}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SelectedField:
        """Read what ``to_json`` wrote. The data is untrusted."""
        column = Column.from_json(data["column"])
        if not is_field_name(column.name) or len(column.name) > MAX_NAME_LENGTH:
            raise ValueError("a selected field has no valid name")
        if column.type not in list(Type):
            raise ValueError("a selected field has an unknown type")
        confidence = data.get("confidence")
        return cls(
            str(data["field"]),
            column,
            link=data.get("link") is True,
            is_list=data.get("list") is True,
            is_required=data.get("required") is True,
            confidence=None if confidence is None else float(confidence),
            choices=tuple(map(str, data.get("choices", ())[:_MAX_CHOICES])),
            description=str(data.get("description", "")),
        )

    def describe(self) -> str:
        """Describe for people which field it is, and how sure that is."""
        if not self.field:
            return f"{self.name} ({self.column.type}), which the pages have no field for"
        confidence = "" if self.confidence is None else f", confidence {self.confidence:.2f}"
        return f"{self.name} ({self.column.type}) from {self.field}{confidence}"

    def change(self, spec: ColumnSpec, texts: Sequence[str]) -> SelectedField:
        """Return the selected field with another name, and with the type or link that is given.

        Args:
            spec: The name, the type and whether the link is wanted.
            texts: Values of the field.
        """
        if not is_field_name(spec.new_name):
            raise UsageError(f"invalid field name {spec.new_name[:40]!r}")
        column = replace(self.column, name=spec.new_name)
        if spec.type:
            column = make_column(spec.new_name, spec.type, texts)
        return replace(
            self,
            column=column,
            link=self.link or spec.link,
            is_list=self.is_list or spec.type == Type.LIST,
        )

    def read(self, page: Page, values: Sequence[Value]) -> Cell:
        """Return the texts of a page, or the URLs of the links around them."""
        texts = [text for text, _ in values]
        if self.link:
            found = [_find_link(page, nodes) for _, nodes in values]
            texts = [url for url in found if url]
        if not texts:
            return None
        return texts if self.is_list or len(set(texts)) > 1 else texts[0]

    def parse(self, cell: str | Sequence[str | None] | None) -> Any:
        """Return the value of a text, or those of a list, if a type was requested; else None."""
        if cell is None or not self._has_values:
            return None
        if isinstance(cell, str):
            return self._parse_text(cell)
        return [text and self._parse_text(text) for text in cell] if self.is_list else None

    @property
    def _has_values(self) -> bool:
        """Whether a type was requested that has values, unlike texts."""
        return self.column.is_requested_type and self.column.type in TYPED

    def _parse_text(self, text: str) -> CellValue:
        return self.column.parse(strip_stray_punctuation(text))

    def accepts(self, cell: str | Sequence[str | None] | None) -> bool:
        """Tell whether a text or a list is of the type, and one of the choices if there are any."""
        if not isinstance(cell, str | None) and not self.is_list:
            return False
        texts = [text for text in ([cell] if isinstance(cell, str) else cell or ()) if text]
        if self.choices and not set(texts) <= set(self.choices):
            return False
        if not self._has_values:
            return True
        return all(self._parse_text(text) is not None for text in texts)


def _find_link(page: Page, text_nodes: range) -> str | None:
    """Return the URL of the link around a text."""
    for node in page.tree.ancestors(page.text_parents[text_nodes.start]):
        url = page.node_urls[node]
        if page.tree.labels[node] == "a" and url:
            return page.resolve_url(url.strip())
    return None


# ---- choosing ------------------------------------------------------------------------------------


def select_by_name(
    specs: Sequence[ColumnSpec],
    texts: Mapping[str, Sequence[str]],
    lists: Container[str] = (),
    table_columns: Container[str] = (),
) -> tuple[SelectedField, ...]:
    """Return the fields of these names, renamed and retyped.

    Args:
        specs: The fields.
        texts: Values by field.
        lists: The fields that are lists, unless they get a type.
        table_columns: Those that are lists with any type.
    """
    selected: list[SelectedField] = []
    for spec in specs:
        if spec.column not in texts:
            named = ", ".join(list(texts)[:_MAX_NAMED])
            more = f" and {len(texts) - _MAX_NAMED} more" if len(texts) > _MAX_NAMED else ""
            raise UsageError(
                f"the pages have no field {spec.column[:60]!r}; they have {named}{more}"
            )
        if not is_field_name(spec.new_name):
            raise UsageError(f"invalid field name {spec.new_name[:40]!r}")
        column = make_column(spec.new_name, spec.type, texts[spec.column])
        is_list = spec.column in lists if not spec.type else spec.type == Type.LIST
        is_list = is_list or spec.column in table_columns
        selected.append(SelectedField(spec.column, column, spec.link, is_list=is_list))
    return tuple(selected)


def select_by_schema(
    matches: Sequence[SchemaMatch], texts: Mapping[str, Sequence[str]]
) -> tuple[SelectedField, ...]:
    """Return the fields of a schema, in its order; those that the pages lack are empty."""
    selected: list[SelectedField] = []
    for wanted, field, confidence in matches:
        if not is_field_name(wanted.name):
            raise UsageError(f"a field cannot be called {wanted.name[:40]!r}")
        values = texts.get(field or "", ())
        # The text of a link is no address, but the link around it has one.
        link = wanted.type == Type.URL and not any("." in text for text in values)
        selected.append(
            SelectedField(
                field or "",
                make_column(wanted.name, str(wanted.type), values),
                link=bool(field) and link,
                is_list=wanted.is_list,
                is_required=wanted.is_required,
                confidence=confidence,
                choices=wanted.choices,
                description=wanted.description,
            )
        )
    return tuple(selected)


def find_examples(
    examples: Mapping[str, str], values: Mapping[str, Iterable[Sequence[str]]]
) -> list[ColumnSpec]:
    """Return for each name the field that has a value like the example on one of the pages.

    Args:
        examples: The values that are looked for, by the names that their fields are to have.
        values: The fields in the order in which they are wanted, with the texts that each of them
            has on each of its pages. Of several with the value, the one with the fewest other texts
            on that page is taken, and of these the first.
    """
    specs: list[ColumnSpec] = []
    for name, example in examples.items():
        if not name:
            raise UsageError(f"the field of the example {example[:60]!r} has no name")
        folded = fold_text(example)
        if not folded:
            raise UsageError(f"the example of {name[:40]!r} is empty")
        best: tuple[bool, float, int] | None = None
        chosen = ""
        for number, (field, texts_of_pages) in enumerate(values.items()):
            for texts in texts_of_pages:
                folded_texts = [fold_text(text) for text in texts]
                cleaned = [fold_text(strip_stray_punctuation(text)) for text in texts]
                is_exact = folded in folded_texts or folded in cleaned
                if not is_exact and not any(folded in text for text in folded_texts):
                    continue
                characters = sum(map(len, folded_texts))
                rank = (is_exact, len(folded) / characters, -number)
                if best is None or rank > best:
                    best, chosen = rank, field
        if not chosen:
            raise UsageError(
                f"none of the pages has a field with the value {example[:60]!r} of {name[:40]!r}"
            )
        specs.append(ColumnSpec(chosen, name))
    return specs


def make_column(name: str, type_: str, texts: Sequence[str]) -> Column:
    """Return a column of a type, with the words around its values under which most convert."""
    texts = [strip_stray_punctuation(text) for text in texts]
    if not type_:
        found = infer_column_format(texts)
        return Column(
            name, found.type, prefix=found.prefix, suffix=found.suffix, date_order=found.date_order
        )
    if type_ not in TYPED or not texts:
        return Column(name, type_, is_requested_type=True)
    order = infer_column_format(texts).date_order
    readings = [
        Column(
            name,
            type_,
            prefix=reading.prefix,
            suffix=reading.suffix,
            date_order=order,
            is_requested_type=True,
        )
        for reading in iter_string_formats(texts)
    ]
    return max(readings, key=lambda column: sum(column.parse(text) is not None for text in texts))


def make_schema(
    selected: Sequence[SelectedField], columns: Sequence[tuple[Column, bool, float, str]]
) -> Schema:
    """Return the schema of the selected fields, or else of all columns.

    Args:
        selected: The selected fields.
        columns: For each field its column, whether it is a list, its share of the pages and a
            description.
    """
    if selected:
        fields = [
            SchemaField(
                each.name,
                Type.URL if each.link else Type(each.column.type),
                description=each.description,
                is_list=each.is_list,
                is_required=each.is_required,
                choices=each.choices,
            )
            for each in selected
        ]
    else:
        fields = [
            SchemaField(
                column.name, Type(column.type), "", description, is_list, is_required=share == 1
            )
            for column, is_list, share, description in columns
        ]
    return Schema(tuple(fields))


def count_names(selected: Sequence[SelectedField]) -> Counter[str]:
    """Count the names of the result."""
    return Counter([each.name for each in selected])


def drop_unknown_fields(
    selected: Sequence[SelectedField], known: Container[str]
) -> tuple[SelectedField, ...]:
    """Return a selection in which fields that are not known are empty."""
    return tuple([each if each.field in known else replace(each, field="") for each in selected])
