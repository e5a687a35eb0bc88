"""Tables inside pages that are controls: filter panels, facets and menus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from unweave.page.page import Page
from unweave.page.template_paths import TemplatePaths
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.fields.row_tables import RowFinder, RowTable

_MAX_PAGES = 10  # whose rows are examined
_MIN_CONTROL_SHARE = 0.5  # of the rows of a table that are controls
_CONTROL_TAGS = frozenset("nav footer select menu".split())
_INPUT_TAGS = frozenset("input select button".split())
_MAX_ROW_CHARACTERS = 80  # longer rows, such as reviews with a button, are no controls
_CONTROL_WORDS = re.compile(
    r"(?i)(?:^|[^a-z])(?:facets?|filters?|filtering|refinements?|refine|menu|navbar|navigation"
    r"|pagination|pager|sorting|sort-?by)(?:$|[^a-z])"
)
# As in "Steel (12)": how many records a filter leaves.
_COUNT = re.compile(r"\(\s*[0-9][0-9.,  ]*\)")


def drop_control_tables(wrapper: FieldWrapper, pages: Sequence[Page]) -> FieldWrapper:
    """Return a wrapper without the tables that are filter panels, facets or menus.

    Args:
        wrapper: A wrapper for fields.
        pages: Pages of its template.
    """
    rows: Counter[str] = Counter()
    controls: Counter[str] = Counter()
    paths = wrapper.anchors.paths
    finder = RowFinder(wrapper.tables, wrapper.anchors)
    for page in pages[:_MAX_PAGES] if wrapper.tables else ():
        for table, row in finder.find_rows(page, paths.number_nodes(page)):
            rows[table.name] += 1
            controls[table.name] += _is_control(page, row.node)
    kept = [
        table
        for table in wrapper.tables
        if controls[table.name] < _MIN_CONTROL_SHARE * max(1, rows[table.name])
        and not _is_among_controls(table, paths)
    ]
    return replace(wrapper, tables=tuple(kept))


def _is_control(page: Page, node: int) -> bool:
    """Tell whether a row is a box or link to choose, such as "Steel (12)"."""
    if len(page.text(node)) > _MAX_ROW_CHARACTERS:
        return False
    tags = page.tree.labels[node : page.tree.ends[node]]
    if not _INPUT_TAGS.isdisjoint(tags):
        return True
    texts = [page.texts[text].strip() for text in page.text_nodes(node)]
    return len(texts) == 2 and "a" in tags and _COUNT.fullmatch(texts[-1]) is not None


def _is_among_controls(table: RowTable, paths: TemplatePaths) -> bool:
    """Tell whether the rows are in an element that is called so."""
    for path in table.paths:
        for step in paths.list_steps(path):
            tag = re.split(r"[.#@]", step, maxsplit=1)[0]
            if tag in _CONTROL_TAGS or _CONTROL_WORDS.search(step[len(tag) :]):
                return True
    return False
