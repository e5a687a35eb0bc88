"""Token tables of pages that are written as rows of tokens."""

from random import Random

from hypothesis import strategies as st

from unweave.wrappers.landmarks.regions import TokenTable, build_token_table
from unweave.wrappers.landmarks.tokens import UNMATCHED, Token, TokenSequence, list_conditions


def parse_tokens(row: str) -> TokenSequence:
    """Read tokens separated by spaces: ``<b>`` and ``</b>`` are tags, ``<br/>`` has no end tag.

    ``<b:odd>`` is an element of the class odd. Everything else is a word.
    """
    tokens, partners, open_elements = [], [], []
    for word in row.split():
        name = word.strip("</>")
        partners.append(len(tokens))
        if word.startswith("</"):
            if open_elements and open_elements[-1][0] == name:
                start = open_elements.pop()[1]
                partners[start], partners[-1] = len(tokens), start
            else:
                partners[-1] = UNMATCHED
            tokens.append(Token(None))
        elif word.startswith("<"):
            if not word.endswith("/>"):
                open_elements.append((name, len(tokens)))
            tag, _, style = name.partition(":")
            attributes = {"class": style} if style else {}
            tokens.append(Token(None, tag, list_conditions(attributes)))
        else:
            tokens.append(Token(word, text_node=len(tokens)))
    for _, start in open_elements:
        partners[start] = UNMATCHED
    return TokenSequence(tokens, partners)


def build_table(*rows: str, k: int = 2) -> TokenTable:
    """Return the table of pages, each a row of tokens."""
    return build_token_table([parse_tokens(row) for row in rows], k)


def list_landmarks(table: TokenTable, regions) -> set[str]:
    """Return the candidate landmarks of regions as text."""
    return {str(table.landmarks[split.landmark]) for split in table.find_splits(regions)}


def find_split(table: TokenTable, regions, name: str):
    """Return the split at the landmark with this text."""
    return next(
        split
        for split in table.find_splits(regions)
        if str(table.landmarks[split.landmark]) == name
    )


HEAD = "<b> Title </b> <div> Price </div> Descr. <div> {} </div> <br/> <span> {} </span> {}"


EVERYTHING = HEAD.format("The Price of Everything", "35.22", "A US documentary")


STAR_WARS = HEAD.format("Star Wars", "9.98", "The saga directed by <b> G. Lucas </b>")


@st.composite
def rows(draw, depth=0):
    """Draw a row of tokens with nested elements."""
    parts = []
    for _ in range(draw(st.integers(0, 4 if depth < 2 else 1))):
        name = draw(st.sampled_from("abcdexyz"))
        style = draw(st.sampled_from(["", "", ":odd", ":even"]))
        element = f"<{name}{style}> {draw(rows(depth + 1))} </{name}{style}>"
        parts.append(element if name in "xyz" and depth < 3 else name)
    return " ".join(parts)


tables = st.builds(
    lambda pages, k: build_table(*pages, k=k),
    st.lists(rows(), min_size=1, max_size=4),
    st.integers(min_value=1, max_value=3),
)


def build_shuffled_table(words: int, pages: int = 3) -> TokenTable:
    """Return pages of the same words in different orders: every split moves nearly all tokens."""
    random = Random(1)
    return build_table(
        *(
            " ".join(random.sample([f"w{number}" for number in range(words)], words))
            for _ in range(pages)
        )
    )
