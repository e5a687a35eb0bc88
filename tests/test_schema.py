"""Schemas: what JSON Schema, pydantic and dataclasses say of fields, and what is refused."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal, Optional

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.errors import SourceError, UsageError
from unweave.schema import MAX_FIELDS, MAX_FILE_BYTES, Schema, SchemaField
from unweave.values.types import Type

BOOK = {
    "title": "Book",
    "type": "object",
    "properties": {
        "title": {"type": "string", "title": "Title", "description": "the name of the book"},
        "price": {"type": "number"},
        "pages": {"type": ["null", "integer"]},
        "released": {"type": "string", "format": "date", "synonyms": ["came out"]},
        "cover": {"enum": ["hard", "soft"]},
        "cover_image": {"type": "string", "format": "uri"},
        "genres": {"type": "array", "items": {"type": "string"}},
        "years": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
    },
    "required": ["title", "price"],
}


class Cover(Enum):
    HARD = "hard"
    SOFT = "soft"


class PydanticBook(pydantic.BaseModel):
    title: str = pydantic.Field(description="the name of the book")
    price: Decimal
    pages: int | None = None
    released: date | None = pydantic.Field(None, json_schema_extra={"synonyms": ["came out"]})
    cover: Cover = Cover.HARD
    cover_image: pydantic.HttpUrl | None = None
    genres: list[str] = []
    years: list[int] = []


@dataclass
class DataclassBook:
    title: str = field(metadata={"description": "the name of the book"})
    price: Decimal
    pages: Optional[int]  # noqa: UP045
    released: date | None = field(default=None, metadata={"synonyms": ["came out"]})
    cover: Literal["hard", "soft"] = "hard"
    cover_image: Annotated[str, "an address"] = field(default="", metadata={"format": "uri"})
    genres: list[str] = field(default_factory=list)
    years: tuple[int, ...] = ()


def describe(schema):
    return {each.name: (each.type, each.is_list, each.is_required) for each in schema.fields}


EXPECTED = {
    "title": (Type.STRING, False, True),
    "price": (Type.NUMBER, False, True),
    "pages": (Type.INTEGER, False, False),
    "released": (Type.DATE, False, False),
    "cover": (Type.STRING, False, False),
    "cover_image": (Type.URL, False, False),
    "genres": (Type.STRING, True, False),
    "years": (Type.INTEGER, True, False),
}


@pytest.mark.parametrize(
    "source", [BOOK, PydanticBook, DataclassBook, PydanticBook(title="a", price=1)]
)
def test_all_sources_say_the_same(source):
    schema = Schema.load(source)
    assert describe(schema) == EXPECTED
    assert list(describe(schema)) == list(EXPECTED)
    fields = {each.name: each for each in schema.fields}
    assert "the name of the book" in fields["title"].description
    assert fields["released"].synonyms == ("came out",)
    assert fields["cover"].choices == ("hard", "soft")


def test_a_file_is_read(tmp_path):
    path = tmp_path / "book.json"
    path.write_text(json.dumps(BOOK), encoding="utf-8")
    assert Schema.load(path) == Schema.load(str(path)) == Schema.load(BOOK)


def test_dataclasses_with_enumerations_and_bare_lists():
    @dataclass
    class Item:
        cover: Cover
        tags: list

    first, second = Schema.load(Item).fields
    assert first.choices == ("hard", "soft")
    assert (second.is_list, second.type) == (True, Type.STRING)


def test_a_list_of_objects_is_the_schema_of_an_object():
    assert Schema.load({"type": "array", "items": BOOK}).fields == Schema.load(BOOK).fields


@pytest.mark.parametrize("name", ["Book", "a/b", "a~b"])
def test_references_lead_to_definitions(name):
    pointer = name.replace("~", "~0").replace("/", "~1")
    data = {
        "$ref": f"#/$defs/{pointer}",
        "$defs": {
            name: {"properties": {"price": {"$ref": "#/$defs/amount"}}},
            "amount": {"$ref": "#/$defs/number", "description": "in euros"},
            "number": {"type": "number"},
        },
    }
    (price,) = Schema.load(data).fields
    assert (price.type, price.description) == (Type.NUMBER, "in euros")


def test_all_choices_are_kept():
    countries = [f"Country {number}" for number in range(250)]
    (only,) = Schema.load({"properties": {"country": {"enum": countries}}}).fields
    assert len(only.choices) == 250


# ---- what is refused -----------------------------------------------------------------------------

CIRCLE = {"type": "array", "items": {"$ref": "#/$defs/A"}}
NESTED = {"properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "not list"),
        ({}, "has no properties"),
        ({"type": "string"}, "has no properties"),
        ({"properties": []}, "has no properties"),
        ({"type": "array"}, "is not a JSON object"),
        ({"properties": {f"f{n}": {} for n in range(MAX_FIELDS + 1)}}, "more than 500"),
        ({"properties": {"a": {"type": "object", **NESTED}}}, "'a': objects inside of objects"),
        ({"properties": {"a": NESTED}}, "'a': objects inside of objects"),
        ({"properties": {"a": {"type": "array", "items": NESTED}}}, "objects inside of objects"),
        ({"properties": {"a": {"type": ["null", "object"]}}}, "objects inside of objects"),
        ({"properties": {"a": {"type": "array", "items": {"type": "array"}}}}, "lists inside of"),
        ({"properties": {"a": {"type": "text"}}}, "'a': unknown type 'text'"),
        ({"properties": {"a": {"type": 5}}}, "unknown type '5'"),
        ({"properties": {"a": {"type": {}}}}, "unknown type"),
        ({"properties": {"a": "string"}}, "'a': the schema is not a JSON object"),
        ({"properties": {"a": {"enum": "abc"}}}, "enum is not a list"),
        ({"properties": {"a": {"enum": list(range(2_000))}}}, "enum has more than 1000"),
        ({"properties": {"a": {"synonyms": "abc"}}}, "synonyms is not a list"),
        ({"properties": {"a": {}}, "required": "a"}, "required is not a list"),
        ({"properties": {"": {}}}, "invalid name of a property"),
        ({"properties": {"a\nb": {}}}, "invalid name of a property"),
        ({"properties": {"a" * 300: {}}}, "invalid name of a property"),
        ({"properties": {"a": {"$ref": "#/$defs/B"}}}, "no definition '#/$defs/B'"),
        ({"properties": {"a": {"$ref": "https://example.com/s.json"}}}, "no definition 'https:"),
        ({"properties": {"a": {"$ref": 5}}}, "no definition '5'"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "lead in a circle"),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, "lead in a circle"),
        ({**CIRCLE, "$defs": {"A": CIRCLE}}, "has no properties"),
        ({"properties": {"a": CIRCLE}, "$defs": {"A": CIRCLE}}, "lists inside of lists"),
    ],
)
def test_schemas_that_are_refused(data, message):
    with pytest.raises(UsageError) as raised:
        Schema.load(data)
    assert message in str(raised.value)
    assert len(str(raised.value)) < 200


@dataclass
class Author:
    name: str


@dataclass
class WithObject:
    author: Author


@dataclass
class WithObjects:
    authors: list[Author]


@dataclass
class WithMapping:
    sizes: Mapping[str, int]


@dataclass
class WithUnknownType:
    author: "Nobody"  # noqa: F821


@dataclass
class Empty:
    pass


class Part(pydantic.BaseModel):
    parts: list["Part"] = []


class WithFunction(pydantic.BaseModel):
    convert: Callable[[str], str]


class WithUndefined(pydantic.BaseModel):
    author: "Nobody"  # noqa: F821


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (WithFunction, "the model has no JSON Schema: "),
        (WithUndefined, "the model has no JSON Schema: "),
        (WithObject, "'author': objects inside of objects"),
        (WithObjects, "'authors': objects inside of objects"),
        (WithMapping, "'sizes': objects inside of objects"),
        (WithUnknownType, "the types of WithUnknownType are not defined"),
        (Empty, "has no properties"),
        (Part, "'parts': objects inside of objects"),
        (Author("Ann"), "not Author"),
        (5, "not int"),
        (None, "not NoneType"),
    ],
)
def test_classes_that_are_refused(source, message):
    with pytest.raises(UsageError, match=message):
        Schema.load(source)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"properties": 5}', "no properties"),
        (b" " * (MAX_FILE_BYTES + 1), "too large"),
    ],
    ids=["empty", "bytes", "deep", "wrong", "large"],
)
def test_files_that_are_refused(tmp_path, content, message):
    path = tmp_path / "schema.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        Schema.load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"no\.json: cannot be read"):
        Schema.load(tmp_path / "no.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "type properties items $ref $defs anyOf enum format required synonyms title a".split()
            )
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=5), JSON, max_size=4),
    st.dictionaries(st.text(max_size=5), JSON, max_size=3),
    JSON,
)
def test_any_json_is_a_schema_or_refused(properties, definitions, required):
    data = {"properties": properties, "$defs": definitions, "required": required}
    try:
        schema = Schema.load(data)
    except UsageError:
        return
    assert [each.name for each in schema.fields] == list(properties)


FIELDS = st.builds(
    SchemaField,
    name=st.text(st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=9),
    type=st.sampled_from(
        [Type.STRING, Type.INTEGER, Type.NUMBER, Type.BOOLEAN, Type.DATE, Type.TIME, Type.URL]
    ),
    description=st.text(max_size=20),
    is_list=st.booleans(),
    is_required=st.booleans(),
    synonyms=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    choices=st.lists(st.text(max_size=5), max_size=3).map(tuple),
)


@given(st.lists(FIELDS, min_size=1, max_size=6, unique_by=lambda each: each.name))
def test_a_written_schema_is_read_as_the_same(fields):
    written = Schema(tuple(fields), "A").to_json()
    read = Schema.load(json.loads(json.dumps(written)))
    assert read.to_json() == written
    assert describe(read) == describe(Schema(tuple(fields)))


def test_datetimes_have_a_format():
    @dataclass
    class Event:
        start: datetime

    written = Schema.load(Event).to_json()
    assert written["properties"]["start"] == {"type": "string", "format": "date-time"}
