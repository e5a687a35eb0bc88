"""What a wrapper finds on all pages of a group, as one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from unweave.errors import PageError
from unweave.page.page import Page
from unweave.sinks.files import as_bytes, is_typed, rows_of
from unweave.table import Table
from unweave.wrappers.fields import tidy
from unweave.wrappers.wrapper import Wrapper


def found_on_all(wrapper: Wrapper, pages: Iterable[tuple[str, Page | None]], format: str) -> bytes:
    """A file with a row for each record of a list, or for each page; every row names its page, as the command line does."""
    return as_bytes(_rows(wrapper, pages, values=is_typed(format)), format)


def _rows(wrapper: Wrapper, pages: Iterable[tuple[str, Page | None]], *, values: bool) -> Iterator[dict[str, Any]]:
    for name, page in pages:
        try:
            found, fit = wrapper.apply(page) if page is not None else (None, 0.0)
        except PageError:
            continue
        if isinstance(found, Table):
            yield from ({"page": name, **row} for row in rows_of(found, values=values))
        elif found is not None:
            yield {"page": name, "fit": round(fit, 4), **tidy(found)}
