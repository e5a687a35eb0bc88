"""Patterns as wrappers: learned from pages, written as text, read again, applied to others."""

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.extraction import extract
from tests.oracles import notations
from unweave.cli import main
from unweave.errors import TreeSyntaxError, UsageError, WrapperError
from unweave.trees import pattern_text
from unweave.trees.pattern import WILDCARDS
from unweave.trees.pattern_text import make_text_label
from unweave.trees.tree import Tree
from unweave.wrappers.base import Wrapper
from unweave.wrappers.pattern.learn import PatternLearner


def shop(name, price, *extras):
    more = "".join(f"<li>{extra}</li>" for extra in extras)
    return (
        f"<html><body><h1>{name}</h1><p>Price: <b>{price}</b></p>"
        f"<ul><li>Free returns</li>{more}</ul></body></html>"
    )


PAGES = [
    shop("Kettle", "9.00"),
    shop("Lamp", "12.00", "Brass"),
    shop("Fan", "7.50", "Mint", "Three blades"),
]


@pytest.fixture(scope="module")
def wrapper():
    return unweave.learn(PAGES, method="pattern")


def test_what_differs_becomes_fields(wrapper):
    fields, fit = extract(wrapper, shop("Clock", "72.00", "Silent"))
    assert fields == {"field_1": "Clock", "field_2": "72.00", "field_3": ["Silent"]}
    assert fit == 1


def test_a_smaller_gap_gives_more_fields():
    pages = [
        f"<ul><li>One<li>Two</ul><div><p>{n}a</p><p>{n}b</p>{'<p>c</p>' * n}</div>"
        for n in range(2)
    ]
    wide, narrow = (unweave.learn(pages, method=PatternLearner(gap=gap)) for gap in (3, 0))
    assert [len(wrapper.patterns[0].names) for wrapper in (wide, narrow)] == [1, 2]
    with pytest.raises(UsageError, match="gap"):
        unweave.learn(pages, method=PatternLearner(gap=-1))


def test_pages_that_do_not_differ_have_no_fields():
    with pytest.raises(WrapperError, match="do not differ"):
        unweave.learn([PAGES[0]], method="pattern")


def test_pages_of_different_templates_have_no_fields():
    with pytest.raises(WrapperError, match="no two pages are of one template"):
        unweave.learn(
            [PAGES[0], "<main><form><input><input><input></form></main>"], method="pattern"
        )


def test_reserved_names_are_refused():
    data = {
        "unweave": "wrapper",
        "version": 1,
        "kind": "pattern",
        "patterns": [["html", "  · page"]],
    }
    with pytest.raises(WrapperError, match="page"):
        Wrapper.loads(json.dumps(data))


def test_a_missing_option_lowers_the_fit(wrapper):
    fields, fit = extract(wrapper, shop("Clock", "72.00"))
    assert fields == {"field_1": "Clock", "field_2": "72.00"}
    assert 0.8 < fit < 1


def test_a_page_of_another_template_does_not_fit(wrapper):
    assert extract(wrapper, "<p>Something else") == (None, 0.0)


def test_the_text_of_a_pattern(wrapper):
    assert wrapper.to_json()["patterns"] == [
        [
            "html",
            "  head",
            "  body",
            "    h1",
            "      · field_1",
            "    p",
            '      "Price:"',
            "      b",
            "        · field_2",
            "    ul",
            "      li",
            '        "Free returns"',
            "      * field_3",
        ]
    ]


FIGURE_8 = [
    (
        ["b", "c"],
        "· field_1",
        [["b"], ["c"]],
    ),  # both pages have something there: a required wildcard
    (["b", ""], "? field_1", [["b"], []]),  # one page has nothing: an optional one
    (
        ["b", "c", "de"],
        "+ field_1",
        [["b"], ["c"], ["d", "e"]],
    ),  # an option after a required one: of variable size
    (["", "c", "de"], "* field_1", [[], ["c"], ["d", "e"]]),  # an option after an option
]


def page_of_figure_8(letters):
    """What all pages have, and then elements of these names: letters a, b, c as in the figure."""
    menu = "".join(f"<i>{number}</i>" for number in range(8))
    inner = "".join(f"<tag-{letter}>{letter}</tag-{letter}>" for letter in f"a{letters}")
    return f"<nav>{menu}</nav><div>{inner}</div>"


