"""Make the pages of a shop with a magazine, and the truth of them. The same seed gives the same pages.

    python examples/bigshop/make.py FOLDER [--pages 2000] [--seed 0]

The folder gets the pages, ``truth.jsonl`` with what they tell, and ``routes.json``, which ``serve.py`` reads.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

if not __package__:  # run by its path
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from examples.bigshop.frame import CART, ORIGIN, PICTURES, Frame, Sheet
from examples.bigshop.stock import Shop
from examples.bigshop.truth import Truth, pages_with_truth

_UTF8 = "utf-8"
_WINDOWS = "windows-1252"
_SHARE_OF_WINDOWS = 0.02


def main() -> None:
    """Read the command line, make, and say what was made."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    try:
        truth = make(arguments.folder, arguments.pages, arguments.seed)
    except ValueError as error:
        parser.error(str(error))
    counts = Counter(page["template"] for page in truth)
    print(
        f"{arguments.folder}: {counts.total()} pages:",
        ", ".join(f"{count} {name}" for name, count in counts.items()),
    )


def make(folder: Path, pages: int = 2000, seed: int = 0) -> list[Truth]:
    """Write the shop into a folder, and give the truth of its pages."""
    shop = Shop(pages, seed)
    frame = Frame(shop)
    truth: list[Truth] = []
    for sheet, told in pages_with_truth(shop):
        is_windows = shop.chance("charset", sheet.path).random() < _SHARE_OF_WINDOWS
        charset = _WINDOWS if is_windows else _UTF8
        markup = frame.page(sheet, charset=not is_windows)
        _write(folder / file_of(sheet.path), markup.encode(charset, "xmlcharrefreplace"))
        truth.append({"path": sheet.path, "file": file_of(sheet.path), "charset": charset, **told})
    _write(folder / "truth.jsonl", _lines(truth).encode())
    _write_for_server(folder, shop, frame, truth)
    return truth


def file_of(path: str) -> str:
    """The file with the page of a path."""
    parts = urlsplit(path)
    name = parts.path.removeprefix("/")
    if parts.query:
        return f"{name}{parts.query.replace('=', '-')}.html"
    return name + (
        "index.html"
        if not name or name.endswith("/")
        else ""
        if name.endswith(".html")
        else ".html"
    )


def _write_for_server(folder: Path, shop: Shop, frame: Frame, truth: list[Truth]) -> None:
    """What the server needs beside the pages."""
    cart = Sheet(
        CART,
        "Basket",
        "<main><h1>Basket</h1><p>There is nothing in it.</p></main>",
        "page cart",
        "cart",
    )
    _write(folder / file_of(CART), frame.page(cart).encode())
    _write(
        folder / "robots.txt",
        f"User-agent: *\nDisallow: {CART}\n\nSitemap: {ORIGIN}/sitemap.xml\n".encode(),
    )
    _write(folder / "sitemap.xml", _sitemap(page["path"] for page in truth).encode())
    _write(folder / "assets" / "shop.css", Path(__file__).with_name("shop.css").read_bytes())
    for number in range(PICTURES):
        _write(folder / "images" / f"{number}.svg", _picture(number).encode())
    routes = {
        "origin": ORIGIN,
        "cart": CART,
        "pages": {page["path"]: [page["file"], page["charset"]] for page in truth},
        "moved": {product.old_path: product.path for product in shop.products},
    }
    _write(folder / "routes.json", json.dumps(routes, indent=1).encode())


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def _lines(truth: list[Truth]) -> str:
    return "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in truth)


def _sitemap(paths: Iterable[str]) -> str:
    entries = "".join(f"<url><loc>{ORIGIN}{escape(path)}</loc></url>\n" for path in paths)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n'
    )


def _picture(number: int) -> str:
    """A drawing of a thing: a shape in front of a wall."""
    hue = number * 47 % 360
    shape = (
        '<circle cx="50" cy="50" r="26"/>',
        '<path d="M34 24h32l10 54H24z"/>',
        '<rect x="26" y="22" width="48" height="58" rx="8"/>',
        '<path d="M50 16 78 44 66 82H34L22 44z"/>',
    )[number % 4]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">'
        f'<rect width="100" height="100" fill="hsl({hue} 22% 90%)"/><path d="M0 78h100v22H0z" fill="hsl({hue} 18% 82%)"/>'
        f'<g fill="hsl({hue} 34% 46%)">{shape}</g></svg>'
    )


if __name__ == "__main__":
    main()
