"""What of a stranger's page reaches the browser: elements that are harmless, each with its number, and nothing else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.page.page import Page
from unweave.page.parse import build_document
from unweave.studio.assets import Asset
from unweave.studio.drawing import build_drawing, list_asset_urls

PIXEL = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"


def drawn(markup: str | bytes, looks: dict[str, Asset] | None = None) -> dict[str, Any]:
    data = markup.encode() if isinstance(markup, str) else markup
    return build_drawing(
        build_document(data, "utf-8", []), Page.parse(data, charset="utf-8"), looks or {}
    )


def elements(drawing: dict[str, Any]) -> list[tuple[str, int, dict[str, str]]]:
    return [
        (drawing["names"][node[1]], node[2], node[3]) for node in drawing["nodes"] if len(node) == 4
    ]


def texts(drawing: dict[str, Any]) -> list[str]:
    return [node[1] for node in drawing["nodes"] if len(node) < 4]


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><script>alert(1)</script><animate attributeName=href values=javascript:alert(1)>"
    "<use href='data:image/svg+xml,x'></use><a xlink:href=javascript:alert(1)><text>x</text></a></svg>",
    "<a href='javascript:alert(1)'>x</a>",
    "<form action=https://evil.example/><input name=q><button formaction=javascript:alert(1)>go</button></form>",
    "<iframe src=https://evil.example srcdoc='<script>alert(1)</script>'>no</iframe>",
    "<object data=https://evil.example><embed src=https://evil.example></object>",
    "<base href=https://evil.example/><meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<link rel=stylesheet href=https://evil.example/x.css><link rel=prefetch href=https://evil.example/y>",
    "<video src=https://evil.example autoplay poster=https://evil.example></video><audio src=x></audio>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<template><script>alert(1)</script></template>",
    "<img name=getElementById><form name=body></form>",
    "<p autofocus onfocus=alert(1) contenteditable tabindex=0>x</p>",
    "<input type=image src=https://evil.example formaction=javascript:alert(1)>",
    "<body background=https://evil.example/x.png onload=alert(1)>x",
    "<frameset onload=alert(1)><frame src=https://evil.example></frameset>",
    "<picture><source srcset=https://evil.example/a.png><img srcset=https://evil.example/b.png alt=b></picture>",
    "<x-widget is=script src=https://evil.example></x-widget>",
    "<plaintext><script>",
]
FORBIDDEN = frozenset(
    "script iframe frame frameset object embed applet base meta link template portal fencedframe video audio source track"
    " canvas noscript plaintext svg:script svg:animate svg:set svg:use svg:image svg:foreignobject svg:a".split()
)
URL_TYPES = frozenset(
    "src srcset href data action formaction poster background xlink:href srcdoc ping cite manifest".split()
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_runs_or_loads_is_drawn(attack: str) -> None:
    found = elements(drawn(f"<p>before</p>{attack}<p>after</p>"))
    assert "p" in [name for name, _, _ in found]
    for name, _, attributes in found:
        assert name.casefold() not in FORBIDDEN
        for attribute, value in attributes.items():
            assert not attribute.startswith("on")
            assert attribute not in ("name", "autofocus", "contenteditable", "tabindex", "is")
            if attribute in URL_TYPES:
                assert value == "https://page.invalid/" or value.startswith("data:image/")


@given(
    st.lists(
        st.sampled_from(
            [
                *ATTACKS,
                "<p>",
                "</p>",
                "<table>",
                "<tr>",
                "text",
                " ",
                "<b>",
                "</table>",
                "<li>",
                "<style>a{}",
            ]
        )
    )
)
def test_the_numbers_are_those_of_the_page_whatever_the_markup(parts: list[str]) -> None:
    markup = "<p>x</p>" + "".join(parts)
    page, drawing = Page.parse(markup), drawn(markup)
    numbers = [number for _, number, _ in elements(drawing) if number >= 0]
    assert numbers == list(range(len(page.tree)))
    chunks = {node[2]: node[1] for node in drawing["nodes"] if len(node) == 3}
    assert [" ".join(chunks[chunk].split()) for chunk in range(len(page.texts))] == page.texts


@given(
    st.lists(
        st.sampled_from(
            [
                "<div>",
                "</div>",
                "<p>x",
                "<table><td>",
                "</table>",
                "<!-- c -->",
                "<select><option>o",
            ]
        )
    )
)
def test_parents_come_before_their_children(parts: list[str]) -> None:
    nodes = drawn("<p>x</p>" + "".join(parts))["nodes"]
    assert nodes
    for place, node in enumerate(nodes):
        assert -1 <= node[0] < place


def test_style_sheets_of_the_page_are_kept_and_have_no_number() -> None:
    found = drawn("<style media=print>p { color: red }</style><p style='color: blue'>x</p>")
    assert ("style", -1, {"media": "print"}) in elements(found)
    assert "p { color: red }" in texts(found)
    assert {"style": "color: blue"} in [attributes for _, _, attributes in elements(found)]


def test_styles_do_not_ask_for_what_is_not_there() -> None:
    sheet = "@import 'x.css'; a{background: URL( 'x.png' ) red} b{background:url(data:image/png;base64,xx)} i{fill:url(#g)}"
    found = drawn(f"<style>{sheet}</style><p style='background: url(y.png)'>x</p>")
    assert (
        "/**/ a{background: none red} b{background:url(data:image/png;base64,xx)} i{fill:url(#g)}"
        in texts(found)
    )
    assert {"style": "background: none"} in [attributes for _, _, attributes in elements(found)]


EVIL = "http://evil.example/x"
NAMES_OF_PAINT = "fill stroke clip-path stop-color transform style width d".split()


@pytest.mark.parametrize(
    "value",
    [f"url({EVIL})", f"u\\72l('{EVIL}#a')", f"URL( {EVIL} ) red", f"image-set('{EVIL}' 1x)"],
)
def test_attributes_of_svg_name_no_address(value: str) -> None:
    paint = " ".join(
        f'{name}="{value}"' for name in [*NAMES_OF_PAINT, "filter", "mask", "marker-end", "cursor"]
    )
    found = drawn(
        f'<svg {paint}><path {paint} class="a:b"/><text {paint}>x</text></svg><math><mi {paint}>y</mi></math>'
    )
    values = [value for _, _, attributes in elements(found) for value in attributes.values()]
    assert values.count("a:b") == 1
    assert len(values) >= 4 * len(NAMES_OF_PAINT)
    assert not [value for value in values if "evil" in value or "(" in value]


def test_attributes_of_svg_that_name_places_in_the_page_stay() -> None:
    markup = '<svg viewBox="0 0 9 9"><path fill="url(#g)" transform="skewX(3) translate(1,2)" d="M1-2L3.5,4z"/></svg>'
    (path,) = [attributes for name, _, attributes in elements(drawn(markup)) if name == "svg:path"]
    assert path == {"fill": "url(#g)", "transform": "skewX(3) translate(1,2)", "d": "M1-2L3.5,4z"}


def test_a_link_looks_like_one_and_leads_nowhere() -> None:
    (link,) = [
        attributes for name, _, attributes in elements(drawn("<a href=/x>x</a>")) if name == "a"
    ]
    assert link == {"href": "https://page.invalid/"}


def test_what_is_not_loaded_is_counted_once() -> None:
    found = drawn(
        "<link rel=stylesheet href=a.css><img src=b.png><img src=b.png><img src='data:image/png;base64,xx'>x"
    )
    assert found["left_out"] == 2


def test_what_is_at_hand_is_put_in() -> None:
    looks = {"a.css": Asset(b"p{color:green}"), "b.gif": Asset(PIXEL)}
    found = drawn("<link rel=stylesheet href=a.css><img src=b.gif>x", looks)
    assert "p{color:green}" in texts(found)
    (picture,) = [attributes["src"] for name, _, attributes in elements(found) if name == "img"]
    assert picture.startswith("data:image/gif;base64,")
    assert found["left_out"] == 0


def test_a_picture_that_is_none_is_left_out() -> None:
    found = drawn("<img src=b.gif>x", {"b.gif": Asset(b"<script>alert(1)</script>")})
    assert found["left_out"] == 1


APP = "<script src=app.js></script>"


@pytest.mark.parametrize(
    ("markup", "is_empty"),
    [
        (
            f"<title>A shop with a long name, and everything it has to say</title><div id=root></div>{APP}",
            True,
        ),
        (
            f"<div id=app>Loading, please wait…</div><noscript>{'Please switch JavaScript on. ' * 9}</noscript>{APP}",
            True,
        ),
        ("<div id=root></div>", False),
        (f"<div id=root>{'A list of many things. ' * 9}</div>{APP}", False),
        (f"<div id=root><img src=a.png></div>{APP}", False),
    ],
)
def test_pages_that_scripts_fill_are_known(markup: str, is_empty: bool) -> None:
    assert drawn(markup)["is_empty"] is is_empty


def test_addresses_are_told_once_and_style_sheets_first() -> None:
    markup = "<img src=1.png><link rel='StyleSheet preload' href=a.css><img src=1.png><link rel='alternate stylesheet' href=b>"
    assert list_asset_urls(build_document(markup.encode(), "utf-8", [])) == ["a.css", "1.png"]


@pytest.mark.parametrize(
    ("markup", "quirks"),
    [
        ("<!doctype html><p>x", False),
        ("<p>x", True),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><p>x', True),
        (
            '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd"><p>x',
            False,
        ),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"><p>x', True),
    ],
)
def test_pages_of_old_are_drawn_by_the_rules_of_old(markup: str, quirks: bool) -> None:
    assert drawn(markup)["quirks"] is quirks
