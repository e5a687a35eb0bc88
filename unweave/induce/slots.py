"""Learning the fields of detail pages: which texts are labels, which roles there are, and which are worth a field."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from unweave.errors import WrapperError
from unweave.induce.labels import colon_spots, find_labels
from unweave.induce.naming import Names, named
from unweave.induce.tables import find_tables, named_tables
from unweave.page.page import Page
from unweave.records.prices import Prices
from unweave.wrappers.fields import is_value
from unweave.wrappers.places import HIDDEN, Places, words
from unweave.wrappers.roles import Anchors, By, Item, Role, items
from unweave.wrappers.slots import SlotWrapper
from unweave.wrappers.tables import Tables, hide

# An attribute's word that so many pages have belongs to the template, others to single pages.
_STABLE = 0.9

# A place has one text on so many of the pages, if that is enough to tell what stands there.
_LONE = 0.8

# A field must be on so many of the pages, and on two at least; so many are always enough.
_LEAST_SHARE = 0.15
_LEAST_PAGES = 2
_ENOUGH_PAGES = 4
# What says the same on so many pages as this is template.
_ON_ALL = 0.95

# So many texts of one role, on nearly all pages the same number, may mean different things: each is a field.
_MOST_APART = 3
_SAME_NUMBER = 0.8
# So many labels, each on so many of the pages, make a table of rows; what readers write has labels too, but others.
_LEAST_ROWS = 3
_ROW_SHARE = 0.25
# Where fewer of the rows differ from page to page, they are a list that all pages have.
_DIFFERING_ROWS = 0.2

# Of fields that say the same on all pages, the first kind is kept.
_PREFERRED = {By.LABEL: 0, By.COLUMN: 1, By.PLACE: 2, By.JOINED: 3}

Values = dict[int, tuple[str, ...]]
"""What a field says, by the number of the page."""


def learn(pages: Sequence[Page]) -> SlotWrapper:
    """The wrapper for pages of one template."""
    if len(pages) < _LEAST_PAGES:
        raise WrapperError("fields are what differs from page to page: give two or more pages of one template")
    places = Places(_stable_words(pages))
    whole = [places.of(page, learning=True) for page in pages]
    tables = find_tables(pages, whole, _anchors(pages, whole, places))
    reader = Tables(tables, places)
    outlines = [hide(page, own, reader.rows(page, own)) for page, own in zip(pages, whole, strict=True)]
    anchors = _anchors(pages, outlines, places)
    prices = list(map(Prices.of, pages))
    found = [items(page, anchors, own, torn) for page, own, torn in zip(pages, outlines, prices, strict=True)]
    roles = _Roles.of(found, pages, prices, anchors)
    chosen = _distinct(dict(roles.fields()), places)
    names = Names(roles.said, places)
    fields = named(chosen, roles.alike, names, len(pages))
    if not fields and not tables:
        raise WrapperError("the pages have nothing that differs from page to page at the same place")
    return SlotWrapper(anchors, fields, roles.open_rows, len(pages), named_tables(tables, names))


def _anchors(pages: Sequence[Page], outlines: Sequence[Sequence[int]], places: Places) -> Anchors:
    labels, spots = find_labels(pages, outlines)
    return Anchors(places, labels, _lone_places(pages, outlines), spots, colon_spots(labels))


def _stable_words(pages: Sequence[Page]) -> frozenset[str]:
    """The words that belong to the template: those that nearly all pages have, on elements of whatever tag."""
    count: Counter[str] = Counter()
    found: dict[str, str] = {}
    for page in pages:
        kinds = set(zip(page.tree.labels, page.names, strict=True))
        own = {word: word[len(label) :] for label, names in kinds for word in words(label, names)}
        count.update(set(own.values()))
        found.update(own)
    return frozenset(word for word, name in found.items() if count[name] >= _STABLE * len(pages))


def _lone_places(pages: Sequence[Page], outlines: Sequence[Sequence[int]]) -> frozenset[int]:
    """Places with one text on nearly all pages, and never more: nothing else is needed to tell what stands there."""
    most: dict[int, int] = {}
    pages_with: Counter[int] = Counter()
    for page, places in zip(pages, outlines, strict=True):
        here = Counter(places[owner] for owner in page.owners if places[owner] != HIDDEN)
        pages_with.update(here.keys())
        for place, count in here.items():
            most[place] = max(most.get(place, 0), count)
    return frozenset(place for place, count in most.items() if count == 1 and pages_with[place] >= _LONE * len(pages))


@dataclass(frozen=True, eq=False)
class _Roles:
    """What each role says on each page, and how many labels it has there."""

    texts: Mapping[Role, Mapping[int, list[str]]]
    labels: Mapping[Role, Mapping[int, set[int]]]
    said: Mapping[Role, Counter[str]]
    """What the labels before a role say."""
    alike: Mapping[Role, tuple[Role, ...]]
    """For each role that is kept, all that are taken for it."""
    label_places: frozenset[int]
    """Places at which nothing but labels stands."""
    pages: int

    @classmethod
    def of(
        cls, found: Sequence[Sequence[Item]], pages: Sequence[Page], prices: Sequence[Prices], anchors: Anchors
    ) -> _Roles:
        texts: dict[Role, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        labels: dict[Role, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        said: dict[Role, Counter[str]] = defaultdict(Counter)
        alike = _alike(found, anchors.places)
        kept = {role: first for first, roles in alike.items() for role in roles}
        for number, (page, torn, own) in enumerate(zip(pages, prices, found, strict=True)):
            for item in own:
                role, text = kept[item.role], torn.join(item.chunks)
                texts[role][number].append(text if is_value(text) else "")
                if item.label >= 0:
                    labels[role][number].add(item.label)
                    said[role][page.texts[item.label]] += 1
        label_places = frozenset(place for place, _ in anchors.label_spots)
        return cls(texts, labels, said, alike, label_places, len(pages))

    @cached_property
    def open_rows(self) -> frozenset[tuple[int, int]]:
        """Places of values and of labels at which several labels tell different things: rows of a label and a value."""
        rows: Counter[tuple[int, int]] = Counter()
        differing: Counter[tuple[int, int]] = Counter()
        for role, on_pages in self.texts.items():
            is_differing = len({text for texts in on_pages.values() for text in texts}) > 1
            is_usual = is_differing and len(on_pages) >= _ROW_SHARE * self.pages
            if role.by is By.LABEL and (role.label_place in self.label_places or is_usual):
                rows[role.place, role.label_place] += 1
                differing[role.place, role.label_place] += is_differing or len(on_pages) == 1
        return frozenset(
            row for row, count in rows.items() if count >= _LEAST_ROWS and differing[row] >= _DIFFERING_ROWS * count
        )

    def fields(self) -> Iterator[tuple[tuple[Role, int | None], Values]]:
        """The roles that say different things, each as one text, as several, or as a list."""
        for role, on_pages in self.texts.items():
            if len(on_pages) < max(_LEAST_PAGES, min(_LEAST_SHARE * self.pages, _ENOUGH_PAGES)):
                continue
            for number in self._numbers(role, on_pages):
                values = _values(on_pages, number)
                if self._is_worth(role, values):
                    yield (role, number), values

    def _numbers(self, role: Role, on_pages: Mapping[int, list[str]]) -> list[int | None]:
        """Which texts of a role are fields: the only one, each of a few, or all as a list."""
        counts = Counter(map(len, on_pages.values()))
        count, times = counts.most_common(1)[0]
        if counts.keys() == {1}:
            return [0]
        is_same = times >= _SAME_NUMBER * len(on_pages) and 1 < count <= _MOST_APART
        if is_same and role.by is not By.COLUMN and not self._repeats_label(role):
            return [*range(count), None]
        return [None]

    def _repeats_label(self, role: Role) -> bool:
        """Does the label stand several times on most pages, as that of a review does?"""
        own = self.labels.get(role, {})
        return sum(len(those) > 1 for those in own.values()) * 2 > len(self.texts[role])

    def _is_worth(self, role: Role, values: Values) -> bool:
        """Does it say different things? Or, behind a label, something that not all pages say, or a row among others?"""
        said = {text for texts in values.values() for text in texts}
        if role.by is not By.LABEL:
            return len(said) > 1
        is_optional = len(self.texts[role]) < _ON_ALL * self.pages
        return len(said) > 1 or (bool(said) and (is_optional or (role.place, role.label_place) in self.open_rows))


def _alike(found: Sequence[Sequence[Item]], places: Places) -> dict[Role, tuple[Role, ...]]:
    """The roles that mean the same, by the one of them that most pages have.

    What stands behind one label at different places, here or there but never both, means the same: a name with a link on
    one page and without on another. So does what stands side by side in elements of one name: a price, and a new price.
    """
    pages: dict[Role, set[int]] = defaultdict(set)
    for number, items_ in enumerate(found):
        for item in items_:
            pages[item.role].add(number)
    alike: dict[Role, list[Role]] = {}
    taken: dict[Role, set[int]] = {}
    first_of: dict[tuple[By, str, int], list[Role]] = defaultdict(list)
    for role, own in sorted(pages.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        key = _family(role, places)
        family = first_of[key] if key else []
        same = next((first for first in family if taken[first].isdisjoint(own)), None)
        if same is None:
            family.append(role)
            alike[role], taken[role] = [role], set(own)
        else:
            alike[same].append(role)
            taken[same] |= own
    return {first: tuple(roles) for first, roles in alike.items()}


def _family(role: Role, places: Places) -> tuple[By, str, int] | None:
    """What roles have in common that may mean the same."""
    if role.by is By.LABEL:
        return role.by, role.label, role.label_place
    if role.by is not By.PLACE or role.place < 0:
        return None
    above, step = places.above[role.place]
    _, mark, names = step.partition(".")
    return (role.by, names, above) if mark else None


def _values(on_pages: Mapping[int, list[str]], number: int | None) -> Values:
    chosen = {
        page: tuple(filter(None, texts if number is None else texts[number : number + 1]))
        for page, texts in on_pages.items()
    }
    return {page: texts for page, texts in chosen.items() if texts}


def _distinct(fields: Mapping[tuple[Role, int | None], Values], places: Places) -> dict[tuple[Role, int | None], Values]:
    """The fields without those that say what another says on every page. A heading is preferred, then a label.

    Behind different labels, what is the same on some pages may differ on others: the hours of two days of the week.
    """
    headings = {place for (_, step), place in places.numbers.items() if step.startswith("h1")}
    seen: dict[frozenset[tuple[int, frozenset[str]]], str] = {}
    found: dict[tuple[Role, int | None], Values] = {}
    order = sorted(fields.items(), key=lambda entry: (entry[0][0].place not in headings, _PREFERRED[entry[0][0].by]))
    for key, values in order:
        said = frozenset((page, frozenset(texts)) for page, texts in values.items())
        label = key[0].label if key[0].by is By.LABEL else ""
        if said not in seen or (label and seen[said] and label != seen[said]):
            seen.setdefault(said, label)
            found[key] = values
    return found
