"""Sample pages, read as unweave reads them and as those do who will run the selectors; needs the extra ``crawl``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from unweave.errors import MissingExtra, PageTooLarge, UsageError
from unweave.lists.listing import IGNORED_URL_PREFIXES
from unweave.loading import Source, read_markup
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.page import Page
from unweave.selectors.expressions import WHOLE, Axis, Form, Kind, Selector
from unweave.table import LIST_SEPARATOR
from unweave.wrappers.base import is_value

if TYPE_CHECKING:
    import parsel

Value = str | None | list[str] | list[str | None]
"""What is found on a page, without its white space, which nobody sees: a text, several, or nothing."""

_MOST_ELEMENTS = 30_000

# Work is counted in elements that are visited, each about 20 ns. Measured with libxml2, in these units:
_COMPARISONS_PER_UNIT = (
    32  # elements that // finds are compared with all that it has found from other elements
)
_LETTERS_PER_UNIT = 4  # of a text that is compared with a label
_UNITS_PER_RESULT = 100  # for each element whose texts are read
_NESTED_TEXT = 4  # layouts of tables have each text in so many cells

# What an element says, without what is never drawn.
TEXTS = ".//text()[not(parent::script or parent::style or parent::noscript or parent::template)]"


class TagSize(NamedTuple):
    """How much of a page the elements of one tag are."""

    elements: int
    nesting: int
    """How many of them stand inside each other at most."""
    letters: int
    """The letters of all texts in each of them, those of nested ones again and again."""


_NO_ELEMENTS = TagSize(0, 0, 0)


@dataclass(frozen=True, eq=False)
class SamplePage:
    """One page, as two parsers see it."""

    page: Page
    root: parsel.Selector

    @classmethod
    def parse(
        cls, markup: bytes, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> SamplePage:
        """Read a page from its bytes."""
        page = Page.parse(markup, charset=charset, limits=limits)
        if len(page.tree) > _MOST_ELEMENTS:
            raise PageTooLarge(
                f"the page is too large to try selectors on: it has more than {_MOST_ELEMENTS:,} elements"
            )
        try:
            import parsel
        except ImportError:
            raise MissingExtra("parsel", "crawl") from None
        return cls(page, parsel.Selector(text=_decoded(markup, page.encoding), type="html"))

    def select(
        self, form: Form, selector: str, row: parsel.Selector | None = None
    ) -> list[parsel.Selector]:
        """What a selector finds on the page, or in a row of it; nothing if strange tags make it none."""
        start = self.root if row is None else row
        try:
            return list(start.xpath(selector) if form is Form.XPATH else start.css(selector))
        except (ValueError, SyntaxError, RuntimeError):
            return []

    def cost(self, selector: Selector) -> int:
        """Estimate the work of running a selector on the page, in units of visited elements."""
        return sum(map(self._cost, (selector, *selector.others)))

    def _cost(self, selector: Selector) -> int:
        units, above, here = 0, _NO_ELEMENTS, _NO_ELEMENTS
        for step in selector.steps:
            here = self._tag_sizes.get(step.tag, _NO_ELEMENTS)
            if any(word.kind is Kind.ID for word in step.words):
                here = here._replace(elements=1, nesting=1)
            overlapping = (
                above.nesting * here.elements if step.axis is Axis.BELOW else above.elements
            )
            units += len(self.page.tree) + overlapping * here.elements // _COMPARISONS_PER_UNIT
            units += here.letters // _LETTERS_PER_UNIT if step.conditions else 0
            above = here
        units += here.elements * _UNITS_PER_RESULT if selector.end is WHOLE else 0
        return (
            units + here.elements * self._cost_of_look_back(here) if selector.looks_back else units
        )

    def _cost_of_look_back(self, size: TagSize) -> int:
        """Estimate the work of searching the page for a label: all elements, and texts that are nested deep."""
        nested = max(0, size.letters - _NESTED_TEXT * sum(map(len, self.page.texts)))
        return len(self.page.tree) + nested // _LETTERS_PER_UNIT

    @cached_property
    def _tag_sizes(self) -> dict[str, TagSize]:
        page, tree = self.page, self.page.tree
        letters_before = list(accumulate(map(len, page.texts), initial=0))
        sizes: dict[str, TagSize] = {}
        open_ends: defaultdict[str, list[int]] = defaultdict(list)
        for node, tag in enumerate(tree.labels):
            around = open_ends[tag]
            while around and around[-1] <= node:
                around.pop()
            around.append(tree.ends[node])
            chunks = page.text_nodes(node)
            letters = letters_before[chunks.stop] - letters_before[chunks.start]
            size = sizes.get(tag, _NO_ELEMENTS)
            sizes[tag] = TagSize(
                size.elements + 1, max(size.nesting, len(around)), size.letters + letters
            )
        return sizes

    @cached_property
    def classes(self) -> frozenset[str]:
        """The classes of all elements of the page."""
        return frozenset(
            own for classes, _, _ in self.page.identifiers for own in (classes or "").split()
        )


def load_sample_page(source: Source | SamplePage) -> SamplePage:
    """Load a page to test selectors on, unless it is one already."""
    if isinstance(source, SamplePage):
        return source
    if isinstance(source, Page):
        raise UsageError("selectors are tested on markup: give the page's file or its bytes")
    markup, charset = read_markup(source)
    return SamplePage.parse(markup, charset=charset)


def _decoded(markup: bytes, encoding: str | None) -> str:
    try:
        return markup.decode(encoding or "utf-8", errors="replace")
    except LookupError:
        return markup.decode("utf-8", errors="replace")


def said(
    found: Sequence[parsel.Selector], selector: Selector, says: Callable[[str], object] = is_value
) -> list[str]:
    """What a selector finds, each text by itself or all as one, without those that say nothing."""
    texts = [squeezed(text_of(one)) for one in found]
    return list(filter(says, ["".join(texts)] if selector.is_joined else texts))


def text_of(found: parsel.Selector) -> str:
    """Return a text or an attribute as it is, or all texts of an element; comments have none."""
    node: Any = found.root
    if isinstance(node, str):
        return node
    is_element = isinstance(
        node.tag, str
    )  # of comments and processing instructions it is a function
    return " ".join(found.xpath(TEXTS).getall()) if is_element else ""


def squeezed(text: str) -> str:
    """A text without its white space, and without what wrappers put between several values in a cell."""
    return "".join(text.replace(LIST_SEPARATOR.strip(), " ").split())


def squeezed_value(value: str | Sequence[str | None] | None) -> Value:
    """What a wrapper finds, without its white space."""
    if value is None or isinstance(value, str):
        return value and squeezed(value)
    return [text and squeezed(text) for text in value]


def address(page: Page, said: str) -> str | None:
    """Where an attribute leads, as unweave gives it; None if it leads nowhere."""
    return (
        None
        if said.casefold().startswith(IGNORED_URL_PREFIXES)
        else squeezed(page.resolve_url(said))
    )
