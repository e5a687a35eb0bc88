"""The body of an article: the element that holds it, and which blocks belong to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from unweave.news.blocks import LONG, RUNNING, Block
from unweave.news.byline import BY
from unweave.news.worth import SURELY_TEXT, Worth, names_of, step_of

_PARAGRAPHS = frozenset("p li h1 h2 h3 h4 blockquote".split())

# An element further up must have so much more of the same paragraphs.
_LEAST_GAIN = 0.1
_MOST_STEPS_UP = 20
# A part with so much of what an article is worth belongs to it, whatever else speaks against that.
_MAIN_PART = 0.5
_FEW_LINKS = 0.3
_ENDS = (".", "!", "?", "…", '"', "”", "»", "。")

# What is said so often on one page is a notice.
_NOTICE_TIMES = 3
_LEAST_NOTICE = 5
_LEAST_ABOVE = 12
_NEVER_TEXT = re.compile(
    r"\W*((©|copyright\W+(\(c\)|©|\d{4}|by\b)|\(c\)\s*\d{4}|all rights reserved)"
    r"|(advertisement|advertising|anzeige|werbung|publicité|publicidad|publicidade|pubblicità|annonce|reklama|oglas)\W*$)",
    re.IGNORECASE,
)
# What stands above the comments of readers.
_COMMENTS = re.compile(
    r"\W*(\d+\s+)?((all|latest|reader|readers'?|user|view|your)\s+)?"
    r"(comments?|kommentare?|kommentarer|commentaires?|comentarios?|comentários?|commenti|reacties|komentarji|komentarze"
    r"|комментарии|コメント|评论|댓글)\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\W*(posted by|(post|leave|add)\s+(a\s+|your\s+)?comment)\b", re.IGNORECASE)
_LEAST_BEFORE_COMMENTS = 40
_MOST_IN_HEADING, _MOST_IN_LINE = 4, 15
_LEAD_NAMES = re.compile(
    "(?<![a-z])(lead|lede|intro|introduction|summary|standfirst|excerpt|abstract|chapo|vorspann|ingress|bajada|entradilla)(?![a-z])",
    re.IGNORECASE,
)
_NEVER_LEAD = frozenset("figure figcaption aside nav footer form h1".split())


def best_container(worth: Worth) -> int:
    """The element whose contents are worth most."""
    return max(range(len(worth.scores)), key=worth.scores.__getitem__)


def climbed(worth: Worth, container: int) -> int:
    """The element further up that has more of the same paragraphs, and less of anything else than it has of them."""
    tree = worth.page.tree
    if tree.labels[container] in _PARAGRAPHS and container:
        container = tree.parents[container]
    usual, have = _usual_step(worth, container)
    if not have:
        return container
    for node in islice(tree.ancestors(container), 1, _MOST_STEPS_UP):
        gain, noise = _outside(worth, node, container, usual)
        if gain >= _LEAST_GAIN * have and gain >= noise:
            container = node
            have += gain
    return container


def _usual_step(worth: Worth, container: int) -> tuple[str, float]:
    """The step at which most words of the running text stand, and how many words there are."""
    words = Counter[str]()
    for block, value in _valued(worth, container):
        if value > 0 and block.words >= RUNNING:
            words[_step(worth, block.owner, container)] += round(block.words)
    return (words.most_common(1)[0][0], words.total()) if words else ("", 0)


def _outside(worth: Worth, node: int, container: int, usual: str) -> tuple[float, float]:
    """The words at the usual step that a node has outside of the container, and what else there is costs."""
    gain = noise = 0.0
    end = worth.page.tree.ends[container]
    for block, value in _valued(worth, node):
        if container <= block.owner < end:
            continue
        if value < 0:
            noise -= value
        elif block.words >= RUNNING and value > 0 and _step(worth, block.owner, node) == usual:
            gain += block.words
    return gain, noise


def _valued(worth: Worth, node: int) -> list[tuple[Block, float]]:
    """The blocks of an element, with what they are worth."""
    end = worth.page.tree.ends[node]
    return [(block, value) for block, value in zip(worth.blocks, worth.of_blocks, strict=True) if node <= block.owner < end]


def _step(worth: Worth, node: int, top: int) -> str:
    """The step of a paragraph; teasers in a list, or in a link, are other paragraphs than those of the article."""
    step = step_of(worth.page, node)
    return f"teaser {step}" if worth.teasers[node] > top else step


def selected(worth: Worth, container: int) -> list[Block]:
    """The blocks of the container that belong to the article."""
    is_out = _left_out(worth, container)
    times = Counter(block.text for block in worth.blocks)
    seen: set[str] = set()
    found: list[Block] = []
    for block in worth.blocks.inside(container):
        if is_out[block.owner - container] or _is_no_text(worth, block):
            continue
        if block.words >= _LEAST_NOTICE:
            if block.text in seen or times[block.text] >= _NOTICE_TIMES:
                continue
            seen.add(block.text)
        found.append(block)
    return _without_lines_above(_before_comments(found))


def _left_out(worth: Worth, container: int) -> list[bool]:
    """For each node from the container on: does it belong to something else than the article?"""
    tree = worth.page.tree
    main = _MAIN_PART * worth.gains[container]
    is_out = [False]
    for node in range(container + 1, tree.ends[container]):
        is_out.append(
            is_out[tree.parents[node] - container]
            or tree.labels[node] == "h1"
            or (worth.gains[node] < main and (worth.sums[node] < 0 or worth.is_around(node)))
        )
    return is_out


def _is_no_text(worth: Worth, block: Block) -> bool:
    """Is the block text that other articles have too, or does it tell of rights and advertisements, or lead elsewhere?"""
    return block.chunks.start in worth.shared or bool(_NEVER_TEXT.match(block.text)) or _leads_elsewhere(worth, block)


def _leads_elsewhere(worth: Worth, block: Block) -> bool:
    """Is the block a link to something else? A long sentence may be one as a whole and still belong to the text."""
    if not block.is_link:
        return False
    is_paragraph = worth.page.tree.labels[block.owner] == "p"
    return not (is_paragraph and block.words >= LONG and block.text.endswith(_ENDS))


def _before_comments(body: list[Block]) -> list[Block]:
    """The body up to the line, if there is one, that opens what readers say about it."""
    words = 0.0
    for number, block in enumerate(body):
        if words >= _LEAST_BEFORE_COMMENTS and _opens_comments(block):
            return body[:number]
        words += block.words
    return body


def _opens_comments(block: Block) -> bool:
    if block.words <= _MOST_IN_HEADING and _COMMENTS.match(block.text):
        return True
    return block.words <= _MOST_IN_LINE and _COMMENT.match(block.text) is not None


def _without_lines_above(body: list[Block]) -> list[Block]:
    """The body without short lines above its first paragraph that are no sentences: they tell who wrote it, and when."""
    first = first_paragraph(body)
    return [block for number, block in enumerate(body) if number >= first or _may_open(block)]


def _may_open(block: Block) -> bool:
    return block.words >= _LEAST_ABOVE or (block.text.endswith(_ENDS) and not BY.match(block.text))


def first_paragraph(body: Sequence[Block]) -> int:
    """The number of the first block that is a paragraph and no line above it."""
    return next((number for number, block in enumerate(body) if block.words >= LONG), 0)


def lead(worth: Worth, title: int, body: Sequence[Block], container: int) -> list[Block]:
    """Paragraphs between the title, which stands at this chunk, and the container: they open the article."""
    return [
        block
        for block, value in zip(worth.blocks, worth.of_blocks, strict=True)
        if title < block.chunks.start < body[0].chunks.start
        and block.words >= (_LEAST_ABOVE if _is_named_lead(worth, block.owner) else SURELY_TEXT)
        and value > 0
        and block.chunks.start not in worth.shared
        and block.linked < _FEW_LINKS
        and not container <= block.owner < worth.page.tree.ends[container]
        and _may_lead(worth, block.owner, container)
    ]


def _is_named_lead(worth: Worth, node: int) -> bool:
    """Does the block's element, or the one around it, say that it opens an article?"""
    attributes = worth.page.attributes
    nodes = (node, worth.page.tree.parents[node])
    return any(_LEAD_NAMES.search(names_of(attributes[n])) for n in nodes)


def _may_lead(worth: Worth, node: int, container: int) -> bool:
    """Is there nothing between the block and what it has in common with the container that stands around articles?"""
    tree = worth.page.tree
    while not node <= container < tree.ends[node]:
        if tree.labels[node] in _NEVER_LEAD or (worth.is_around(node) and tree.labels[node] != "header"):
            return False
        node = tree.parents[node]
    return True
