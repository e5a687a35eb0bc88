"""Rows of responses for Scrapy spiders, extracted with a learned wrapper, and an item pipeline.

from unweave.spiders import Rows

class Shop(scrapy.Spider):
    rows = Rows("shop.json")

    def parse(self, response):
        yield from self.rows(response)

``Rows`` does not need Scrapy.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any, Protocol

from unweave.errors import UsageError, WrapperError
from unweave.page.page import Page
from unweave.page.sniffing import parse_content_type_charset
from unweave.table import Table, to_json_value
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
        if repair_after is not None and repair_after < 2:
            raise UsageError(f"repair_after must be at least 2, not {repair_after}")
        self._min_fit = _check_min_fit(min_fit)
        self.wrapper = _load(wrapper)
        self._values = values
        self._repair_after = repair_after
        self._rejected: list[tuple[str, Page]] = []

    def __call__(self, response: Response) -> Iterator[dict[str, Any]]:
        """Yield the rows of a response, and after a repair those of the pages before it."""
        page = _parse(response)
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
            for record in _build_records(extraction.table, self._values):
                yield {**common, **record}
        else:
            yield {**common, **(extraction.fields or {})}


class ExtractionPipeline:
    """An item pipeline of Scrapy that replaces the response in an item by what a wrapper extracts.

    The setting ``UNWEAVE_WRAPPER`` is the file of the wrapper, ``UNWEAVE_MIN_FIT`` the lowest fit,
    and ``UNWEAVE_VALUES`` tells whether cells of lists have the types of their columns. Spiders
    yield items with a ``response``; what comes out are dictionaries without it, and with the
    ``fit`` and the fields, or with the rows of a list as ``records``. Items whose page has a lower
    fit are dropped. Other items are passed on as they are.
    """

    def __init__(
        self,
        wrapper: Wrapper | str | PathLike[str],
        *,
        min_fit: float = MIN_FIT,
        values: bool = False,
    ) -> None:
        self._wrapper = _load(wrapper)
        self._min_fit = _check_min_fit(min_fit)
        self._values = values

    @classmethod
    def from_crawler(cls, crawler: Any) -> ExtractionPipeline:
        """Return the pipeline that the settings of a crawl ask for; Scrapy calls this."""
        path = crawler.settings.get("UNWEAVE_WRAPPER")
        if not path:
            raise UsageError("the setting UNWEAVE_WRAPPER must be the file of a wrapper")
        min_fit = crawler.settings.getfloat("UNWEAVE_MIN_FIT", MIN_FIT)
        values = crawler.settings.getbool("UNWEAVE_VALUES", False)
        return cls(path, min_fit=min_fit, values=values)

    def process_item(self, item: Any) -> Any:
        """Return the item with the fields of its page, or raise DropItem; Scrapy calls this."""
        from itemadapter import ItemAdapter
        from scrapy.exceptions import DropItem

        adapter = ItemAdapter(item)
        response = adapter.get("response")
        if response is None:
            return item
        common = {name: value for name, value in adapter.items() if name != "response"}
        extraction = self._wrapper.apply(_parse(response))
        if not extraction or extraction.fit < self._min_fit:
            raise DropItem(f"{response.url}: its fit is {extraction.fit:.2f}")
        if extraction.table is not None:
            fields: dict[str, Any] = {"records": _build_records(extraction.table, self._values)}
        else:
            fields = {**(extraction.fields or {})}
        return {"url": response.url, "fit": round(extraction.fit, 4), **fields, **common}


def _load(wrapper: Wrapper | str | PathLike[str]) -> Wrapper:
    return Wrapper.load(wrapper) if isinstance(wrapper, str | PathLike) else wrapper


def _check_min_fit(min_fit: float) -> float:
    if not 0 <= min_fit <= 1:
        raise UsageError(f"min_fit must be from 0 to 1, not {min_fit}")
    return min_fit


def _build_records(table: Table, values: bool) -> list[dict[str, Any]]:
    """Return the rows of a table as dictionaries of plain data."""
    columns = table.to_columns(values=values)
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, map(to_json_value, row), strict=True)) for row in rows]


def _parse(response: Response) -> Page:
    return Page.parse(response.body, url=response.url, charset=_read_charset(response))


def _read_charset(response: Response) -> str | None:
    header = response.headers.get("Content-Type") or b""
    return parse_content_type_charset(header if isinstance(header, bytes) else str(header))
