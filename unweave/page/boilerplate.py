"""Boilerplate vocabulary: tags, and words in classes and ids, of menus, footers and the like."""

from __future__ import annotations

import re

_SECTION_TAGS = frozenset("nav header footer aside".split())

LIST_BOILERPLATE_TAGS = _SECTION_TAGS | {"select"}
"""Elements whose lists are not those that a page is about."""

ARTICLE_BOILERPLATE_TAGS = _SECTION_TAGS | frozenset("figure figcaption form".split())
"""Elements whose text is not part of an article."""

ARTICLE_BOILERPLATE_WORDS = re.compile(
    "(?:(?<![a-zA-Z])|(?=[A-Z]))"  # a word starts: "related", "boxRelated", but not "unrelated"
    "(?i:sidebar|related|recommend|cookie|footer|comment|disqus|respond|discuss|consent"
    "|newsletter|promo|fact-?box)"
)
"""Matches classes and ids of elements around an article. Menus have links, and need no name."""
