"""Rows of responses for Scrapy spiders, extracted with a learned wrapper. Scrapy is not required.

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
    """The attributes of a response that are used, as responses of Scrapy have them."""

    url: str
    body: bytes
    headers: Mapping[str, Any]


class Rows:
    """Extracts rows from responses: one for each record of a list, or one for each detail page.

    Every row has the ``url`` and the ``fit`` of the page. Pages with a fit below ``min_fit`` give
    none. With ``values``, cells of lists have the type of their column, such as number or date.
    """

    def __init__(
        self, wrapper: Wrapper | str | PathLike[str], *, min_fit: float = 0.5, values: bool = False
    ) -> None:
        if not 0 <= min_fit <= 1:
            raise UsageError(f"min_fit must be from 0 to 1, not {min_fit}")
        self._wrapper = Wrapper.load(wrapper) if isinstance(wrapper, str | PathLike) else wrapper
        self._min_fit = min_fit
        self._values = values

    def __call__(self, response: Response) -> Iterator[dict[str, Any]]:
        """Yield the rows of a response."""
        extraction = self._wrapper.apply(
            Page.parse(response.body, url=response.url, charset=_read_charset(response))
        )
        if not extraction or extraction.fit < self._min_fit:
            return
        common = {"url": response.url, "fit": round(extraction.fit, 4)}
        if extraction.table is not None:
            columns = extraction.table.to_columns(values=self._values)
            for row in zip(*columns.values(), strict=True):
                yield {**common, **dict(zip(columns, map(to_json_value, row), strict=True))}
        else:
            yield {**common, **(extraction.fields or {})}


def _read_charset(response: Response) -> str | None:
    header = response.headers.get("Content-Type") or b""
    return parse_content_type_charset(header if isinstance(header, bytes) else str(header))
