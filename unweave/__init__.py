"""unweave: a page is data woven into a template; unweave takes the two apart."""

from unweave._version import __version__ as __version__
from unweave.api import apply, cluster, explain, learn, news, pick, read, records, save, selectors, site, spider, together
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
from unweave.news.article import Article
from unweave.page.limits import Limits
from unweave.page.page import Page
from unweave.page.render import Renderer
from unweave.table import Column, Table

__all__ = [
    "Article",
    "Column",
    "EmptyPage",
    "Limits",
    "MissingExtra",
    "NotHTML",
    "Page",
    "PageError",
    "PageTooLarge",
    "RenderError",
    "Renderer",
    "SinkError",
    "SourceError",
    "Table",
    "TreeSyntaxError",
    "UnweaveError",
    "UsageError",
    "WrapperError",
    "apply",
    "cluster",
    "explain",
    "learn",
    "news",
    "pick",
    "read",
    "records",
    "save",
    "selectors",
    "site",
    "spider",
    "together",
]
