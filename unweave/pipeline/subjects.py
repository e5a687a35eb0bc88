"""What the pages of a template are about, as names of their table: ``products``, ``reviews``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from unweave.page.page import Page
from unweave.values.naming import make_name

# A type, breadcrumb or heading is that of a template if this share of its pages have it.
_MIN_PAGE_SHARE = 0.7
_MIN_PAGES = 2  # one page alone does not tell what it shares with others
_MAX_WORDS = 3
_MAX_NODES = 50  # with breadcrumbs or a type, of one page
_MAX_CRUMBS = 10
# Types of schema.org that pages of all kinds have.
_COMMON_TYPES = frozenset(
    "aggregaterating aggregateoffer brand breadcrumblist contactpoint corporation creativework"
    " imageobject itemlist listitem localbusiness offer onlinestore organization person"
    " postaladdress rating searchaction sitenavigationelement thing website wpfooter wpheader"
    " wpsidebar".split()
)
_HOME_WORDS = frozenset("accueil home homepage index inicio main start startseite".split())
_CRUMBS = re.compile(r"(?i)bread-?_?crumb")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CONSONANT_Y = re.compile(r"(?<=[^aeiou])y$")
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")


def list_subjects(pages: Sequence[Page]) -> list[str]:
    """Return names of what pages of one template are about, the most reliable first.

    They come from the types in JSON-LD and microdata, from the last breadcrumb that the pages
    share, and from their heading if they share it.
    """
    subjects = _find_shared([list(_iter_types(page)) for page in pages])[:1]
    if len(pages) >= _MIN_PAGES:
        subjects += _find_shared([_list_crumbs(page) for page in pages])[-1:]
        subjects += _find_shared([_list_headings(page) for page in pages])[:1]
    return list(dict.fromkeys(subjects))


def _find_shared(names_of_pages: Sequence[Sequence[str]]) -> list[str]:
    """Return the names that most pages have, in the order of the first page that has them."""
    counts = Counter(name for names in names_of_pages for name in set(names))
    order = dict.fromkeys(name for names in names_of_pages for name in names)
    return [name for name in order if counts[name] >= _MIN_PAGE_SHARE * len(names_of_pages)]


def _iter_types(page: Page) -> Iterator[str]:
    """Yield the plural of each type of a page that is not one of all kinds of pages."""
    for jsonld in page.metadata.jsonld_objects:
        given = jsonld.get("@type")
        yield from _read_types(given if isinstance(given, list) else [given])
    found = 0
    for attributes in page.attributes:
        if "itemtype" in attributes:
            yield from _read_types(attributes["itemtype"].split())
            found += 1
            if found == _MAX_NODES:
                return


def _read_types(types: Iterable[object]) -> Iterator[str]:
    for given in types:
        if isinstance(given, str):
            type_ = given.rstrip("/").rpartition("/")[2]
            is_common = type_.casefold() in _COMMON_TYPES or type_.endswith("Page")
            name = make_name(_CAMEL_CASE.sub(" ", type_))
            if name and not is_common and name.count("_") < _MAX_WORDS:
                yield _make_plural(name)


def _make_plural(name: str) -> str:
    if _CONSONANT_Y.search(name):
        return _CONSONANT_Y.sub("ies", name)
    return f"{name}es" if _SIBILANT.search(name) else f"{name}s"


def _list_crumbs(page: Page) -> list[str]:
    """Return the breadcrumbs of a page as names, without the home page."""
    names: list[str] = []
    for node, (classes, identifier, _) in enumerate(page.identifiers):
        if _CRUMBS.search(classes or "") or _CRUMBS.search(identifier or ""):
            texts = [page.texts[text] for text in page.text_nodes(node)[:_MAX_CRUMBS]]
            names = [name for name in map(_name_subject, texts) if name]
            break
    return names


def _list_headings(page: Page) -> list[str]:
    """Return the main headings of a page as names."""
    names: list[str] = []
    for node, tag in enumerate(page.tree.labels):
        if tag == "h1" and len(names) < _MAX_CRUMBS:
            names.append(_name_subject(page.text(node)))
    return [name for name in names if name]


def _name_subject(text: str) -> str:
    """Return the name of a short text; empty if it is long, a number or the home page."""
    words = text[:100].split()
    name = make_name(text[:100])
    is_name = 0 < len(words) <= _MAX_WORDS and name not in _HOME_WORDS
    return name if is_name and not name.replace("_", "").isdigit() else ""
