"""Clusters of pages by average linkage, and pages that join them."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unweave
from bench.clusters import compute_adjusted_rand_index
from tests.oracles import notations
from unweave import Page, UsageError
from unweave.clustering.clusters import PAPER_THRESHOLD, Clusters
from unweave.trees.rtdm import Rtdm
from unweave.trees.tree import SubtreeClasses, Tree


def make_article(paragraphs):
    return Page.parse(
        f"<main><h1>t</h1><div>{'<p>text</p>' * paragraphs}</div>"
        "<footer><a>x</a><a>y</a></footer></main>"
    )


def make_list(entries):
    return Page.parse(f"<table>{'<tr><td><b>n</b></td><td>1</td></tr>' * entries}</table>")


def test_two_templates_are_two_clusters():
    pages = [make_article(8), make_list(9), make_article(9), make_list(8), make_article(10)]
    assert unweave.cluster(pages) == [0, 1, 0, 1, 0]


def test_texts_do_not_count():
    left = Page.parse("<p>one</p><p>two</p>")
    right = Page.parse("<p>three</p><p>four five</p>")
    assert unweave.cluster([left, right], threshold=1) == [0, 0]


def test_the_papers_threshold_is_stricter():
    pages = [make_article(3), make_article(4), make_article(12)]
    assert unweave.cluster(pages) == [0, 0, 0]
    assert unweave.cluster(pages, threshold=PAPER_THRESHOLD) == [0, 0, 1]


def test_a_new_page_joins_the_most_similar_cluster_or_none():
    clusters = Clusters()
    assert clusters.add([make_article(8), make_list(9), make_article(9)]) == [0, 1, 0]
    assert clusters.join(make_list(11)) == 1
    assert clusters.join(make_article(7)) == 0
    assert clusters.join(Page.parse("<ul>" + "<li><i>x</i></li>" * 20 + "</ul>")) == 2
    assert len(clusters) == 3


def test_the_first_page_makes_a_cluster():
    assert Clusters().join(make_article(3)) == 0


def test_no_pages():
    assert unweave.cluster([]) == []


@pytest.mark.parametrize("threshold", [0, -1, 1.5])
def test_a_threshold_out_of_range(threshold):
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        unweave.cluster([], threshold=threshold)


class _TreePage:
    """The part of a page that clustering uses."""

    def __init__(self, text):
        self._tree = Tree.parse(text)

    def build_tree_with_texts(self):
        return self._tree


@settings(max_examples=60)
@given(st.lists(notations, min_size=1, max_size=7), st.sampled_from([0.3, 0.5, 0.8]))
def test_upper_bounds_do_not_change_the_clusters(texts, threshold):
    """The clusters are those of the textbook: always merge the most similar groups."""
    numbers = Clusters(threshold).add([_TreePage(text) for text in texts])
    clusters = {frozenset(n for n, c in enumerate(numbers) if c == cluster) for cluster in numbers}
    assert clusters in _list_average_linkages(texts, threshold)
    firsts = [numbers.index(cluster) for cluster in dict.fromkeys(numbers)]
    assert list(dict.fromkeys(numbers)) == list(range(len(firsts)))


def _list_average_linkages(texts, threshold):
    """Return all possible results: ties may be broken in any way."""
    classes = SubtreeClasses()
    trees = [classes.classify(Tree.parse(text))[0] for text in texts]
    rtdm = Rtdm(classes)

    def compute_mean(left, right):
        return sum(
            rtdm.compute_normalized_similarity(trees[a], trees[b]) for a in left for b in right
        ) / (len(left) * len(right))

    results, waiting, seen = [], [frozenset(frozenset([n]) for n in range(len(texts)))], set()
    while waiting:
        groups = waiting.pop()
        if groups in seen:
            continue
        seen.add(groups)
        means = {
            (left, right): compute_mean(left, right) for left, right in combinations(groups, 2)
        }
        best = max(means.values(), default=0)
        if best < threshold - 1e-9:
            results.append(set(groups))
            continue
        if best < threshold + 1e-9:
            results.append(set(groups))
        waiting += [
            groups - {a, b} | {a | b} for (a, b), value in means.items() if value > best - 1e-9
        ]
    return results


def test_adjusted_rand_index():
    assert compute_adjusted_rand_index([0, 0, 1, 1], [5, 5, 7, 7]) == 1
    assert compute_adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(-0.5)
    assert compute_adjusted_rand_index([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]) == pytest.approx(
        0.2424, abs=1e-4
    )
