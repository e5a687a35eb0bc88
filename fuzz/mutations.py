"""Mutations of pages: functions of the markup, a donor page, and a random generator."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from fuzz.markup import Span, Tokens, find_elements, get_tag_name, is_text, tokenize

Mutation = Callable[[str, str, Random], str]
"""Takes markup (one character per byte), that of a donor page, and a random generator."""

MAX_CHARS = 300_000
"""Mutated pages are cut off here."""
_NEST_DEPTHS = (3, 40, 120, 240, 300, 600)
_COPIES = (1, 1, 2, 3, 10)

_CONTROLS = [
    "\x00",
    "\x01",
    "\x08",
    "\x0b",
    "\x0c",
    "\r",
    "\x1b[31m",
    "\x1f",
    "\x7f",
    "\x85",
    "\x9b",
    "\xa0",
]
_BROKEN_UTF8 = [
    "\xc3",
    "\xe2\x82",
    "\xff\xfe",
    "\xed\xa0\x80",
    "\xf4\x90\x80\x80",
    "\xc0\xaf",
    "\x80",
    "\xf0\x9f\x98",
]


def _utf8(text: str) -> str:
    """Return the UTF-8 bytes of a text as one character per byte."""
    return text.encode(errors="surrogatepass").decode("latin-1")


VALUES = [
    *map(
        _utf8,
        [
            "31 June 2020",
            "2020-02-30",
            "0000-00-00",
            "29 February 2023",
            "99/99/9999",
            "2020-13-01T25:61:61Z",
            "12:60",
            "31.12.0001",
            "January 1, 99999",
            "2023-01-01T00:00:00+99:99",
            "9999-12-31T23:59:59-23:59",
            "0001-01-01T00:00:00+14:00",
            "yesterday",
            "in 99999999999 years",
            "9" * 30,
            "9" * 400,
            "1" + ",000" * 60,
            "1e999",
            "-1e-999",
            "0x1F",
            "NaN",
            "Infinity",
            "-0",
            "1.2.3.4",
            "1,2,3",
            "٣٤٥",
            "½",
            "²",
            "१२३",
            "五千",
            "$",
            "$-5",
            "€ 1.234.567,89",
            "1 234,5 ₽",
            "USD",
            "$1.99 $2.99",
            "£" + "9" * 40,
            "10%",
            "-100.5 %",
            "%",
            "5 for $10",
            "N/A",
            "—",
            "TBA",
            "free",
            "true",
            "no",
            "مرحبا بالعالم",
            "שלום \u202e12.5\u202c ₪",
            "e" + "\u0301" * 200,
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
            "\ufeff\u200b\u2060",
            "\ud83d",
            "\u2028",
            "İı",
            "ß",
            "ﬁ",
            "x" * 3000,
            "a b " * 400,
            '=HYPERLINK("x")',
            '"',
            "a;b;c",
            "a\r\nb",
            "\\",
            "{{x}}",
            "]]>",
            "&#0;",
            "&#xD800;",
            "&#x110000;",
            "&nbsp;" * 20,
            "&lt;b&gt;",
            "http://[::1",
            "//:0",
            "Price:",
            "Price: Price: Price:",
            ":",
            "1:2:3:4",
        ],
    ),
    "",
    " ",
]
URL_TYPES = [
    "http://[",
    "http://[::1",
    "//",
    "///x",
    "javascript:void(0)",
    "data:text/html,<b>x",
    "data:image/png;base64,AAAA",
    "mailto:a@b",
    "?page=2",
    "?page=99999999999999999999",
    "#",
    "",
    "http://a:99999/",
    "http://xn--/",
    "http://\xff.example/",
    "\x00",
    "../" * 50,
    "http://example.org/" + "a/" * 1000,
    "http:\\\\example.org\\x",
    "https://example.org/%zz?%",
    "next",
]
_NAMES = [
    "",
    " ",
    "x",
    "1",
    "a b c",
    "\xe9",
    "x" * 2000,
    "'",
    '"x',
    "price",
    "title",
    "next",
    "--",
    "a:b",
    "]",
    "\x00",
    "item",
]
_ATTRIBUTES = [
    "class",
    "id",
    "href",
    "src",
    "style",
    "itemprop",
    "itemscope",
    "itemtype",
    "property",
    "typeof",
    "rel",
    "datetime",
    "content",
    "colspan",
    "rowspan",
    "lang",
    "dir",
    "srcset",
    "media",
    "type",
    "name",
    "hidden",
    "aria-label",
    "xmlns",
    "xlink:href",
    "onclick",
    "=",
    "a" * 300,
]
_STYLES = [
    "display:none",
    "background:url(x)",
    "@import 'x';",
    "url(" * 500,
    "color:\\",
    "width:expression(1)",
]
TAGS = (
    "div span p a b i table tbody thead tr td th ul li dl dt dd h1 h2 section article header footer"
    " nav main form select option button svg math title template noscript iframe textarea pre font"
    " center frameset frame head body html"
    " script style br img input hr x-y plaintext"
).split()
_SPANS = [
    "0",
    "-1",
    "1",
    "2",
    "7",
    "99",
    "1000",
    "65534",
    "99999999999",
    "1e9",
    "x",
    "",
    "2.5",
    "\xb2",
]
CHARSETS = [
    "utf-8",
    "UTF-16",
    "utf-16be",
    "utf-32",
    "utf-7",
    "iso-8859-1",
    "windows-1252",
    "windows-1251",
    "shift_jis",
    "euc-jp",
    "gb18030",
    "gbk",
    "big5",
    "euc-kr",
    "ibm037",
    "cp500",
    "ebcdic-us",
    "x-user-defined",
    "replacement",
    "iso-2022-jp",
    "iso-2022-kr",
    "hz-gb-2312",
    "none",
    "",
    "x" * 300,
    "utf-8\x00",
    "\xe9",
]
_WRITTEN_AS = [
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-8-sig",
    "utf-32",
    "gb18030",
    "shift_jis",
    "cp037",
    "utf-7",
    "big5",
]
_MARKS = [
    "\xef\xbb\xbf",
    "\xff\xfe",
    "\xfe\xff",
    "+/v8-",
    "\x00\x00\xfe\xff",
    '<?xml version="1.0" encoding="utf-16"?>',
]


# ---- bytes ---------------------------------------------------------------------------------------


def flip_bytes(markup: str, donor: str, random: Random) -> str:
    """Replace a few characters."""
    chars = list(markup)
    for _ in range(random.choice((1, 3, 20))):
        if chars:
            chars[random.randrange(len(chars))] = chr(random.randrange(256))
    return "".join(chars)


def cut_bytes(markup: str, donor: str, random: Random) -> str:
    """Remove a range of characters, or everything after one."""
    start, stop = _range(markup, random)
    return markup[:start] if random.random() < 0.3 else markup[:start] + markup[stop:]


def repeat_bytes(markup: str, donor: str, random: Random) -> str:
    """Repeat a range of characters."""
    start, stop = _range(markup, random, longest=400)
    return markup[:stop] + markup[start:stop] * random.choice(_COPIES) + markup[stop:]


def insert_controls(markup: str, donor: str, random: Random) -> str:
    """Insert control characters and NUL."""
    return _inserted(markup, random.choice(_CONTROLS) * random.choice((1, 1, 3, 100)), random)


def insert_broken_utf8(markup: str, donor: str, random: Random) -> str:
    """Insert bytes that are not UTF-8."""
    return _inserted(markup, random.choice(_BROKEN_UTF8) * random.choice((1, 1, 5)), random)


def splice(markup: str, donor: str, random: Random) -> str:
    """Join the beginning of a page and the end of another one."""
    return markup[: random.randrange(len(markup) + 1)] + donor[random.randrange(len(donor) + 1) :]


def _range(markup: str, random: Random, longest: int = 2000) -> Span:
    start = random.randrange(len(markup) + 1)
    return start, min(len(markup), start + random.randrange(1, longest))


def _inserted(markup: str, text: str, random: Random) -> str:
    position = random.randrange(len(markup) + 1)
    return markup[:position] + text + markup[position:]


# ---- elements ------------------------------------------------------------------------------------


def delete_element(markup: str, donor: str, random: Random) -> str:
    """Remove an element with all that is in it."""
    tokens = tokenize(markup)
    start, stop = _element(tokens, random)
    return "".join(tokens[:start] + tokens[stop:])


def duplicate_element(markup: str, donor: str, random: Random) -> str:
    """Repeat an element behind itself."""
    tokens = tokenize(markup)
    start, stop = _element(tokens, random)
    return "".join(tokens[:stop] + tokens[start:stop] * random.choice(_COPIES) + tokens[stop:])


def move_element(markup: str, donor: str, random: Random) -> str:
    """Take an element out and put it somewhere else."""
    tokens = tokenize(markup)
    start, stop = _element(tokens, random)
    moved = tokens[start:stop]
    del tokens[start:stop]
    return _put(tokens, moved, random)


def import_element(markup: str, donor: str, random: Random) -> str:
    """Insert an element of the donor page, or replace an element by it."""
    tokens, others = tokenize(markup), tokenize(donor)
    start, stop = _element(others, random)
    if random.random() < 0.5:
        return _put(tokens, others[start:stop], random)
    first, last = _element(tokens, random)
    return "".join(tokens[:first] + others[start:stop] + tokens[last:])


def wrap_element(markup: str, donor: str, random: Random) -> str:
    """Wrap an element in another one."""
    tokens = tokenize(markup)
    start, stop = _element(tokens, random)
    tag = random.choice(TAGS)
    return "".join([*tokens[:start], f"<{tag}>", *tokens[start:stop], f"</{tag}>", *tokens[stop:]])


def nest_element(markup: str, donor: str, random: Random) -> str:
    """Nest an element deep, closed or not, or an element within a copy of itself."""
    tokens = tokenize(markup)
    start, stop = _element(tokens, random)
    if random.random() < 0.3 and stop - start > 1:
        middle = random.randrange(start + 1, stop)
        return "".join(
            tokens[:middle] + tokens[start:stop] * random.choice(_COPIES) + tokens[middle:]
        )
    tag, depth = random.choice(TAGS), random.choice(_NEST_DEPTHS)
    end = f"</{tag}>" * depth if random.random() < 0.7 else ""
    return "".join([*tokens[:start], f"<{tag}>" * depth, *tokens[start:stop], end, *tokens[stop:]])


def unclose_tags(markup: str, donor: str, random: Random) -> str:
    """Leave out end tags: one, some or all of a name."""
    tokens = tokenize(markup)
    ends = [position for position, token in enumerate(tokens) if token.startswith("</")]
    if not ends:
        return markup
    name = get_tag_name(tokens[random.choice(ends)])
    share = random.choice((0.1, 0.5, 1.0))
    dropped = {
        position
        for position in ends
        if get_tag_name(tokens[position]) == name and random.random() < share
    }
    return "".join(token for position, token in enumerate(tokens) if position not in dropped)


def rename_tags(markup: str, donor: str, random: Random) -> str:
    """Rename an element, or all elements of a name."""
    tokens = tokenize(markup)
    start, stop = _element(tokens, random)
    if start == stop:
        return markup
    name, new = get_tag_name(tokens[start]), random.choice(TAGS)
    where = range(len(tokens)) if random.random() < 0.4 else (start, stop - 1)
    for position in where:
        if get_tag_name(tokens[position]) == name:
            tokens[position] = re.sub(
                r"^(</?)[^\s/>]+", lambda match: match[1] + new, tokens[position]
            )
    return "".join(tokens)


def shuffle_children(markup: str, donor: str, random: Random) -> str:
    """Put the tokens within an element into another order."""
    tokens = tokenize(markup)
    start, stop = max(
        (_element(tokens, random) for _ in range(3)), key=lambda span: span[1] - span[0]
    )
    inner = tokens[start + 1 : stop - 1]
    random.shuffle(inner)
    return "".join(tokens[: start + 1] + inner + tokens[max(start + 1, stop - 1) :])


def _element(tokens: Tokens, random: Random) -> Span:
    """Return the span of a random element, more often a small one; an empty span for none."""
    spans = find_elements(tokens)
    if not spans:
        return 0, 0
    return min(
        (random.choice(spans) for _ in range(random.choice((1, 2)))),
        key=lambda span: span[1] - span[0],
    )


def _put(tokens: Tokens, moved: Tokens, random: Random) -> str:
    position = random.randrange(len(tokens) + 1)
    return "".join(tokens[:position] + moved + tokens[position:])


# ---- texts, attributes and tables ----------------------------------------------------------------


def change_values(markup: str, donor: str, random: Random) -> str:
    """Replace some texts by values that are hard to read."""
    tokens = tokenize(markup)
    texts = [position for position, token in enumerate(tokens) if is_text(token)]
    if not texts:
        return markup + random.choice(VALUES)
    for _ in range(random.choice((1, 2, 5, 15))):
        value = random.choice(VALUES)
        position = random.choice(texts)
        tokens[position] = value if random.random() < 0.7 else f"{tokens[position]} {value}"
    return "".join(tokens)


def change_column(markup: str, donor: str, random: Random) -> str:
    """Replace every text below one tag name by a value, so that whole columns change their type."""
    tokens = tokenize(markup)
    names = [get_tag_name(token) for token in tokens]
    before = [
        name for name, token in zip(names, tokens[1:], strict=False) if name and is_text(token)
    ]
    if not before:
        return markup
    name, few = random.choice(before), random.sample(VALUES, 3)
    share = random.choice((0.5, 1.0))
    for position in range(1, len(tokens)):
        if names[position - 1] == name and is_text(tokens[position]) and random.random() < share:
            tokens[position] = random.choice(few)
    return "".join(tokens)


def change_attributes(markup: str, donor: str, random: Random) -> str:
    """Add, change or remove attributes of some tags."""
    tokens = tokenize(markup)
    tags = [
        position
        for position, token in enumerate(tokens)
        if get_tag_name(token) and not token.startswith("</")
    ]
    for _ in range(random.choice((1, 3, 10)) if tags else 0):
        position = random.choice(tags)
        tokens[position] = _with_attribute(tokens[position], random)
    return "".join(tokens)


def _with_attribute(tag: str, random: Random) -> str:
    if random.random() < 0.3:
        return re.sub(r"\s[^<>]*(?=/?>$)", "", tag)
    name = random.choice(_ATTRIBUTES)
    quote = random.choice(('"', '"', "'", ""))
    attribute = f" {name}={quote}{_attribute_value(name, random)}{quote}"
    return re.sub(r"^<[^\s/>]+", lambda match: match[0] + attribute, tag)


def _attribute_value(name: str, random: Random) -> str:
    if name in ("href", "src", "srcset"):
        return random.choice(URL_TYPES)
    if name in ("colspan", "rowspan"):
        return random.choice(_SPANS)
    if name == "style":
        return random.choice(_STYLES)
    return random.choice(VALUES if name in ("datetime", "content") else _NAMES)


def change_tables(markup: str, donor: str, random: Random) -> str:
    """Give cells odd spans, make cells headers, remove the tags of rows, or insert an odd table."""
    tokens = tokenize(markup)
    cells = [
        position for position, token in enumerate(tokens) if get_tag_name(token) in ("td", "th")
    ]
    if not cells or random.random() < 0.2:
        return _inserted(markup, odd_table(random), random)
    change = random.randrange(4)
    for position in (
        cells if change == 1 else random.sample(cells, min(len(cells), random.choice((1, 4))))
    ):
        token = tokens[position]
        if change == 0 and not token.startswith("</"):
            tokens[position] = (
                f"{token[:3]} {random.choice(('colspan', 'rowspan'))}={random.choice(_SPANS)}{token[3:]}"
            )
        elif change == 1:
            tokens[position] = token.replace("td", "th")
        elif change == 2:
            tokens[position] = token + odd_table(random)
        else:
            tokens[position] = ""
    if change == 3:
        rows = [position for position, token in enumerate(tokens) if get_tag_name(token) == "tr"]
        for position in random.sample(rows, len(rows) // 2):
            tokens[position] = ""
    return "".join(tokens)


def odd_table(random: Random, depth: int = 0) -> str:
    """Return a small table with odd spans, missing rows, headers anywhere and tables in cells."""
    rows: list[str] = []
    for _ in range(random.randrange(5)):
        cells: list[str] = []
        for _ in range(random.randrange(5)):
            tag = random.choice(("td", "td", "th"))
            span = (
                f" {random.choice(('colspan', 'rowspan'))}={random.choice(_SPANS)}"
                if random.random() < 0.3
                else ""
            )
            nested = odd_table(random, depth + 1) if depth < 2 and random.random() < 0.1 else ""
            cells.append(f"<{tag}{span}>{random.choice(VALUES)[:80]}{nested}")
        rows.append(random.choice(("<tr>", "<tr>", "")) + "".join(cells))
    head = random.choice(
        ("", "<caption>x</caption>", "<thead>", "<tbody>", "<colgroup><col span=1000>")
    )
    return f"<table>{head}{''.join(rows)}</table>"


def change_metadata(markup: str, donor: str, random: Random) -> str:
    """Insert a meta element, a JSON-LD script, a base or a link with odd content."""
    value, address = random.choice(VALUES)[:200], random.choice(URL_TYPES)
    odd = random.choice(("[" * 2000, "null", "[[]]", "1e999", "{}"))
    name = random.choice(("datePublished", "articleBody", "headline", "author", "@type", "@graph"))
    inserted = random.choice(
        [
            f'<meta property="article:published_time" content="{value}">',
            f'<meta name="author" content="{value}">',
            f'<meta property="og:title" content="{value}">',
            f'<script type="application/ld+json">{{"@type": "NewsArticle", "{name}": "{value}"}}</script>',
            f'<script type="application/ld+json">{{"{name}": {odd}}}</script>',
            f'<base href="{address}">',
            f'<link rel="{random.choice(("next", "canonical", "stylesheet"))}" href="{address}">',
            f"<style>{random.choice(_STYLES)}</style>",
            "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'>",
            f"<time datetime='{value}'>{value}</time>",
            f"<title>{value}</title>",
        ]
    )
    head = (
        markup.find("<head>") + len("<head>") if "<head>" in markup and random.random() < 0.7 else 0
    )
    return markup[:head] + inserted + markup[head:] if head else _inserted(markup, inserted, random)


# ---- encodings -----------------------------------------------------------------------------------


def declare_charset(markup: str, donor: str, random: Random) -> str:
    """Declare a charset, whatever the page is written in."""
    charset = random.choice(CHARSETS)
    if random.random() < 0.5 and "charset=" in markup:
        return re.sub(
            r'charset=["\']?[^"\'>\s]*', lambda match: f'charset="{charset}', markup, count=1
        )
    return f'<meta charset="{charset}">{markup}'


def write_encoding(markup: str, donor: str, random: Random) -> str:
    """Write the page in another encoding than it declares."""
    text = markup.encode("latin-1", "replace").decode(errors="replace")
    return text.encode(random.choice(_WRITTEN_AS), "replace").decode("latin-1")


def add_byte_order_mark(markup: str, donor: str, random: Random) -> str:
    """Begin the page with a byte order mark or an XML declaration."""
    return random.choice(_MARKS) + markup


MUTATIONS: dict[Mutation, int] = {
    flip_bytes: 4,
    cut_bytes: 4,
    repeat_bytes: 3,
    insert_controls: 3,
    insert_broken_utf8: 3,
    splice: 4,
    delete_element: 6,
    duplicate_element: 8,
    move_element: 5,
    import_element: 6,
    wrap_element: 5,
    nest_element: 3,
    unclose_tags: 4,
    rename_tags: 6,
    shuffle_children: 3,
    change_values: 12,
    change_column: 8,
    change_attributes: 10,
    change_tables: 8,
    change_metadata: 4,
    declare_charset: 3,
    write_encoding: 1,
    add_byte_order_mark: 1,
}
"""All mutations with their weights."""

_CHOICES, _WEIGHTS = list(MUTATIONS), list(MUTATIONS.values())


def mutate(markup: str, donor: str, random: Random, *, times: int) -> str:
    """Return markup after ``times`` random mutations, which may take from another page."""
    for mutation in random.choices(_CHOICES, _WEIGHTS, k=times):
        markup = mutation(markup, donor, random)[:MAX_CHARS]
    return markup
