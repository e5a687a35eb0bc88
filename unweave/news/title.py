"""The title of an article: the line before the body that says what the head of the document says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from unweave.news.blocks import Block, count_words
from unweave.news.body import first_paragraph
from unweave.news.names import Names, Terms, terms
from unweave.news.worth import Worth, names_of, step_of

Evidence = dict[str, float]

# Fitted to real pages by bench/titles.py, which also tells how weights do on sites that they were not fitted to. A positive
# weight speaks for a title.
WEIGHTS: Mapping[str, float] = {
    "like a name": 1.6,
    "very like a name": 1.7,
    "like the social name": 2.0,
    "like the headline": 1.0,
    "in h1": 2.2,
    "in h2": 0.7,
    "in a lower heading": 1.4,
    "named a title": 0.7,
    "named otherwise": -1.6,
    "words in the body": 2.3,
    "near the body": 2.3,
    "after the beginning": -2.5,
    "a link": -2.1,
    "a sentence": -0.8,
    "a byline": -1.2,
    "has a date": -0.8,
    "few words": -2.3,
    "many words": -0.4,
    "in the head only": -1.0,
    "part of a name": -0.8,
    "the headline": 0.9,
}

_VERY_LIKE = 0.6
_TITLE_NAMES = re.compile(r"headline|title|heading|\bhed\b", re.IGNORECASE)
_OTHER_NAMES = re.compile(
    "(?:(?<![a-zA-Z])|(?=[A-Z]))(?i:byline|section|logo|date|author|breadcrumb|kicker|caption|meta|tag|site|brand|credit)"
)
_BYLINE = re.compile(r"(by|von|par|por|di|od|written by|posted by|published|updated)\b", re.IGNORECASE)
_DATE = re.compile(r"\b(19|20)\d\d\b|\d\d?:\d\d|\d\d?[./]\d\d?[./]")
_STOPS = (".", "。", "।")

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_HEADING_WORTH = {
    "h1": "in h1",
    "h2": "in h2",
    "h3": "in a lower heading",
    "h4": "in a lower heading",
    "h5": "in a lower heading",
}
_MARKED = frozenset("b strong font span big em".split())
_LONG_WORD = 4
_FEW, _MANY = 4, 18
_MANY_MORE = 10
_MOST_WORDS = 40
_NEAR = 4
# A heading may stand so many blocks after the beginning of the body and still be the title.
_LATE_HEADING = 12
# So many lines before the body are looked at.
_MOST_LINES = 1_000
_MOST_CANDIDATES = 2_000
_LEVELS_OF_HEADING, _LEVELS_OF_NAME = 3, 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may be the title, and what speaks for and against it."""

    text: str
    evidence: Evidence
    chunk: int | None = None
    """Where it stands; None if only the head of the document says it."""
    step: str = ""
    """Its part in the template."""

    @property
    def score(self) -> float:
        """How much speaks for it."""
        return sum([WEIGHTS[kind] * amount for kind, amount in self.evidence.items()])


def candidates(worth: Worth, body: Sequence[Block], shared_names: Collection[str] = ()) -> list[Candidate]:
    """All texts that may be the title of this body: lines before it, and names in the head that are not shared."""
    names = Names(worth.page, shared_names)
    if not names.all:
        names = Names(worth.page)
    judge = _Judge(worth, body, names)
    found = [judge.line(*line) for line in islice(judge.lines(), _MOST_CANDIDATES)]
    found += [judge.name(name, own) for name, own in names.all.items() if own]
    return [candidate for candidate in found if candidate]


