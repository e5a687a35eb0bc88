"""Templates of one site: told apart although the frame of its pages is larger than what differs."""

import json

import pytest

from unweave import Page
from unweave.clustering.site_templates import (
    cluster_fingerprints,
    compute_fingerprint,
    compute_min_similarity,
    compute_similarity,
    find_nearest_template,
    select_examples,
)

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
def fingerprints():
    return [compute_fingerprint(own) for own in [*map(product, range(8)), *map(story, range(5))]]


def test_two_templates_in_one_frame_are_two_groups(fingerprints):
    assert compute_similarity(fingerprints[0], fingerprints[-1]) > 0.5
    assert cluster_fingerprints(fingerprints) == [[*range(8)], [*range(8, 13)]]


def test_a_part_that_some_pages_lack_makes_no_template():
    some = [compute_fingerprint(product(n, reviews=n % 2 == 0)) for n in range(8)]
    assert len(cluster_fingerprints(some)) == 1


def test_names_of_single_pages_make_no_template():
    assert len(cluster_fingerprints([compute_fingerprint(product(n)) for n in range(6)])) == 1


def test_a_new_page_goes_to_its_template_and_a_strange_one_to_none(fingerprints):
    known = []
    for group in cluster_fingerprints(fingerprints):
        few = select_examples([fingerprints[number] for number in group])
        known.append((few, compute_min_similarity([fingerprints[number] for number in group], few)))
    assert find_nearest_template(compute_fingerprint(product(99, reviews=False)), known) == 0
    assert find_nearest_template(compute_fingerprint(story(99)), known) == 1
    assert (
        find_nearest_template(
            compute_fingerprint(Page.parse("<div class=other><ol><li>x</ol></div>")), known
        )
        is None
    )
    assert find_nearest_template(compute_fingerprint(product(1)), []) is None


def test_examples_are_as_different_as_can_be(fingerprints):
    few = select_examples(fingerprints)
    assert len(few) <= 12
    assert any(compute_similarity(own, fingerprints[0]) < 0.8 for own in few)


def test_a_fingerprint_is_the_same_everywhere():
    """Wrappers are learned by one process and applied by others, and hashes of texts differ between those."""
    assert sorted(compute_fingerprint(Page.parse("<p class=a>x</p>"))) == json.loads(
        "[41582722, 890218422, 1714624985, 2583882144, 3130609643]"
    )
