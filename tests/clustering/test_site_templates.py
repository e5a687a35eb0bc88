"""Templates of one site: told apart although the frame of its pages is larger than what differs."""

import json

import pytest

from unweave import Page
from unweave.clustering.site_templates import alike, bound, examples, groups, nearest, outline

FRAME = (
    "<header>"
    + "".join(f"<div class=menu{n}><ul><li><a class=m{n}>x</a></li></ul></div>" for n in range(40))
    + "</header>"
)


def page(content, *, classes=""):
    return Page.parse(f"<body class='{classes}'>{FRAME}<main>{content}</main></body>")


def product(number, *, reviews=True):
    rows = "".join(
        f"<tr class=row{n}><th class=key>k</th><td class=val>{number}</td></tr>" for n in range(5)
    )
    more = "<section class=reviews><article class=review><b class=who>x</b><p class=said>y</p></article></section>"
    own = f"<h1 class=name>{number}</h1><p class=price>1</p><table class=specs>{rows}</table>{more if reviews else ''}"
    return page(own, classes=f"post-{number}")


def story(number):
    head = "<h2 class=headline>a</h2><div class=byline><time class=when>b</time><i class=author>c</i></div>"
    return page(
        f"<article class=story>{head}<div class=body><p class=lead>d</p><p>e</p></div></article>",
        classes=f"s{number}",
    )


@pytest.fixture(scope="module")
def outlines():
    return [outline(own) for own in [*map(product, range(8)), *map(story, range(5))]]


def test_two_templates_in_one_frame_are_two_groups(outlines):
    assert alike(outlines[0], outlines[-1]) > 0.5
    assert [sorted(group) for group in groups(outlines)] == [[*range(8)], [*range(8, 13)]]


def test_a_part_that_some_pages_lack_makes_no_template():
    some = [outline(product(n, reviews=n % 2 == 0)) for n in range(8)]
    assert len(groups(some)) == 1


def test_names_of_single_pages_make_no_template():
    assert len(groups([outline(product(n)) for n in range(6)])) == 1


def test_a_new_page_goes_to_its_template_and_a_strange_one_to_none(outlines):
    known = []
    for group in groups(outlines):
        few = examples([outlines[number] for number in group])
        known.append((few, bound([outlines[number] for number in group], few)))
    assert nearest(outline(product(99, reviews=False)), known) == 0
    assert nearest(outline(story(99)), known) == 1
    assert nearest(outline(Page.parse("<div class=other><ol><li>x</ol></div>")), known) is None
    assert nearest(outline(product(1)), []) is None


def test_examples_are_as_different_as_can_be(outlines):
    few = examples(outlines)
    assert len(few) <= 12
    assert any(alike(own, outlines[0]) < 0.8 for own in few)


def test_an_outline_is_the_same_everywhere():
    """Wrappers are learned by one process and applied by others, and hashes of texts differ between those."""
    assert sorted(outline(Page.parse("<p class=a>x</p>"))) == json.loads(
        "[41582722, 890218422, 1714624985, 2583882144, 3130609643]"
    )
