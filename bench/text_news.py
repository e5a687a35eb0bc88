"""Articles of news pages by the models of any page, beside those of ``unweave news``.

    python -m bench.text_news --data ../shared/data --score ../shared/score/score.py

The models were fitted to these pages, among others: what they give for sets that they were not
fitted to is measured by ``python -m bench.text``, a page at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from rich.table import Table

from bench.corpus import NEWS, PageSet, find_page_sets
from bench.reporting import make_console, make_parser
from bench.scoring import OUTPUT, run_scorer
from unweave.content.article import extract_articles
from unweave.content.main_content import MainContent, find_main_content, find_main_contents
from unweave.page.page import Page

Story = tuple[str, str]
"""The title and the body of an article."""


def main() -> None:
    """Print the share of right articles of each set and method."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--score", type=Path, default=Path("../shared/score/score.py"))
    parser.add_argument("--method", action="append", choices=list(_METHODS), help="only this one")
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "news", NEWS)
    grid = Table("right (title right, body F1)", *(page_set.name for page_set in sets))
    for name in arguments.method or _METHODS:
        read = _METHODS[name]
        cells = [_measure(page_set, name, read, arguments.score) for page_set in sets]
        grid.add_row(name, *cells)
    make_console(140).print(grid)


def _measure(
    page_set: PageSet, name: str, read: Callable[[Sequence[Path]], list[Story]], scorer: Path
) -> str:
    sites = page_set.list_paths_by_site()
    with ProcessPoolExecutor(2) as workers:
        stories = dict(
            pair
            for paths, found in zip(sites, workers.map(read, sites, chunksize=4), strict=True)
            for pair in zip(paths, found, strict=True)
        )
    output = OUTPUT / f"{page_set.name}-text-{name.replace(' ', '-')}.jsonl"
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("w", encoding="utf-8") as file:
        for page, path in zip(page_set.read_pages(), page_set.list_paths(), strict=True):
            title, body = stories[path]
            file.write(json.dumps({"page": page["page"], "title": title, "body": body}) + "\n")
    scored = run_scorer(scorer, page_set, output)
    return f"{scored['right']:.3f} ({scored['title_right']:.3f}, {scored['body']['f1']:.3f})"


def _read_articles(paths: Sequence[Path]) -> list[Story]:
    articles = extract_articles(list(map(Page.load, paths)))
    return [(article.title or "", article.body or "") for article in articles]


def _read_articles_alone(paths: Sequence[Path]) -> list[Story]:
    return [story for path in paths for story in _read_articles([path])]


def _read_contents(paths: Sequence[Path]) -> list[Story]:
    return list(map(_get_story, find_main_contents(list(map(Page.load, paths)))))


def _read_contents_alone(paths: Sequence[Path]) -> list[Story]:
    return [_get_story(find_main_content(Page.load(path))) for path in paths]


def _get_story(content: MainContent) -> Story:
    texts = [block.text for block in content.blocks]
    return content.title or "", "\n".join([text for text in texts if text != content.title])


_METHODS = {
    "news together": _read_articles,
    "news alone": _read_articles_alone,
    "text together": _read_contents,
    "text alone": _read_contents_alone,
}

if __name__ == "__main__":
    main()
