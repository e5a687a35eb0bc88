"""News out of pages with truth, beside the programs that are used for that, and against the pinned floors.

    python -m bench.news --data ../shared/data --score ../shared/score/score.py

Sets of several pages a site are read together, as a user would who has the pages of many sites, and one page at a time.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import unweave
from bench.corpus import NEWS, PageSet, page_sets
from bench.floors import Figures, add_arguments, check
from bench.scoring import OUTPUT, scored_by

# Of these there is more than one page a site.
_TOGETHER = ("big9", "slo-news", "fundus")
_FIGURES = ("right", "title_right")

Story = tuple[str, str]
"""A title and a body."""


def main() -> None:
    """Measure, print, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    arguments = parser.parse_args()
    sets = page_sets(arguments.data, "news", NEWS)
    if not sets or not arguments.score.exists():
        print(f"No news with truth in {arguments.data}, or no scorer at {arguments.score}: nothing was measured.")
        return
    measured: dict[str, Figures] = {}
    for name, read in {**_TOGETHER_METHODS, **_SINGLE_METHODS}.items():
        able = [own for own in sets if name not in _TOGETHER_METHODS or own.name in _TOGETHER]
        measured[name] = {own.name: _figures(scored_by(arguments.score, own, _written(own, name, read))) for own in able}
    console = Console(width=120 if not sys.stdout.isatty() else None)
    _print(console, measured, sets)
    ours = {name: figures for name, figures in measured.items() if name.startswith("news")}
    sys.exit(check(console, arguments, ours, sets))


def _figures(scored: dict[str, Any]) -> dict[str, float]:
    return {**{name: scored[name] for name in _FIGURES}, "body_f1": scored["body"]["f1"]}


def _written(page_set: PageSet, method: str, read: Callable[[list[Path]], list[Story]]) -> Path:
    """The output of a method over all pages of a set."""
    output = OUTPUT / f"{page_set.name}-{method.replace(' ', '-')}.jsonl"
    output.parent.mkdir(parents=True, exist_ok=True)
    names = [page["page"] for page in page_set.pages()]
    stories = read([page_set.folder / name for name in names])
    with output.open("w", encoding="utf-8") as file:
        for name, (title, body) in zip(names, stories, strict=True):
            file.write(json.dumps({"page": name, "title": title, "body": body}) + "\n")
    return output


def _print(console: Console, measured: dict[str, Figures], sets: Sequence[PageSet]) -> None:
    grid = Table("right (title right, body F1)", *(own.name for own in sets), title="News")
    for name, figures in measured.items():
        grid.add_row(name, *(_shown(figures.get(own.name)) for own in sets))
    console.print(grid)


def _shown(figures: dict[str, float] | None) -> str:
    if figures is None:
        return ""
    return f"{figures['right']:.3f} ({figures['title_right']:.3f}, {figures['body_f1']:.3f})"


# ---- the methods -----------------------------------------------------------------------------------------------


def _together(paths: list[Path], **options: Any) -> list[Story]:
    return [(article.title or "", article.body or "") for article in unweave.news(map(unweave.read, paths), **options)]


def _one_by_one(read: Callable[[Path], Story], paths: list[Path]) -> list[Story]:
    with ProcessPoolExecutor() as workers:
        return list(workers.map(read, paths, chunksize=8))


def _alone(path: Path) -> Story:
    return _together([path])[0]


def _trafilatura(path: Path) -> Story:
    import trafilatura
    from trafilatura.settings import Document

    found = trafilatura.bare_extraction(path.read_bytes(), with_metadata=True, include_comments=False)
    return (found.title or "", found.text or "") if isinstance(found, Document) else ("", "")


def _readability(path: Path) -> Story:
    import lxml.html
    import readability

    document = readability.Document(path.read_bytes())
    try:
        return document.short_title() or "", lxml.html.fromstring(document.summary()).text_content()
    except (readability.readability.Unparseable, lxml.etree.ParserError):
        return "", ""


def _resiliparse(path: Path) -> Story:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    markup = path.read_bytes()
    tree = HTMLTree.parse(bytes_to_str(markup, detect_encoding(markup)))
    return tree.title or "", extract_plain_text(tree, main_content=True, alt_texts=False, links=False) or ""


def _each(read: Callable[[Path], Story]) -> Callable[[list[Path]], list[Story]]:
    return lambda paths: _one_by_one(read, paths)


_TOGETHER_METHODS: dict[str, Callable[[list[Path]], list[Story]]] = {
    "news together": _together,
    "news paper": lambda paths: _together(paths, labels="paper"),
}
_SINGLE_METHODS: dict[str, Callable[[list[Path]], list[Story]]] = {
    "news alone": _each(_alone),
    "trafilatura": _each(_trafilatura),
    "readability-lxml": _each(_readability),
    "resiliparse": _each(_resiliparse),
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
