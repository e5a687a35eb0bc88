"""Documents: the main content of any page as text and Markdown, with its metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from unweave.content import page_metadata
from unweave.content.article import Article
from unweave.content.blocks import Block, find_all_blocks, find_blocks
from unweave.content.body import list_unshown_paragraphs
from unweave.content.byline import (
    find_authors,
    find_byline_blocks,
    find_date,
    find_modified_date,
)
from unweave.content.content_tree import (
    ContentTree,
    Piece,
    iter_pieces,
    join_pieces,
)
from unweave.content.main_content import MainContent, find_main_content, find_main_contents
from unweave.content.markdown import format_markdown, render_markdown
from unweave.content.plain_text import format_plain_text
from unweave.content.tree_building import build_content_tree, read_code
from unweave.page.page import Page
from unweave.page.parse import PREFORMATTED_TAGS
from unweave.trees.tree import ROOT_PARENT

DOCUMENT_COLUMNS = (
    "kind confidence title text markdown authors date modified site_name language description tags"
    " image url"
).split()
"""The fields of a document that a row of a table has."""

_LINK_MARKS = " ¶🔗⚓"
"""Characters at the end of headings that are links to them."""

_ROLES = {
    **dict.fromkeys(["h1", "h2", "h3", "h4", "h5", "h6"], "heading"),
    **dict.fromkeys(PREFORMATTED_TAGS, "code"),
    **dict.fromkeys(["td", "th"], "cell"),
    "li": "item",
    "dt": "term",
    "dd": "definition",
    "blockquote": "quote",
    "figcaption": "caption",
    "caption": "caption",
}


@dataclass(frozen=True, slots=True)
class ContentBlock:
    """A block of a document, and where it is in the page."""

    text: str
    role: str
    """paragraph, heading, item, cell, quote, code, caption, term or definition."""
    tag: str
    """The element that starts a new line around the text; script for paragraphs of JSON-LD."""
    nodes: tuple[str, ...]
    """The XPaths of the elements that the text came from; empty for noscript markup and JSON-LD."""


@dataclass(frozen=True, slots=True)
class ContentLink:
    """A link of the content."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class ContentImage:
    """An image of the content."""

    alt: str
    url: str


@dataclass(frozen=True)
class Document:
    """The main content of a page. URLs are absolute if the URL of the page is known.

    Markdown, links and images are taken from ``content`` when they are first asked for.
    """

    kind: str
    """The page type."""
    confidence: float
    """How likely the page has this type, from 0 to 1."""
    title: str | None
    text: str
    """The content without the title: one block a line, cells of tables separated by tabs."""
    content: ContentTree = field(repr=False)
    """The content without the title, as headings, paragraphs, lists, quotes, tables and code."""
    authors: tuple[str, ...] = ()
    date: str | None = None
    """The day, or day and time, of publication in ISO 8601."""
    modified: str | None = None
    """The day, or day and time, of the last change."""
    site_name: str | None = None
    language: str | None = None
    """The language that the page declares, such as "en-US"."""
    description: str | None = None
    tags: tuple[str, ...] = ()
    image: str | None = None
    """The URL of the image that stands for the page."""
    url: str | None = None
    """The canonical URL."""
    blocks: tuple[ContentBlock, ...] = ()
    markdown_links: bool = True
    """Whether the Markdown has links, or their texts only."""
    markdown_images: bool = True

    @cached_property
    def markdown(self) -> str:
        """The title and the content as CommonMark, with the tables of GFM."""
        return format_markdown(
            self.content,
            title=self.title if self.content.children else None,
            links=self.markdown_links,
            images=self.markdown_images,
        )

    @cached_property
    def links(self) -> tuple[ContentLink, ...]:
        """The links of the content in order, each once."""
        return _list_links(self.content)

    @cached_property
    def images(self) -> tuple[ContentImage, ...]:
        """The images of the content in order."""
        return _list_images(self.content)

    def to_dict(self, *, blocks: bool = False) -> dict[str, Any]:
        """Return the document as plain data, as JSON has it; ``blocks`` adds the provenance."""
        names = ("links", "images", "blocks") if blocks else ("links", "images")
        records = {name: [asdict(each) for each in getattr(self, name)] for name in names}
        return {**self.to_row(), **_make_lists(records)}

    def to_row(self) -> dict[str, Any]:
        """Return the cells of the document in a table, by ``DOCUMENT_COLUMNS``."""
        return {name: _make_lists(getattr(self, name)) for name in DOCUMENT_COLUMNS}

    def __bool__(self) -> bool:
        return bool(self.text)


def _make_lists(value: Any) -> Any:
    """Return plain data with lists in place of tuples; it is three levels deep."""
    if isinstance(value, dict):
        return {name: _make_lists(item) for name, item in value.items()}
    return [_make_lists(item) for item in value] if isinstance(value, list | tuple) else value


