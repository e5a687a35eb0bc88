"""What the Python that is made of selectors has in common: spiders and page objects.

Texts of untrusted pages are string literals in the source, so that no page can insert code.
"""

from __future__ import annotations

from string import Template

from unweave.selectors.choice import ChosenSelector
from unweave.selectors.evaluation import VISIBLE_TEXTS
from unweave.selectors.export import ExportedColumn

NEXT = (
    "//*[self::a or self::link][contains(concat(' ', normalize-space(@rel), ' '), ' next ')]/@href"
)
"""The address of the next page of a list."""

# Texts of pages have a letter or a digit; cells of lists may also be stars.
PAGE_TEXT, LIST_TEXT = r'r"\w"', r'r"\S"'

_FUNCTIONS = Template('''\
def read(where, response, columns):
    """The fields of a page, or the columns of a row, by their names."""
    return {name: take(where.xpath(selector), kind, response) for name, kind, selector in columns}


def take(nodes, kind, response):
    """What was found: one text, many, all of them joined, or an address."""
    texts = [text_of(node) for node in nodes]
    if kind == "joined":
        texts = [joined(texts)]
    texts = [text for text in texts if re.search($says, text)]
    if kind in ("address", "addresses"):
        texts = [response.urljoin(text) for text in texts]
    if kind in ("many", "addresses"):
        return texts
    return texts[0] if texts else None


def text_of(node):
    """A text or an attribute on one line, or all that an element says; comments say nothing."""
    if isinstance(node.root, str):
        return " ".join(node.root.split())
    is_element = isinstance(node.root.tag, str)
    return joined(node.xpath(TEXTS).getall()) if is_element else ""


def joined(texts):
    """Several texts as one, without the spaces that this would put before commas and points."""
    return re.sub(r"\\s+([,.;:!?)\\]])", r"\\1", " ".join(" ".join(texts).split()))
''')


def format_functions(text_pattern: str) -> str:
    """Return the functions that read what selectors find; values match a pattern of text."""
    return _FUNCTIONS.substitute(says=text_pattern)


def format_visible_texts() -> str:
    """Return the XPath of the texts of an element that are drawn, as a literal."""
    return repr(VISIBLE_TEXTS)


def choose_kind(column: ExportedColumn) -> str:
    """Return how ``take`` reads a field or a column: one, many, joined, address or addresses."""
    if column.is_joined:
        return "joined"
    if column.is_url:
        return "addresses" if column.many else "address"
    return "many" if column.many else "one"


def describe_test(chosen: ChosenSelector, indent: str = "") -> str:
    """Return a comment with the number of pages on which a selector holds, and the note."""
    parts = [] if chosen.holds is None else [f"holds on {chosen.holds} of {chosen.of} pages"]
    if chosen.note:
        parts.append(chosen.note)
    return f"{indent}# {'; '.join(parts)}" if parts else ""
