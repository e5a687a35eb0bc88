"""unweave: a page is data woven into a template; unweave takes the two apart.

The verbs ``load_page``, ``records``, ``learn``, ``apply``, ``repair``, ``diff``, ``cluster``,
``news``, ``text``, ``site`` and ``explain`` do what the commands of these names do; ``repair`` is
``unweave learn --from``. Names are imported when they are first used.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unweave._version import __version__ as __version__

if TYPE_CHECKING:
    from unweave.api import (
        apply,
        cluster,
        diff,
        explain,
        join_records,
        learn,
        news,
        records,
        repair,
        schema_of,
        site,
        text,
    )
    from unweave.column_selection import ColumnSpec
    from unweave.comparison.table_diff import TableDiff
    from unweave.content.article import Article
    from unweave.content.document import Document
    from unweave.errors import (
        EmptyPage,
        MissingExtra,
        NotHTML,
        PageError,
        PageTooLarge,
        RenderError,
        SinkError,
        SourceError,
        TreeSyntaxError,
        UnweaveError,
        UsageError,
        WrapperError,
    )
    from unweave.loading import load_page
    from unweave.page.limits import Limits
    from unweave.page.page import Page
    from unweave.page.render import Renderer
    from unweave.table import Column, Table
    from unweave.wrappers.base import Extraction, Wrapper
    from unweave.wrappers.repair import Repair

_MODULES = {
    "unweave.api": (
        "apply cluster diff explain join_records learn news records repair schema_of site text"
    ),
    "unweave.column_selection": "ColumnSpec",
    "unweave.comparison.table_diff": "TableDiff",
    "unweave.content.article": "Article",
    "unweave.content.document": "Document",
    "unweave.errors": (
        "EmptyPage MissingExtra NotHTML PageError PageTooLarge RenderError SinkError SourceError"
        " TreeSyntaxError UnweaveError UsageError WrapperError"
    ),
    "unweave.loading": "load_page",
    "unweave.page.limits": "Limits",
    "unweave.page.page": "Page",
    "unweave.page.render": "Renderer",
    "unweave.table": "Column Table",
    "unweave.wrappers.base": "Extraction Wrapper",
    "unweave.wrappers.repair": "Repair",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "Article",
    "Column",
    "ColumnSpec",
    "Document",
    "EmptyPage",
    "Extraction",
    "Limits",
    "MissingExtra",
    "NotHTML",
    "Page",
    "PageError",
    "PageTooLarge",
    "RenderError",
    "Renderer",
    "Repair",
    "SinkError",
    "SourceError",
    "Table",
    "TableDiff",
    "TreeSyntaxError",
    "UnweaveError",
    "UsageError",
    "Wrapper",
    "WrapperError",
    "apply",
    "cluster",
    "diff",
    "explain",
    "join_records",
    "learn",
    "load_page",
    "news",
    "records",
    "repair",
    "schema_of",
    "site",
    "text",
]

logging.getLogger("unweave").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'unweave' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULE_OF]