def extract_text(page: Page, *, links: bool = True, images: bool = True) -> Document:
    """Return the document of one page.

    ``links`` and ``images`` tell whether the Markdown has them.
    """
    return build_document(page, find_main_content(page), links=links, images=images)


def extract_texts(
    pages: Sequence[Page], *, links: bool = True, images: bool = True
) -> list[Document]:
    """Return the documents of pages of one template; what they share is boilerplate."""
    return [
        build_document(page, content, links=links, images=images)
        for page, content in zip(pages, find_main_contents(pages), strict=True)
    ]


def build_document(
    page: Page, content: MainContent, *, links: bool = True, images: bool = True
) -> Document:
    """Return the document of a page whose main content was found."""
    title = (content.title or "").rstrip(_LINK_MARKS) or None
    found = content.found or find_all_blocks(content.page)
    unshown: list[str] = []
    if content.kind == "article":
        unshown = list_unshown_paragraphs(page, [block.text for block in content.blocks])
    tree = build_content_tree(
        content.page, content.blocks, title=title, extra=unshown, is_silent=found.is_silent
    )
    lines: list[Block] = []
    if content.page is page:  # lines of other markup have no place in the page
        lines = _find_byline(found.visible, content)
    return Document(
        kind=content.kind,
        confidence=content.confidence,
        title=title,
        text=format_plain_text(tree),
        content=tree,
        authors=find_authors(page, lines),
        date=find_date(page, lines, content.blocks),
        modified=find_modified_date(page),
        site_name=page_metadata.find_site_name(page),
        language=page_metadata.find_language(page),
        description=page_metadata.find_description(page),
        tags=page_metadata.find_tags(page),
        image=page_metadata.find_main_image(page),
        url=page_metadata.find_canonical_url(page),
        blocks=(
            *_describe_blocks(content.page, content.blocks, has_nodes=content.page is page),
            *[ContentBlock(text, "paragraph", "script", ()) for text in unshown],
        ),
        markdown_links=links,
        markdown_images=images,
    )


def render_article(page: Page, article: Article) -> str | None:
    """Return the title and the paragraphs of an article of a page as Markdown; None for none.

    Paragraphs that are not shown as such on the page follow the others.
    """
    if not article:
        return None
    remaining = Counter(article.paragraphs)
    blocks: list[Block] = []
    for block in find_blocks(page):
        if remaining[block.text]:
            remaining[block.text] -= 1
            blocks.append(block)
    extra = [text for text in article.paragraphs if remaining[text]]
    return render_markdown(page, blocks, title=article.title, extra=dict.fromkeys(extra))


def _find_byline(page_blocks: Sequence[Block], content: MainContent) -> list[Block]:
    """Return the lines of the page that may name the author and the date of its content."""
    if not content.blocks:
        return []
    title = next((block.start for block in page_blocks if block.text == content.title), None)
    body = [block.start for block in content.blocks if block.start != title]
    return find_byline_blocks(page_blocks, title, min(body)) if body else []


def _list_links(tree: ContentTree) -> tuple[ContentLink, ...]:
    """Return the links of a tree in order, each once."""
    parts: dict[tuple[int, str], list[Piece]] = {}
    for piece in iter_pieces(tree):
        if piece.url is not None:
            parts.setdefault((piece.link, piece.url), []).append(piece)
    links = [ContentLink(join_pieces(pieces), url) for (_, url), pieces in parts.items()]
    return tuple(dict.fromkeys(links))


def _list_images(tree: ContentTree) -> tuple[ContentImage, ...]:
    pieces = iter_pieces(tree)
    return tuple(ContentImage(piece.text, piece.image) for piece in pieces if piece.image)


def _describe_blocks(
    page: Page, blocks: Sequence[Block], *, has_nodes: bool
) -> tuple[ContentBlock, ...]:
    """Return blocks with the roles of the elements around them, and where they are in the page."""
    labels, parents = page.tree.labels, page.tree.parents
    roles = {ROOT_PARENT: "paragraph"}
    described: list[ContentBlock] = []
    for block in blocks:
        path: list[int] = []
        node = block.owner
        while node not in roles:
            path.append(node)
            node = parents[node]
        role = roles[node]
        for node in reversed(path):
            role = roles[node] = _ROLES.get(labels[node], role)
        is_whole = block.text_nodes == page.text_nodes(block.owner)
        text = read_code(page, block.owner) if role == "code" and is_whole else block.text
        nodes = (page.xpath(block.owner),) if has_nodes else ()
        described.append(ContentBlock(text, role, labels[block.owner], nodes))
    return tuple(described)
