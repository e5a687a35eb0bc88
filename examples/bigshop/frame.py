"""What all pages of the shop share: head, header with its large menu, footer, adverts; and how they link."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from posixpath import relpath
from random import Random
from urllib.parse import urlsplit

from examples.bigshop.stock import Shop
from examples.bigshop.things import Category
from examples.bigshop.words import slug

NAME = "Quillmere"
ORIGIN = "http://www.quillmere.example"
"""Stands in the files for the address of the server, which puts its own in its place."""

PICTURES = 48
CART = "/cart/"

_OLD_FOOTER = 0.02
_BANNER = 0.2
_TRACKED = 0.03


class Links:
    """Links from one page, written in the ways of the people who worked at the site over the years."""

    def __init__(self, path: str, chance: Random) -> None:
        self._folder = urlsplit(path).path.rpartition("/")[0] or "/"
        self._chance = chance

    def to(self, path: str, campaign: str = "") -> str:
        """The attribute of a link to a path of the site: from the root, from here, or with the server's name.

        A campaign is told to those who count visits.
        """
        drawn = self._chance.random()
        address = self._relative(path) if drawn < 0.3 else ORIGIN + path if drawn > 0.9 else path
        if campaign:
            address += f"{'&' if '?' in address else '?'}utm_source={campaign}&utm_medium=web"
        return f'href="{escape(address)}"'

    def related(self, path: str) -> str:
        """The attribute of a link that a program put there; now and then it takes part in a campaign."""
        return self.to(path, "related" if self._chance.random() < _TRACKED else "")

    def _relative(self, path: str) -> str:
        parts = urlsplit(path)
        relative = relpath(parts.path, self._folder) + ("/" if parts.path.endswith("/") else "")
        return relative + (f"?{parts.query}" if parts.query else "")


@dataclass(frozen=True)
class Sheet:
    """What one page has within the frame."""

    path: str
    title: str
    main: str
    classes: str
    """Of the body, other ones on every page."""
    kind: str
    """What the scripts call the page."""
    crumbs: Sequence[tuple[str, str]] = ()
    """Names and paths of what the page is part of."""
    description: str = ""
    head: str = ""
    data: dict[str, object] = field(default_factory=dict)
    """What the page tells to machines."""


class Frame:
    """Puts sheets into the frame of the shop."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop
        self._menu = _menu(shop.categories)

    def page(self, sheet: Sheet, *, charset: bool = True) -> str:
        """The whole page; with ``charset``, it tells its own encoding."""
        chance = self._shop.chance("frame", sheet.path)
        declared = '<meta charset="utf-8">\n' if charset else ""
        footer = _OLD if chance.random() < _OLD_FOOTER else _FOOTER
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
{declared}<title>{escape(sheet.title)} | {NAME}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{escape(sheet.description or sheet.title)}">
<link rel="canonical" href="{ORIGIN}{escape(sheet.path)}">
<link rel="stylesheet" href="/assets/shop.css?v=311">
{sheet.head}{_json_ld(sheet.data)}<style>.banner{{background:#{chance.randrange(0x30, 0x80):02x}4a3c}}</style>
<script>window.dataLayer=window.dataLayer||[];dataLayer.push({{page:"{sheet.kind}",visit:{chance.randrange(10**6)}}});</script>
</head>
<body class="{sheet.classes}">
<a class="skip" href="#content">Skip to content</a>
{_BANNERS[chance.randrange(len(_BANNERS))] if chance.random() < _BANNER else "<!-- no banner -->"}
{_HEADER}
{self._menu}
<div class="wrap" id="content">
{_crumbs(sheet.crumbs, sheet.title)}
{sheet.main}
</div>
{footer}
<script>{_SCRIPT}</script>
<!-- {chance.randint(3, 90)} ms, node {chance.randint(1, 6)} -->
</body>
</html>
"""


def picture(number: int, text: str, size: int) -> str:
    """A picture of a product or of a story."""
    address = f"/images/{number % PICTURES}.svg?w={size}"
    return (
        f'<img src="{address}" alt="{escape(text)}" width="{size}" height="{size}" loading="lazy">'
    )


def advert(chance: Random, share: float) -> str:
    """An advert of somebody else, on a share of the pages."""
    if chance.random() >= share:
        return ""
    number = chance.randrange(10**5)
    said = chance.choice(
        ["Insure your bicycle", "Trains to the sea", "Learn to bake", "Heat pumps, explained"]
    )
    return (
        f'<div class="ad" id="ad-{number}"><span class="ad-mark">Advertisement</span>'
        f'<a href="https://ads.example.net/click?c={number}&amp;z=3" rel="nofollow sponsored">{said}</a></div>'
    )


def pager(path: str, number: int, count: int, links: Links) -> str:
    """The links between the pages of a list."""
    if count == 1:
        return ""
    pages = [
        f'<span class="current" aria-current="page">{page}</span>'
        if page == number
        else f"<a {links.to(page_path(path, page))}>{page}</a>"
        for page in range(1, count + 1)
        if page in (1, count) or abs(page - number) < 3
    ]
    before = (
        f'<a rel="prev" {links.to(page_path(path, number - 1))}>‹ Previous</a>'
        if number > 1
        else ""
    )
    after = (
        f'<a rel="next" {links.to(page_path(path, number + 1))}>Next ›</a>'
        if number < count
        else ""
    )
    return f'<nav class="pager" aria-label="Pages">{before}{" ".join(pages)}{after}</nav>'


def page_path(path: str, number: int) -> str:
    """The path of the n-th page of a list."""
    if number == 1:
        return path
    return f"{path}page/{number}/" if path.startswith("/magazine/") else f"{path}?page={number}"


def next_link(path: str, number: int, count: int) -> str:
    """What the head of a list's page tells of the page after it."""
    return (
        f'<link rel="next" href="{ORIGIN}{escape(page_path(path, number + 1))}">\n'
        if number < count
        else ""
    )


def _json_ld(data: dict[str, object]) -> str:
    if not data:
        return ""
    told = json.dumps(
        {"@context": "https://schema.org", **data}, ensure_ascii=False, indent=1
    ).replace("<", "\\u003c")
    return f'<script type="application/ld+json">\n{told}\n</script>\n'


def _crumbs(crumbs: Sequence[tuple[str, str]], title: str) -> str:
    if not crumbs:
        return ""
    above = "".join(
        f'<li><a href="{escape(path)}">{escape(name)}</a></li>\n' for name, path in crumbs
    )
    return f'<ol class="crumbs">\n<li><a href="/">Home</a></li>\n{above}<li aria-current="page">{escape(title)}</li>\n</ol>'


def _menu(categories: Iterable[Category]) -> str:
    """The menu with a panel for each department."""
    departments: dict[str, list[Category]] = {}
    for category in categories:
        departments.setdefault(category.department, []).append(category)
    panels = "\n".join(_panel(name, own) for name, own in departments.items())
    return f"""<nav class="menu" aria-label="Main"><ul class="wrap">
{panels}
<li><a href="/magazine/">Magazine</a></li>
<li><a href="/stores/">Stores</a></li>
</ul></nav>"""


def _panel(department: str, categories: Sequence[Category]) -> str:
    items = "".join(f'<li><a href="{own.path}">{escape(own.name)}</a></li>' for own in categories)
    number = len(department)
    return f"""<li class="has-panel"><a href="{categories[0].path}">{escape(department)}</a>
<div class="panel panel-{slug(department)}"><div><h4>All of {escape(department)}</h4><ul>{items}</ul></div>
<div class="panel-ideas"><h4>Ideas</h4><ul><li><a href="/magazine/#{slug(department)}">From the magazine</a></li>\
<li><a href="/stores/#advice">Advice in our stores</a></li>\
<li><a href="/service/shipping#gifts">Wrapped as a gift</a></li></ul></div>
<div class="panel-promo">{picture(number, "", 120)}<p>New this week: {escape(categories[-1].name.lower())}.</p></div>
</div></li>"""


_SCRIPT = """(function(){var b=document.querySelector(".burger");
if(b)b.onclick=function(){document.body.classList.toggle("open")}})();"""

_HEADER = f"""<div class="usp"><ul class="wrap"><li>Free delivery from €&nbsp;60</li><li>60&nbsp;days to return</li>\
<li>Questions? 0555&nbsp;010&nbsp;010</li></ul></div>
<header class="top"><div class="wrap"><button class="burger" aria-label="Menu">☰</button>
<a class="logo" href="/">{NAME}</a>
<form class="search" action="/search" role="search"><input type="search" name="q" placeholder="What are you looking for?">\
<button>Search</button></form>
<ul class="tools"><li><a href="/cart/login" rel="nofollow">Sign in</a></li>\
<li><a href="{CART}">Basket <b>0</b></a></li></ul></div></header>"""

_BANNERS = (
    '<div class="banner"><p>Moving day: 10&nbsp;% off all of the garden until Sunday. <a href="/stores/?utm_source=banner">'
    "Visit us</a></p></div>",
    '<div class="banner banner-news"><strong>New</strong> The autumn magazine is out. '
    '<a href="/magazine/?utm_source=banner">Read it</a></div>',
)

_FOOTER = f"""<footer class="foot"><div class="wrap cols">
<div><h5>Service</h5><ul><li><a href="/service/shipping">Shipping &amp; returns</a></li>\
<li><a href="/contact">Contact</a></li>\
<li><a href="{CART}status" rel="nofollow">Where is my order?</a></li></ul></div>
<div><h5>{NAME}</h5><ul><li><a href="/stores/">Our stores</a></li><li><a href="/magazine/">Magazine</a></li>\
<li><a href="{ORIGIN}/imprint">Imprint</a></li></ul></div>
<div><h5>Follow us</h5><ul class="social"><li><a href="https://social.example.org/quillmere">Pictures</a></li>\
<li><a href="https://video.example.org/quillmere">Films</a></li></ul></div>
<div class="letter"><h5>Newsletter</h5><p>One letter a month, and €&nbsp;5 off your first order.</p>\
<form action="/cart/letter" method="post"><input type="email" name="mail" placeholder="Your address">\
<button>Subscribe</button></form></div>
</div><p class="wrap legal">© 2024 {NAME}. All prices include VAT.</p></footer>"""

_OLD = f"""<hr><table class="oldfoot" width="100%"><tr><td><a href="/service/shipping">Shipping</a> |
<a href="/contact">Contact</a> | <a href="/imprint">Imprint</a> | <a href="/service/agb-2011.html">Terms</a></td>
<td align="right"><font size="2">© 2011–2024 {NAME}</font></td></tr></table>"""
