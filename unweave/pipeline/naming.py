"""Names of tables: what the addresses of the pages of a template have in common, and those of other templates have not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import unquote, urlsplit

from unweave.names import UniqueNames, make_unique
from unweave.pipeline.page_types import Kind
from unweave.values.naming import make_name

# A word names a template that so many of its addresses have.
_LEAST_SHARE = 0.7
_LONGEST = 40
RESERVED = ("pages", "templates", "columns")
"""Tables that every database has."""

# What addresses of all kinds of pages have.
_SAYS_NOTHING = frozenset(
    "html htm php asp aspx jsp index page pages www en de fr es it ru ja zh us uk p id".split()
)


def names(
    addresses: Sequence[Sequence[str]], kinds: Sequence[Kind], taken: Collection[str] = ()
) -> list[str]:
    """A name for each template, by the addresses of its pages and its kind; none twice, and none that is taken."""
    words = [Counter(word for address in own for word in _words(address)) for own in addresses]
    found: list[str] = []
    for number, kind in enumerate(kinds):
        others = [
            (own, len(addresses[other])) for other, own in enumerate(words) if other != number
        ]
        name = _telling(words[number], len(addresses[number]), others) or kind.value
        found.append(unique(name, kind, {*taken, *found}))
    return found


def _telling(words: Counter[str], pages: int, others: Iterable[tuple[Counter[str], int]]) -> str:
    """Return the word that nearly all addresses have, and fewest of the others; of several, that of most addresses."""
    able = [word for word, count in words.items() if count >= _LEAST_SHARE * pages]
    shares = {
        word: max((own[word] / count for own, count in others if count), default=0.0)
        for word in able
    }
    return min(able, key=lambda word: (shares[word], -words[word]), default="")


def _words(address: str) -> list[str]:
    """The folders of an address, as names, from the last to the first. The name of the page itself does not count."""
    try:
        path = unquote(urlsplit(address).path)
    except ValueError:
        return []
    folders = [make_name(folder) for folder in path.split("/")[:-1]]
    return list(
        dict.fromkeys(
            own
            for own in reversed(folders)
            if own and not own.isdigit() and own not in _SAYS_NOTHING
        )
    )


def unique(name: str, kind: Kind, taken: Collection[str]) -> str:
    """The name, with its kind or a number behind it if it is taken."""
    name = name[:_LONGEST].strip("_")
    if name not in taken:
        return name
    if kind.value != name and f"{name}_{kind.value}" not in taken:
        return f"{name}_{kind.value}"
    return make_unique(name, taken)


def slugs(sites: Sequence[str]) -> dict[str, str]:
    """For each site what stands before the names of its tables: nothing if there is one site only."""
    if len(sites) <= 1:
        return dict.fromkeys(sites, "")
    prefixes = UniqueNames(separator="")
    return {site: prefixes.add(make_name(site) or "site") + "_" for site in sorted(sites)}
