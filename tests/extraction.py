"""A short form of ``unweave.apply`` for tests."""

from __future__ import annotations

import unweave
from unweave.wrappers.base import Fields


def extract(
    wrapper: unweave.Wrapper, source: object, **options: object
) -> tuple[unweave.Table | Fields | None, float]:
    """Return the table or the fields that a wrapper extracts from a page, and the fit."""
    extraction = unweave.apply(wrapper, source, **options)
    return extraction.fields if extraction.table is None else extraction.table, extraction.fit
