"""The link to the next page of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unweave.page.page import Page

# The texts of links to the next page, in the languages with most pages.
_NEXT_TEXTS = frozenset(
    [
        *["next", "next page", "next results", "older", "older posts", "older entries"],
        *["more results", "load more", "show more", "weiter", "nächste", "nächste seite"],
        *["suivant", "suivante", "page suivante", "siguiente", "página siguiente", "próxima"],
        *["seguinte", "successiva", "successivo", "avanti", "pagina successiva", "volgende"],
        *["volgende pagina", "nästa", "næste", "neste", "seuraava", "następna", "następne"],
        *["dalej", "další", "következő", "sonraki", "вперед", "вперёд", "следующая", "далее"],
        *["наступна", "次へ", "次のページ", "次", "下一页", "下页", "下一頁", "下頁", "다음"],
        *["التالي", "הבא", "ต่อไป", "tiếp", "berikutnya", "selanjutnya"],
    ]
)
_ARROWS = frozenset(["›", "»", ">", ">>", "→", "▶", "⟩", "❯"])
_PUNCTUATION = re.compile(r"[\s›»>→▶⟩❯…\[\]()|:.]+")
_NEXT_WORD = re.compile(r"(?:^|[\s_-])next(?:$|[\s_-])", re.IGNORECASE)
_MAX_TEXT_LENGTH = 30
_MAX_DIGITS = 5


def find_next_page(page: Page) -> str | None:
    """Return the URL of the next page of the list, absolute if that of the page is known, or None.

    The page's own statement, rel="next", comes first; then links with such a text, then links with
    such a class or id, then the number after that of this page in a row of numbers, and last the
    arrows, which may have other meanings.
    """
    for find_urls in (
        _find_by_relation,
        _find_by_text,
        _find_by_class,
        _find_by_number,
        _find_by_arrow,
    ):
        for url in find_urls(page):
            return page.resolve_url(url)
    return None


def _iterate_links(page: Page) -> Iterator[tuple[int, str]]:
    """Yield the links to other pages and their URLs."""
    for node, url in enumerate(page.node_urls):
        if url and page.tree.labels[node] == "a":
            url = url.strip()
            if not url.startswith(("#", "javascript:")):
                yield node, url


def _find_by_relation(page: Page) -> Iterator[str]:
    if "next" in page.metadata.links:
        yield page.metadata.links["next"]
    for node, url in _iterate_links(page):
        if "next" in page.attributes[node].get("rel", "").casefold().split():
            yield url


def _find_by_text(page: Page) -> Iterator[str]:
    for url, text in _iterate_short_texts(page):
        if text in _NEXT_TEXTS or _PUNCTUATION.sub(" ", text).strip() in _NEXT_TEXTS:
            yield url


def _find_by_arrow(page: Page) -> Iterator[str]:
    for url, text in _iterate_short_texts(page):
        if text in _ARROWS:
            yield url


def _iterate_short_texts(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the URLs of links with short texts, and the text or the label for screen readers."""
    for node, url in _iterate_links(page):
        text = page.text(node).casefold() or page.attributes[node].get("aria-label", "").casefold()
        if len(text) <= _MAX_TEXT_LENGTH:
            yield url, text


def _find_by_class(page: Page) -> Iterator[str]:
    for node, url in _iterate_links(page):
        for element in (node, page.tree.parents[node]):
            classes, id_, _ = page.identifiers[element]
            if _NEXT_WORD.search(f"{classes or ''} {id_ or ''}"):
                yield url
                break


def _find_by_number(page: Page) -> Iterator[str]:
    """Yield the link with the number after an unlinked one, in a row of linked numbers."""
    urls = {text: url for node, url in _iterate_links(page) for text in page.text_nodes(node)}
    numbers = [_parse_number(text) for text in page.texts]
    for text in range(len(numbers) - 1):
        number = numbers[text]
        if number is None or text in urls or text + 1 not in urls:
            continue
        has_linked_neighbour = any(
            beside in urls and numbers[beside] is not None for beside in (text - 1, text + 2)
        )
        if numbers[text + 1] == number + 1 and has_linked_neighbour:
            yield urls[text + 1]


def _parse_number(text: str) -> int | None:
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS
    return int(text) if is_number else None