@pytest.mark.parametrize(
    ("letters", "wildcard", "values"), FIGURE_8, ids=["required", "optional", "plus", "Kleene"]
)
def test_figure_8_as_the_pattern_of_a_wrapper(tmp_path, letters, wildcard, values):
    pages = list(map(page_of_figure_8, letters))
    wrapper = unweave.learn(pages, method="pattern")
    (lines,) = wrapper.to_json()["patterns"]
    assert lines[-4:] == ["    div", "      tag-a", '        "a"', f"      {wildcard}"]
    for page, expected in zip(pages, values, strict=True):
        fields, _ = extract(wrapper, page)
        found = fields.get("field_1", [])
        assert ([found] if isinstance(found, str) else found) == expected
    file = tmp_path / "wrapper.json"
    file.write_text(wrapper.dumps())
    shown = CliRunner().invoke(main, ["show", str(file)])
    assert shown.exit_code == 0
    assert wildcard in shown.stdout


def test_figure_8_pages_that_come_one_after_the_other():
    """The pattern of two pages is composed with the third, and a wildcard becomes repeated."""
    two, three = (
        unweave.learn(list(map(page_of_figure_8, letters)), method="pattern")
        for letters in ("bc", ["b", "c", "de"])
    )
    assert extract(two, page_of_figure_8("de")) == (None, 0.0)
    assert extract(three, page_of_figure_8("xyz"))[0] == {"field_1": ["x", "y", "z"]}
    assert extract(three, page_of_figure_8("")) == (None, 0.0)


def test_a_wrapper_is_equal_after_writing_and_reading(wrapper):
    again = Wrapper.loads(wrapper.dumps())
    for markup in PAGES:
        assert extract(again, markup) == extract(wrapper, markup)
    assert again.to_json() == wrapper.to_json()


def test_pages_of_two_templates_get_a_pattern_each():
    others = [
        f"<main><table><tr><td>{n}<td>x<tr><td>{n}{n}<td>x</table>"
        "<form><input><input></form></main>"
        for n in "12"
    ]
    wrapper = unweave.learn([*PAGES, *others], method="pattern")
    assert len(wrapper.patterns) == 2
    fields, _ = extract(wrapper, others[0].replace("1", "7"))
    assert list(fields.values()) == ["7", "77"]
    assert not set(fields) & set(extract(wrapper, PAGES[0])[0])


def test_text_nodes_are_joined_as_a_reader_sees_them():
    menu = "<ul><li>One<li>Two<li>Three</ul>"
    wrapper = unweave.learn([f"{menu}<p><i>a</i>", f"{menu}<p><b>c</b>d"], method="pattern")
    fields, _ = extract(wrapper, f"{menu}<p><em>un<b>believ</b>able</em>")
    assert fields == {"field_1": ["unbelievable"]}


@given(notations, st.data())
def test_any_pattern_can_be_written_and_read(notation, data):
    tree = Tree.parse(notation)
    kinds = st.one_of(
        st.sampled_from(sorted(WILDCARDS)),
        st.text(st.characters(exclude_categories=["Cs"])).map(make_text_label),
    )
    labels = [
        data.draw(kinds) if not tree.children(node) and node else label
        for node, label in enumerate(tree.labels)
    ]
    names = {node: f"name {node}" for node, label in enumerate(labels) if label in WILDCARDS}
    again, told = pattern_text.parse_pattern(
        pattern_text.format_pattern(Tree(labels, tree.parents), names)
    )
    assert (list(again.labels), list(again.parents), told) == (labels, list(tree.parents), names)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "no lines"),
        (["  a"], "indented"),
        (["a", "b"], "indented"),
        (["a", "    b"], "indented"),
        (["a", " b"], "indented"),
        (["a", '  "open'], "no closing quote"),
        (["a", "  b c"], "expected an element"),
        (["a", "  · x", "  * x"], "the same name"),
        (["a", "  ·", "    b"], "has a child"),
        (["a", '  "text"', "    b"], "has a child"),
        (["a", ""], "indented"),
    ],
)
def test_invalid_pattern_text_is_refused(lines, reason):
    with pytest.raises(TreeSyntaxError, match=reason):
        pattern_text.parse_pattern(lines)


@pytest.mark.parametrize("patterns", [None, [], [["a", "b"]], ["a"], [[1]], {}])
def test_invalid_patterns_of_a_file_are_refused(patterns):
    data = {"unweave": "wrapper", "version": 1, "kind": "pattern", "patterns": patterns}
    with pytest.raises(WrapperError):
        Wrapper.loads(json.dumps(data))


def _unlike(seed):
    """A page of thousands of siblings of which no two are alike."""
    return "".join(f"<p>{'<i>x</i>' * (n % 7)}{seed}{n}<b>{n * seed}</b></p>" for n in range(3_000))


@pytest.mark.slow
def test_pages_that_are_too_different_are_refused():
    with pytest.raises(WrapperError, match="too large"):
        unweave.learn([_unlike(1), _unlike(2)], method="pattern")
