"""The table that the studio shows as code: Python, and a command line."""

from __future__ import annotations

import shlex
from typing import Any

from unweave.studio.page_store import OpenPage
from unweave.studio.schemas import CodeRequest, TableChoice
from unweave.studio.tables import build_table


def export_code(page: OpenPage, request: CodeRequest) -> dict[str, str]:
    """Return Python code and a command line that write the table to a file.

    The table is built first, so that no code is returned that would fail.
    """
    build_table(page, request)
    source = _name_source(page)
    options = _collect_options(page, request.choice)
    columns = [str(column.to_spec()) for column in request.columns or ()]
    number = request.choice.number
    output = f"table.{request.format}"
    # Other formats always hold values.
    has_values_option = request.values and request.format == "csv"

    arguments = "".join(f", {name}={value!r}" for name, value in options.items())
    lines = [
        "import unweave",
        "",
        f"tables = unweave.records({source!r}{arguments})",
        f"table = tables[{number - 1}]",
    ]
    if columns:
        lines.append(f"table = table.select({', '.join(map(repr, columns))})")
    lines.append(f'table.save("{output}"{", values=True" if has_values_option else ""})')

    words = ["unweave", "records", source]
    for name, value in options.items():
        for text in value if isinstance(value, list) else [value]:
            words += [f"--{name}", text]
    if number > 1:
        words += ["--table", str(number)]
    for column in columns:
        words += ["--column", column]
    if has_values_option:
        words.append("--values")
    words += ["-o", output]
    return {"python": "\n".join(lines) + "\n", "command": shlex.join(words)}


def _name_source(page: OpenPage) -> str:
    """Return the name of the page's file, or of the file that a page without one is saved in."""
    name = page.name
    is_file = page.folder is not None or name.casefold().endswith((".html", ".htm", ".xhtml"))
    if not is_file or "://" in name or not name.isprintable():
        return "page.html"
    return f"./{name}" if name.startswith("-") else name


def _collect_options(page: OpenPage, choice: TableChoice) -> dict[str, Any]:
    """Return the options of ``records`` that differ from their defaults.

    Texts that are not printable are left out: a terminal obeys control characters, also in quotes.
    """
    texts = {
        "method": choice.method if choice.method != "auto" else None,
        "want": choice.want,
        "like": [page.parse().xpath(node) for node in choice.like] if choice.like else None,
        "url": page.url,
        "charset": page.charset,
    }
    return {
        name: value
        for name, value in texts.items()
        if value and (isinstance(value, list) or value.isprintable())
    }
