"""Rows of responses for Scrapy spiders, extracted with a learned wrapper. Scrapy is not required.

from unweave.spiders import Rows

class Shop(scrapy.Spider):
    rows = Rows("shop.json")

    def parse(self, response):
        yield from self.rows(response)
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any, Protocol

from unweave.errors import UsageError, WrapperError
from unweave.page.page import Page
from unweave.page.sniffing import parse_content_type_charset
from unweave.table import to_json_value
from unweave.wrappers.base import MIN_FIT, Extraction, Wrapper
from unweave.wrappers.repair import repair

_logger = logging.getLogger(__name__)

# Pages of which a repair finds fewer of the fields are of another template.
_MIN_REPAIRED_SHARE = 0.5


class Response(Protocol):
    """The attributes of a response that are used, as responses of Scrapy have them."""

    url: str
    body: bytes
    headers: Mapping[str, Any]


class Rows:
    """Extracts rows from responses: one for each record of a list, or one for each detail page.

    Every row has the ``url`` and the ``fit`` of the page. Pages with a fit below ``min_fit`` give
    none. With ``values``, cells of lists have the type of their column, such as number or date.

    With ``repair_after``, pages with a low fit are collected, and as soon as there are so many of
    them, the wrapper is repaired with them; then they give their rows. ``wrapper`` is the wrapper
    in use, to be saved when the spider is done.
    """

    def __init__(
        self,
        wrapper: Wrapper | str | PathLike[str],
        *,
        min_fit: float = MIN_FIT,
        values: bool = False,
        repair_after: int | None = None,
    ) -> None:
        if not 0 <= min_fit <= 1:
            raise UsageError(f"min_fit must be from 0 to 1, not {min_fit}")
        if repair_after is not None and repair_after < 2:
            raise UsageError(f"repair_after must be at least 2, not {repair_after}")
        self.wrapper = Wrapper.load(wrapper) if isinstance(wrapper, str | PathLike) else wrapper
        self._min_fit = min_fit
        self._values = values
        self._repair_after = repair_after
        self._rejected: list[tuple[str, Page]] = []

    def __call__(self, response: Response) -> Iterator[dict[str, Any]]:
        """Yield the rows of a response, and after a repair those of the pages before it."""
        page = Page.parse(response.body, url=response.url, charset=_read_charset(response))
        extraction = self.wrapper.apply(page)
        if extraction and extraction.fit >= self._min_fit:
            yield from self._build_rows(response.url, extraction)
        elif self._repair_after is not None:
            self._rejected.append((response.url, page))
            if len(self._rejected) == self._repair_after:
                yield from self._repair()

    def _repair(self) -> Iterator[dict[str, Any]]:
        """Repair the wrapper with the rejected pages, and yield their rows."""
        rejected, self._rejected = self._rejected, []
        try:
            repaired = repair(self.wrapper, [page for _, page in rejected])
        except WrapperError as error:
            _logger.warning(
                "the wrapper cannot be repaired with %d pages: %s", len(rejected), error
            )
            return
        found = len(repaired.kept) + len(repaired.moved)
        if found < _MIN_REPAIRED_SHARE * (found + len(repaired.lost)):
            _logger.warning(
                "%d pages with a low fit are of another template: the wrapper is kept",
                len(rejected),
            )
            return
        _logger.warning("the wrapper was repaired with %d pages: %s", len(rejected), repaired)
        self.wrapper = repaired.wrapper
        for url, page in rejected:
            extraction = self.wrapper.apply(page)
            if extraction and extraction.fit >= self._min_fit:
                yield from self._build_rows(url, extraction)

    def _build_rows(self, url: str, extraction: Extraction) -> Iterator[dict[str, Any]]:
        common = {"url": url, "fit": round(extraction.fit, 4)}
        if extraction.table is not None:
            columns = extraction.table.to_columns(values=self._values)
            for row in zip(*columns.values(), strict=True):
                yield {**common, **dict(zip(columns, map(to_json_value, row), strict=True))}
        else:
            yield {**common, **(extraction.fields or {})}


def _read_charset(response: Response) -> str | None:
    header = response.headers.get("Content-Type") or b""
    return parse_content_type_charset(header if isinstance(header, bytes) else str(header))
