"""Page: the tree of a document, its text in chunks, its attributes, and where everything stands."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from os import PathLike
from typing import Any
from urllib.parse import urljoin

from unweave.errors import UsageError
from unweave.page.layout import Box, build_containment_tree
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.metadata import Metadata
from unweave.page.parse import (
    Attributes,
    Identifiers,
    KeyAttributes,
    ParsedDocument,
    parse_html,
    read_file,
    select_key_attributes,
)
from unweave.page.render import Renderer
from unweave.page.table_grid import TableGrid, read_grid
from unweave.trees.tree import ROOT_PARENT, Tree

# Elements that begin a new line when drawn without a style sheet, and so part the words around them.
BLOCK_TAGS = frozenset(
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input legend li listing"
    " main menu nav object ol optgroup option p plaintext pre search section select summary svg table tbody td textarea"
    " tfoot th thead title tr ul video xmp".split()
)

# Elements within a line: their text is that of the element around them.
INLINE_TAGS = frozenset(
    "a abbr acronym b big cite code em font i ins label mark nobr s small span strike strong sub sup tt u".split()
)

TEXT_LABEL = "#text"

_STEP = re.compile(r"(?P<label>[^\s/\[\]]+)(?:\[(?P<number>[0-9]{1,9})\])?")


class Page:
    """A parsed document. Nodes are the integers of ``tree``; text stands in text_nodes, numbered in document order.

    A text_node is the text of one text node with its white space folded; blank ones are left out. ``text_parents[c]`` is the element
    that text_node ``c`` stands in, and ``text_positions[c]`` the number of elements that were opened before it.
    """

    def __init__(
        self,
        parsed: ParsedDocument,
        *,
        url: str | None = None,
        boxes: list[Box] | None = None,
        invisible: frozenset[int] = frozenset(),
    ) -> None:
        self.tree = parsed.tree
        self.texts = parsed.texts
        self.text_parents = parsed.text_parents
        self.text_positions = parsed.text_positions
        self.encoding = parsed.encoding
        self.notes = parsed.notes
        self.url = url
        self.boxes = boxes
        """Where each node is drawn, if the page was rendered."""
        self.invisible = invisible
        """The nodes that a reader of the rendered page cannot see."""
        self.original: Page | None = None
        """The page as it was read, if this is a view of it with another tree."""
        self._unspaced_texts = parsed.unspaced_texts
        self._read_attributes: Callable[[], list[Attributes]] | None = parsed.read_attributes
        self._read_key_attributes: Callable[[], KeyAttributes] | None = parsed.read_key_attributes
        self._read_metadata: Callable[[], Metadata] | None = parsed.read_metadata

    @classmethod
    def parse(
        cls,
        markup: bytes | str,
        *,
        url: str | None = None,
        charset: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Page:
        """Read HTML. ``charset`` is what the transport said, such as the HTTP header; a byte-order mark overrules it."""
        return cls(parse_html(markup, charset=charset, limits=limits), url=url)

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        *,
        url: str | None = None,
        charset: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Page:
        """Read an HTML file."""
        return cls.parse(read_file(path, limits=limits), url=url, charset=charset, limits=limits)

    @classmethod
    def render(
        cls,
        source: str | bytes | PathLike[str],
        *,
        url: str | None = None,
        charset: str | None = None,
        renderer: Renderer | None = None,
        **options: Any,
    ) -> Page:
        """Load a page in headless Chromium and read it as it is drawn, with its boxes. Needs the extra ``render``.

        The source is a path, bytes, a string of markup, or an address. Options are those of ``Renderer``: ``network``,
        ``scripts``, ``timeout``, ``width``, ``height``, ``limits``. For many pages, make one Renderer and give it.
        """
        if renderer is None:
            with Renderer(**options) as own:
                return cls.render(source, url=url, charset=charset, renderer=own)
        if options:
            raise UsageError(f"a renderer that is given has its own options: {', '.join(options)}")
        drawn = renderer.render(source, url=url, charset=charset)
        return cls(drawn.parsed, url=url or drawn.url, boxes=drawn.boxes, invisible=drawn.invisible)

    @cached_property
    def layout_tree(self) -> Tree:
        """The tree that the boxes show by containing or overlapping each other; the document's own if there are none."""
        if self.boxes is None:
            return self.tree
        return build_containment_tree(self.tree, self.boxes, self.invisible, overlap=True)

    def with_tree(self, tree: Tree) -> Page:
        """The page with the same nodes nested in another way, such as they are drawn.

        Nodes keep their numbers. A text whose element has ended where it stands belongs to the next element around it.
        """
        text_parents: list[int] = []
        for owner, place in zip(self.text_parents, self.text_positions, strict=True):
            while not owner < place <= tree.ends[owner]:
                owner = tree.parents[owner]
            text_parents.append(owner)
        view = Page(
            ParsedDocument(
                tree=tree,
                texts=self.texts,
                text_parents=text_parents,
                text_positions=self.text_positions,
                unspaced_texts=self._unspaced_texts,
                read_attributes=lambda: self.attributes,
                read_key_attributes=lambda: (self.identifiers, self.node_urls),
                read_metadata=lambda: self.metadata,
                encoding=self.encoding,
                notes=self.notes,
            ),
            url=self.url,
            boxes=self.boxes,
            invisible=self.invisible,
        )
        view.original = self
        return view

    def build_tree_with_texts(self, label: Callable[[str], str] = lambda text: TEXT_LABEL) -> Tree:
        """The tree with a leaf for every text, labelled as told: all alike, or by what they say."""
        text_positions = [*self.text_positions, len(self.tree) + 1]
        labels: list[str] = []
        parents: list[int] = []
        numbers: list[int] = []
        text_node = 0
        for node in range(len(self.tree) + 1):
            while text_positions[text_node] == node:
                labels.append(label(self.texts[text_node]))
                parents.append(numbers[self.text_parents[text_node]])
                text_node += 1
            if node < len(self.tree):
                numbers.append(len(labels))
                labels.append(self.tree.labels[node])
                parents.append(numbers[self.tree.parents[node]] if node else ROOT_PARENT)
        return Tree(labels, parents)

    def __repr__(self) -> str:
        return f"<Page {self.url or self.title!r}: {len(self.tree)} nodes, {len(self.texts)} texts>"

    def __getstate__(self) -> dict[str, Any]:
        """Plain data only, so that pages travel between processes; the parser's own objects stay behind."""
        read = {"attributes": self.attributes, "metadata": self.metadata}
        return {
            **self.__dict__,
            **read,
            "_read_attributes": None,
            "_read_key_attributes": None,
            "_read_metadata": None,
        }

    # ---- elements --------------------------------------------------------------------------------------------

    @cached_property
    def attributes(self) -> list[Attributes]:
        """The attributes of every node. They are read from the parser's tree only when somebody asks."""
        return self._read_attributes() if self._read_attributes else [{} for _ in self.tree.labels]

    @cached_property
    def identifiers(self) -> list[Identifiers]:
        """The class, the id and the property of every node, which are read faster than all attributes."""
        return self._key_attributes[0]

    @cached_property
    def node_urls(self) -> list[str | None]:
        """Where every link leads, and what every image shows, as the page says it."""
        return self._key_attributes[1]

    @cached_property
    def _key_attributes(self) -> KeyAttributes:
        if self._read_key_attributes is None or "attributes" in self.__dict__:
            return select_key_attributes(self.tree.labels, self.attributes)
        return self._read_key_attributes()

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says about itself in meta elements and JSON-LD."""
        return self._read_metadata() if self._read_metadata else Metadata()

    @cached_property
    def table_grid(self) -> TableGrid:
        """Where the cells of the page's tables stand, and what their headers are."""
        return read_grid(self)

    @cached_property
    def language(self) -> str:
        """The language that the page says it is in, as a tag such as "en-US"; empty if it does not say."""
        root = next((node for node, label in enumerate(self.tree.labels[:2]) if label == "html"), 0)
        declared = self.attributes[root].get("lang") or self.attributes[root].get("xml:lang")
        return (declared or self.metadata.find_first("og:locale", "content-language")).strip()

    @cached_property
    def title(self) -> str:
        """The text of the document's title element."""
        for node, label in enumerate(self.tree.labels):
            if label == "title":
                return self.text(node)
        return ""

    @cached_property
    def base_url(self) -> str:
        """What relative node_urls are relative to: the base element, seen from the page's own address."""
        for node, label in enumerate(self.tree.labels):
            if label == "base" and self.attributes[node].get("href"):
                try:
                    return urljoin(self.url or "", self.attributes[node]["href"].strip())
                except ValueError:
                    break
        return self.url or ""

    def resolve_url(self, address: str) -> str:
        """The address seen from the page; as it is if it cannot be read or the page has no address."""
        try:
            return urljoin(self.base_url, address) if self.base_url else address
        except ValueError:
            return address

    def xpath(self, node: int) -> str:
        """The full XPath as a browser's developer tools give it: ``/html/body/div[2]/ul/li[1]``."""
        steps = [self._steps[ancestor] for ancestor in self.tree.ancestors(node)]
        return "/" + "/".join(reversed(steps))

    def find_xpath(self, xpath: str) -> int | None:
        """The node that a full XPath leads to, as ``xpath`` gives it; None if there is none."""
        node = ROOT_PARENT
        for step in xpath.strip().removeprefix("/").split("/"):
            match = _STEP.fullmatch(step)
            if match is None:
                return None
            same = [kid for kid in self._below(node) if self.tree.labels[kid] == match["label"]]
            number = int(match["number"] or 1)
            if not 1 <= number <= len(same):
                return None
            node = same[number - 1]
        return node

    def _below(self, node: int) -> Sequence[int]:
        return [0] if node == ROOT_PARENT else self.tree.children(node)

    @cached_property
    def _steps(self) -> list[str]:
        """Each node's step: its label, with its number where it has siblings of that label."""
        labels, parents = self.tree.labels, self.tree.parents
        seen: dict[tuple[int, str], int] = {}
        numbers: list[int] = []
        for key in zip(parents, labels, strict=True):
            numbers.append(seen.get(key, 0) + 1)
            seen[key] = numbers[-1]
        return [
            label if seen[parent, label] == 1 else f"{label}[{number}]"
            for parent, label, number in zip(parents, labels, numbers, strict=True)
        ]

    # ---- text ------------------------------------------------------------------------------------------------

    def text_nodes(self, node: int) -> range:
        """The text chunks of the node's sub-tree."""
        return range(self.text_starts[node], self.text_ends[node])

    def count_texts(self, node: int) -> int:
        """How many text chunks the node's sub-tree has."""
        return self.text_ends[node] - self.text_starts[node]

    def text(self, node: int = 0) -> str:
        """The text of a sub-tree on one line, with a space wherever a reader would see one."""
        return self.join_text_nodes(self.text_nodes(node))

    def join_subtrees(self, nodes: Sequence[int]) -> str:
        """The text of several sub-trees on one line."""
        return (
            self.text(nodes[0])
            if len(nodes) == 1
            else " ".join(filter(None, map(self.text, nodes)))
        )

    def join_siblings(self, nodes: Sequence[int]) -> str:
        """The same, and of siblings that stand together, what stands between them too."""
        if self.are_adjacent_siblings(nodes):
            return self.join_text_nodes(
                range(self.text_starts[nodes[0]], self.text_ends[nodes[-1]])
            )
        return self.join_subtrees(nodes)

    def are_adjacent_siblings(self, nodes: Sequence[int]) -> bool:
        """Are these siblings, each right after the other?"""
        return all(self.tree.ends[one] == other for one, other in pairwise(nodes)) and (
            len(nodes) == 1 or self.tree.parents[nodes[0]] == self.tree.parents[nodes[-1]]
        )

    def join_text_nodes(self, text_nodes: range) -> str:
        """The text of these chunks on one line."""
        texts, continuations = self.texts, self.continuations
        first = bisect_right(continuations, text_nodes.start)
        if first == len(continuations) or continuations[first] >= text_nodes.stop:
            return " ".join(texts[text_nodes.start : text_nodes.stop])
        inside = set(continuations[first : bisect_left(continuations, text_nodes.stop)])
        return "".join(
            [
                texts[text_node] if text_node in inside else f" {texts[text_node]}"
                for text_node in text_nodes
            ]
        )[1:]

    @cached_property
    def continuations(self) -> list[int]:
        """The chunks that continue the word before them: no white space and no break of line stands between.

        A marked part of a word stands in the element that has the rest, as in "un<b>believ</b>able". Two elements side by
        side, as in "<span>Oslo</span><span>09:15</span>", are mostly parted by their style sheet.
        """
        return [
            text_node
            for text_node in self._unspaced_texts
            if not self._starts_line(text_node) and self._is_around_the_last(text_node)
        ]

    def _is_around_the_last(self, text_node: int) -> bool:
        """Does the element of this chunk stand in that of the chunk before, or around it?"""
        one, other = sorted((self.text_parents[text_node - 1], self.text_parents[text_node]))
        return other < self.tree.ends[one]

    def _starts_line(self, text_node: int) -> bool:
        if text_node == 0:
            return True
        text_positions, labels = self.text_positions, self.tree.labels
        if not BLOCK_TAGS.isdisjoint(
            labels[text_positions[text_node - 1] : text_positions[text_node]]
        ):
            return True
        return (
            self.block_ancestors[self.text_parents[text_node - 1]]
            != self.block_ancestors[self.text_parents[text_node]]
        )

    @cached_property
    def block_ancestors(self) -> list[int]:
        """Each node's nearest ancestor that breaks the line; two texts in one line have the same."""
        block_ancestors: list[int] = []
        for node, (label, parent) in enumerate(
            zip(self.tree.labels, self.tree.parents, strict=True)
        ):
            block_ancestors.append(
                node if node == 0 or label in BLOCK_TAGS else block_ancestors[parent]
            )
        return block_ancestors

    @cached_property
    def text_starts(self) -> list[int]:
        """The number of chunks before each node."""
        first: list[int] = []
        for text_node, place in enumerate(self.text_positions):
            first.extend([text_node] * (place - len(first)))
        first.extend([len(self.text_positions)] * (len(self.tree) - len(first)))
        return first

    @cached_property
    def text_ends(self) -> list[int]:
        """The number of chunks before the end of each node's sub-tree."""
        stop = self.text_starts.copy()
        for text_node, owner in enumerate(self.text_parents):
            stop[owner] = text_node + 1
        parents = self.tree.parents
        for node in range(len(stop) - 1, 0, -1):
            parent = parents[node]
            if stop[parent] < stop[node]:
                stop[parent] = stop[node]
        return stop
