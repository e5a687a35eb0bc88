"""Page: the tree of a document, its text nodes and its attributes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from os import PathLike
from typing import Any
from urllib.parse import urljoin

from turbohtml import Element

from unweave.errors import UsageError
from unweave.page.html_tables import TableGrid, build_grid
from unweave.page.layout import Box, build_containment_tree
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.metadata import Metadata
from unweave.page.page_data import Script
from unweave.page.parse import (
    Attributes,
    Identifiers,
    ParsedDocument,
    find_attribute,
    list_elements,
    parse_html,
    read_attribute,
    read_attributes,
    read_data_scripts,
    read_file,
    read_identifiers,
    read_metadata,
    read_noscript,
    read_raw_texts,
    select_urls,
)
from unweave.page.render import Renderer
from unweave.page.structured_data import MICRODATA, RDFA, DataItem, read_items
from unweave.trees.tree import ROOT_PARENT, Tree

BLOCK_TAGS = frozenset(
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr"
    " html iframe img input legend li listing main menu nav object ol optgroup option p plaintext"
    " pre search section select summary svg table tbody td textarea tfoot th thead title tr ul"
    " video xmp".split()
)
"""Elements that start a new line if there is no style sheet, and so separate words."""

INLINE_TAGS = frozenset(
    "a abbr acronym b big cite code em font i ins label mark nobr s small span strike strong sub"
    " sup tt u".split()
)
"""Elements within a line: their text belongs to that of the element around them."""

TEXT_LABEL = "#text"
_HTTP = ("http://", "https://")
_CLOSING, _OPENING = frozenset(".,;:!?…)]}”»"), frozenset("([{“«¿¡")

_XPATH_STEP = re.compile(r"(?P<label>[^\s/\[\]]+)(?:\[(?P<number>[0-9]{1,9})\])?")


class Page:
    """A parsed document.

    Nodes are the integers of ``tree``, in preorder. ``texts`` has the text nodes in document order,
    with their white space folded and without blank ones. ``text_parents`` has for each text node
    the node around it, and ``text_positions`` the number of nodes that start before it.
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
        self.warnings = parsed.warnings
        """Oddities of the page, for the user."""
        self.url = url
        self.boxes = boxes
        """The box of each node, if the page was rendered."""
        self.invisible = invisible
        """The nodes that a reader of the rendered page cannot see."""
        self.original: Page | None = None
        """The page as it was read, if this is a view of it with another tree."""
        self._unspaced_texts = parsed.unspaced_texts
        self._document = parsed.document
        self._found_attributes: dict[str, dict[int, str]] = {}
        self._parent_xpaths: dict[int, str] = {}
        if parsed.attributes is not None:
            self.attributes = parsed.attributes
        if parsed.identifiers is not None:
            self.identifiers = parsed.identifiers
        if parsed.node_urls is not None:
            self.node_urls = parsed.node_urls
        if parsed.metadata is not None:
            self.metadata = parsed.metadata
        if parsed.raw_texts is not None:
            self.raw_texts = parsed.raw_texts

    @classmethod
    def parse(
        cls,
        markup: bytes | str,
        *,
        url: str | None = None,
        charset: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Page:
        """Parse HTML.

        ``charset`` is that of the transport, such as an HTTP header; a byte-order mark has
        precedence over it.
        """
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
        """Read and parse an HTML file."""
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
        """Load a page in headless Chromium, with its layout. Needs the extra ``render``.

        The source is a path, bytes, a string of markup, or a URL. Options are those of
        ``Renderer``: ``network``, ``scripts``, ``timeout``, ``width``, ``height``, ``limits``. For
        many pages, create one Renderer and pass it.
        """
        if renderer is None:
            with Renderer(**options) as new_renderer:
                return cls.render(source, url=url, charset=charset, renderer=new_renderer)
        if options:
            raise UsageError(f"options are those of the renderer given: {', '.join(options)}")
        rendered = renderer.render(source, url=url, charset=charset)
        return cls(
            rendered.parsed,
            url=url or rendered.url,
            boxes=rendered.boxes,
            invisible=rendered.invisible,
        )

    @cached_property
    def layout_tree(self) -> Tree:
        """The tree by the boxes that contain or overlap each other; ``tree`` without boxes."""
        if self.boxes is None:
            return self.tree
        return build_containment_tree(self.tree, self.boxes, self.invisible, overlap=True)

    def with_tree(self, tree: Tree) -> Page:
        """Return a view of the page with the same nodes nested in another way, as in the layout.

        Nodes keep their numbers. A text node moves up to the next ancestor that has not ended at
        its position.
        """
        text_parents: list[int] = []
        for parent, position in zip(self.text_parents, self.text_positions, strict=True):
            while not parent < position <= tree.ends[parent]:
                parent = tree.parents[parent]
            text_parents.append(parent)
        view = Page(
            ParsedDocument(
                tree=tree,
                texts=self.texts,
                text_parents=text_parents,
                text_positions=self.text_positions,
                unspaced_texts=self._unspaced_texts,
                encoding=self.encoding,
                warnings=self.warnings,
            ),
            url=self.url,
            boxes=self.boxes,
            invisible=self.invisible,
        )
        view.original = self
        return view

    def build_tree_with_texts(
        self, make_label: Callable[[str], str] = lambda text: TEXT_LABEL
    ) -> Tree:
        """Return the tree with a leaf for every text node, labelled by ``make_label``."""
        text_positions = [*self.text_positions, len(self.tree) + 1]
        labels: list[str] = []
        parents: list[int] = []
        numbers: list[int] = []
        text_node = 0
        for node in range(len(self.tree) + 1):
            while text_positions[text_node] == node:
                labels.append(make_label(self.texts[text_node]))
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
        """Return plain data without the tree of the parser, so that pages can be pickled."""
        loaded = {
            "attributes": self.attributes,
            "metadata": self.metadata,
            "noscript": self.noscript,
            "raw_texts": self.raw_texts,
            "data_scripts": self.data_scripts,
            "data_items": self.data_items,
        }
        state = {**self.__dict__, **loaded, "_document": None}
        for name in ("_elements", "_element_numbers"):
            state.pop(name, None)
        return state

    # ---- elements --------------------------------------------------------------------------------

    @cached_property
    def attributes(self) -> list[Attributes]:
        """The attributes of every node."""
        if self.original is not None:
            return self.original.attributes
        return read_attributes(self._elements) if self._document else [{} for _ in self.tree.labels]

    @cached_property
    def identifiers(self) -> list[Identifiers]:
        """The class, the id and the property of every node."""
        if self.original is not None:
            return self.original.identifiers
        if self._document is not None:
            return read_identifiers(self._elements)
        names = ("class", "id", "itemprop")
        return [
            (values.get(names[0]), values.get(names[1]), values.get(names[2]))
            for values in self.attributes
        ]

    @cached_property
    def node_urls(self) -> list[str | None]:
        """For every link and image its URL as it is written in the page; None for other nodes."""
        if self.original is not None:
            return self.original.node_urls
        return select_urls(self.tree.labels, self.find_attribute)

    def get_attribute(self, node: int, name: str) -> str | None:
        """Return an attribute of a node, or None.

        As long as most nodes are not asked for theirs, this is faster than ``attributes``.
        """
        if self.original is not None:
            return self.original.get_attribute(node, name)
        if self._document is None or "attributes" in self.__dict__:
            return self.attributes[node].get(name)
        return read_attribute(self._elements[node], name)

    def find_attribute(self, name: str) -> Mapping[int, str]:
        """Return the values of an attribute by the nodes that have it."""
        if self.original is not None:
            return self.original.find_attribute(name)
        if self._document is None:
            attributes = enumerate(self.attributes)
            return {node: values[name] for node, values in attributes if name in values}
        found = self._found_attributes.get(name)
        if found is None:
            found = find_attribute(self._document, self._element_numbers, name)
            self._found_attributes[name] = found
        return found

    @cached_property
    def _elements(self) -> list[Element]:
        """The elements of the parser for all nodes."""
        return list_elements(self._document) if self._document is not None else []

    @cached_property
    def _element_numbers(self) -> dict[Element, int]:
        return {element: node for node, element in enumerate(self._elements)}

    @cached_property
    def metadata(self) -> Metadata:
        """The metadata of the page, from meta and link elements and JSON-LD."""
        if self.original is not None:
            return self.original.metadata
        return read_metadata(self._document) if self._document else Metadata()

    @cached_property
    def noscript(self) -> str:
        """The markup that browsers without scripts show: on some pages, all that there is."""
        if self.original is not None:
            return self.original.noscript
        return read_noscript(self._document) if self._document is not None else ""

    @cached_property
    def data_items(self) -> list[DataItem]:
        """The items of microdata and RDFa, also those inside of others, in document order."""
        if self.original is not None:
            return self.original.data_items
        if self._document is None:
            return []
        return read_items(self._document, self._element_numbers, self.text)

    @property
    def structured_data(self) -> dict[str, Any]:
        """The data in the markup of the page as plain data: what it says about itself.

        ``jsonld``, ``microdata`` and ``rdfa`` are lists of objects, and ``opengraph`` is one.
        """
        items: dict[str, list[Any]] = {MICRODATA: [], RDFA: []}
        for item in self.data_items:
            if not item.depth:
                items[item.syntax].append(item.to_dict())
        graph = self.metadata.open_graph
        return {"jsonld": self.metadata.jsonld_objects, **items, "opengraph": graph}

    @cached_property
    def data_scripts(self) -> list[Script]:
        """The scripts of the page, as it was sent, that may hold data."""
        if self.original is not None:
            return self.original.data_scripts
        return read_data_scripts(self._document) if self._document else []

    @cached_property
    def table_grid(self) -> TableGrid:
        """The positions of the cells of the page's tables, and their headers."""
        return build_grid(self)

    @cached_property
    def language(self) -> str:
        """The language that the page declares, as a tag such as "en-US"; empty for none."""
        root = next((node for node, label in enumerate(self.tree.labels[:2]) if label == "html"), 0)
        declared = self.get_attribute(root, "lang") or self.get_attribute(root, "xml:lang")
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
        """The URL that relative URLs are resolved against, by the base element and ``url``."""
        if "base" in self.tree.labels:
            for node, address in self.find_attribute("href").items():
                if self.tree.labels[node] == "base" and address:
                    try:
                        return urljoin(self.url or "", address.strip())
                    except ValueError:
                        break
        return self.url or ""

    @cached_property
    def declared_base_url(self) -> str:
        """``base_url``; for a saved page, it is taken from the canonical URL."""
        if self.base_url.startswith(_HTTP):
            return self.base_url
        declared = self.metadata.links.get("canonical", "") or self.metadata.find_first("og:url")
        try:
            return urljoin(declared, self.base_url) if declared.startswith(_HTTP) else self.base_url
        except ValueError:
            return self.base_url

    def resolve_url(self, url: str) -> str:
        """Return an absolute URL; the URL as it is if it is invalid or the page has no URL."""
        try:
            return urljoin(self.base_url, url) if self.base_url else url
        except ValueError:
            return url

    def xpath(self, node: int) -> str:
        """Return the full XPath of a node as browsers give it: ``/html/body/div[2]/ul/li[1]``."""
        parent = self.tree.parents[node]
        path = self._parent_xpaths.get(parent)
        if path is None:
            steps = list(map(self._xpath_steps.__getitem__, self.tree.ancestors(parent)))
            path = self._parent_xpaths[parent] = "".join([f"/{step}" for step in reversed(steps)])
        return f"{path}/{self._xpath_steps[node]}"

    def find_xpath(self, xpath: str) -> int | None:
        """Return the node at a full XPath as ``xpath`` gives it, or None."""
        node = ROOT_PARENT
        for step in xpath.strip().removeprefix("/").split("/"):
            match = _XPATH_STEP.fullmatch(step)
            if match is None:
                return None
            children = [0] if node == ROOT_PARENT else self.tree.children(node)
            candidates = [kid for kid in children if self.tree.labels[kid] == match["label"]]
            number = int(match["number"] or 1)
            if not 1 <= number <= len(candidates):
                return None
            node = candidates[number - 1]
        return node

    @cached_property
    def _xpath_steps(self) -> _XPathSteps:
        return _XPathSteps(self.tree)

    # ---- text ------------------------------------------------------------------------------------

    @cached_property
    def raw_texts(self) -> dict[int, str]:
        """The text nodes in elements of code, with the white space before and in them."""
        if self.original is not None:
            return self.original.raw_texts
        if self._document is None:
            return {}
        return read_raw_texts(self._document, self._element_numbers, self.text_nodes)

    def text_nodes(self, node: int) -> range:
        """Return the text nodes of a sub-tree."""
        return range(self.text_starts[node], self.text_ends[node])

    def count_texts(self, node: int) -> int:
        """Return the number of text nodes of a sub-tree."""
        return self.text_ends[node] - self.text_starts[node]

    def text(self, node: int = 0) -> str:
        """Return the text of a sub-tree on one line, with spaces where a reader sees them."""
        return self.join_text_nodes(self.text_nodes(node))

    def join_subtrees(self, nodes: Sequence[int]) -> str:
        """Return the text of several sub-trees on one line."""
        if len(nodes) == 1:
            return self.text(nodes[0])
        return " ".join(filter(None, map(self.text, nodes)))

    def join_siblings(self, nodes: Sequence[int]) -> str:
        """Return the text of several sub-trees; of adjacent siblings with the text between them."""
        if self.are_adjacent_siblings(nodes):
            text_nodes = range(self.text_starts[nodes[0]], self.text_ends[nodes[-1]])
            return self.join_text_nodes(text_nodes)
        return self.join_subtrees(nodes)

    def are_adjacent_siblings(self, nodes: Sequence[int]) -> bool:
        """Tell whether nodes are siblings, each right after the one before."""
        ends, parents = self.tree.ends, self.tree.parents
        return all(ends[left] == right for left, right in pairwise(nodes)) and (
            len(nodes) == 1 or parents[nodes[0]] == parents[nodes[-1]]
        )

    def join_text_nodes(self, text_nodes: range) -> str:
        """Return the text of text nodes on one line."""
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
        """The text nodes that continue the word before them, without white space or line break.

        One of the two elements contains the other, as in "un<b>believ</b>able". Adjacent elements,
        as in "<span>Oslo</span><span>09:15</span>", are mostly separated by their style sheet; but
        not where a bracket opens, or punctuation follows, as in "<span>Oslo</span><span>.</span>".
        """
        ends, parents, texts = self.tree.ends, self.text_parents, self.texts
        continuations: list[int] = []
        for text_node in self._unspaced_texts:
            outer, inner = sorted((parents[text_node - 1], parents[text_node]))
            is_joined = (
                inner < ends[outer]
                or texts[text_node][:1] in _CLOSING
                or texts[text_node - 1][-1:] in _OPENING
            )
            if is_joined and not self._starts_line(text_node):
                continuations.append(text_node)
        return continuations

    def _starts_line(self, text_node: int) -> bool:
        if text_node == 0:
            return True
        start, end = self.text_positions[text_node - 1], self.text_positions[text_node]
        if not BLOCK_TAGS.isdisjoint(self.tree.labels[start:end]):
            return True
        left, right = self.text_parents[text_node - 1], self.text_parents[text_node]
        return self.block_ancestors[left] != self.block_ancestors[right]

    @cached_property
    def block_ancestors(self) -> list[int]:
        """For each node the nearest ancestor, or itself, that starts a line."""
        labels, parents = self.tree.labels, self.tree.parents
        ancestors: list[int] = []
        for node, (label, parent) in enumerate(zip(labels, parents, strict=True)):
            ancestors.append(node if node == 0 or label in BLOCK_TAGS else ancestors[parent])
        return ancestors

    @cached_property
    def text_starts(self) -> list[int]:
        """For each node the number of text nodes before it."""
        starts: list[int] = []
        for text_node, position in enumerate(self.text_positions):
            starts.extend([text_node] * (position - len(starts)))
        starts.extend([len(self.text_positions)] * (len(self.tree) - len(starts)))
        return starts

    @cached_property
    def text_ends(self) -> list[int]:
        """For each node the number of text nodes before the end of its sub-tree."""
        ends = self.text_starts.copy()
        for text_node, parent in enumerate(self.text_parents):
            ends[parent] = text_node + 1
        parents = self.tree.parents
        for node in range(len(ends) - 1, 0, -1):
            parent = parents[node]
            if ends[parent] < ends[node]:
                ends[parent] = ends[node]
        return ends


class _XPathSteps(dict[int, str]):
    """The step of each node: its label, with a number if there are siblings of that label."""

    def __init__(self, tree: Tree) -> None:
        super().__init__({0: tree.labels[0]})
        self._tree = tree

    def __missing__(self, node: int) -> str:
        tree = self._tree
        siblings = tree.children(tree.parents[node])
        counts = Counter([tree.labels[sibling] for sibling in siblings])
        numbers: Counter[str] = Counter()
        for sibling in siblings:
            label = tree.labels[sibling]
            numbers[label] += 1
            self[sibling] = label if counts[label] == 1 else f"{label}[{numbers[label]}]"
        return self[node]
