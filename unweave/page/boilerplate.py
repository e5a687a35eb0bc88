"""Boilerplate vocabulary: tags, and words in classes and ids, of menus, footers and the like."""

from __future__ import annotations

import re

_SECTION_TAGS = frozenset("nav header footer aside".split())

LIST_BOILERPLATE_TAGS = _SECTION_TAGS | {"select"}
"""Elements whose lists are not those that a page is about."""

ARTICLE_BOILERPLATE_TAGS = _SECTION_TAGS | frozenset("figure figcaption form".split())
"""Elements whose text is not part of an article."""

_COMMON_WORDS = "sidebar|related|recommend|cookie"

LIST_BOILERPLATE_WORDS = re.compile(
    f"{_COMMON_WORDS}|nav|foot|header|menu|aside|breadcrumb|pager|pagination|filter|facet|refine"
    "|toolbar|banner|social|share|widget|lang"
)
"""Matches classes and ids, in lower case, of elements around menus and controls."""

ARTICLE_BOILERPLATE_WORDS = re.compile(
    "(?:(?<![a-zA-Z])|(?=[A-Z]))"  # a word starts: "related", "boxRelated", but not "unrelated"
    f"(?i:{_COMMON_WORDS}|footer|comment|disqus|respond|discuss|consent|newsletter|promo"
    "|fact-?box)"
)
"""Matches classes and ids of elements around an article. Menus have links, and need no name."""
