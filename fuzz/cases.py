"""Inputs of the fuzzer. The same seed and number always give the same input."""

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
_MAX_JSON_DEPTH = 50

Options = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One input: the verb to call, its files, and the options of the call, which are plain JSON."""

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
    "data": 100,
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
    "text": 150,
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
    """Seed pages, small variants of them, and wrappers, from which inputs are built."""

    def __init__(
        self, pages: Sequence[tuple[str, bytes]], wrappers: Sequence[bytes] = (), *, seed: int = 0
    ) -> None:
        """Take pages, each with the name of its family of similar pages, and saved wrappers."""
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

    def build_case(self, number: int) -> Case:
        """Return the input of this number."""
        random = Random(f"{self._seed} {number}")
        verb = random.choices(list(VERBS), cum_weights=list(accumulate(VERBS.values())))[0]
        if verb.startswith("records"):
            return self._build_page_case(
                verb, random, format=_choose_format(random), **_choose_parameters(verb, random)
            )
        if verb == "like":
            return self._build_page_case(
                verb, random, like=[random.randrange(150), random.randrange(150)]
            )
        if verb in ("data", "drawing", "explain"):
            return self._build_page_case(verb, random)
        if verb == "apply":
            page = self._mutate(self._choose_small_page(random), random)
            return Case(verb, (self._mutate_wrapper(random), page), {})
        if verb in ("source", "site"):
            return self._build_archive_case(verb, random)
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
                "form": random.choice(("xpath", "css", "scrapy", "web-poet")),
            }
            options["samples"] = random.random() < 0.3
        is_short = options.get("search") == "exact"
        return Case(
            verb, self._build_pages(random, max_chars=700 if is_short else MAX_CHARS), options
        )

    def _build_page_case(self, verb: str, random: Random, **options: Any) -> Case:
        if random.random() < 0.1:
            options["url"] = random.choice(URL_TYPES)
        if random.random() < 0.05:
            options["charset"] = random.choice(CHARSETS)
        chance = random.random()
        if chance < _LARGE_PAGE_SHARE:
            page = self._build_large_page(random)
        elif chance < _WHOLE_PAGE_SHARE + _LARGE_PAGE_SHARE:
            page = random.choice(self._whole)
        else:
            page = self._choose_small_page(random)
        return Case(verb, (self._mutate(page, random),), options)

    def _build_pages(self, random: Random, *, max_chars: int = MAX_CHARS) -> tuple[bytes, ...]:
        """Return pages of one template: pages of a family, or one page with different values."""
        count = random.choice((1, 2, 2, 2, 3, 3, 4))
        family = self._families[random.choice(self._names)]
        first = random.choice(family)[:max_chars]
        if random.random() < 0.5:
            return tuple(
                self._mutate(random.choice(family)[:max_chars], random, min_mutations=0)
                for _ in range(count)
            )
        shared = self._mutate(first, random).decode("latin-1")
        return tuple(self._mutate(shared, random, min_mutations=0) for _ in range(count))

    def _build_archive_case(self, verb: str, random: Random) -> Case:
        archive_type = random.choice(KINDS)
        pages = self._build_pages(random)
        if archive_type != "folder" and random.random() < 0.6:
            packed = mutate_bytes(pack(archive_type, pages), random)
            return Case(
                verb,
                (packed,),
                {"kind": archive_type, "packed": True, "format": _choose_table_format(random)},
            )
        return Case(
            verb,
            pages,
            {"kind": archive_type, "packed": False, "format": _choose_table_format(random)},
        )

    def _choose_small_page(self, random: Random) -> str:
        return random.choice(self._small)

    def _build_large_page(self, random: Random) -> str:
        pages = "".join(random.choice(self._whole) for _ in range(3))
        return (pages * (1 + random.randrange(40_000, MAX_CHARS) // max(1, len(pages))))[:MAX_CHARS]

    def _mutate(self, page: str, random: Random, *, min_mutations: int = 1) -> bytes:
        times = min_mutations + min(12, int(random.expovariate(0.5)))
        return mutate(page, self._choose_small_page(random), random, times=times).encode(
            "latin-1", "replace"
        )

    def _mutate_wrapper(self, random: Random) -> bytes:
        """Return a wrapper file whose JSON, or whose bytes, were changed."""
        wrapper = random.choice(self._wrappers) if self._wrappers else b"{}"
        if random.random() < 0.1:
            return mutate_bytes(wrapper, random)
        data = json.loads(wrapper)
        for _ in range(random.choice((1, 1, 2, 4))):
            _change_json(data, random)
        return json.dumps(data).encode()


def read_seeds(folder: Path) -> list[tuple[str, bytes]]:
    """Return the pages below a folder, sorted, each with the name of its family."""
    # The pages at the top of a folder are not similar: each is a family.
    paths = sorted(folder.rglob("*.htm*"))
    return [
        (str(path if path.parent == folder else path.parent), path.read_bytes()) for path in paths
    ]


def read_data(folder: Path | None) -> list[tuple[str, bytes]]:
    """Return some pages of each set of real pages in a folder; without sets, all pages below it."""
    if folder is None:
        return []
    tasks = {"records": corpus.RECORDS, "news": corpus.NEWS, "detail": corpus.DETAIL}
    pages: list[tuple[str, bytes]] = []
    for task, names in tasks.items():
        for page_set in corpus.find_page_sets(folder, task, names):
            paths = page_set.list_paths()
            chosen = paths[:: max(1, len(paths) // _PAGES_PER_SET)]
            pages += [(str(path.parent), path.read_bytes()) for path in chosen]
    return pages or read_seeds(folder)


def with_parts(case: Case, parts: Iterable[bytes]) -> Case:
    """Return the same case with other parts."""
    return replace(case, parts=tuple(parts))


def mutate_bytes(data: bytes, random: Random) -> bytes:
    """Return data with bytes changed, removed, repeated or inserted."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5, 30))):
        position = random.randrange(len(changed) + 1)
        change = random.randrange(5)
        if change == 0 and position < len(changed):
            changed[position] ^= 1 << random.randrange(8)
        elif change == 1 and position < len(changed):
            changed[position] = random.choice((0, 0xFF, 0x7F, random.randrange(256)))
        elif change == 2:
            del changed[position : position + random.choice((1, 4, 100, 10_000))]
        elif change == 3:
            changed[position:position] = changed[position : position + random.choice((1, 8, 200))]
        else:
            changed[position:position] = random.randbytes(random.choice((1, 4, 40)))
    return bytes(changed)


