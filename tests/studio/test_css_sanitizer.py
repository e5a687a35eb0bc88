"""Untrusted CSS: what may be loaded is gone, however it is spelt, and the rest means what it meant."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.studio import css_sanitizer
from unweave.studio.css_sanitizer import sanitize_css

EVIL = "http://evil.example/x"
LOADING = [
    f"background: url({EVIL})",
    f"background: url( '{EVIL}' ) red",
    f'background: URL("{EVIL}")',
    f"background: u\\72l({EVIL})",
    f"background: \\75\\72\\6c({EVIL})",
    f"background: \\000075 rl({EVIL})",
    f"background: UR\\4C ({EVIL})",
    "background: url(\\68ttp://evil.example/x)",
    'background: url("\\68 ttp://evil.example/x")',
    f'background: url("{EVIL}" referrerpolicy(no-referrer))',
    f"background: image-set('{EVIL}' 1x)",
    f"background: IMAGE-SET(url({EVIL}) 1x, '{EVIL}' 2x)",
    f"background: -webkit-image-set(url({EVIL}) 1x)",
    f"background: image\\-set('{EVIL}' 1x)",
    f"background: image-set(/**/'{EVIL}'/**/ 1x)",
    f"background: cross-fade(url({EVIL}), url({EVIL}), 50%)",
    f"background: -webkit-cross-fade(url({EVIL}), url({EVIL}), 50%)",
    f"background: image('{EVIL}')",
    f"background: src('{EVIL}')",
    "background: element(#x)",
    "background: -moz-element(#x)",
    "background: paint(x)",
    "background: image-set(attr(title) 1x)",
    "background: attr(title type(<url>))",
    f"--x: url({EVIL}); background: var(--x)",
    f"--x: '{EVIL}'; background: image-set(var(--x) 1x)",
    f"--x: {EVIL}; background: src(var(--x))",
    f"list-style: square url({EVIL})",
    f"cursor: url({EVIL}), auto",
    f"content: url({EVIL})",
    f"filter: url({EVIL}#f)",
    f"mask: url({EVIL}#m)",
    f"behavior: url({EVIL})",
    f"background: url({EVIL}",
    f"background: url('{EVIL}",
    f"background: image-set('{EVIL}' 1x",
    f"background: url(\\\n{EVIL})",
]
RULES = [
    f"@import '{EVIL}';",
    f"@import url({EVIL}) screen;",
    f"@IMPORT/**/'{EVIL}';",
    f"@\\69mport '{EVIL}';",
    f"@i\\6d port\turl('{EVIL}');",
    f"@import url({EVIL}) layer(x) supports(display: grid);",
    f"@import '{EVIL}'",
    f"@namespace svg url({EVIL});",
    f"@font-face {{ font-family: x; src: url({EVIL}) format('woff2') }}",
    f"@property --x {{ syntax: '<url>'; inherits: false; initial-value: url({EVIL}) }}",
    f"@media all {{ @import '{EVIL}'; p {{ color: url({EVIL}) }} }}",
    f"@document url({EVIL}) {{ p {{ color: red }} }}",
]

_CALL = re.compile(r"([-\w\\]*)\(")
_STRING = re.compile(r'"[^"\n]*"')


def loads(css: str) -> list[str]:
    """Name what could load something in CSS that has been sanitized: it has no escapes that spell letters."""
    bare = _STRING.sub('""', css.replace("/**/", "\0"))
    calls = {name.lower() for name in _CALL.findall(bare)} - {"", "url"} - css_sanitizer._FUNCTIONS
    addresses = [
        address
        for address in re.findall(r"url\(([^)]*)", bare)
        if not address.startswith(("#", "data:", '""'))
    ]
    rules = {name.lower() for name in re.findall(r"@([-\w\\]*)", bare)} - css_sanitizer._AT_RULES
    return [*calls, *addresses, *rules]


@pytest.mark.parametrize("declaration", LOADING)
def test_declarations_load_nothing(declaration: str) -> None:
    for css in (declaration, f"p {{ {declaration} }} b {{ color: red }}"):
        found = sanitize_css(css)
        assert loads(found) == []
        assert (
            "evil" not in _STRING.sub("", found) or "--x: http:" in found
        )  # a word that nothing calls


@pytest.mark.parametrize("rule", RULES)
def test_rules_load_nothing_and_end_where_they_end(rule: str) -> None:
    found = sanitize_css(f"{rule} b {{ color: red }}")
    assert loads(found) == []
    assert "evil" not in found
    if rule.endswith((";", "}")):
        assert found.endswith(" b { color: red }")


@pytest.mark.parametrize(
    "css",
    [
        'a:not(.b) > c::after, d:nth-child(2n + 1) { color: rgba(0, 0, 0, .5); margin: -1px auto 10%; content: "x" }',
        "@media (min-width: 30em) and (not (hover)) { p { width: calc(100% - (2px * 3)); transform: skewX(3deg) } }",
        "p { background: linear-gradient(to right, #fff 10%, var(--x, red)), url(data:image/png;base64,iVBO+/==) }",
        "p { background: url(\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>\") }".replace(
            "'", "\\27 "
        ).replace("<", "\\3c "),
        '@font-face { font-family: x; src: url(data:font/woff2;base64,xx) format("woff2"), local("Arial") }',
        'i { fill: url(#g); --wide-x: 1e3px; unicode-range: U+26, U+0-7F; font: 1em/1.5 "Ä", sans-serif !important }',
        '.Käse > [data-x="1"] { color: red }',
        "<!-- p { color: red } -->",
    ],
)
def test_what_loads_nothing_stays_as_it_is(css: str) -> None:
    assert sanitize_css(css) == css


def test_escapes_in_names_keep_their_meaning() -> None:
    assert sanitize_css(r".md\:flex { width: 1px }") == r".md\3a flex { width: 1px }"
    assert sanitize_css(r".\31 23, #\.x { c\6f lor: red }") == r".\31 23, #\2e x { color: red }"
    assert (
        sanitize_css(r"p::before { content: '\201C  \'' }")
        == 'p::before { content: "\u201c \\27 " }'
    )


def test_what_is_left_out_does_not_join_its_neighbours() -> None:
    for left_out in (f"@import '{EVIL}';", "/* x */", "\\\n", "\x01", '"broken\n'):
        for css in (
            f"url{left_out}({EVIL})",
            f"u{left_out}rl({EVIL})",
            f"image-{left_out}set('{EVIL}')",
        ):
            assert loads(sanitize_css(css)) == [], css


PIECES = [
    *string.punctuation,
    "url(",
    "u\\72 l(",
    "image-set(",
    EVIL,
    "@import ",
    "@media ",
    "a",
    "\n",
    " ",
    "1",
    "/*",
    "*/",
    "\\",
]
PIECES += [
    "var(--x)",
    "{",
    "}",
    "é",
    "😀",
    "\x01",
    "\\a",
    "\\75",
    "#x",
    "data:image/png,x",
    "\r\n",
    "\f",
    "\0",
    "ſrc(",
    "--",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_no_mixture_of_tokens_loads_anything(css: str) -> None:
    found = sanitize_css(css)
    assert loads(found) == []
    assert sanitize_css(found) == found


class Counting:
    """A pattern that counts how often it is matched, and over how many characters."""

    def __init__(self, pattern: re.Pattern[str], counts: Counter[str]) -> None:
        self._pattern, self._counts = pattern, counts

    def match(self, text: str, position: int) -> re.Match[str] | None:
        found = self._pattern.match(text, position)
        self._counts["matches"] += 1
        self._counts["characters"] += len(found[0]) if found else 0
        return found


@pytest.mark.parametrize(
    "piece",
    ["(", "url(", "image-set(", "@import ", "\\", "'", "/*", "@x{", '"\n', 'url("x" ', "@x(", "a{"],
)
def test_the_work_grows_with_the_length(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Counter[str] = Counter()
    for name in ("_TOKEN", "_BRACKET", "_URL_ARGUMENT"):
        monkeypatch.setattr(css_sanitizer, name, Counting(getattr(css_sanitizer, name), counts))
    css = piece * 2_000
    sanitize_css(css)
    assert 0 < counts["matches"] <= 2 * len(css)
    assert counts["characters"] <= 3 * len(css)
