"""The same as a program: the Python and the command line that give the table that the studio shows."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from unweave.studio.models import Choice, CodeWish
from unweave.studio.page_store import Opened
from unweave.studio.tables import wished


def as_code(opened: Opened, wish: CodeWish) -> dict[str, str]:
    """What a program and a user of the command line would write. It is tried first: nothing is given that does not work."""
    wished(opened, wish)
    asked = _asked(opened, wish.choice)
    number = wish.choice.number
    picks = [str(column.pick()) for column in wish.columns] if wish.columns is not None else []
    return {
        "python": _python(_source(opened), asked, number, picks, wish),
        "command": _command(_source(opened), asked, number, picks, wish),
    }


def _asked(opened: Opened, choice: Choice) -> dict[str, Any]:
    """What is asked besides the page itself, as far as it is not the usual."""
    asked = {
        "method": choice.method if choice.method != "auto" else None,
        "want": choice.want,
        "like": [opened.page().xpath(node) for node in choice.like] if choice.like else None,
        "url": opened.url,
        "charset": opened.charset,
    }
    return {name: value for name, value in asked.items() if value and _is_harmless(value)}


def _is_harmless(value: str | list[str]) -> bool:
    """Can it be pasted? A terminal obeys what cannot be printed, also between quotes."""
    return isinstance(value, list) or value.isprintable()


def _source(opened: Opened) -> str:
    """The name of the page's file; of a page that came otherwise, that of the file it would be saved in."""
    name = opened.name
    is_file = opened.folder is not None or name.casefold().endswith((".html", ".htm", ".xhtml"))
    if not is_file or "://" in name or not name.isprintable():
        return "page.html"
    return f"./{name}" if name.startswith("-") else name


def _python(
    source: str, asked: dict[str, Any], number: int, picks: Sequence[str], wish: CodeWish
) -> str:
    given = "".join(f", {name}={value!r}" for name, value in asked.items())
    lines = [
        "import unweave",
        "",
        f"tables = unweave.records({source!r}{given})",
        f"table = tables[{number - 1}]",
    ]
    if picks:
        lines.append(f"table = table.select({', '.join(map(repr, picks))})")
    values = ", values=True" if _has_values(wish) else ""
    return "\n".join([*lines, f'table.save("table.{wish.format}"{values})']) + "\n"


def _command(
    source: str, asked: dict[str, Any], number: int, picks: Sequence[str], wish: CodeWish
) -> str:
    words = ["unweave", "records", source]
    for name, value in asked.items():
        words += [
            word
            for own in (value if isinstance(value, list) else [value])
            for word in (f"--{name}", own)
        ]
    if number > 1:
        words += ["--table", str(number)]
    for pick in picks:
        words += ["--column", pick]
    values = ["--values"] if _has_values(wish) else []
    return shlex.join([*words, *values, "-o", f"table.{wish.format}"])


def _has_values(wish: CodeWish) -> bool:
    """Must it be said that values are wanted? Other formats have them in any case."""
    return wish.values and wish.format == "csv"
