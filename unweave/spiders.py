"""For spiders: responses to rows, with a wrapper that was learned before. It needs no Scrapy, but is made for it.

from unweave.spiders import Rows

class Shop(scrapy.Spider):
    rows = Rows("shop.json")

    def parse(self, response):
        yield from self.rows(response)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any, Protocol

from unweave.errors import UsageError
from unweave.page.page import Page
from unweave.page.sniffing import parse_content_type_charset
from unweave.table import to_json_value
from unweave.wrappers.base import Wrapper


class Response(Protocol):
    """What is asked of a response; those of Scrapy have it."""

    url: str
    body: bytes
    headers: Mapping[str, Any]


class Rows:
    """Turns responses into rows: one a record where the wrapper is for lists, one a page where it is for fields.

    Every row has the page's ``url`` and its ``fit``. Pages that fit less than ``min_fit`` give none. With ``values``, cells
    of lists are numbers, days and so on where their column has such a type.
    """

    def __init__(
        self, wrapper: Wrapper | str | PathLike[str], *, min_fit: float = 0.5, values: bool = False
    ) -> None:
        if not 0 <= min_fit <= 1:
            raise UsageError(f"the least fit must be from 0 to 1, not {min_fit}")
        self._wrapper = Wrapper.load(wrapper) if isinstance(wrapper, str | PathLike) else wrapper
        self._min_fit = min_fit
        self._values = values

    def __call__(self, response: Response) -> Iterator[dict[str, Any]]:
        """The rows of a response."""
        extraction = self._wrapper.apply(
            Page.parse(response.body, url=response.url, charset=_read_charset(response))
        )
        if not extraction or extraction.fit < self._min_fit:
            return
        head = {"url": response.url, "fit": round(extraction.fit, 4)}
        if extraction.table is not None:
            columns = extraction.table.to_columns(values=self._values)
            for row in zip(*columns.values(), strict=True):
                yield {**head, **dict(zip(columns, map(to_json_value, row), strict=True))}
        else:
            yield {**head, **(extraction.fields or {})}


def _read_charset(response: Response) -> str | None:
    header = response.headers.get("Content-Type") or b""
    return parse_content_type_charset(header if isinstance(header, bytes) else str(header))
