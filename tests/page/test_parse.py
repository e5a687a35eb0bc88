"""The tree, the text nodes, the XPaths and the text of a page."""

import pickle

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from unweave import Limits, Page, PageTooLarge, UsageError

TAGS = [
    "div",
    "p",
    "span",
    "b",
    "table",
    "tr",
    "td",
    "ul",
    "li",
    "a",
    "br",
    "img",
    "h2",
    "form",
    "select",
    "option",
    "svg",
    "template",
]
pieces = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        [
            "word",
            " ",
            "two words",
            "&amp;",
            "<!-- c -->",
            "<script>x=1</script>",
            "<style>a{}</style>",
        ]
    ),
)
soup = st.lists(pieces, max_size=40).map("".join)


def nodes(page, label):
    return [node for node, tag in enumerate(page.tree.labels) if tag == label]


# ---- tree ------------------------------------------------------------------------------------


def test_the_tree_is_the_one_that_browsers_build():
    page = Page.parse("<table><tr><td>a<td>b<tr><td>c</table>")
    assert str(page.tree) == "html(head body(table(tbody(tr(td td) tr(td)))))"


def test_scripts_styles_and_templates_are_left_out():
    page = Page.parse(
        "<head><meta charset=utf-8><link rel=x><style>p{}</style><script>1</script></head>"
        "<body><noscript><p>no</p></noscript><template><p>no</p></template><!-- no --><p>yes</p></body>"
    )
    assert str(page.tree) == "html(head body(p))"
    assert page.texts == ["yes"]


def test_an_iframe_stays_and_its_fallback_does_not():
    page = Page.parse("<p>a<iframe><p>your browser cannot draw frames</p></iframe>b")
    assert "iframe" in page.tree.labels
    assert page.texts == ["a", "b"]


def test_noscript_in_the_head_does_not_end_it():
    """Scripting counts as on, as in a browser."""
    page = Page.parse("<head><noscript><img src=pixel></noscript><title>t</title></head><p>x")
    assert str(page.tree) == "html(head(title) body(p))"


def test_nesting_is_flattened_at_512_as_in_chromium():
    assert max(Page.parse("<div>" * 5_000 + "x", limits=Limits(depth=1_000)).tree.heights) == 513


def test_attributes_are_plain_text():
    page = Page.parse("<p CLASS='a  b' id=x hidden data-n='1 2'>x")
    assert page.attributes[nodes(page, "p")[0]] == {
        "class": "a b",
        "id": "x",
        "hidden": "",
        "data-n": "1 2",
    }


@given(soup)
def test_attributes_are_those_of_the_same_node(markup):
    page = Page.parse(f"<i id=first>.</i>{markup}<p id=last>.</p>")
    assert len(page.attributes) == len(page.tree)
    for node, attributes in enumerate(page.attributes):
        if attributes:
            assert page.tree.labels[node] in ("i", "p")


# ---- text ------------------------------------------------------------------------------------


def test_texts_have_parents_and_positions():
    page = Page.parse("<p>one <b>two</b> three</p>")
    p, b = nodes(page, "p")[0], nodes(page, "b")[0]
    assert page.texts == ["one", "two", "three"]
    assert page.text_parents == [p, b, p]
    assert page.text_positions == [b, b + 1, b + 1]
    assert list(page.text_nodes(b)) == [1]
    assert page.count_texts(p) == 3


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>un<b>believ</b>able</p>", "unbelievable"),
        ("<p>two <b>words</b></p>", "two words"),
        ("<p><span>Oslo</span><span>09:15</span></p>", "Oslo 09:15"),
        ("<p>(<a>Oslo</a><a>, </a><a>Bergen</a><a>).</a></p>", "(Oslo, Bergen)."),
        ("<p><b>“</b><i>Oslo</i><b>”</b><i> said</i>", "“Oslo” said"),
        ("<div>Oslo</div><div>: a city</div>", "Oslo : a city"),
        ("<p>two<b> words</b></p>", "two words"),
        ("<p>two<b>\n</b>words</p>", "two words"),
        ("<p>price:&nbsp;&nbsp;<i>9</i>.<i>98</i></p>", "price: 9.98"),
        ("<p>one<br>two</p>", "one two"),
        ("<div>one<div>two</div>three</div>", "one two three"),
        ("<tr><td>a</td><td>b</td></tr>", "ab"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("<ul><li>a<li>b</ul>", "a b"),
        ("<p>a<img>b</p>", "a b"),
        ("<p>  much\n\t white   space </p>", "much white space"),
        ("<p>a<script>x</script>b</p>", "ab"),
        ("<p>a<!-- c -->b</p>", "ab"),
        ("<a>x</a><a>y</a>", "x y"),
    ],
)
def test_the_text_is_what_a_reader_sees(markup, text):
    page = Page.parse(markup)
    assert page.text(nodes(page, "body")[0]) == text


@given(soup)
def test_the_text_of_a_node_is_that_of_its_text_nodes(markup):
    page = Page.parse(f"<p>x</p>{markup}")
    for node in range(len(page.tree)):
        inside = [
            c for c, owner in enumerate(page.text_parents) if node <= owner < page.tree.ends[node]
        ]
        assert list(page.text_nodes(node)) == inside
        assert page.text(node).replace(" ", "") == "".join(page.texts[c] for c in inside).replace(
            " ", ""
        )
    assert all(text and text == " ".join(text.split()) for text in page.texts)


# ---- xpath -----------------------------------------------------------------------------------