def _change_json(data: Any, random: Random) -> None:
    """Change a value in JSON: remove it, or replace it by an odd one or by another of its type."""
    entries = [(parent, key) for parent in _iter_containers(data) for key in _list_keys(parent)]
    if not entries:
        return
    container, key = random.choice(entries)
    chance = random.random()
    if chance < 0.1:
        del container[key]
    elif chance < 0.3:
        container[key] = deepcopy(random.choice([*_ODD_JSON, random.choice(VALUES)]))
    else:
        values = [parent[name] for parent, name in entries]
        same_type = [value for value in values if type(value) is type(container[key])]
        container[key] = deepcopy(random.choice(same_type))


def _iter_containers(data: Any) -> Iterator[Any]:
    """Yield the objects and lists of JSON down to a depth: copied values make it deeper."""
    pending = [(data, 0)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, dict | list) and depth < _MAX_JSON_DEPTH:
            yield value
            pending.extend((value[key], depth + 1) for key in reversed(_list_keys(value)))


def _list_keys(container: Any) -> list[Any]:
    return list(container) if isinstance(container, dict) else list(range(len(container)))


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


def _choose_parameters(verb: str, random: Random) -> Options:
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


def _choose_format(random: Random) -> str:
    return random.choices(list(_FORMATS), list(_FORMATS.values()))[0]


def _choose_table_format(random: Random) -> str:
    return random.choice(("csv", "jsonl", "parquet"))
