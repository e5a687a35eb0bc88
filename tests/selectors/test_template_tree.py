"""Steps to a vertex lead to it and to no other on any tree, as lxml follows them."""

from itertools import product

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from unweave.page.page import Page
from unweave.page.template_paths import TemplatePaths, list_identifiers
from unweave.selectors.expressions import ELEMENT, Axis, Selector, Step
from unweave.selectors.template_tree import (
    Element,
    TemplateTree,
    build_template_tree,
    make_element,
    parse_step,
)

IDENTIFIERS = [sign + name for sign, name in product(".#@", "ab")]


@st.composite
def template_trees(draw):
    """Draw a tree as templates have it: no two children of one vertex are equal elements."""
    vertices = {(0, draw(st.sampled_from(["div", "section"])), frozenset()): 1}
    for _ in range(draw(st.integers(0, 11))):
        parent = draw(st.integers(0, len(vertices)))
        names = draw(st.frozensets(st.sampled_from(IDENTIFIERS), max_size=2))
        tag = draw(st.sampled_from(["div", "section"]))
        if len({name[0] for name in names}) == len(names):
            vertices.setdefault((parent, tag, names), len(vertices) + 1)
    elements = [Element(tag, tuple(sorted(names))) for _, tag, names in vertices]
    return TemplateTree([-1, *(parent for parent, _, _ in vertices)], [Element(""), *elements])


def make_document(tree):
    """Return a document with one element for each vertex."""
    attributes = {".": "class", "#": "id", "@": "itemprop"}
    root = etree.Element("root")
    elements = {0: root}
    for vertex in range(1, len(tree.parents)):
        tag, names = tree.elements[vertex]
        values = {attributes[name[0]]: name[1:] for name in names}
        elements[vertex] = etree.SubElement(elements[tree.parents[vertex]], tag, values)
    return root, elements


def select(root, steps):
    return root.xpath("." + Selector(steps, ELEMENT).to_xpath())


@settings(max_examples=300, deadline=None)
@given(template_trees())
def test_every_route_leads_to_its_vertex_and_to_no_other(tree):
    root, elements = make_document(tree)
    for vertex in range(1, len(tree.parents)):
        routes = tree.find_routes(vertex)
        assert routes
        for steps in routes:
            assert select(root, steps) == [elements[vertex]]


@settings(deadline=None)
@given(template_trees(), st.data())
def test_short_routes_to_several_vertices_lead_to_all_of_them(tree, data):
    root, elements = make_document(tree)
    numbers = st.integers(1, len(tree.parents) - 1)
    vertices = data.draw(st.lists(numbers, min_size=1, max_size=3, unique=True))
    routes = tree.find_short_routes(vertices)
    assume(routes)
    for steps in routes:
        assert set(select(root, steps)) == {elements[vertex] for vertex in vertices}


@settings(deadline=None)
@given(template_trees())
def test_steps_lead_to_the_elements_that_lxml_selects(tree):
    root, elements = make_document(tree)
    markup = "".join(etree.tostring(child, method="html").decode() for child in root)
    page = Page.parse(f"<html><body>{markup}</body></html>")
    names = zip(page.tree.labels, page.identifiers, strict=True)
    page_tree = TemplateTree(
        page.tree.parents, [make_element(tag, list_identifiers(tag, each)) for tag, each in names]
    )
    for tag, name in product(["div", "section"], [None, *IDENTIFIERS]):
        steps = (Step("div"), Step(tag, (name,) if name else ()))
        selected = select(root, steps)
        assert [elements[vertex] for vertex in tree.find_vertices(steps)] == selected
        assert len(page_tree.find_vertices(steps)) == len(selected)


@settings(deadline=None)
@given(template_trees(), st.sampled_from([Axis.CHILD, Axis.NEXT_SIBLING]), st.booleans())
def test_children_siblings_and_numbers_are_those_that_lxml_selects(tree, axis, is_numbered):
    root, elements = make_document(tree)
    number = 2 if is_numbered and axis is Axis.CHILD else None
    steps = (Step("div"), Step("section", number=number, axis=axis))
    assert [elements[vertex] for vertex in tree.find_vertices(steps)] == select(root, steps)


def test_steps_visit_each_vertex_once():
    for levels in (50, 100):
        tree = TemplateTree(range(-1, levels), [Element("")] + [Element("div")] * levels)
        assert len(tree.find_vertices([Step("div")] * 3)) == levels - 2
        assert tree._visits <= 4 * levels


def test_one_specific_identifier_is_enough():
    paths = TemplatePaths(frozenset(["div#main", "div.price", "table.spec"]))
    paths.number_nodes(
        Page.parse(
            "<div id=main><div class=price><b>5</b></div><table class=spec><tr><td>x</table></div>"
        ),
        learning=True,
    )
    tree = build_template_tree(paths)
    price = paths.numbers[
        paths.numbers[paths.numbers[paths.numbers[-1, "html"], "body"], "div#main"], "div.price"
    ]
    assert Selector(tree.find_routes(price + 1)[0]).to_css() == "div.price::text"


def test_no_step_names_an_element_that_lxml_does_not_have():
    """Browsers add tbody, and old pages may have a table inside of a paragraph."""
    paths = TemplatePaths(frozenset())
    page = Page.parse("<p><table><tr><td>1</td></tr></table><table><tr><th>2</th></tr></table>")
    numbers = paths.number_nodes(page, learning=True)
    tree = build_template_tree(paths)
    cells = [path for node, path in enumerate(numbers) if page.tree.labels[node] in ("td", "th")]
    assert len(cells) == 2
    for path in cells:
        routes = tree.find_routes(path + 1)
        assert routes
        for steps in routes:
            assert not {"tbody", "p"} & {step.tag for step in steps}


def test_identifiers_may_contain_the_signs_of_others():
    stable = frozenset(["div.py-1.5", "div.py-1", "div.w-1/2", "div@name", "div#a.b"])
    assert parse_step("div#a.b.py-1.5.w-1/2@name", stable) == Element(
        "div",
        (
            "#a.b",
            ".py-1.5",
            ".w-1/2",
            "@name",
        ),
    )
    assert parse_step("div.py-1", stable).identifiers == (".py-1",)
    assert parse_step("div.unknown", stable).identifiers == ()
