"""Articles of news pages with truth: unweave, other programs, and the floors.

    python -m bench.news --data ../shared/data --score ../shared/score/score.py

Sets with several pages per site are read in one call, as by a user who has the pages of many sites,
and one page at a time. The rules of the paper are measured on the pages that the patterns were
learned from, and on new ones: the patterns of each half of the pages of a site read the other half.
With ``--table``, Table 1 of the paper is printed, too.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import unweave
from bench.corpus import NEWS, PageSet, find_page_sets
from bench.floors import Figures, add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.scoring import OUTPUT, run_scorer
from bench.text_peers import PEERS, extract_or_fail
from unweave.content.article import Article
from unweave.wrappers.pattern.learn import NewsPatternLearner

# Sets with more than one page per site.
_SETS_WITH_SITES = ("big9", "slo-news", "fundus")
_FIGURES = ("right", "title_right")

Story = tuple[str, str]
"""The title and the body of an article."""


def main() -> None:
    """Print the figures, and check the floors."""
    parser = make_parser(__doc__)
    add_arguments(parser)
    parser.add_argument(
        "--table", action="store_true", help="print Table 1 of the paper, of new pages by site"
    )
    methods = {**_SITE_METHODS, **_PAGE_METHODS}
    parser.add_argument(
        "--method", action="append", choices=list(methods), help="only this one; may be repeated"
    )
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "news", NEWS)
    if not sets or not arguments.score.exists():
        print(f"No news in {arguments.data}, or no scorer: nothing was measured.")
        return
    measured: dict[str, Figures] = {}
    for name, read in methods.items():
        usable = [
            page_set
            for page_set in sets
            if name not in _SITE_METHODS or page_set.name in _SETS_WITH_SITES
        ]
        if name in (arguments.method or methods):
            measured[name] = {}
            for page_set in usable:
                output = _write_output(page_set, name, read)
                scored = run_scorer(arguments.score, page_set, output)
                measured[name][page_set.name] = _select_figures(scored)
    console = make_console()
    _print_figures(console, measured, sets)
    if arguments.table and _NEW_PAGES in measured:
        _print_table_1(
            console,
            arguments.score,
            [page_set for page_set in sets if page_set.name in _SETS_WITH_SITES],
        )
    ours = {name: figures for name, figures in measured.items() if name.startswith("news")}
    sys.exit(check_floors(console, arguments, ours, sets))


def _select_figures(scored: dict[str, Any]) -> dict[str, float]:
    return {**{name: scored[name] for name in _FIGURES}, "body_f1": scored["body"]["f1"]}


def _get_output_path(page_set: PageSet, method: str) -> Path:
    return OUTPUT / f"{page_set.name}-{method.replace(' ', '-').replace(',', '')}.jsonl"


def _write_output(page_set: PageSet, method: str, read: Callable[[PageSet], list[Story]]) -> Path:
    """Write the output of a method for all pages of a set; return its file."""
    output = _get_output_path(page_set, method)
    output.parent.mkdir(parents=True, exist_ok=True)
    stories = read(page_set)
    with output.open("w", encoding="utf-8") as file:
        for page, (title, body) in zip(page_set.read_pages(), stories, strict=True):
            file.write(json.dumps({"page": page["page"], "title": title, "body": body}) + "\n")
    return output


def _print_figures(console: Console, measured: dict[str, Figures], sets: Sequence[PageSet]) -> None:
    grid = Table(
        "right (title right, body F1)", *(page_set.name for page_set in sets), title="News"
    )
    for name, figures in measured.items():
        grid.add_row(name, *(_format_figures(figures.get(page_set.name)) for page_set in sets))
    console.print(grid)


def _format_figures(figures: dict[str, float] | None) -> str:
    if figures is None:
        return ""
    return f"{figures['right']:.3f} ({figures['title_right']:.3f}, {figures['body_f1']:.3f})"


def _print_table_1(console: Console, scorer: Path, sets: Sequence[PageSet]) -> None:
    """Print Table 1 of the paper for new pages: correct, wrong and not extracted by site."""
    for page_set in sets:
        grid = Table(
            "site",
            "correct",
            "wrong",
            "not extracted",
            "# pages",
            title=f"Table 1: {page_set.name}, new pages",
        )
        pages: dict[str, list[str]] = {}
        for page in page_set.read_pages():
            pages.setdefault(page["site"], []).append(page["page"])
        output = _get_output_path(page_set, _NEW_PAGES)
        all_names = [name for names in pages.values() for name in names]
        lines = {
            json.loads(line)["page"]: line
            for line in output.read_text(encoding="utf-8").splitlines()
        }
        for site, names in [*pages.items(), ("Total", all_names)]:
            part = output.with_suffix(".part.jsonl")
            part.write_text("\n".join(lines[name] for name in names), encoding="utf-8")
            scored = run_scorer(scorer, page_set, part, only=names)
            shares = [
                f"{100 * scored[figure]:.1f} %" for figure in ("right", "wrong", "not_extracted")
            ]
            grid.add_row(site, *shares, str(len(names)))
        console.print(grid)


# ---- methods -------------------------------------------------------------------------------------


def _get_story(article: Article) -> Story:
    return article.title or "", article.body or ""


def _read_sites(page_set: PageSet, **options: Any) -> list[Story]:
    return list(
        map(_get_story, unweave.news(map(unweave.load_page, page_set.list_paths()), **options))
    )


def _read_new_pages(page_set: PageSet, **options: Any) -> list[Story]:
    """Read each half of the pages of a site with the patterns of the other half."""
    stories: dict[Path, Story] = {}
    matched = 0
    for paths in page_set.list_paths_by_site():
        for learned, new in ((paths[::2], paths[1::2]), (paths[1::2], paths[::2])):
            try:
                patterns = unweave.learn(learned, method=NewsPatternLearner(**options))
            except unweave.UnweaveError:
                continue  # one page, or no two of one template
            articles = unweave.news(new, labels="paper", patterns=patterns)
            matched += sum(article.cluster is not None for article in articles)
            stories.update(zip(new, map(_get_story, articles), strict=True))
    pages = page_set.list_paths()
    print(
        f"{page_set.name}: {matched} of {len(pages)} new pages match a pattern"
        f"{_format_options(options)}."
    )
    return [stories.get(path, ("", "")) for path in pages]


def _format_options(options: dict[str, Any]) -> str:
    return (
        f" ({', '.join(f'{name} {value}' for name, value in options.items())})" if options else ""
    )


def _read_pages(read: Callable[[Path], Story], page_set: PageSet) -> list[Story]:
    with ProcessPoolExecutor() as workers:
        return list(workers.map(read, page_set.list_paths(), chunksize=8))


def _read_with_unweave(path: Path) -> Story:
    return _get_story(unweave.news([path])[0])


def _read_with_peer(name: str, path: Path) -> Story:
    text, _ = extract_or_fail(PEERS[name], path.read_bytes(), None)
    return text.title, text.text


def _for_each_page(read: Callable[[Path], Story]) -> Callable[[PageSet], list[Story]]:
    return lambda page_set: _read_pages(read, page_set)


_NEW_PAGES = "news paper, new pages"
_SITE_METHODS: dict[str, Callable[[PageSet], list[Story]]] = {
    "news together": _read_sites,
    "news paper printed": lambda page_set: _read_sites(page_set, labels="paper", variant="printed"),
    "news paper": lambda page_set: _read_sites(page_set, labels="paper"),
    "news paper improved": lambda page_set: _read_sites(
        page_set, labels="paper", variant="improved"
    ),
    "news paper printed, new pages": lambda page_set: _read_new_pages(page_set, variant="printed"),
    _NEW_PAGES: _read_new_pages,
    "news paper improved, new pages": lambda page_set: _read_new_pages(
        page_set, variant="improved"
    ),
}
_PAGE_METHODS: dict[str, Callable[[PageSet], list[Story]]] = {
    "news alone": _for_each_page(_read_with_unweave),
    "trafilatura": _for_each_page(partial(_read_with_peer, "trafilatura, no comments")),
    "readability-lxml": _for_each_page(partial(_read_with_peer, "readability-lxml")),
    "resiliparse": _for_each_page(partial(_read_with_peer, "resiliparse")),
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
