"""Sample pages, read as unweave reads them and as those do who will run the selectors; needs the extra ``crawl``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unweave.errors import MissingExtra, PageTooLarge
from unweave.exports.selectors import Form, Selector
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.page import Page
from unweave.records.items import LEADS_NOWHERE
from unweave.table import BETWEEN_VALUES
from unweave.wrappers.fields import is_value

if TYPE_CHECKING:
    import parsel

Value = str | None | list[str] | list[str | None]
"""What is found on a page, without its white space, which nobody sees: a text, several, or nothing."""

# What looks back from each text to the label before it takes a time that grows with the square of the page.
_MOST_ELEMENTS = 30_000

# What an element says, without what is never drawn.
TEXTS = ".//text()[not(parent::script or parent::style or parent::noscript or parent::template)]"


@dataclass(frozen=True, eq=False)
class Sample:
    """One page, as two parsers see it."""

    page: Page
    root: parsel.Selector

    @classmethod
    def read(cls, markup: bytes, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Sample:
        """Read a page from its bytes."""
        page = Page.parse(markup, charset=charset, limits=limits)
        if len(page.tree) > _MOST_ELEMENTS:
            raise PageTooLarge(f"the page is too large to try selectors on: it has more than {_MOST_ELEMENTS:,} elements")
        try:
            import parsel
        except ImportError:
            raise MissingExtra("parsel", "crawl") from None
        return cls(page, parsel.Selector(text=_decoded(markup, page.encoding), type="html"))

    def select(self, form: Form, selector: str, row: parsel.Selector | None = None) -> list[parsel.Selector]:
        """What a selector finds on the page, or in a row of it; nothing if strange tags make it none."""
        start = self.root if row is None else row
        try:
            return list(start.xpath(selector) if form is Form.XPATH else start.css(selector))
        except (ValueError, SyntaxError, RuntimeError):
            return []


def _decoded(markup: bytes, encoding: str | None) -> str:
    try:
        return markup.decode(encoding or "utf-8", errors="replace")
    except LookupError:
        return markup.decode("utf-8", errors="replace")


def said(found: Sequence[parsel.Selector], selector: Selector, says: Callable[[str], object] = is_value) -> list[str]:
    """What a selector finds, each text by itself or all as one, without those that say nothing."""
    texts = [squeezed(text_of(one)) for one in found]
    return list(filter(says, ["".join(texts)] if selector.is_joined else texts))


def text_of(found: parsel.Selector) -> str:
    """Return a text or an attribute as it is, or all texts of an element; comments have none."""
    node: Any = found.root
    if isinstance(node, str):
        return node
    is_element = isinstance(node.tag, str)  # of comments and processing instructions it is a function
    return " ".join(found.xpath(TEXTS).getall()) if is_element else ""


def squeezed(text: str) -> str:
    """A text without its white space, and without what wrappers put between several values in a cell."""
    return "".join(text.replace(BETWEEN_VALUES.strip(), " ").split())


def squeezed_value(value: str | Sequence[str | None] | None) -> Value:
    """What a wrapper finds, without its white space."""
    if value is None or isinstance(value, str):
        return value and squeezed(value)
    return [text and squeezed(text) for text in value]


def address(page: Page, said: str) -> str | None:
    """Where an attribute leads, as unweave gives it; None if it leads nowhere."""
    return None if said.casefold().startswith(LEADS_NOWHERE) else squeezed(page.absolute(said))
