"""News out of pages with truth, beside the programs that are used for that, and against the pinned floors.

    python -m bench.news --data ../shared/data --score ../shared/score/score.py

Sets of several pages a site are read together, as a user would who has the pages of many sites, and one page at a time.
The rules of the paper are measured on the pages that the patterns were made of, and on new ones: of each site, patterns are
learned from every other page and read the rest, and the other way round, so that every page is a new one once. With
``--table``, its Table 1 is printed as well: correct, wrong and not extracted by site.
"""

from __future__ import annotations

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
from bench.corpus import NEWS, PageSet, find_page_sets
from bench.floors import Figures, add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.scoring import OUTPUT, run_scorer
from unweave.content.article import Article
from unweave.wrappers.pattern.learn import NewsPatternLearner

# Of these there is more than one page a site.
_TOGETHER = ("big9", "slo-news", "fundus")
_FIGURES = ("right", "title_right")

Story = tuple[str, str]
"""A title and a body."""


def main() -> None:
    """Measure, print, compare."""
    parser = make_parser(__doc__)
    add_arguments(parser)
    parser.add_argument(
        "--table", action="store_true", help="print Table 1 of the paper, of new pages by site"
    )
    methods = {**_TOGETHER_METHODS, **_SINGLE_METHODS}
    parser.add_argument(
        "--method", action="append", choices=list(methods), help="only this one; may be repeated"
    )
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "news", NEWS)
    if not sets or not arguments.score.exists():
        print(
            f"No news with truth in {arguments.data}, or no scorer at {arguments.score}: nothing was measured."
        )
        return
    measured: dict[str, Figures] = {}
    for name, read in methods.items():
        able = [own for own in sets if name not in _TOGETHER_METHODS or own.name in _TOGETHER]
        if name in (arguments.method or methods):
            measured[name] = {
                own.name: _figures(run_scorer(arguments.score, own, _written(own, name, read)))
                for own in able
            }
    console = make_console()
    _print(console, measured, sets)
    if arguments.table and _NEW_PAGES in measured:
        _print_table_1(console, arguments.score, [own for own in sets if own.name in _TOGETHER])
    ours = {name: figures for name, figures in measured.items() if name.startswith("news")}
    sys.exit(check_floors(console, arguments, ours, sets))


def _figures(scored: dict[str, Any]) -> dict[str, float]:
    return {**{name: scored[name] for name in _FIGURES}, "body_f1": scored["body"]["f1"]}


def _output(page_set: PageSet, method: str) -> Path:
    return OUTPUT / f"{page_set.name}-{method.replace(' ', '-').replace(',', '')}.jsonl"


def _written(page_set: PageSet, method: str, read: Callable[[PageSet], list[Story]]) -> Path:
    """The output of a method over all pages of a set."""
    output = _output(page_set, method)
    output.parent.mkdir(parents=True, exist_ok=True)
    stories = read(page_set)
    with output.open("w", encoding="utf-8") as file:
        for page, (title, body) in zip(page_set.read_pages(), stories, strict=True):
            file.write(json.dumps({"page": page["page"], "title": title, "body": body}) + "\n")
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


def _print_table_1(console: Console, scorer: Path, sets: Sequence[PageSet]) -> None:
    """Table 1 of the paper: what was extracted correctly, wrongly and not at all, site by site, of new pages."""
    for own in sets:
        grid = Table(
            "site",
            "correct",
            "wrong",
            "not extracted",
            "# pages",
            title=f"Table 1: {own.name}, new pages",
        )
        pages: dict[str, list[str]] = {}
        for page in own.read_pages():
            pages.setdefault(page["site"], []).append(page["page"])
        output = _output(own, _NEW_PAGES)
        everything = [name for names in pages.values() for name in names]
        lines = {
            json.loads(line)["page"]: line
            for line in output.read_text(encoding="utf-8").splitlines()
        }
        for site, names in [*pages.items(), ("Total", everything)]:
            part = output.with_suffix(".part.jsonl")
            part.write_text("\n".join(lines[name] for name in names), encoding="utf-8")
            scored = run_scorer(scorer, own, part, only=names)
            shares = [
                f"{100 * scored[figure]:.1f} %" for figure in ("right", "wrong", "not_extracted")
            ]
            grid.add_row(site, *shares, str(len(names)))
        console.print(grid)


# ---- the methods -----------------------------------------------------------------------------------------------


def _story(article: Article) -> Story:
    return article.title or "", article.body or ""


def _together(page_set: PageSet, **options: Any) -> list[Story]:
    return list(map(_story, unweave.news(map(unweave.load_page, page_set.list_paths()), **options)))


def _new_pages(page_set: PageSet, **options: Any) -> list[Story]:
    """Read the even pages of each site with patterns of the odd ones, and the odd ones with patterns of the even ones."""
    sites: dict[str, list[Path]] = {}
    for page in page_set.read_pages():
        sites.setdefault(page["site"], []).append(page_set.folder / page["page"])
    found: dict[Path, Story] = {}
    matched = 0
    for paths in sites.values():
        for learned, new in ((paths[::2], paths[1::2]), (paths[1::2], paths[::2])):
            try:
                patterns = unweave.learn(learned, method=NewsPatternLearner(**options))
            except unweave.UnweaveError:
                continue  # one page, or no two of one template
            articles = unweave.news(new, labels="paper", patterns=patterns)
            matched += sum(article.cluster is not None for article in articles)
            found.update(zip(new, map(_story, articles), strict=True))
    pages = page_set.list_paths()
    print(
        f"{page_set.name}: {matched} of {len(pages)} new pages match a pattern{_in_words(options)}."
    )
    return [found.get(path, ("", "")) for path in pages]


def _in_words(options: dict[str, Any]) -> str:
    return (
        f" ({', '.join(f'{name} {value}' for name, value in options.items())})" if options else ""
    )


def _one_by_one(read: Callable[[Path], Story], page_set: PageSet) -> list[Story]:
    with ProcessPoolExecutor() as workers:
        return list(workers.map(read, page_set.list_paths(), chunksize=8))


def _alone(path: Path) -> Story:
    return _story(unweave.news([path])[0])


def _trafilatura(path: Path) -> Story:
    import trafilatura
    from trafilatura.settings import Document

    found = trafilatura.bare_extraction(
        path.read_bytes(), with_metadata=True, include_comments=False
    )
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
    tree = HTMLTree.parse(bytes_to_str(markup, detect_encoding(markup) or "utf-8"))
    return tree.title or "", extract_plain_text(
        tree, main_content=True, alt_texts=False, links=False
    ) or ""


def _each(read: Callable[[Path], Story]) -> Callable[[PageSet], list[Story]]:
    return lambda page_set: _one_by_one(read, page_set)


_NEW_PAGES = "news paper, new pages"
_TOGETHER_METHODS: dict[str, Callable[[PageSet], list[Story]]] = {
    "news together": _together,
    "news paper printed": lambda own: _together(own, labels="paper", variant="printed"),
    "news paper": lambda own: _together(own, labels="paper"),
    "news paper improved": lambda own: _together(own, labels="paper", variant="improved"),
    "news paper printed, new pages": lambda own: _new_pages(own, variant="printed"),
    _NEW_PAGES: _new_pages,
    "news paper improved, new pages": lambda own: _new_pages(own, variant="improved"),
}
_SINGLE_METHODS: dict[str, Callable[[PageSet], list[Story]]] = {
    "news alone": _each(_alone),
    "trafilatura": _each(_trafilatura),
    "readability-lxml": _each(_readability),
    "resiliparse": _each(_resiliparse),
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
