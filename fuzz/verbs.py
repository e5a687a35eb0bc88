"""The call of each verb, and the laws that its result must obey.

Checks let errors of unweave through: these refuse an input, and are no failures. They raise
``Broken`` for a result that breaks a law.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console

import unweave
from fuzz.archives import pack
from fuzz.cases import Case
from unweave import Page, Table, api
from unweave.cli.terminal import show_article, show_page, show_text, show_wrapper
from unweave.content.blocks import find_blocks
from unweave.content.markdown import render_markdown
from unweave.errors import UnweaveError
from unweave.lists.method import METHODS
from unweave.page.parse import build_document
from unweave.sinks.page_tables import open_table_writer
from unweave.sources.selection import find_files, make_archive_shards
from unweave.sources.shards import make_file_shards
from unweave.studio.drawing import build_drawing
from unweave.wrappers.base import Wrapper
from unweave.wrappers.landmarks.learn import LandmarkLearner
from unweave.wrappers.learning import LEARNERS

_MAX_TABLES_CHECKED = 3
_FIT_TOLERANCE = 0.001


class Broken(Exception):
    """A result that breaks a law; ``reason`` names the law."""

    def __init__(self, reason: str, details: str = "") -> None:
        super().__init__(reason, details)
        self.reason = reason
        self.details = details


def _require(is_held: bool, reason: str, details: str = "") -> None:
    if not is_held:
        raise Broken(reason, details)


# ---- tables --------------------------------------------------------------------------------------


def check_records(case: Case) -> None:
    """Find the tables of a page by a method, and write them in a format."""
    page = _read(case)
    method = METHODS.make(case.verb.split()[1], case.options.get("parameters", {}))
    tables = unweave.records(page, method=method)
    _check_tables(tables)
    _check_format(tables, case.options["format"])


def check_like(case: Case) -> None:
    """Find the table that has two elements in two records."""
    page = _read(case)
    first, second = (number % len(page.tree) for number in case.options["like"])
    _check_tables(unweave.records(page, like=(page.xpath(first), page.xpath(second))))


def check_data(case: Case) -> None:
    """Read the data in the scripts and the markup of a page."""
    page = _read(case)
    found = page.structured_data
    _round_trip({form: found[form] for form in found if form != "jsonld"})  # that is as it was
    _check_tables(unweave.records(page, data=True))


def check_together(case: Case) -> None:
    """Find the list that several pages continue."""
    table, _ = unweave.join_records(_read_all(case))
    _check_tables([table] if table else [])


def _check_tables(tables: Sequence[Table]) -> None:
    for table in tables:
        _round_trip(table.to_json())
    for table in tables[:_MAX_TABLES_CHECKED]:
        shown, typed = table.to_csv(), table.to_csv(values=True)
        _check_cells(_read_csv(shown, table), _read_csv(typed, table), table)


def _check_cells(shown: dict[str, list[str]], typed: dict[str, list[str]], table: Table) -> None:
    """Require that no cell is lost where values are written and not texts."""
    types = {column.name: column.type for column in table.drop_constant_columns().columns}
    for name, cells in shown.items():
        _require(name in typed, "typed output lacks a column", f"{name!r}")
        for cell, value in zip(cells, typed[name], strict=True):
            if cell and not value:
                raise Broken(
                    f"typed output loses a cell ({types.get(name)})",
                    f"column {name[:40]!r}: {cell[:80]!r}",
                )


def _read_csv(text: str, table: Table) -> dict[str, list[str]]:
    """Read CSV back, as it would be from a file in UTF-8, as columns by name."""
    csv.field_size_limit(
        max(csv.field_size_limit(), len(text))
    )  # Python reads no cell of 128 KB otherwise
    try:
        lines = list(csv.reader(io.StringIO(text.encode().decode(), newline=""), strict=True))
    except (csv.Error, UnicodeError) as error:
        raise Broken("CSV cannot be read again", str(error)) from None
    head, *rows = lines or [[]]
    _require(
        bool(head) == bool(table.columns), "CSV has other columns than the table", repr(head)[:200]
    )
    _require(
        not head or len(rows) == len(table),
        "CSV has other rows than the table",
        f"{len(rows)}, not {len(table)}",
    )
    _require(all(len(row) == len(head) for row in rows), "rows of CSV differ in length")
    _require(len(set(head)) == len(head), "two columns have one name", repr(head)[:200])
    return {name: [row[number] for row in rows] for number, name in enumerate(head)}


def _check_format(tables: Sequence[Table], format: str) -> None:
    if format == "table":
        show_page(_console(), "page", tables)
    elif format in ("pandas", "arrow"):
        for table in tables[:1]:
            for values in (False, True):
                frame: Any = (
                    table.to_pandas(values=values)
                    if format == "pandas"
                    else table.to_arrow(values=values)
                )
                has_rows = format == "pandas" or table.columns  # Arrow has no rows without a column
                _require(
                    not has_rows or len(frame) == len(table),
                    f"{format} has other rows than the table",
                )
    else:
        _check_file(tables, format)


def _check_file(tables: Sequence[Table], format: str) -> None:
    with _temporary_folder() as folder:
        path = folder / f"out.{format}"
        with open_table_writer(str(path), format, values=True) as writer:
            writer.write("page", tables)
        data = path.read_bytes()
    if format == "jsonl":
        (line,) = data.decode().removesuffix("\n").split("\n")
        _require(len(_parse_json(line)["tables"]) == len(tables), "JSON lacks tables")
    elif format == "json":
        _require(len(_parse_json(data.decode())[0]["tables"]) == len(tables), "JSON lacks tables")
    elif format == "csv" and tables:
        _read_csv(data.decode(), tables[0])
    elif format == "xlsx":
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            for name in book.namelist():
                ElementTree.fromstring(book.read(name))
    elif format == "parquet" and tables and tables[0].columns:
        import pyarrow.parquet

        count = pyarrow.parquet.read_table(io.BytesIO(data)).num_rows
        _require(
            count == len(tables[0]),
            "Parquet has other rows than the table",
            f"{count}, not {len(tables[0])}",
        )


# ---- wrappers ------------------------------------------------------------------------------------


def check_learn(case: Case) -> None:
    """Learn a wrapper, save it, load it, and apply both to a page: they must find the same."""
    pages = _read_all(case)
    wrapper = api.learn(pages, method=LEARNERS.make(case.verb.split()[1], case.options))
    loaded = _saved_and_loaded(wrapper)
    show_wrapper(_console(), "wrapper", loaded)
    (before, fit), (after, fit_after) = _applied(wrapper, pages[-1]), _applied(loaded, pages[-1])
    # Shares of pages are rounded in files.
    is_same = before == after and abs(fit - fit_after) < _FIT_TOLERANCE
    _require(
        is_same, "a wrapper finds something else after it was saved", f"fit {fit}, then {fit_after}"
    )


def check_apply(case: Case) -> None:
    """Load a wrapper that somebody has changed, show it, and apply it to a page."""
    page = unweave.load_page(case.parts[1])
    with _temporary_folder() as folder:
        path = folder / "wrapper.json"
        path.write_bytes(case.parts[0])
        wrapper = Wrapper.load(path)
    show_wrapper(_console(), "wrapper", wrapper)
    _applied(wrapper, page)
    _saved_and_loaded(wrapper)


def check_export(case: Case) -> None:
    """Learn a wrapper and export it as selectors, a spider or a page object."""
    wrapper = api.learn(_read_all(case), method=case.options["method"])
    samples = list(case.parts) if case.options["samples"] else []
    formats = {"scrapy": wrapper.to_spider, "web-poet": wrapper.to_page_object}
    form = case.options["form"]
    if form in formats:
        try:
            compile(formats[form](samples), "exported.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise Broken(f"the source for {form} is not Python", str(error)) from None
    else:
        _round_trip(wrapper.selectors(form, samples).to_json())


def _saved_and_loaded(wrapper: Wrapper) -> Wrapper:
    with _temporary_folder() as folder:
        path = folder / "wrapper.json"
        wrapper.save(path)
        try:
            return Wrapper.load(path)
        except UnweaveError as error:
            raise Broken("a wrapper does not load after it was saved", str(error)) from None


def _applied(wrapper: Wrapper, page: Page) -> tuple[Any, float]:
    """Return what a wrapper finds as plain data, and the fit."""
    extraction = wrapper.apply(page)
    fit = extraction.fit
    _require(0 <= fit <= 1, "the fit is not between 0 and 1", repr(fit))
    output: Any = extraction.fields
    if extraction.table is not None:
        _check_tables([extraction.table])
        output = extraction.table.to_json()
    _round_trip(output)
    return output, fit


# ---- articles, clusters, reports, drawings -------------------------------------------------------


def check_news(case: Case) -> None:
    """Find the articles of pages."""
    labels = "paper" if case.verb.endswith("paper") else "default"
    articles = unweave.news(_read_all(case), labels=labels, **case.options)
    _require(len(articles) == len(case.parts), "there are fewer articles than pages")
    for article in articles:
        _round_trip(article.to_dict())
        show_article(_console(), "page", article)


def check_text(case: Case) -> None:
    """Find the texts of pages; Markdown of all of a page must give its text back, and no markup."""
    pages = _read_all(case)
    documents = list(unweave.text(pages))
    _require(len(documents) == len(case.parts), "there are fewer documents than pages")
    for page, document in zip(pages, documents, strict=True):
        _round_trip(document.to_dict(blocks=True))
        # The name of an element may have a bracket, which XPath cannot express.
        has_paths = not any("[" in label or "]" in label for label in page.tree.labels)
        for block in document.blocks if has_paths else ():
            is_found = all(page.find_xpath(node) is not None for node in block.nodes)
            _require(is_found, "a block is at an XPath that the page does not have")
        show_text(_console(), {"page": "page", **document.to_row()})
        blocks = find_blocks(page)
        tokens = list(_iter_tokens(render_markdown(page, blocks)))
        is_live = any(token.type.startswith("html") for token in tokens)
        _require(not is_live, "Markdown has live markup")


def _iter_tokens(markdown: str) -> Iterator[Token]:
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        yield token
        yield from token.children or ()


def check_cluster(case: Case) -> None:
    """Sort pages by template."""
    numbers = unweave.cluster(_read_all(case))
    _require(len(numbers) == len(case.parts), "there are fewer numbers than pages")


def check_explain(case: Case) -> None:
    """Explain the list of a page."""
    unweave.load_page(unweave.explain(_read(case)).encode())


def check_drawing(case: Case) -> None:
    """Draw a page as the studio does."""
    page = _read(case)
    drawing = build_drawing(
        build_document(case.parts[0], case.options.get("charset"), []), page, {}
    )
    _round_trip(drawing)


# ---- archives and sites --------------------------------------------------------------------------


def check_source(case: Case) -> None:
    """Read the pages of an archive or a folder."""
    with _temporary_folder() as folder:
        path = _source(case, folder)
        if path.is_dir():
            shards = make_file_shards(path, find_files(path)[0])
        else:
            shards = make_archive_shards(path, folder / "copied")
        for shard in shards:
            for _ in shard.read():
                pass


def check_site(case: Case) -> None:
    """Sort the pages of an archive or a folder into tables, and read the files that are written."""
    format = case.options["format"]
    with _temporary_folder() as folder:
        out = folder / "out"
        unweave.site(_source(case, folder), out, format=format, runner="serial")
        paths = sorted(out.glob(f"*.{format}"))
        _require(bool(paths), "a site has no tables")
        for path in paths:
            if format == "csv":
                text = path.read_text("utf-8")
                rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
                _require(
                    len({len(row) for row in rows}) == 1, "rows of CSV differ in length", path.name
                )
            elif format == "jsonl":
                for line in path.read_text("utf-8").split("\n")[:-1]:
                    _parse_json(line)


def _source(case: Case, folder: Path) -> Path:
    """Write what a case holds as an archive or a folder."""
    archive_type = case.options["kind"]
    if archive_type == "folder":
        source = folder / "pages"
        source.mkdir()
        for number, page in enumerate(case.parts):
            (source / f"{number}.html").write_bytes(page)
        return source
    source = folder / f"pages.{archive_type}"
    source.write_bytes(case.parts[0] if case.options["packed"] else pack(archive_type, case.parts))
    return source


# ---- shared --------------------------------------------------------------------------------------


def _read(case: Case) -> Page:
    return unweave.load_page(
        case.parts[0], url=case.options.get("url"), charset=case.options.get("charset")
    )


def _read_all(case: Case) -> list[Page]:
    return [unweave.load_page(part) for part in case.parts]


def _round_trip(value: Any) -> None:
    """Require that a value is the same after it was written as JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Broken("a result cannot be written as JSON", str(error)) from None
    text.encode(errors="surrogatepass")
    _parse_json(text)


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Broken("JSON cannot be read again", str(error)) from None


