"""Main content, titles, dates and authors: unweave and other programs on the same pages.

    python -m bench.text_peers --data ../shared/data --score ../shared/score/score.py
    python -m bench.text_peers … --set text/wcxb --set news/big9 --method trafilatura

The methods take turns with blocks of pages, each in a process of its own that has read a few pages
before, because they share libraries that remember parts of pages. Times are those of the processor
with parsing, without the largest and the smallest 5 %; in brackets, the time that 95 % of the pages
stay below. A failure counts as an empty text. Wrong values are counted where there is a true one.

Outputs are kept in .data: what was read once is only scored again, unless --fresh. Peers that are
not installed are left out (``pip install --group peers``). New methods of unweave are added to
EXTRACTORS.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from statistics import fmean, quantiles
from types import ModuleType
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import track
from rich.table import Table

import unweave
from bench.corpus import NEWS, TEXT, PageSet, find_page_sets
from bench.reporting import make_console, make_parser
from bench.scoring import OUTPUT, load_scorer, run_scorer

_WORKERS = 2
_PAGE_SECONDS = 30  # a page that takes longer counts as a failure
_TRIMMED_SHARE = 0.05  # of the times, at both ends
_BLOCK_PAGES = 250
_WARM_UP_PAGES = 3
_RIGHT = 0.8  # the token F1 of a right title or author


class PeerText(NamedTuple):
    """What a program says of a page; empty where it says nothing."""

    title: str = ""
    text: str = ""
    author: str = ""
    """The names, with a semicolon between them."""
    date: str = ""
    """The day, or day and time, of publication in ISO 8601."""


Extract = Callable[[bytes, str | None], PeerText]
"""Read markup, and its address if that is known."""


# ---- methods -------------------------------------------------------------------------------------


def extract_with_news(markup: bytes, url: str | None) -> PeerText:
    article = unweave.news([unweave.load_page(markup, url=url)])[0]
    return PeerText(
        article.title or "", article.body or "", "; ".join(article.authors), article.date or ""
    )


def extract_with_text(markup: bytes, url: str | None) -> PeerText:
    """Return the document of ``unweave text``; its models were fitted to the pages of text/wcxb."""
    document = unweave.text(unweave.load_page(markup, url=url))
    return PeerText(
        document.title or "", document.text, "; ".join(document.authors), document.date or ""
    )


def extract_with_trafilatura(markup: bytes, url: str | None, **options: Any) -> PeerText:
    """Return the text with the comments after it, as trafilatura's ``extract`` does."""
    import trafilatura
    from trafilatura.settings import Document

    document = trafilatura.bare_extraction(markup, url=url, with_metadata=True, **options)
    if not isinstance(document, Document):
        return PeerText()
    return PeerText(
        document.title or "",
        "\n".join(filter(None, (document.text, document.comments))),
        document.author or "",
        document.date or "",
    )


def extract_with_readability(markup: bytes, url: str | None) -> PeerText:
    """Return the text of the summary, with line breaks between its blocks."""
    import readability
    from resiliparse.extract.html2text import extract_plain_text

    document = readability.Document(markup, url=url)
    title, author = document.short_title(), document.author()
    return PeerText(
        "" if title == "[no-title]" else title or "",
        extract_plain_text(document.summary(), alt_texts=False, links=False),
        "" if author == "[no-author]" else author,
    )


