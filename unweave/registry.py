"""Implementations by name: those of unweave, of the running program, and of installed packages.

A registry holds one kind of implementation: list methods, learners, file formats, page sources.
Those of unweave are imported when they are first used. A program adds its own with ``register``; a
package adds its own with an entry point in the registry's group, which is looked up when a name is
not known otherwise.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from unweave.errors import UsageError

T = TypeVar("T")


class Registry(Generic[T]):
    """Implementations of one kind by name. An implementation is a class or a function."""

    def __init__(self, kind: str, group: str, builtin: Mapping[str, str] | None = None) -> None:
        """Make a registry of a kind, as messages call it; ``builtin`` has ``module:name`` paths."""
        self.kind = kind
        self.group = group
        self._paths = dict(builtin or {})
        self._registered: dict[str, T] = {}

    def register(self, name: str, implementation: T) -> None:
        """Add an implementation; one of the same name is replaced."""
        self._registered[name] = implementation

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, the built-in ones first."""
        return iter(dict.fromkeys([*self._paths, *self._registered, *self._entry_points]))

    def __contains__(self, name: object) -> bool:
        return name in self._paths or name in self._registered or name in self._entry_points

    @cached_property
    def _entry_points(self) -> dict[str, EntryPoint]:
        return {entry.name: entry for entry in entry_points(group=self.group)}

    def __getitem__(self, name: str) -> T:
        """Return an implementation, or raise a UsageError that lists the names."""
        if name not in self._registered:
            if name in self._paths:
                module, _, attribute = self._paths[name].partition(":")
                self._registered[name] = getattr(import_module(module), attribute)
            elif name in self._entry_points:
                self._registered[name] = self._entry_points[name].load()
        if name not in self._registered:
            raise UsageError(f"unknown {self.kind} {name!r}; choose from {', '.join(self)}")
        return self._registered[name]

    def make(self, name: str, options: Mapping[str, Any]) -> Any:
        """Return an instance of a class with options.

        Raises a UsageError for options that the class lacks, and for values of the wrong type.
        """
        implementation: Any = self[name]
        names = list_options(implementation)
        for option in options:
            if option not in names:
                raise UsageError(self._describe_unknown_option(name, option, names))
        for field in dataclasses.fields(implementation) if names else ():
            if field.name in options:
                _check_type(field, options[field.name])
        return implementation(**options)

    def _describe_unknown_option(self, name: str, option: str, names: list[str]) -> str:
        owners = [owner for owner in self._paths if option in list_options(self[owner])]
        has = f"its options are {', '.join(names)}" if names else "it has no options"
        hint = f" ({option} is an option of {', '.join(owners)})" if owners else ""
        return f"{self.kind} {name} has no option {option!r}; {has}{hint}"


def list_options(implementation: Any) -> list[str]:
    """Return the names of the options of an implementation: the fields of its dataclass."""
    if not dataclasses.is_dataclass(implementation):
        return []
    return [field.name for field in dataclasses.fields(implementation) if field.init]


_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "bool": ((bool,), "true or false"),
    "int": ((int,), "an integer"),
    "float": ((int, float), "a number"),
}


def check_option_types(options: Any) -> None:
    """Raise a UsageError if a number or a switch of an options dataclass has another type."""
    for field in dataclasses.fields(options):
        _check_type(field, getattr(options, field.name))


def _check_type(field: dataclasses.Field[Any], value: object) -> None:
    """Raise a UsageError if a value is not of the type in the field's annotation."""
    name = field.type.__name__ if isinstance(field.type, type) else str(field.type)
    if value is None and name.endswith(" | None"):
        return
    types, description = _TYPES.get(name.removesuffix(" | None"), ((object,), ""))
    is_unexpected_bool = isinstance(value, bool) and description and bool not in types
    if not isinstance(value, types) or is_unexpected_bool:
        raise UsageError(f"{field.name} must be {description}, not {value!r}")
