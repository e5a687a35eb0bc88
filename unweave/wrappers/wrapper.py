"""Wrappers as files: plain JSON with a version, never code."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

from unweave.errors import SinkError, SourceError, WrapperError
from unweave.wrappers import landmark, news_pattern, pattern, records, seed, slots
from unweave.wrappers.landmark import LandmarkWrapper
from unweave.wrappers.news_pattern import NewsPatternWrapper
from unweave.wrappers.pattern import PatternWrapper
from unweave.wrappers.records import RecordWrapper
from unweave.wrappers.seed import SeedWrapper
from unweave.wrappers.slots import SlotWrapper

VERSION = 1

Wrapper = RecordWrapper | PatternWrapper | NewsPatternWrapper | LandmarkWrapper | SlotWrapper | SeedWrapper

_KINDS: dict[str, type[Wrapper]] = {
    records.KIND: RecordWrapper,
    pattern.KIND: PatternWrapper,
    news_pattern.KIND: NewsPatternWrapper,
    landmark.KIND: LandmarkWrapper,
    slots.KIND: SlotWrapper,
    seed.KIND: SeedWrapper,
}
_MOST_BYTES = 64 * 1024 * 1024


def gives_fields(wrapper: Wrapper) -> bool:
    """Does the wrapper find fields of a page, and no table?"""
    return not isinstance(wrapper, RecordWrapper | SeedWrapper)


def dumps(wrapper: Wrapper) -> str:
    """The wrapper as JSON."""
    kind = next(kind for kind, type_ in _KINDS.items() if isinstance(wrapper, type_))
    head = {"unweave": "wrapper", "version": VERSION, "kind": kind}
    text = json.dumps({**head, **wrapper.to_json()}, indent=1, ensure_ascii=False)
    if len(text) > _MOST_BYTES:
        raise WrapperError("the wrapper would be too large to be read again: learn from smaller pages")
    return text


def loads(text: str) -> Wrapper:
    """The wrapper that a JSON text describes."""
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise WrapperError("the wrapper is no JSON") from None
    if not isinstance(data, dict) or data.get("unweave") != "wrapper":
        raise WrapperError("this is JSON, but no wrapper of unweave")
    if data.get("version") != VERSION:
        raise WrapperError(
            f"the wrapper has version {repr(data.get('version'))[:40]}; this program reads version {VERSION}"
        )
    kind = data.get("kind")
    type_ = _KINDS.get(kind) if isinstance(kind, str) else None
    if type_ is None:
        raise WrapperError(f"the wrapper is of an unknown kind: {repr(kind)[:40]}")
    return type_.from_json(data)


def save(wrapper: Wrapper, path: str | PathLike[str]) -> None:
    """Write a wrapper to a file."""
    try:
        Path(path).write_text(dumps(wrapper) + "\n", encoding="utf-8")
    except OSError as error:
        raise SinkError(f"cannot write {path}: {error.strerror}") from None


def load(path: str | PathLike[str]) -> Wrapper:
    """Read a wrapper from a file."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise WrapperError(f"{path}: too large for a wrapper")
    try:
        return loads(data.decode())
    except UnicodeDecodeError:
        raise WrapperError(f"{path}: the wrapper is no JSON") from None
    except WrapperError as error:
        raise WrapperError(f"{path}: {error}") from None
