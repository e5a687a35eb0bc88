"""Selectors on sample pages, which are parsed by unweave and, as Scrapy does it, by parsel.

It needs the extra ``crawl``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from unweave.errors import MissingExtra, PageTooLarge, UsageError
from unweave.lists.listing import IGNORED_URL_PREFIXES
from unweave.loading import PageInput, read_markup
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.page import Page
from unweave.selectors.expressions import ELEMENT, Axis, Form, Selector
from unweave.table import LIST_SEPARATOR
from unweave.wrappers.base import is_value

if TYPE_CHECKING:
    import parsel

Value = str | None | list[str] | list[str | None]
"""What a wrapper or a selector extracts from a page: a text without white space, or several."""

MAX_ELEMENTS = 30_000

# Work is estimated in visited elements, each about 20 ns. Measured with libxml2, in these units:
_COMPARISONS_PER_UNIT = 32  # of an element that // finds with those found from other elements
_CHARACTERS_PER_UNIT = 4  # of a text that is compared with a label
_UNITS_PER_RESULT = 100  # for each element whose texts are read
_NESTED_CELLS = 4  # layouts of tables have each text in this many cells

VISIBLE_TEXTS = (
    ".//text()[not(parent::script or parent::style or parent::noscript or parent::template)]"
)


class _TagSize(NamedTuple):
    """The size of the elements of one tag on a page."""

    elements: int = 0
    nesting: int = 0
    """The largest number of them that are inside of each other."""
    characters: int = 0
    """The sum of the text lengths of all elements; texts of nested ones count several times."""


@dataclass(frozen=True, eq=False)
class SamplePage:
    """A page that selectors are tested on."""

    page: Page
    root: parsel.Selector

    @classmethod
    def parse(
        cls, markup: bytes, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> SamplePage:
        """Parse a page from its bytes, or raise PageTooLarge."""
        page = Page.parse(markup, charset=charset, limits=limits)
        if len(page.tree) > MAX_ELEMENTS:
            raise PageTooLarge(
                "the page is too large to test selectors:"
                f" it has more than {MAX_ELEMENTS:,} elements"
            )
        try:
            import parsel
        except ImportError:
            raise MissingExtra("parsel", "crawl") from None
        try:
            text = markup.decode(page.encoding or "utf-8", errors="replace")
        except LookupError:
            text = markup.decode("utf-8", errors="replace")
        return cls(page, parsel.Selector(text=text, type="html"))

    def select(
        self, form: Form, selector: str, row: parsel.Selector | None = None
    ) -> list[parsel.Selector]:
        """Return the results on the page or in a row; none if unusual tags make it invalid."""
        start = self.root if row is None else row
        try:
            return list(start.xpath(selector) if form is Form.XPATH else start.css(selector))
        except (ValueError, SyntaxError, RuntimeError):
            return []

    @cached_property
    def classes(self) -> frozenset[str]:
        """The classes of all elements of the page."""
        return frozenset().union(
            *[(classes or "").split() for classes, _, _ in self.page.identifiers]
        )

    def estimate_cost(self, selector: Selector) -> int:
        """Estimate the work of running a selector on the page, in visited elements."""
        cost = 0
        for alternative in (selector, *selector.alternatives):
            parent = size = _TagSize()
            for step in alternative.steps:
                size = self._tag_sizes.get(step.tag, _TagSize())
                if any(name.startswith("#") for name in step.identifiers):
                    size = size._replace(elements=1, nesting=1)
                compared = parent.elements
                if step.axis is Axis.DESCENDANT:
                    compared = parent.nesting * size.elements
                cost += len(self.page.tree) + compared * size.elements // _COMPARISONS_PER_UNIT
                if step.conditions:
                    cost += size.characters // _CHARACTERS_PER_UNIT
                parent = size
            if alternative.content is ELEMENT:
                cost += size.elements * _UNITS_PER_RESULT
            if alternative.searches_backwards:  # the whole page for a label, for each element
                length = sum(map(len, self.page.texts))
                nested = max(0, size.characters - _NESTED_CELLS * length)
                units = len(self.page.tree) + nested // _CHARACTERS_PER_UNIT
                cost += size.elements * units
        return cost

    @cached_property
    def _tag_sizes(self) -> dict[str, _TagSize]:
        page, tree = self.page, self.page.tree
        characters_before = list(accumulate(map(len, page.texts), initial=0))
        sizes: defaultdict[str, _TagSize] = defaultdict(_TagSize)
        open_ends: defaultdict[str, list[int]] = defaultdict(list)
        for node, tag in enumerate(tree.labels):
            ends = open_ends[tag]
            while ends and ends[-1] <= node:
                ends.pop()
            ends.append(tree.ends[node])
            texts = page.text_nodes(node)
            characters = characters_before[texts.stop] - characters_before[texts.start]
            size = sizes[tag]
            nesting = max(size.nesting, len(ends))
            sizes[tag] = _TagSize(size.elements + 1, nesting, size.characters + characters)
        return dict(sizes)


def load_sample_page(source: PageInput | SamplePage) -> SamplePage:
    """Load a page to test selectors on, unless it is one already."""
    if isinstance(source, SamplePage):
        return source
    if isinstance(source, Page):
        raise UsageError("selectors are tested on markup: give the page's file or its bytes")
    markup, charset = read_markup(source)
    return SamplePage.parse(markup, charset=charset)


# ---- texts of results ----------------------------------------------------------------------------


def read_texts(
    results: Sequence[parsel.Selector],
    selector: Selector,
    has_content: Callable[[str], object] = is_value,
) -> list[str]:
    """Return the texts of results, or all of them as one, without those that have no content."""
    texts = [remove_spaces(read_text(result)) for result in results]
    return list(filter(has_content, ["".join(texts)] if selector.is_joined else texts))


def read_text(result: parsel.Selector) -> str:
    """Return a text or an attribute as it is, or the text of an element; comments have none."""
    node: Any = result.root
    if isinstance(node, str):
        return node
    is_element = isinstance(node.tag, str)  # the tag of a comment is a function
    return " ".join(result.xpath(VISIBLE_TEXTS).getall()) if is_element else ""


def remove_spaces(text: str) -> str:
    """Return a text without white space and the separator of lists in cells, for comparison."""
    return "".join(text.replace(LIST_SEPARATOR.strip(), " ").split())


def normalize_value(value: str | Sequence[str | None] | None) -> Value:
    """Return what a wrapper extracts in a form to be compared with results of selectors."""
    if value is None or isinstance(value, str):
        return value and remove_spaces(value)
    return [text and remove_spaces(text) for text in value]


def resolve_link(page: Page, link: str) -> str | None:
    """Return the URL of a link as unweave gives it; None if it leads nowhere."""
    if link.casefold().startswith(IGNORED_URL_PREFIXES):
        return None
    return remove_spaces(page.resolve_url(link))
