"""How closely a method that is named after a paper follows it."""

from __future__ import annotations

from enum import StrEnum

from unweave.errors import UsageError


class Variant(StrEnum):
    """A form of a published method; docs/explanation/methods.md lists what each of them does in
    each step.
    """

    PRINTED = "printed"
    """As the paper prints it, with its errors."""
    CORRECTED = "corrected"
    """With the errors of the paper corrected, and nothing added."""
    IMPROVED = "improved"
    """With what we have added to it."""


def check_variant(name: str) -> Variant:
    """Return the variant of this name; raises a UsageError that lists them if there is none."""
    if name not in list(Variant):
        raise UsageError(f"unknown variant {name[:40]!r}; choose from {', '.join(Variant)}")
    return Variant(name)