def test_an_xpath_numbers_only_where_there_are_siblings_of_the_label():
    page = Page.parse("<div><p>a</p></div><div><ul><li>1<li>2</ul></div>")
    assert page.xpath(0) == "/html"
    assert page.xpath(nodes(page, "p")[0]) == "/html/body/div[1]/p"
    assert [page.xpath(node) for node in nodes(page, "li")] == [
        "/html/body/div[2]/ul/li[1]",
        "/html/body/div[2]/ul/li[2]",
    ]


@given(soup)
def test_an_xpath_selects_exactly_its_node(markup):
    markup = f"<p>x</p>{markup}"
    page, document = Page.parse(markup), turbohtml.parse(markup, scripting=True)
    kept = [element for element in document.iter_elements() if _is_kept(element)]
    assert [element.tag for element in kept] == page.tree.labels
    for node, element in enumerate(kept):
        if "svg" not in page.xpath(node):  # in XPath, names without a prefix mean HTML
            assert document.xpath(page.xpath(node)) == [element]


# ---- attributes ------------------------------------------------------------------------------

NAMES = (
    "class id rel rev hidden style href headers sizes sandbox for accesskey data-x itemprop".split()
)


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["", " ", "a", " a  b ", "A\nb"])))
)
def test_an_attribute_is_the_same_one_by_one_for_one_name_and_for_all(attributes):
    written = " ".join(f'{name}="{value}"' for name, value in attributes)
    one, every = Page.parse(f"<p>x<i {written}>y"), Page.parse(f"<p>x<i {written}>y")
    node = nodes(every, "i")[0]
    expected = every.attributes[node]
    assert {name: one.get_attribute(node, name) for name in expected} == expected
    assert [one.get_attribute(node, name) for name in NAMES if name not in expected] == [
        None for name in NAMES if name not in expected
    ]
    for name, value in expected.items():
        assert " ".join(one.find_attribute(name)[node].split()) == " ".join(value.split())


# ---- the rest --------------------------------------------------------------------------------


def test_pages_can_be_pickled():
    page = Page.parse("<p class=x>one <b>two</b></p>", url="https://example.org/")
    copy = pickle.loads(pickle.dumps(page))
    assert copy.attributes == page.attributes
    assert (copy.text(), copy.url, copy.xpath(4)) == (page.text(), page.url, page.xpath(4))


def test_a_page_has_a_title_and_says_what_it_is():
    page = Page.parse("<title> A  page </title><p>x")
    assert page.title == "A page"
    assert repr(page) == "<Page 'A page': 5 nodes, 2 texts>"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(bytes=50), "has 77 bytes"),
        (Limits(nodes=10), "more than 10 elements"),
        (Limits(depth=5), "nested more than 5 levels deep"),
    ],
)
def test_limits_are_checked(limits, reason):
    with pytest.raises(PageTooLarge, match=reason):
        Page.parse("<div>" * 10 + "x" + "\n" * 26, limits=limits)


@pytest.mark.parametrize(
    "markup",
    [
        "".join(f"<body x{number}>" for number in range(2_000)),
        "".join(f"<HTML x{number}>{'text ' * 66}" for number in range(2_000)),
        f"<html {' '.join(f'a{n}=1' for n in range(9_000))}><html {' '.join(f'b{n}=1' for n in range(9_000))}><p>x",
    ],
    ids=["many", "scattered", "two huge ones"],
)
def test_excessive_root_tags_are_refused(markup):
    for source in (markup, markup.encode("utf-16")):
        with pytest.raises(PageTooLarge, match="html and body tags"):
            Page.parse(source)


@pytest.mark.parametrize("bounds", [{"bytes": 0}, {"nodes": -1}, {"depth": 0}])
def test_invalid_limits_are_refused(bounds):
    with pytest.raises(UsageError):
        Limits(**bounds)


def _is_kept(element):
    return not {"script", "style", "template"} & {
        element.tag,
        *(getattr(above, "tag", "template") for above in _above(element)),
    }


def _above(element):
    return [above for above in element.ancestors if not isinstance(above, turbohtml.Document)]


def test_the_tree_with_texts():
    page = Page.parse("<p>one<b>two</b>three</p><p></p>")
    assert str(page.build_tree_with_texts()) == "html(head body(p(#text b(#text) #text) p))"
    assert (
        str(page.build_tree_with_texts(lambda text: f"#{text}"))
        == "html(head body(p(#one b(#two) #three) p))"
    )


def test_raw_texts_of_code():
    page = Page.parse(
        "<p>a  b</p><pre>\n  x <b>y</b> <i>z</i>\n<script>no</script>\n end </pre><code> c  d </code>"
    )
    raw = {page.texts[text_node]: text for text_node, text in page.raw_texts.items()}
    assert raw == {"x": "  x ", "y": "y", "z": " z", "end": "\n\n end ", "c d": " c  d "}
    assert pickle.loads(pickle.dumps(page)).raw_texts == page.raw_texts
    assert page.with_tree(page.tree).raw_texts == page.raw_texts


@given(soup, soup, soup)
def test_raw_texts_are_the_texts_with_their_white_space(before, inside, after):
    page = Page.parse(f"<pre>a</pre><div>{before}<pre>x{inside}</pre>{after}")
    assert page.raw_texts
    for text_node, raw in page.raw_texts.items():
        assert " ".join(raw.split()) == page.texts[text_node]
    code = {node for node, label in enumerate(page.tree.labels) if label == "pre"}
    expected = {
        text_node
        for text_node, parent in enumerate(page.text_parents)
        if code & set(page.tree.ancestors(parent))
    }
    assert set(page.raw_texts) == expected
