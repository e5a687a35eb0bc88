"""Templates of one site, whose pages share a frame that is larger than what differs."""

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


def make_page(content, *, classes=""):
    return Page.parse(f"<body class='{classes}'>{FRAME}<main>{content}</main></body>")


def make_product(number, *, reviews=True):
    rows = "".join(
        f"<tr class=row{n}><th class=key>k</th><td class=val>{number}</td></tr>" for n in range(5)
    )
    content = f"<h1 class=name>{number}</h1><p class=price>1</p><table class=specs>{rows}</table>"
    if reviews:
        review = "<article class=review><b class=who>x</b><p class=said>y</p></article>"
        content += f"<section class=reviews>{review}</section>"
    return make_page(content, classes=f"post-{number}")


def make_story(number):
    byline = "<div class=byline><time class=when>b</time><i class=author>c</i></div>"
    head = f"<h2 class=headline>a</h2>{byline}"
    return make_page(
        f"<article class=story>{head}<div class=body><p class=lead>d</p><p>e</p></div></article>",
        classes=f"s{number}",
    )


@pytest.fixture(scope="module")
def fingerprints():
    return [
        compute_fingerprint(page)
        for page in [*map(make_product, range(8)), *map(make_story, range(5))]
    ]


def test_two_templates_in_one_frame_are_two_groups(fingerprints):
    assert compute_similarity(fingerprints[0], fingerprints[-1]) > 0.5
    assert cluster_fingerprints(fingerprints) == [[*range(8)], [*range(8, 13)]]


def test_an_optional_part_makes_no_template():
    some = [compute_fingerprint(make_product(n, reviews=n % 2 == 0)) for n in range(8)]
    assert len(cluster_fingerprints(some)) == 1


def test_classes_of_single_pages_make_no_template():
    assert len(cluster_fingerprints([compute_fingerprint(make_product(n)) for n in range(6)])) == 1


def test_a_new_page_has_its_template_or_none(fingerprints):
    templates = []
    for group in cluster_fingerprints(fingerprints):
        examples = select_examples([fingerprints[number] for number in group])
        templates.append(
            (examples, compute_min_similarity([fingerprints[number] for number in group], examples))
        )
    assert (
        find_nearest_template(compute_fingerprint(make_product(99, reviews=False)), templates) == 0
    )
    assert find_nearest_template(compute_fingerprint(make_story(99)), templates) == 1
    assert (
        find_nearest_template(
            compute_fingerprint(Page.parse("<div class=other><ol><li>x</ol></div>")), templates
        )
        is None
    )
    assert find_nearest_template(compute_fingerprint(make_product(1)), []) is None


def test_examples_are_different(fingerprints):
    examples = select_examples(fingerprints)
    assert len(examples) <= 12
    assert any(compute_similarity(example, fingerprints[0]) < 0.8 for example in examples)


def test_a_fingerprint_is_the_same_everywhere():
    """Templates are learned by one process and applied by others, whose hashes of texts differ."""
    assert sorted(compute_fingerprint(Page.parse("<p class=a>x</p>"))) == json.loads(
        "[41582722, 890218422, 1714624985, 2583882144, 3130609643]"
    )
