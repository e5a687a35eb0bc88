"""What a wrapper finds on all pages of a group, as one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from unweave.errors import PageError
from unweave.page.page import Page
from unweave.sinks.files import BY_RECORD, open_rows
from unweave.table import Table, as_json
from unweave.wrappers.wrapper import Wrapper


def found_on_all(wrapper: Wrapper, pages: Iterable[tuple[str, Page | None]], format: str) -> bytes:
    """A file with a row for each record of a list, or for each page; every row names its page, as the command line does."""
    with TemporaryDirectory(prefix="unweave-studio-") as folder:
        path = Path(folder, f"all.{format}")
        with open_rows(str(path), format) as writer:
            for name, page in pages:
                for row in _rows(wrapper, name, page, is_typed=format in BY_RECORD and format != "csv"):
                    writer.write(row if format in BY_RECORD else {key: as_json(cell) for key, cell in row.items()})
        return path.read_bytes()


def _rows(wrapper: Wrapper, name: str, page: Page | None, *, is_typed: bool) -> Iterator[dict[str, Any]]:
    try:
        found, fit = wrapper.apply(page) if page is not None else (None, 0.0)
    except PageError:
        return
    if isinstance(found, Table):
        columns = found.by_name(values=is_typed)
        for row in zip(*columns.values(), strict=True):
            yield {"page": name, **dict(zip(columns, row, strict=True))}
    elif found is not None:
        yield {"page": name, "fit": round(fit, 4), **found}
