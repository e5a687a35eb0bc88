"""The link to the next page of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unweave.page.page import Page

# What links to the next page say, in the languages with most pages, and with arrows.
_NEXT = frozenset(
    [
        *"next|next page|older|older posts|older entries|more results|next results|load more|show more".split(
            "|"
        ),
        *"weiter|nächste|nächste seite|suivant|suivante|page suivante|siguiente|página siguiente|próxima".split(
            "|"
        ),
        *"seguinte|successiva|successivo|avanti|pagina successiva|volgende|volgende pagina|nästa|næste|neste".split(
            "|"
        ),
        *"seuraava|następna|dalej|další|következő|następne|sonraki|вперед|вперёд|следующая|далее|наступна".split(
            "|"
        ),
        *"次へ|次のページ|次|下一页|下页|下一頁|下頁|다음|التالي|הבא|ต่อไป|tiếp|berikutnya|selanjutnya".split(
            "|"
        ),
    ]
)
_ARROWS = frozenset(["›", "»", ">", ">>", "→", "▶", "⟩", "❯"])
_MARKS = re.compile(r"[\s›»>→▶⟩❯…\[\]()|:.]+")
_CALLED_NEXT = re.compile(r"(?:^|[\s_-])next(?:$|[\s_-])", re.IGNORECASE)
_LONGEST = 30
_MOST_FIGURES = 5


def next_page(page: Page) -> str | None:
    """The address of the next page of the list, absolute if the page's own is known; None if there is none to be found.

    What the page says itself, as rel="next", comes first; then links that say so, then those that are called so, then the
    number after that of this page in a row of numbers, and last the arrows, which may lead anywhere.
    """
    for find in (_by_relation, _by_words, _by_name, _by_number, _by_arrow):
        for address in find(page):
            return page.resolve_url(address)
    return None


def _links(page: Page) -> Iterator[tuple[int, str]]:
    """The links that lead to another page."""
    for node, address in enumerate(page.node_urls):
        leads = (
            address
            and page.tree.labels[node] == "a"
            and not address.strip().startswith(("#", "javascript:"))
        )
        if address and leads:
            yield node, address.strip()


def _by_relation(page: Page) -> Iterator[str]:
    if "next" in page.metadata.links:
        yield page.metadata.links["next"]
    for node, address in _links(page):
        if "next" in page.attributes[node].get("rel", "").casefold().split():
            yield address


def _by_words(page: Page) -> Iterator[str]:
    for address, said in _said(page):
        if said in _NEXT or _MARKS.sub(" ", said).strip() in _NEXT:
            yield address


def _by_arrow(page: Page) -> Iterator[str]:
    yield from (address for address, said in _said(page) if said in _ARROWS)


def _said(page: Page) -> Iterator[tuple[str, str]]:
    """What short links say, or what they are labelled for those who do not see."""
    for node, address in _links(page):
        said = page.text(node).casefold() or page.attributes[node].get("aria-label", "").casefold()
        if len(said) <= _LONGEST:
            yield address, said


def _by_name(page: Page) -> Iterator[str]:
    for node, address in _links(page):
        around = (node, page.tree.parents[node])
        if any(
            _CALLED_NEXT.search(
                f"{page.identifiers[own][0] or ''} {page.identifiers[own][1] or ''}"
            )
            for own in around
        ):
            yield address


def _by_number(page: Page) -> Iterator[str]:
    """After a number that is no link, the link with the next number, in a row with other linked numbers."""
    linked = {chunk: address for node, address in _links(page) for chunk in page.text_nodes(node)}
    for chunk, text in enumerate(page.texts[:-1]):
        if chunk in linked or not _is_number(text):
            continue
        following = page.texts[chunk + 1]
        around = [
            other
            for other in (chunk - 1, chunk + 2)
            if other in linked and _is_number(page.texts[other])
        ]
        if (
            _is_number(following)
            and int(following) == int(text) + 1
            and chunk + 1 in linked
            and around
        ):
            yield linked[chunk + 1]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_FIGURES