def extract_with_resiliparse(markup: bytes, url: str | None) -> PeerText:
    """Decode the page as UTF-8 if it is that, else by what it declares, else by its bytes."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    try:
        decoded = markup.decode()
    except UnicodeDecodeError:
        encoding = detect_encoding(markup, from_html_meta=True) or "utf-8"
        decoded = bytes_to_str(markup, encoding)
    tree = HTMLTree.parse(decoded)
    text = extract_plain_text(tree, main_content=True, alt_texts=False, links=False)
    return PeerText(tree.title or "", text or "")


# jusText's lists of stop words by language.
_STOPLISTS = dict(
    item.split()
    for item in """bg Bulgarian, cs Czech, da Danish, de German, el Greek, en English, es Spanish,
        fi Finnish, fr French, hu Hungarian, it Italian, nb Norwegian_Bokmal, nl Dutch,
        no Norwegian_Bokmal, pl Polish, pt Portuguese, ro Romanian, ru Russian, sl Slovenian,
        sv Swedish, tr Turkish, uk Ukrainian""".split(",")
)
_LANGUAGE = re.compile(rb"<html\b[^>]*?\slang\s*=\s*[\"']?([a-zA-Z]{2})", re.IGNORECASE)


def extract_with_justext(markup: bytes, url: str | None) -> PeerText:
    """Use the stop words of the language that the page names, else of English.

    If jusText has none of the language, use no stop words, as its command line does.
    """
    import justext

    language = _LANGUAGE.search(markup)
    stoplist = _STOPLISTS.get(language[1].decode().lower() if language else "en")
    if stoplist:
        paragraphs = justext.justext(markup, _get_stoplist(stoplist))
    else:
        paragraphs = justext.justext(markup, frozenset(), stopwords_low=0, stopwords_high=0)
    return PeerText(text="\n".join(part.text for part in paragraphs if not part.is_boilerplate))


@cache
def _get_stoplist(name: str) -> frozenset[str]:
    import justext

    return frozenset(justext.get_stoplist(name))


def extract_with_newspaper(markup: bytes, url: str | None) -> PeerText:
    import newspaper
    import tldextract

    tldextract.tldextract.TLD_EXTRACTOR.suffix_list_urls = ()  # nothing is fetched
    article = newspaper.Article(url or "https://example.com/", fetch_images=False)
    article.download(input_html=markup).parse()
    date = article.publish_date
    return PeerText(
        article.title or "",
        article.text or "",
        "; ".join(article.authors),
        date.isoformat() if date else "",
    )


def extract_with_htmldate(markup: bytes, url: str | None) -> PeerText:
    import htmldate

    return PeerText(date=htmldate.find_date(markup, original_date=True, url=url) or "")


# Licences and last releases, as of November 2026. Nothing of them is used but their results.
PEERS: dict[str, Extract] = {
    # Apache-2.0; 2.3.1 of October 2026, maintained.
    "trafilatura": extract_with_trafilatura,
    "trafilatura, no comments": partial(extract_with_trafilatura, include_comments=False),
    "trafilatura, recall": partial(extract_with_trafilatura, favor_recall=True),
    # Apache-2.0; 0.9, few releases.
    "readability-lxml": extract_with_readability,
    # Apache-2.0; 2.0.0 of November 2026, maintained.
    "resiliparse": extract_with_resiliparse,
    # BSD-2-Clause; 3.0.2 of February 2025, complete rather than developed. No title.
    "jusText": extract_with_justext,
    # MIT; 0.9.6, maintained; needs python-dateutil below 3.
    "newspaper4k": extract_with_newspaper,
    # Apache-2.0; 1.11.0 of October 2026, maintained by trafilatura's authors. Dates only.
    "htmldate": extract_with_htmldate,
}
EXTRACTORS: dict[str, Extract] = {
    "unweave text (fitted)": extract_with_text,
    "unweave news": extract_with_news,
    **PEERS,
}
_NO_TEXT = ("htmldate",)
_NO_TITLE = ("jusText", "htmldate")
_NO_AUTHOR = ("resiliparse", "jusText", "htmldate")
_NO_DATE = ("readability-lxml", "resiliparse", "jusText")


def extract_or_fail(extract: Extract, markup: bytes, url: str | None) -> tuple[PeerText, str]:
    """Return what a method says of a page, and the name of its failure if there was one."""
    try:
        with _limit_time(_PAGE_SECONDS):
            return extract(markup, url), ""
    except ModuleNotFoundError:
        raise
    except Exception as error:  # whatever a program raises for a page, it has no text of it
        return PeerText(), type(error).__name__


@contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after some seconds; compiled code is interrupted when it returns."""

    def stop(*_: object) -> None:
        raise TimeoutError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


# ---- measurement ---------------------------------------------------------------------------------


