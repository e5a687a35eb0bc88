"""Build the content tree of a page: walk over its elements once, and keep what is content.

A tree is at most ``MAX_NESTING`` levels deep, however deep the page is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from unweave.content.blocks import Block, join_names, mark_silent_nodes
from unweave.content.content_tree import (
    EMPHASIS,
    STRIKE,
    STRONG,
    Code,
    Container,
    ContentTree,
    Heading,
    Item,
    ItemList,
    Node,
    Paragraph,
    Piece,
    Pieces,
    Quote,
    Rule,
    Table,
    join_pieces,
)
from unweave.content.content_urls import find_image_url, resolve_link
from unweave.content.table_layout import find_data_tables
from unweave.page.boilerplate import ARTICLE_BOILERPLATE_WORDS
from unweave.page.page import BLOCK_TAGS, Page
from unweave.page.parse import PREFORMATTED_TAGS

MAX_NESTING = 8
"""Lists and quotes inside each other; deeper ones are written like those around them."""
MAX_LIST_START = 99_999_999
"""CommonMark allows nine digits."""

_STYLES = {
    **dict.fromkeys(["b", "strong", "dt"], STRONG),
    **dict.fromkeys(["i", "em"], EMPHASIS),
    **dict.fromkeys(["s", "strike", "del"], STRIKE),
}
_CODE_TAGS = frozenset("code kbd samp tt".split())
_HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
_LIST_TAGS = frozenset("ul ol menu dir".split())
_CELL_TAGS = frozenset(["td", "th"])
# Elements that break no line by themselves though Page counts them among those that do.
_INLINE_BLOCKS = frozenset("body br html img input".split())
_PERMALINK_TEXTS = frozenset("# ¶ § 🔗 ⚓".split())
_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|brush:\s*|sourceCode\s+)"
    r"([\w+#.-]{1,30})",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(r"[A-Za-z][\w+#.-]{0,29}")
_NO_LANGUAGES = frozenset(
    "none plain text plaintext txt default notranslate nohighlight wrapper block".split()
)


def build_content_tree(
    page: Page,
    blocks: Iterable[Block],
    *,
    title: str | None = None,
    extra: Iterable[str] = (),
    is_silent: Sequence[bool] | None = None,
) -> ContentTree:
    """Build the content tree of the blocks of a page.

    A heading with the text of ``title`` is left out, because the title is written above the
    content. ``extra`` are paragraphs that follow the blocks. ``is_silent`` tells which nodes are
    hidden, if that is known.
    """
    if is_silent is None:
        is_silent = mark_silent_nodes(page)
    tree = _TreeBuilder(page, list(blocks), title, is_silent).build()
    tree.children.extend(Paragraph([Piece(text, "")]) for text in extra if text)
    return tree


class _OpenElement(NamedTuple):
    node: int
    end: int
    closes: str
    """What ends with it: "" for nothing, "line", "heading", "cell", "container" or "table"."""
    style: int
    code: int
    link: int
    url: str | None


class _TreeBuilder:
    """Walks over a page and builds the tree."""

    def __init__(
        self, page: Page, blocks: Sequence[Block], title: str | None, is_silent: Sequence[bool]
    ) -> None:
        self._page = page
        self._title = " ".join((title or "").split()).casefold()
        parents = page.text_parents
        self._is_kept = bytearray(len(page.texts))
        for block in blocks:
            for text_node in block.text_nodes:
                self._is_kept[text_node] = not is_silent[parents[text_node]]
        self._kept_before = list(accumulate(self._is_kept, initial=0))
        self._images = self._select_images(blocks, is_silent)
        nodes = range(len(page.tree))
        self._images_before = list(accumulate([node in self._images for node in nodes], initial=0))
        self._data_tables = find_data_tables(page, self._kept_before, blocks)
        self._continuations = frozenset(page.continuations)
        self._raw_texts = page.raw_texts

        self._containers: list[Container] = [ContentTree()]
        self._open: list[_OpenElement] = []
        self._pieces: list[Piece] = []
        self._separator = ""
        self._style, self._code, self._link = 0, -1, -1
        self._url: str | None = None
        self._heading = 0
        self._is_in_line = False
        """Whether a heading or cell is open, in which nothing starts another line."""
        self._rows: list[tuple[int, dict[int, Pieces]]] = []
        self._shown_images: set[str] = set()
        self._last_text = -1
        self._has_title = False

    def build(self) -> ContentTree:
        page, tree = self._page, self._page.tree
        positions, parents = page.text_positions, page.text_parents
        node, end, text_node, text_count = 0, len(tree), 0, len(page.texts)
        while True:
            if text_node < text_count and positions[text_node] <= node:
                if self._is_kept[text_node]:
                    while self._open and self._open[-1].node > parents[text_node]:
                        self._close()
                    self._add_text(text_node)
                text_node += 1
                continue
            while self._open and (node >= end or self._open[-1].end <= node):
                self._close()
            if node >= end:
                break
            if not self._is_skipped(node) and self._enter(node):
                node += 1
                continue
            text_node = max(text_node, page.text_ends[node])
            node = tree.ends[node]
        self._end_line()
        (root,) = self._containers
        assert isinstance(root, ContentTree)  # noqa: S101
        while root.children and isinstance(root.children[-1], Rule):
            root.children.pop()
        return root

    # ---- what is kept ----------------------------------------------------------------------------

    def _count_kept(self, node: int) -> int:
        page = self._page
        return self._kept_before[page.text_ends[node]] - self._kept_before[page.text_starts[node]]

    def _is_skipped(self, node: int) -> bool:
        """Tell whether nothing of an element is part of the content."""
        label = self._page.tree.labels[node]
        if label in ("br", "hr") or node in self._images:
            return False
        has_image = self._images_before[node] < self._images_before[self._page.tree.ends[node]]
        if not self._count_kept(node) and not has_image:
            return True
        return (
            label == "a"
            and (self._heading > 0 or self._leads_to_this_page(node))
            and self._page.count_texts(node) == 1
            and self._page.text(node) in _PERMALINK_TEXTS
        )

    def _leads_to_this_page(self, node: int) -> bool:
        return (self._page.get_attribute(node, "href") or "").lstrip().startswith("#")

    def _select_images(self, blocks: Sequence[Block], is_silent: Sequence[bool]) -> dict[int, str]:
        """Return the images of the content, each with its URL.

        An image belongs to the content if the nearest element around it with any text has text of
        the content, and no element up to there is boilerplate. The caption of a figure need not be
        part of the content.
        """
        if not blocks:
            return {}
        tree = self._page.tree
        owners = [block.owner for block in blocks]
        top, last = min(owners), max(owners)
        while tree.ends[top] <= last:
            top = tree.parents[top]
        images: dict[int, str] = {}
        labels = enumerate(tree.labels[top : tree.ends[top]], start=top)
        for node in [node for node, label in labels if label == "img"]:
            if not is_silent[node] and self._is_near_content(node):
                url = find_image_url(self._page, node)
                if url:
                    images[node] = url
        return images

    def _is_near_content(self, image: int) -> bool:
        page = self._page
        for node in page.tree.ancestors(image):
            label = page.tree.labels[node]
            if self._count_kept(node):
                return True
            if page.count_texts(node) and label not in ("figure", "picture"):
                return False
            if label in ("nav", "header", "footer", "aside", "form") or (
                ARTICLE_BOILERPLATE_WORDS.search(join_names(page, node))
            ):
                return False
        return False

    # ---- elements --------------------------------------------------------------------------------

    def _enter(self, node: int) -> bool:
        """Start an element; return False if all of it was added."""
        label = self._page.tree.labels[node]
        if label == "br":
            self._separator = self._separator + "\n" if "\n" in self._separator else "\n"
            return False
        if node in self._images:
            self._add_image(node)
            return False
        closes = ""
        state = (self._style, self._code, self._link, self._url)
        if label in BLOCK_TAGS and label not in _INLINE_BLOCKS and not self._is_in_line:
            self._end_line()
            if label == "hr":
                self._add_rule()
                return False
            if label in PREFORMATTED_TAGS:
                self._add_code(node)
                return False
            closes = self._enter_block(node, label)
        self._enter_inline(node, label)
        self._open.append(_OpenElement(node, self._page.tree.ends[node], closes, *state))
        return True

    def _enter_block(self, node: int, label: str) -> str:
        """Start an element that starts a line; return what its end closes."""
        page = self._page
        if label in _HEADING_LEVELS or label == "caption":
            self._heading = _HEADING_LEVELS.get(label, 0)
            self._is_in_line = True
            return "heading"
        if node in self._data_tables:
            self._rows = []
            return "table"
        if label == "tr" and self._get_data_table(node) is not None:
            self._rows.append((node, {}))
        if label in _CELL_TAGS and self._rows and page.tree.parents[node] == self._rows[-1][0]:
            self._is_in_line = True
            return "cell"
        has_room = len(self._containers) <= 2 * MAX_NESTING
        if label == "li" and isinstance(self._containers[-1], ItemList):
            self._containers.append(Item())
            return "container"
        if label in _LIST_TAGS and has_room:
            start = self._read_start(node) if label == "ol" else None
            self._containers.append(ItemList(start))
            return "container"
        if label == "blockquote" and has_room:
            self._containers.append(Quote())
            return "container"
        return "line"

    def _enter_inline(self, node: int, label: str) -> None:
        """Start the style, code or link that an element stands for."""
        if self._code < 0:
            self._style |= _STYLES.get(label, 0)
            if label in _CODE_TAGS:
                self._code = node
        # Headings that are links to themselves are for the address bar, and not for readers.
        if label == "a" and not (self._heading and self._leads_to_this_page(node)):
            url = resolve_link(self._page, self._page.get_attribute(node, "href"))
            self._link, self._url = (node, url) if url else (-1, None)

    def _close(self) -> None:
        """End the innermost open element."""
        element = self._open.pop()
        node, closes = element.node, element.closes
        if closes == "cell":
            self._end_cell(node)
        elif closes:
            self._end_line()
        if closes == "table":
            self._end_table(node)
        elif closes == "container":
            self._end_container()
        elif closes in ("heading", "cell"):
            self._is_in_line = False
            self._heading = 0
        self._style, self._code = element.style, element.code
        self._link, self._url = element.link, element.url

    def _read_start(self, node: int) -> int:
        text = (self._page.get_attribute(node, "start") or "").strip()
        is_number = text.isascii() and text.isdecimal() and len(text) < 10
        return int(text) if is_number and int(text) <= MAX_LIST_START else 1

    def _get_data_table(self, row: int) -> int | None:
        tree = self._page.tree
        parent = tree.parents[row]
        table = parent if tree.labels[parent] == "table" else tree.parents[parent]
        return table if table in self._data_tables else None

    # ---- content ---------------------------------------------------------------------------------

    def _add_text(self, text_node: int) -> None:
        separator = self._separator
        if not separator:
            is_next = text_node == self._last_text + 1
            separator = "" if is_next and text_node in self._continuations else " "
            raw, before = self._raw_texts.get(text_node), self._raw_texts.get(text_node - 1)
            is_same_code = self._pieces and self._code >= 0 and self._pieces[-1].code == self._code
            if is_same_code and is_next and raw and before:
                separator = " " if raw[0].isspace() or before[-1].isspace() else ""
        self._add_piece(self._page.texts[text_node], separator)
        self._last_text = text_node

    def _add_image(self, node: int) -> None:
        url = self._images[node]
        if url not in self._shown_images:
            self._shown_images.add(url)
            text = " ".join((self._page.get_attribute(node, "alt") or "").split())
            self._add_piece(text, self._separator or " ", image=url)

    def _add_piece(self, text: str, separator: str, image: str | None = None) -> None:
        if separator.count("\n") > 1 and not self._is_in_line:
            self._end_line()
        if not self._pieces:
            separator = ""
        self._pieces.append(
            Piece(
                text,
                separator[:1],
                self._style,
                -1 if image else self._code,
                self._link,
                self._url,
                image,
            )
        )
        self._separator = ""

    def _end_line(self) -> None:
        """Add the pieces since the last line as a heading or a paragraph."""
        pieces, self._pieces, self._separator = self._pieces, [], ""
        if not pieces:
            return
        is_title = bool(self._title) and join_pieces(pieces).casefold() == self._title
        if is_title and not self._has_title and (self._heading or not self._has_content()):
            self._has_title = True
        elif self._heading:
            self._add(Heading(self._heading, pieces))
        else:
            self._add(Paragraph(pieces))

    def _has_content(self) -> bool:
        return any(container.children for container in self._containers)

    def _add(self, node: Node) -> None:
        container = self._containers[-1]
        if not isinstance(container, ItemList):
            container.children.append(node)
            return
        # Anything in a list that is not in an item: a list belongs to the item before it.
        last = container.children[-1] if container.children else None
        if isinstance(last, Item) and isinstance(node, ItemList):
            last.children.append(node)
        else:
            container.children.append(Item([node]))

    def _add_rule(self) -> None:
        """Add a rule, unless there is nothing or another rule before it."""
        children = self._containers[-1].children
        if children and not isinstance(children[-1], Rule | Item):
            self._add(Rule())

    def _add_code(self, node: int) -> None:
        text = read_code(self._page, node, self._is_kept)
        if text:
            self._add(Code(text, _find_language(self._page, node)))

    def _end_container(self) -> None:
        container = self._containers.pop()
        while container.children and isinstance(container.children[-1], Rule):
            container.children.pop()
        if not container.children:
            return
        if isinstance(container, Item):
            self._containers[-1].children.append(container)
        elif isinstance(container, Quote | ItemList):
            self._add(container)

    def _end_cell(self, node: int) -> None:
        pieces, self._pieces, self._separator = self._pieces, [], ""
        column = self._page.table_grid.columns.get(node, len(self._rows[-1][1]))
        if pieces:
            self._rows[-1][1][column] = pieces

    def _end_table(self, node: int) -> None:
        rows = [(row, cells) for row, cells in self._rows if cells]
        self._rows = []
        if rows:
            self._add(
                Table(
                    [
                        [cells.get(column, ()) for column in range(max(cells) + 1)]
                        for _, cells in rows
                    ],
                    rows[0][0] in self._page.table_grid.header_rows
                    or self._has_only_headers(rows[0][0]),
                )
            )

    def _has_only_headers(self, row: int) -> bool:
        labels = self._page.tree.labels
        cells = [labels[kid] for kid in self._page.tree.children(row) if labels[kid] in _CELL_TAGS]
        return "th" in cells and "td" not in cells


def read_code(page: Page, node: int, is_kept: Sequence[int] | None = None) -> str:
    """Return the text of a preformatted element with its lines; only text nodes that are kept."""
    labels = page.tree.labels[node : page.tree.ends[node]]
    breaks = list(accumulate([label == "br" for label in labels], initial=0))
    parts: list[str] = []
    previous = line = -1
    for text_node in page.text_nodes(node):
        if is_kept is not None and not is_kept[text_node]:
            continue
        raw = page.raw_texts.get(text_node, page.texts[text_node])
        position = page.text_positions[text_node] - node
        owner = page.block_ancestors[page.text_parents[text_node]]
        if parts:
            count = breaks[position] - breaks[previous]
            is_broken = parts[-1].endswith("\n") or raw.lstrip(" \t").startswith("\n")
            if owner != line and not count and not is_broken:
                count = 1
            parts.append("\n" * count)
        parts.append(raw)
        previous, line = position, owner
    return "".join(parts).replace("\r\n", "\n").rstrip().lstrip("\n")


def _find_language(page: Page, node: int) -> str:
    """Return the language that the classes of a code block, or of elements around it, name."""
    tree = page.tree
    inside = [kid for kid in tree.children(node) if tree.labels[kid] in _CODE_TAGS][:1]
    around = list(zip(tree.ancestors(node), range(3), strict=False))
    for element in [*inside, *(ancestor for ancestor, _ in around)]:
        declared = page.get_attribute(element, "data-lang") or page.get_attribute(
            element, "data-language"
        )
        classes = (page.get_attribute(element, "class") or "")[:200]
        names: list[str] = [declared or "", *_LANGUAGE_CLASS.findall(classes)]
        for name in names:
            if _LANGUAGE.fullmatch(name) and name.casefold() not in _NO_LANGUAGES:
                return name.casefold()
    return ""
