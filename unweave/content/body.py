"""The body of an article: the element that contains it, and the blocks that belong to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice

from unweave.content.blocks import (
    MIN_PARAGRAPH_WORDS,
    MIN_PROSE_WORDS,
    MIN_SENTENCE_WORDS,
    Block,
    BlockScores,
    describe_step,
    join_names,
)
from unweave.content.byline import BYLINE_START, unescape_text
from unweave.page.page import Page
from unweave.text_similarity import count_terms

_PARAGRAPH_TAGS = frozenset("p li h1 h2 h3 h4 blockquote".split())
_SENTENCE_ENDS = (".", "!", "?", "…", '"', "”", "»", "。")

# An ancestor must add this share of words in the same kind of paragraphs to be the container.
_MIN_GAIN_SHARE = 0.1
_MAX_LEVELS_UP = 20
# An element with this share of the score of an article belongs to it, boilerplate or not.
_MIN_MAIN_SHARE = 0.5
# A block of at least five words that is on the page three times is a notice.
_MIN_NOTICE_WORDS, _NOTICE_OCCURRENCES = 5, 3
_MIN_LEAD_WORDS = 12

NOTICE = re.compile(
    r"\W*((©|copyright\W+(\(c\)|©|\d{4}|by\b)|\(c\)\s*\d{4}|all rights reserved)"
    r"|(advertisement|advertising|anzeige|werbung|publicité|publicidad|publicidade|pubblicità"
    r"|annonce|reklama|oglas)\W*$)",
    re.IGNORECASE,
)
"""Matches copyright notices, and the word that stands above advertisements."""
_COMMENTS_HEADING = re.compile(
    r"\W*(\d+\s+)?((all|latest|reader|readers'?|user|view|your)\s+)?"
    r"(comments?|kommentare?|kommentarer|commentaires?|comentarios?|comentários?|commenti|reacties"
    r"|komentarji|komentarze|комментарии|コメント|评论|댓글)\b",
    re.IGNORECASE,
)
_COMMENT_LINE = re.compile(
    r"\W*(posted by|(post|leave|add)\s+(a\s+|your\s+)?comment)\b", re.IGNORECASE
)
_LEAD_NAMES = re.compile(
    "(?<![a-z])(lead|lede|intro|introduction|summary|standfirst|excerpt|abstract|chapo|vorspann"
    "|ingress|bajada|entradilla)(?![a-z])",
    re.IGNORECASE,
)
_LINE_ENDS = re.compile(r"[\r\n]+")


@dataclass(frozen=True, slots=True)
class Body:
    """The element that contains the body of an article, and the blocks of the body."""

    scores: BlockScores
    container: int
    blocks: list[Block]


def find_body(scores: BlockScores, container: int | None = None) -> Body:
    """Find the body of a page, in the given element or in the one with the highest score."""
    if container is None:
        element_scores = scores.element_scores
        container = max(range(len(element_scores)), key=element_scores.__getitem__)
    container = _expand_container(scores, container)
    return Body(scores, container, _select_blocks(scores, container))


def _expand_container(scores: BlockScores, container: int) -> int:
    """Return the ancestor that adds more of the same paragraphs than of anything else."""
    tree = scores.page.tree
    if tree.labels[container] in _PARAGRAPH_TAGS and container:
        container = tree.parents[container]
    words_at = Counter[str]()
    for block, score in scores.iter_blocks(container, tree.ends[container]):
        if score > 0 and block.words >= MIN_SENTENCE_WORDS:
            words_at[_describe_paragraph(scores, block.owner, container)] += round(block.words)
    words: float = words_at.total()
    if not words:
        return container
    usual_step = words_at.most_common(1)[0][0]
    for node in islice(tree.ancestors(container), 1, _MAX_LEVELS_UP):
        gain = noise = 0.0
        before = scores.iter_blocks(node, container)
        after = scores.iter_blocks(tree.ends[container], tree.ends[node])
        for block, score in chain(before, after):
            if score < 0:
                noise -= score
            elif (
                block.words >= MIN_SENTENCE_WORDS
                and score > 0
                and _describe_paragraph(scores, block.owner, node) == usual_step
            ):
                gain += block.words
        if gain >= _MIN_GAIN_SHARE * words and gain >= noise:
            container = node
            words += gain
    return container


def _describe_paragraph(scores: BlockScores, node: int, top: int) -> str:
    """Return tag and class of a paragraph; those of teasers in lists and links are different."""
    step = describe_step(scores.page, node)
    return f"teaser {step}" if scores.teaser_ancestors[node] > top else step


def _select_blocks(scores: BlockScores, container: int) -> list[Block]:
    """Return the blocks of the container that belong to the article."""
    is_excluded = _mark_excluded_nodes(scores, container)
    occurrences = Counter(block.text for block in scores.blocks)
    end = scores.page.tree.ends[container]
    seen: set[str] = set()
    selected: list[Block] = []
    for block in scores.blocks:
        if not container <= block.owner < end or is_excluded[block.owner - container]:
            continue
        if (
            block.start in scores.template_paragraphs
            or NOTICE.match(block.text)
            or _is_link_elsewhere(scores.page, block)
        ):
            continue
        if block.words >= _MIN_NOTICE_WORDS:
            if block.text in seen or occurrences[block.text] >= _NOTICE_OCCURRENCES:
                continue
            seen.add(block.text)
        selected.append(block)
    return _drop_lines_above(_cut_comments(selected))


def _mark_excluded_nodes(scores: BlockScores, container: int) -> list[bool]:
    """Return for each node from the container on whether it is not part of the article."""
    tree, positive, totals = scores.page.tree, scores.positive_totals, scores.totals
    main_score = _MIN_MAIN_SHARE * positive[container]
    is_excluded = [False]
    for node in range(container + 1, tree.ends[container]):
        is_excluded.append(
            is_excluded[tree.parents[node] - container]
            or tree.labels[node] == "h1"
            or (positive[node] < main_score and (totals[node] < 0 or scores.is_boilerplate(node)))
        )
    return is_excluded


def _is_link_elsewhere(page: Page, block: Block) -> bool:
    """Tell whether a block is a link to another page, and not a long sentence in a link."""
    if not block.is_link:
        return False
    is_paragraph = page.tree.labels[block.owner] == "p"
    is_long = block.words >= MIN_PARAGRAPH_WORDS
    return not (is_paragraph and is_long and block.text.endswith(_SENTENCE_ENDS))


def _cut_comments(body: list[Block]) -> list[Block]:
    """Return the body up to the line that starts the comments of readers, if there is one."""
    words = 0.0
    for number, block in enumerate(body):
        is_heading = block.words <= 4 and _COMMENTS_HEADING.match(block.text)
        if words >= 40 and (is_heading or (block.words <= 15 and _COMMENT_LINE.match(block.text))):
            return body[:number]
        words += block.words
    return body


def _drop_lines_above(body: list[Block]) -> list[Block]:
    """Drop short lines above the first paragraph that are not sentences, such as bylines."""
    first = find_first_paragraph(body)
    kept: list[Block] = []
    for number, block in enumerate(body):
        is_sentence = block.text.endswith(_SENTENCE_ENDS) and not BYLINE_START.match(block.text)
        if number >= first or block.words >= _MIN_LEAD_WORDS or is_sentence:
            kept.append(block)
    return kept


def find_first_paragraph(body: Sequence[Block]) -> int:
    """Return the index of the first block that is a paragraph, and not a line above one."""
    for number, block in enumerate(body):
        if block.words >= MIN_PARAGRAPH_WORDS:
            return number
    return 0


def find_lead(body: Body, title: int) -> list[Block]:
    """Return the paragraphs between the title, a text node, and the container of a body.

    They are the first paragraphs of the article.
    """
    scores, container = body.scores, body.container
    end = scores.page.tree.ends[container]
    lead: list[Block] = []
    for block, score in zip(scores.blocks, scores.block_scores, strict=True):
        if (
            title < block.start < body.blocks[0].start
            and score > 0
            and block.start not in scores.template_paragraphs
            and block.linked < 0.3
            and not container <= block.owner < end
            and block.words >= _MIN_LEAD_WORDS
            and (block.words >= MIN_PROSE_WORDS or _has_lead_name(scores.page, block.owner))
            and _can_be_lead(scores, block.owner, container)
        ):
            lead.append(block)
    return lead


def _has_lead_name(page: Page, node: int) -> bool:
    """Tell whether the class or id of an element or of its parent is that of a lead."""
    nodes = (node, page.tree.parents[node])
    return any(_LEAD_NAMES.search(join_names(page, number)) for number in nodes)


def _can_be_lead(scores: BlockScores, node: int, container: int) -> bool:
    """Tell whether no boilerplate is between a node and its common ancestor with the container."""
    tree = scores.page.tree
    while not node <= container < tree.ends[node]:
        label = tree.labels[node]
        if label == "h1" or (scores.is_boilerplate(node) and label != "header"):
            return False
        node = tree.parents[node]
    return True


def list_unshown_paragraphs(page: Page, shown: Sequence[str]) -> list[str]:
    """Return the paragraphs of the JSON-LD that continue the ones shown, without these."""
    known = {" ".join(text.split()) for text in shown}
    paragraphs = read_structured_body(page, shown) or []
    return [text for text in paragraphs if " ".join(text.split()) not in known]


def read_structured_body(page: Page, shown: Sequence[str]) -> list[str] | None:
    """Return the paragraphs of the JSON-LD if they continue the ones that the page shows.

    Some pages show the start of an article only, and draw the rest by script. The JSON-LD must
    be 1.5 times as long, with 1.3 times as many different words, and have 80 % of what is shown.
    """
    longest = ""
    for thing in page.metadata.jsonld_objects:
        text = thing.get("articleBody")
        if isinstance(text, str) and len(text) > len(longest):
            longest = text
    if len(longest) <= sum(map(len, shown)) or "<" in longest:
        return None
    terms, shown_terms = count_terms(longest), count_terms(" ".join(shown))
    if (
        terms.total() < max(50, 1.5 * shown_terms.total())
        or len(terms) < 1.3 * len(shown_terms)
        or (terms & shown_terms).total() < 0.8 * shown_terms.total()
    ):
        return None
    return [unescape_text(line) for line in _LINE_ENDS.split(longest) if line.strip()]
