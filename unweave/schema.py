"""Schemas: which fields somebody wants, under which names and of which types.

A schema is a JSON Schema of an object, as a mapping or in a file, a pydantic model, or a dataclass.
Of JSON Schema, ``title`` and ``properties`` are read, and of each property ``type``, ``format``,
``title``, ``description``, ``items`` and ``enum``; ``synonyms`` is a list of further names of the
field on pages.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import Any

from unweave.errors import SourceError, UsageError
from unweave.values.types import Type

MAX_FIELDS = 500
MAX_FILE_BYTES = 4 * 1024 * 1024
_MAX_TEXT = 1_000
_MAX_NAME_LENGTH = 200
_MAX_SYNONYMS = 100
_MAX_CHOICES = 1_000
_MAX_REFERENCES = 20  # that lead from one to the next
_DIALECT = "https://json-schema.org/draft/2020-12/schema"

_TYPES_OF_FORMATS = {
    "date": Type.DATE,
    "date-time": Type.DATETIME,
    "time": Type.TIME,
    "uri": Type.URL,
    "iri": Type.URL,
    "uri-reference": Type.URL,
}
_TYPES_OF_JSON = {
    "string": Type.STRING,
    "integer": Type.INTEGER,
    "number": Type.NUMBER,
    "boolean": Type.BOOLEAN,
}
_JSON_OF_PYTHON: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Decimal: {"type": "number"},
    bool: {"type": "boolean"},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    time: {"type": "string", "format": "time"},
}
_LISTS = (list, tuple, set, frozenset, Sequence, Iterable)
_MAPPINGS = (dict, Mapping)
_JSON_OF_TYPES: dict[str, dict[str, Any]] = {
    Type.INTEGER: {"type": "integer"},
    Type.NUMBER: {"type": "number"},
    Type.PERCENTAGE: {"type": "number"},
    Type.PRICE: {"type": "number"},
    Type.BOOLEAN: {"type": "boolean"},
    Type.DATE: {"type": "string", "format": "date"},
    Type.DATETIME: {"type": "string", "format": "date-time"},
    Type.TIME: {"type": "string", "format": "time"},
    Type.URL: {"type": "string", "format": "uri"},
    Type.IMAGE: {"type": "string", "format": "uri"},
    Type.LIST: {"type": "array", "items": {"type": "string"}},
}


@dataclasses.dataclass(frozen=True)
class SchemaField:
    """A field that somebody wants."""

    name: str
    type: Type = Type.STRING
    format: str = ""
    description: str = ""
    is_list: bool = False
    is_required: bool = False
    synonyms: tuple[str, ...] = ()
    """Further names of the field on pages."""
    choices: tuple[str, ...] = ()
    """The values that are allowed; empty if all are."""


@dataclasses.dataclass(frozen=True)
class Schema:
    """The fields that somebody wants, in order."""

    fields: tuple[SchemaField, ...]
    title: str = ""

    @classmethod
    def load(cls, source: Any) -> Schema:
        """Return the schema that a mapping, a file, a pydantic model or a dataclass describes."""
        if isinstance(source, Schema):
            return source
        if isinstance(source, str | PathLike):
            return cls.from_json(_read_file(Path(source)))
        if isinstance(source, Mapping):
            return cls.from_json(source)
        if hasattr(source, "model_json_schema"):
            return cls.from_json(_describe_model(source))
        if dataclasses.is_dataclass(source) and isinstance(source, type):
            return cls.from_json(_describe_dataclass(source))
        raise UsageError(
            "a schema is a JSON Schema, its file, a pydantic model or a dataclass,"
            f" not {type(source).__name__}"
        )

    @classmethod
    def from_json(cls, data: Any) -> Schema:
        """Read a JSON Schema of an object; it is untrusted."""
        if not isinstance(data, Mapping):
            raise UsageError("the schema is not a JSON object")
        root = data
        data = _resolve(data, root)
        if data.get("type") == "array":
            data = _resolve(data.get("items"), root)
        properties = data.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            raise UsageError("the schema has no properties: it must describe an object")
        if len(properties) > MAX_FIELDS:
            raise UsageError(f"the schema has more than {MAX_FIELDS} properties")
        required = set(_read_texts(data, "required", MAX_FIELDS))
        fields = [
            _read_field(str(name), each, root, str(name) in required)
            for name, each in properties.items()
        ]
        return cls(tuple(fields), str(data.get("title", ""))[:_MAX_TEXT])

    def to_json(self) -> dict[str, Any]:
        """Return the schema as a JSON Schema."""
        required = [field.name for field in self.fields if field.is_required]
        return {
            "$schema": _DIALECT,
            **({"title": self.title} if self.title else {}),
            "type": "object",
            "properties": {field.name: _write_field(field) for field in self.fields},
            **({"required": required} if required else {}),
        }


def _read_field(name: str, data: Any, root: Mapping[str, Any], is_required: bool) -> SchemaField:
    if not name.strip() or not name.isprintable() or len(name) > _MAX_NAME_LENGTH:
        raise UsageError(f"invalid name of a property: {name[:40]!r}")
    try:
        return _read_property(name, data, root, is_required)
    except UsageError as error:
        raise UsageError(f"property {name[:60]!r}: {error}") from None


def _read_property(name: str, data: Any, root: Mapping[str, Any], is_required: bool) -> SchemaField:
    data = _select_type(data, root)
    is_list = data.get("type") == "array"
    if is_list:
        inner = _select_type(data.get("items", {}), root)
        data = {**inner, **{key: data[key] for key in data if key not in ("type", "items")}}
    texts = [data[key][:_MAX_TEXT] for key in ("title", "description") if _has_text(data, key)]
    format_ = str(data.get("format", ""))
    json_type = str(data.get("type", "object" if "properties" in data else "string"))
    if json_type == "object":
        raise UsageError("objects inside of objects are not supported")
    if json_type == "array":
        raise UsageError("lists inside of lists are not supported")
    if json_type not in _TYPES_OF_JSON:
        raise UsageError(f"unknown type {json_type[:40]!r}")
    return SchemaField(
        name,
        _TYPES_OF_FORMATS.get(format_) or _TYPES_OF_JSON[json_type],
        format_,
        ". ".join(texts),
        is_list,
        is_required,
        tuple(_read_texts(data, "synonyms", _MAX_SYNONYMS)),
        tuple(_read_texts(data, "enum", _MAX_CHOICES)),
    )


def _has_text(data: Mapping[str, Any], key: str) -> bool:
    return isinstance(data.get(key), str) and bool(data[key])


def _write_field(field: SchemaField) -> dict[str, Any]:
    data = dict(_JSON_OF_TYPES.get(field.type, {"type": "string"}))
    if field.format:
        data["format"] = field.format
    if field.choices:
        data["enum"] = list(field.choices)
    if field.is_list:
        data = {"type": "array", "items": data}
    if field.description:
        data["description"] = field.description
    if field.synonyms:
        data["synonyms"] = list(field.synonyms)
    return data


def _resolve(data: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a sub-schema, or the definition in the same document that it refers to."""
    resolved: Any = {} if data is True else data
    for _ in range(_MAX_REFERENCES):
        if not isinstance(resolved, Mapping):
            raise UsageError("the schema is not a JSON object")
        given: dict[str, Any] = dict(resolved)
        reference = given.pop("$ref", None)
        if reference is None:
            return given
        resolved = {**_find_definition(str(reference), root), **given}
    raise UsageError("the references of the schema lead in a circle")


