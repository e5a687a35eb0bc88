"""Inputs of the fuzzer: each is made from a seed and a number, and the same pair always gives the same input."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from bench import corpus
from fuzz.archives import KINDS, pack
from fuzz.markup import trim
from fuzz.mutations import CHARSETS, MAX_CHARS, URL_TYPES, VALUES, mutate

MAX_SMALL_CHARS = 6_000
_VARIANTS_PER_PAGE = 6
_PAGES_PER_SET = 40
_WHOLE_PAGE_SHARE = 0.02
_LARGE_PAGE_SHARE = 0.002

Options = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One input: the verb that is called, the files that it gets, and the options of the call, which are plain JSON."""

    verb: str
    parts: tuple[bytes, ...]
    options: Options = field(default_factory=dict)

    def save(self, folder: Path) -> None:
        """Write the case to a folder, a file for each part."""
        folder.mkdir(parents=True, exist_ok=True)
        for number, part in enumerate(self.parts):
            (folder / f"part-{number}").write_bytes(part)
        facts = {"verb": self.verb, "options": self.options, "parts": len(self.parts)}
        (folder / "case.json").write_text(json.dumps(facts, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path) -> Case:
        """Read a case that was saved."""
        facts = json.loads((folder / "case.json").read_text())
        parts = tuple((folder / f"part-{number}").read_bytes() for number in range(facts["parts"]))
        return cls(facts["verb"], parts, facts["options"])


VERBS: dict[str, int] = {
    "records auto": 300,
    "records mdr": 200,
    "records depta": 150,
    "records ctvs": 60,
    "like": 50,
    "together": 30,
    "learn auto": 30,
    "learn fields": 60,
    "learn records": 50,
    "learn depta": 30,
    "learn pattern": 25,
    "learn news-pattern": 25,
    "learn landmark": 8,
    "apply": 150,
    "news": 150,
    "news paper": 50,
    "cluster": 100,
    "explain": 50,
    "export": 30,
    "source": 100,
    "site": 8,
    "drawing": 200,
}
"""The verbs with their weights: many inputs for the cheap ones, few for the expensive ones."""

VARIANTS = ("printed", "corrected", "improved")
"""Those of the methods that are named after papers."""


class Corpus:
    """The seed pages, small variants of them, and wrappers; makes the input of any number."""

    def __init__(
        self, pages: Sequence[tuple[str, bytes]], wrappers: Sequence[bytes] = (), *, seed: int = 0
    ) -> None:
        """Take pages as pairs of a family (pages of one family look alike) and bytes, and saved wrappers."""
        if not pages:
            raise ValueError("there are no seed pages")
        self._seed = seed
        self._wrappers = list(wrappers)
        self._whole = [page.decode("latin-1") for _, page in pages]
        self._families: dict[str, list[str]] = {}
        for number, (family, page) in enumerate(pages):
            random = Random(f"trim {number}")
            variants = [
                trim(page.decode("latin-1"), MAX_SMALL_CHARS, random)
                for _ in range(_VARIANTS_PER_PAGE)
            ]
            self._families.setdefault(family, []).extend(variants)
        self._small = [page for family in self._families.values() for page in family]
        self._names = list(self._families)

    def case(self, number: int) -> Case:
        """Return the input of this number."""
        random = Random(f"{self._seed} {number}")
        verb = random.choices(list(VERBS), cum_weights=list(accumulate(VERBS.values())))[0]
        if verb.startswith("records"):
            return self._one_page(verb, random, format=_format(random), **_parameters(verb, random))
        if verb == "like":
            return self._one_page(verb, random, like=[random.randrange(150), random.randrange(150)])
        if verb in ("drawing", "explain"):
            return self._one_page(verb, random)
        if verb == "apply":
            page = self._mutated(self._small_page(random), random)
            return Case(verb, (self._wrapper(random), page), {})
        if verb in ("source", "site"):
            return self._archive(verb, random)
        options: Options = {}
        if verb == "learn landmark":
            options = {
                "search": random.choice(("greedy", "greedy", "random", "exact")),
                "seed": random.randrange(3),
            }
        if verb in ("learn depta", "learn news-pattern", "news paper"):
            options = {"variant": random.choice(VARIANTS)}
        if verb == "export":
            options = {
                "method": random.choice(("fields", "records")),
                "form": random.choice(("xpath", "css", "scrapy")),
            }
            options["samples"] = random.random() < 0.3
        is_short = options.get("search") == "exact"
        return Case(verb, self._pages(random, max_chars=700 if is_short else MAX_CHARS), options)

    def _one_page(self, verb: str, random: Random, **options: Any) -> Case:
        if random.random() < 0.1:
            options["url"] = random.choice(URL_TYPES)
        if random.random() < 0.05:
            options["charset"] = random.choice(CHARSETS)
        chance = random.random()
        if chance < _LARGE_PAGE_SHARE:
            page = self._large_page(random)
        elif chance < _WHOLE_PAGE_SHARE + _LARGE_PAGE_SHARE:
            page = random.choice(self._whole)
        else:
            page = self._small_page(random)
        return Case(verb, (self._mutated(page, random),), options)

    def _pages(self, random: Random, *, max_chars: int = MAX_CHARS) -> tuple[bytes, ...]:
        """Return pages of one template: different pages of a family, or one page with different values."""
        count = random.choice((1, 2, 2, 2, 3, 3, 4))
        family = self._families[random.choice(self._names)]
        first = random.choice(family)[:max_chars]
        if random.random() < 0.5:
            return tuple(
                self._mutated(random.choice(family)[:max_chars], random, fewest=0)
                for _ in range(count)
            )
        shared = self._mutated(first, random).decode("latin-1")
        return tuple(self._mutated(shared, random, fewest=0) for _ in range(count))

    def _archive(self, verb: str, random: Random) -> Case:
        kind = random.choice(KINDS)
        pages = self._pages(random)
        if kind != "folder" and random.random() < 0.6:
            packed = mutate_bytes(pack(kind, pages), random)
            return Case(
                verb, (packed,), {"kind": kind, "packed": True, "format": _table_format(random)}
            )
        return Case(verb, pages, {"kind": kind, "packed": False, "format": _table_format(random)})

    def _small_page(self, random: Random) -> str:
        return random.choice(self._small)

    def _large_page(self, random: Random) -> str:
        pages = "".join(random.choice(self._whole) for _ in range(3))
        return (pages * (1 + random.randrange(40_000, MAX_CHARS) // max(1, len(pages))))[:MAX_CHARS]

    def _mutated(self, page: str, random: Random, *, fewest: int = 1) -> bytes:
        times = fewest + min(12, int(random.expovariate(0.5)))
        return mutate(page, self._small_page(random), random, times=times).encode(
            "latin-1", "replace"
        )

    def _wrapper(self, random: Random) -> bytes:
        """Return a wrapper file whose JSON, or whose bytes, were changed."""
        wrapper = random.choice(self._wrappers) if self._wrappers else b"{}"
        if random.random() < 0.1:
            return mutate_bytes(wrapper, random)
        data = json.loads(wrapper)
        for _ in range(random.choice((1, 1, 2, 4))):
            _change_json(data, random)
        return json.dumps(data).encode()


def read_seeds(folder: Path) -> list[tuple[str, bytes]]:
    """Return the pages below a folder, in the order of their names, each with the name of its family."""
    # The pages at the top of a folder do not look alike: each is a family.
    paths = sorted(folder.rglob("*.htm*"))
    return [
        (str(path if path.parent == folder else path.parent), path.read_bytes()) for path in paths
    ]


def read_data(folder: Path | None) -> list[tuple[str, bytes]]:
    """Return some pages of each set of real pages in a folder; all pages below the folder if there are no sets."""
    if folder is None:
        return []
    kinds = {"records": corpus.RECORDS, "news": corpus.NEWS, "detail": corpus.DETAIL}
    sets = [
        found
        for kind, names in kinds.items()
        for found in corpus.find_page_sets(folder, kind, names)
    ]
    if not sets:
        return read_seeds(folder)
    paths = [path for found in sets for path in _spread(found.list_paths(), _PAGES_PER_SET)]
    return [(str(path.parent), path.read_bytes()) for path in paths]


def _spread(paths: Sequence[Path], count: int) -> Sequence[Path]:
    """Return about so many of the paths, evenly spread."""
    return paths[:: max(1, len(paths) // count)]


def with_parts(case: Case, parts: Iterable[bytes]) -> Case:
    """Return the same case with other parts."""
    return replace(case, parts=tuple(parts))


def mutate_bytes(data: bytes, random: Random) -> bytes:
    """Return data with bytes changed, removed, repeated or inserted."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5, 30))):
        position = random.randrange(len(changed) + 1)
        kind = random.randrange(5)
        if kind == 0 and position < len(changed):
            changed[position] ^= 1 << random.randrange(8)
        elif kind == 1 and position < len(changed):
            changed[position] = random.choice((0, 0xFF, 0x7F, random.randrange(256)))
        elif kind == 2:
            del changed[position : position + random.choice((1, 4, 100, 10_000))]
        elif kind == 3:
            changed[position:position] = changed[position : position + random.choice((1, 8, 200))]
        else:
            changed[position:position] = random.randbytes(random.choice((1, 4, 40)))
    return bytes(changed)


def _change_json(data: Any, random: Random) -> None:
    """Change one value somewhere in JSON: remove it, take an odd one, or one of its type that stands elsewhere in it."""
    places = [(place, key) for place in _containers(data) for key in _keys(place)]
    if not places:
        return
    place, key = random.choice(places)
    chance = random.random()
    if chance < 0.1:
        del place[key]
    elif chance < 0.3:
        place[key] = deepcopy(random.choice([*_ODD_JSON, random.choice(VALUES)]))
    else:
        others = [other[name] for other, name in places if type(other[name]) is type(place[key])]
        place[key] = deepcopy(random.choice(others))


def _containers(data: Any) -> Iterator[Any]:
    """Yield the objects and lists of JSON that are nested less than 50 deep: copies of others make it deeper and deeper."""
    waiting = [(data, 0)]
    while waiting:
        place, depth = waiting.pop()
        if isinstance(place, dict | list) and depth < _MAX_DEPTH:
            yield place
            waiting.extend((place[key], depth + 1) for key in reversed(_keys(place)))


_MAX_DEPTH = 50


def _keys(place: Any) -> list[Any]:
    return list(place) if isinstance(place, dict) else list(range(len(place)))


_ODD_JSON: list[Any] = [
    None,
    True,
    -1,
    0,
    10**30,
    1e308,
    "",
    "x" * 500,
    [],
    {},
    [[]],
    {"x": 1},
    [None],
]
_FORMATS = {
    "csv": 50,
    "jsonl": 20,
    "json": 10,
    "table": 10,
    "xlsx": 4,
    "pandas": 2,
    "arrow": 2,
    "parquet": 1,
}


def _parameters(verb: str, random: Random) -> Options:
    """Return parameters of a paper's method; none for the default one."""
    if verb == "records auto":
        return {}
    parameters: Options = {"variant": random.choice(VARIANTS)}
    if verb == "records mdr":
        parameters |= {
            "nested": random.random() < 0.3,
            "tags": random.choice(("all", "all", "tables")),
        }
    if verb == "records depta":
        parameters["products"] = random.random() < 0.1
    return {"parameters": parameters}


def _format(random: Random) -> str:
    return random.choices(list(_FORMATS), list(_FORMATS.values()))[0]


def _table_format(random: Random) -> str:
    return random.choice(("csv", "jsonl", "parquet"))