def main() -> None:
    """Print the figures of all methods for all sets."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument(
        "--set", action="append", help="only this one, such as text/wcxb; may be repeated"
    )
    parser.add_argument(
        "--method", action="append", choices=list(EXTRACTORS), help="only this one; likewise"
    )
    parser.add_argument("--fresh", action="store_true", help="read the pages again")
    arguments = parser.parse_args()
    sets = [
        page_set
        for task, names in (("text", TEXT), ("news", NEWS))
        for page_set in find_page_sets(arguments.data, task, names)
        if f"{task}/{page_set.name}" in (arguments.set or [f"{task}/{page_set.name}"])
    ]
    if not sets or not arguments.score.exists():
        print(f"No such pages in {arguments.data}, or no scorer: nothing was measured.")
        return
    methods = [name for name in arguments.method or EXTRACTORS if _is_installed(name)]
    console = make_console(180)
    for page_set in sets:
        missing = [
            name
            for name in methods
            if arguments.fresh or not _get_output_path(page_set, name).exists()
        ]
        if missing:
            _write_outputs(page_set, missing)
    for page_set in sets:
        if page_set.task == "text":
            _print_text(console, arguments.score, page_set, methods)
    news_sets = [page_set for page_set in sets if page_set.task == "news"]
    _print_news(console, arguments.score, news_sets, methods)


def _is_installed(method: str) -> bool:
    try:
        extract_or_fail(EXTRACTORS[method], b"<p>A page.</p>", None)
    except ModuleNotFoundError as error:
        print(f"{method} is left out: {error}.")
        return False
    return True


def _get_output_path(page_set: PageSet, method: str) -> Path:
    folder = OUTPUT / "peers" / f"{page_set.task}-{page_set.name}-{page_set.digest}"
    return folder / f"{method.replace(',', '').replace(' ', '-')}.jsonl"


def _write_outputs(page_set: PageSet, methods: Sequence[str]) -> None:
    """Write one file for each method: what it says of each page, and how long it took."""
    pages = page_set.read_pages()
    blocks = [pages[start : start + _BLOCK_PAGES] for start in range(0, len(pages), _BLOCK_PAGES)]
    jobs = [(page_set.folder, block, method) for block in blocks for method in methods]
    lines: dict[str, list[str]] = {method: [] for method in methods}
    with ProcessPoolExecutor(_WORKERS, max_tasks_per_child=1) as workers:
        for (_, _, method), outputs in zip(
            track(jobs, f"{page_set.task}/{page_set.name}", console=Console(stderr=True)),
            workers.map(_read_block, jobs),
            strict=True,
        ):
            lines[method] += map(json.dumps, outputs)
    for method in methods:
        path = _get_output_path(page_set, method)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text("\n".join(lines[method]), encoding="utf-8")
        part.replace(path)


def _read_block(job: tuple[Path, Sequence[dict[str, Any]], str]) -> list[dict[str, Any]]:
    """Read pages with a method; return its outputs, and the seconds of processor time of each."""
    folder, pages, method = job
    os.nice(10)
    warnings.simplefilter("ignore")
    logging.disable()
    for page in pages[-_WARM_UP_PAGES:]:
        _read_page(folder, page, method)
    return [_read_page(folder, page, method) for page in pages]


def _read_page(folder: Path, page: dict[str, Any], method: str) -> dict[str, Any]:
    markup = (folder / page["page"]).read_bytes()
    start = time.process_time()
    text, failure = extract_or_fail(EXTRACTORS[method], markup, page.get("url"))
    seconds = time.process_time() - start
    # A lone surrogate cannot be written.
    fields = {
        name: value.encode(errors="replace").decode() for name, value in text._asdict().items()
    }
    return {
        "page": page["page"],
        **fields,
        "body": fields["text"],  # the name that the scorer of news looks for
        "failure": failure,
        "seconds": seconds,
    }


def _read_outputs(page_set: PageSet, method: str) -> list[dict[str, Any]]:
    lines = _get_output_path(page_set, method).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


# ---- figures -------------------------------------------------------------------------------------


def compute_trimmed_mean(values: Sequence[float], share: float = _TRIMMED_SHARE) -> float:
    """Return the mean without the largest and the smallest values, each this share of them."""
    dropped = int(len(values) * share)
    return fmean(sorted(values)[dropped : len(values) - dropped])


_AUTHOR_SEPARATOR = re.compile(r"[;,&|\n]|\band\b")


def _split_authors(text: str) -> set[str]:
    names = (" ".join(name.split()) for name in _AUTHOR_SEPARATOR.split(text.casefold()))
    return {name for name in names if name}


def is_same_author(scorer: ModuleType, truth: str, given: str) -> bool:
    """Tell whether two texts name the same authors, in any order, or in nearly the same words."""
    return _split_authors(truth) == _split_authors(given) or is_similar(scorer, truth, given)


def is_similar(scorer: ModuleType, truth: str, given: str) -> bool:
    similarity: float = scorer.overlap(truth, given)[2]
    return similarity >= _RIGHT


def is_same_day(truth: str, given: str) -> bool:
    """Tell whether two times are of one day, or of one month where the truth has no day."""
    return given.startswith(truth[:10])


def _score_field(
    pages: Sequence[dict[str, Any]],
    outputs: Sequence[dict[str, Any]],
    field: str,
    is_right: Callable[[str, str], bool],
) -> tuple[float, float]:
    """Return the shares of right and of wrong values where there is a true one.

    The rest is not given.
    """
    pairs = [
        (page[field], output[field])
        for page, output in zip(pages, outputs, strict=True)
        if page.get(field)
    ]
    right = [bool(given) and is_right(truth, given) for truth, given in pairs]
    wrong = [bool(given) and not same for same, (_, given) in zip(right, pairs, strict=True)]
    return fmean(right), fmean(wrong)


def _format_field(figures: tuple[float, float]) -> str:
    return f"{figures[0]:.3f} ({figures[1]:.3f})"


def _print_text(console: Console, score: Path, page_set: PageSet, methods: Sequence[str]) -> None:
    """Print the word F1 by page type, then snippets, times and data about the text."""
    scorer = load_scorer(score)
    pages = page_set.read_pages()
    counts: dict[str, int] = {}
    for page in pages:
        counts[page["type"]] = counts.get(page["type"], 0) + 1
    types = sorted(counts, key=lambda name: -counts[name])
    name = f"{page_set.task}/{page_set.name}"
    by_type = Table(
        "word F1",
        f"all ({len(pages)})",
        "mean of types",
        *(f"{kind} ({counts[kind]})" for kind in types),
        title=f"{name}: word F1 by page type",
    )
    with_date = sum(bool(page.get("date")) for page in pages)
    with_author = sum(bool(page.get("author")) for page in pages)
    others = Table(
        "right (wrong)",
        "snippets with",
        "without",
        f"title ({len(pages)})",
        f"date ({with_date})",
        f"author ({with_author})",
        "empty",
        "failures",
        "ms a page (95 %)",
        title=f"{name}: snippets, titles, dates, authors, processor time",
    )
    fields: tuple[tuple[str, Callable[[str, str], bool], Sequence[str]], ...] = (
        ("title", partial(is_similar, scorer), _NO_TITLE),
        ("date", is_same_day, _NO_DATE),
        ("author", partial(is_same_author, scorer), _NO_AUTHOR),
    )
    for method in methods:
        outputs = _read_outputs(page_set, method)
        if method not in _NO_TEXT:
            scored = run_scorer(score, page_set, _get_output_path(page_set, method))
            kinds = [scored["by_kind"][kind] for kind in types]
            by_type.add_row(
                method, f"{scored['f1']:.3f}", f"{fmean(kinds):.3f}", *(f"{x:.3f}" for x in kinds)
            )
            shares = [f"{scored[share]:.3f}" for share in ("with", "without")]
        else:
            shares = ["", ""]
        given = [
            ""
            if method in lacking
            else _format_field(_score_field(pages, outputs, field, is_right))
            for field, is_right, lacking in fields
        ]
        others.add_row(
            method,
            *shares,
            *given,
            "" if method in _NO_TEXT else f"{fmean(not x['text'].strip() for x in outputs):.3f}",
            str(sum(bool(output["failure"]) for output in outputs)),
            f"{_format_time(outputs)} ({_format_slow_time(outputs)})",
        )
    console.print(by_type)
    console.print(others)


def _format_time(outputs: Sequence[dict[str, Any]]) -> str:
    return f"{1000 * compute_trimmed_mean([output['seconds'] for output in outputs]):.1f}"


def _format_slow_time(outputs: Sequence[dict[str, Any]]) -> str:
    return f"{1000 * quantiles([output['seconds'] for output in outputs], n=20)[-1]:.0f}"


def _print_news(
    console: Console, score: Path, sets: Sequence[PageSet], methods: Sequence[str]
) -> None:
    """Print how many articles are right, and the time that a page takes."""
    if not sets:
        return
    grid = Table(
        "right (title right, body F1), ms a page",
        *(page_set.name for page_set in sets),
        title="News",
    )
    for method in methods:
        if method in _NO_TEXT:
            continue
        cells = []
        for page_set in sets:
            scored = run_scorer(score, page_set, _get_output_path(page_set, method))
            right, title = (
                "–" if method in _NO_TITLE else f"{scored[share]:.3f}"
                for share in ("right", "title_right")
            )
            time_ms = _format_time(_read_outputs(page_set, method))
            cells.append(f"{right} ({title}, {scored['body']['f1']:.3f}) {time_ms}")
        grid.add_row(method, *cells)
    console.print(grid)


if __name__ == "__main__":
    main()