def _find_definition(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    target: Any = root if reference.startswith("#/") else None
    for part in reference[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        target = target.get(key) if isinstance(target, Mapping) else None
    if not isinstance(target, Mapping):
        raise UsageError(f"the schema has no definition {reference[:60]!r}")
    return {**target}


def _select_type(data: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a sub-schema with one type: of several, the first that is not null."""
    resolved = _resolve(data, root)
    for key in ("anyOf", "oneOf", "allOf"):
        options = resolved.get(key)
        if isinstance(options, list):
            alternatives = [_resolve(option, root) for option in options]
            chosen = next((each for each in alternatives if each.get("type") != "null"), {})
            return {**chosen, **{name: resolved[name] for name in resolved if name != key}}
    listed = resolved.get("type")
    if isinstance(listed, list):
        return {**resolved, "type": next((each for each in listed if each != "null"), "string")}
    return resolved


def _read_texts(data: Mapping[str, Any], key: str, max_texts: int) -> Iterable[str]:
    """Yield the texts of a list of the schema, and numbers as texts."""
    values = data.get(key, [])
    if not isinstance(values, list):
        raise UsageError(f"{key} is not a list")
    if len(values) > max_texts:
        raise UsageError(f"{key} has more than {max_texts} entries")
    for value in values:
        if value is not None:
            yield str(value)[:_MAX_TEXT]


def _read_file(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > MAX_FILE_BYTES:
        raise UsageError(f"{path}: too large for a schema")
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise UsageError(f"{path}: the schema is not JSON") from None


# ---- classes -------------------------------------------------------------------------------------


def _describe_model(source: Any) -> Any:
    """Return the JSON Schema of a pydantic model."""
    try:
        return source.model_json_schema()
    except (RuntimeError, NameError) as error:  # the bases of pydantic's errors
        reason = str(error).partition("\n")[0]
        raise UsageError(f"the model has no JSON Schema: {reason[:200]}") from None


def _describe_dataclass(source: type) -> dict[str, Any]:
    """Return the JSON Schema of a dataclass; ``metadata`` of its fields is added to it."""
    try:
        hints = typing.get_type_hints(source)
    except NameError as error:
        raise UsageError(f"the types of {source.__name__} are not defined: {error}") from None
    properties: dict[str, Any] = {}
    required: list[str] = []
    for field in dataclasses.fields(source):
        described, is_optional = _describe_hint(hints[field.name])
        properties[field.name] = {**described, **field.metadata}
        has_default = (
            field.default is not dataclasses.MISSING
            or field.default_factory is not dataclasses.MISSING
        )
        if not is_optional and not has_default:
            required.append(field.name)
    return {"title": source.__name__, "properties": properties, "required": required}


def _describe_hint(hint: Any) -> tuple[dict[str, Any], bool]:
    """Return the JSON Schema of a type, and whether None is allowed."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        options = [each for each in arguments if each is not type(None)]
        return _describe_hint(options[0])[0], len(options) < len(arguments)
    if origin is typing.Annotated:
        return _describe_hint(arguments[0])
    if origin is typing.Literal:
        return {"type": "string", "enum": list(arguments)}, False
    if origin in _LISTS or hint in _LISTS:
        items = _describe_hint(arguments[0])[0] if arguments else {"type": "string"}
        return {"type": "array", "items": items}, False
    if origin in _MAPPINGS or hint in _MAPPINGS or dataclasses.is_dataclass(hint):
        return {"type": "object"}, False
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"type": "string", "enum": [member.value for member in hint]}, False
    return dict(_JSON_OF_PYTHON.get(hint, {"type": "string"})), False