def _console() -> Console:
    return Console(file=io.StringIO(), width=100)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


Check = Callable[[Case], None]

CHECKS: dict[str, Check] = {
    "records": check_records,
    "like": check_like,
    "data": check_data,
    "together": check_together,
    "learn": check_learn,
    "apply": check_apply,
    "export": check_export,
    "news": check_news,
    "text": check_text,
    "cluster": check_cluster,
    "explain": check_explain,
    "drawing": check_drawing,
    "source": check_source,
    "site": check_site,
}
"""The checks by the first word of their verbs."""


def check(case: Case) -> None:
    """Call the verb of a case and check the result."""
    CHECKS[case.verb.split()[0]](case)


def learn_example_wrappers(folder: Path) -> list[bytes]:
    """Learn wrappers of all methods from the example pages, as files."""
    shop = [path.read_bytes() for path in sorted((folder / "shop").glob("*.html"))]
    few = [page[:6000] for page in shop[:3]]
    wrappers = [
        api.learn(shop, method="fields"),
        api.learn(few, method="fields"),
        api.learn(few, method="pattern"),
        api.learn(few, method="news-pattern"),
        api.learn([(folder / "gallery.html").read_bytes()], method="depta"),
        api.learn(few, method=LandmarkLearner(search="greedy")),
        api.learn([(folder / "gallery.html").read_bytes()], method="records"),
        api.learn([(folder / "table.html").read_bytes()[:6000]], method="records"),
    ]
    files: list[bytes] = []
    for wrapper in wrappers:
        with _temporary_folder() as folder_path:
            wrapper.save(folder_path / "wrapper.json")
            files.append((folder_path / "wrapper.json").read_bytes())
    return files