class _Judge:
    """Gathers the evidence for titles of one page."""

    def __init__(self, worth: Worth, body: Sequence[Block], names: Names) -> None:
        self._worth, self._page, self._names = worth, worth.page, names
        self._start = body[first_paragraph(body)].chunks.start if body else len(self._page.texts)
        self._body_words = {word for block in body for word in terms(block.text) if len(word) >= _LONG_WORD}

    def lines(self) -> Iterator[tuple[str, int, int, float]]:
        """The lines that may be titles: text, element, first chunk, and the share of links."""
        page, labels = self._page, self._page.tree.labels
        stop = sum([block.chunks.start < self._start for block in self._worth.blocks])
        for block in self._worth.blocks[max(0, stop - _MOST_LINES) : stop + _LATE_HEADING]:
            chunk = block.chunks.start
            if chunk >= self._start and labels[block.owner] not in ("h1", "h2"):
                continue
            if block.words <= _MOST_WORDS:
                yield block.text, block.owner, chunk, block.linked
            if len(block.chunks) > 1 and chunk < self._start and labels[block.owner] not in _HEADINGS:
                for node in self._marked(block):
                    yield page.text(node), node, page.first_chunks[node], block.linked
        for node in self._broken_headings():
            yield page.text(node), node, page.first_chunks[node], 0.0

    def _broken_headings(self) -> Iterator[int]:
        """Headings of several lines, each of which is a block of its own."""
        page = self._page
        for node, label in enumerate(page.tree.labels):
            if label in ("h1", "h2") and page.count_texts(node) > 1 and page.first_chunks[node] < self._start:
                lines = {page.lines[page.owners[chunk]] for chunk in page.chunks(node)}
                if lines != {node} and count_words(page.text(node)) <= _MOST_WORDS:
                    yield node

    def _marked(self, block: Block) -> Iterator[int]:
        """Elements within a block that mark some of its words."""
        page = self._page
        for chunk in block.chunks:
            node = page.owners[chunk]
            is_part = page.first_chunks[node] == chunk and page.chunks(node) != block.chunks
            if is_part and page.tree.labels[node] in _MARKED and 1 < count_words(page.text(node)) <= _MOST_WORDS:
                yield node

    def line(self, text: str, node: int, chunk: int, linked: float) -> Candidate | None:
        """A line of the page as a candidate; None if it has no words."""
        own = terms(text)
        if not own:
            return None
        evidence = self._of_text(text, own)
        evidence |= self._of_element(node)
        evidence["near the body"] = 1 / (1 + max(0, self._start - chunk) / _NEAR)
        evidence["after the beginning"] = float(chunk >= self._start)
        evidence["a link"] = float(linked > 1 / 2)
        return Candidate(text, evidence, chunk, step_of(self._page, node))

    def name(self, name: str, own: Terms) -> Candidate:
        """A name that the head gives as a candidate."""
        evidence = self._of_text(name, own)
        evidence["in the head only"] = 1.0
        evidence["the headline"] = float(name == self._names.headline)
        evidence["part of a name"] = float(name not in self._names.whole)
        return Candidate(name, evidence)

    def _of_text(self, text: str, own: Terms) -> Evidence:
        like = self._names.likeness(own)
        long = [word for word in own if len(word) >= _LONG_WORD]
        words = own.total()
        return {
            "like a name": like,
            "very like a name": like if like >= _VERY_LIKE else 0.0,
            "like the social name": self._names.social_likeness(own) if like else 0.0,
            "like the headline": self._names.headline_likeness(own) if like else 0.0,
            "words in the body": sum([word in self._body_words for word in long]) / len(long) if long else 0.0,
            "a sentence": float(text.endswith(_STOPS)),
            "a byline": float(_BYLINE.match(text) is not None),
            "has a date": float(_DATE.search(text) is not None),
            "few words": max(0, _FEW - words) / _FEW,
            "many words": max(0, words - _MANY) / _MANY_MORE,
        }

    def _of_element(self, node: int) -> Evidence:
        tree, attributes = self._page.tree, self._page.attributes
        around = [ancestor for ancestor, _ in zip(tree.ancestors(node), range(_LEVELS_OF_HEADING), strict=False)]
        heading = next((_HEADING_WORTH[tree.labels[above]] for above in around if tree.labels[above] in _HEADING_WORTH), "")
        names = " ".join([names_of(attributes[above]) for above in around[:_LEVELS_OF_NAME]])
        is_title, is_other = _named(names)
        evidence = {"named a title": is_title, "named otherwise": is_other}
        return {**evidence, heading: 1.0} if heading else evidence


@lru_cache(maxsize=16_384)
def _named(names: str) -> tuple[float, float]:
    """Do these names tell of a title, and of something else?"""
    return float(_TITLE_NAMES.search(names) is not None), float(_OTHER_NAMES.search(names) is not None)


def best(candidates: Sequence[Candidate], favour: Mapping[str, float] | None = None) -> Candidate | None:
    """The candidate with most that speaks for it, and with the favour that its place in the template has."""
    favour = favour or {}
    return max(candidates, key=lambda candidate: candidate.score + favour.get(candidate.step, 0.0), default=None)
