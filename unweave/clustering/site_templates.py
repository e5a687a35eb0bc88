"""Group the pages of one site by template, by the tag paths and the classes and ids of each page.

The pages of a site share a frame, which may be larger than what distinguishes their templates. So
similarity is not enough: two groups of pages are of different templates if each of them has
something that the other lacks. What only one of them has may be an optional part of one template.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from unweave.clustering.clusters import AverageLinkage
from unweave.page.page import Page
from unweave.page.template_paths import list_identifiers
from unweave.trees.paths import hash_paths

Fingerprint = frozenset[int]
"""The hashes of the tag paths and of the classes and ids of a page: its features."""

MIN_SIMILARITY = 0.5
"""Of forty real sites of one template each, one pair of pages in a hundred is less similar, and no
two pages of two sites are half as similar.
"""

# A feature distinguishes a group from another if this share of its pages have it, and at most this
# share of the pages of the other.
MIN_SHARE_IN_GROUP, MAX_SHARE_IN_OTHER = 0.8, 0.05
# Groups differ if each has this many distinguishing features, and this share of its features. It
# takes some pages to know which features the pages of a group have in common.
MIN_DISTINGUISHING, MIN_DISTINGUISHING_SHARE = 8, 0.08
MIN_PAGES_TO_DIFFER = 3

MAX_EXAMPLES = 12
"""The number of pages that are kept of a template."""
NEAREST_EXAMPLES = 3
"""A page is compared with this many of the examples of a template, the most similar ones."""
# A page is of a template if it is nearly as similar to the examples as the pages of the template
# are, except for the least similar of these.
SIMILARITY_MARGIN, IGNORED_SHARE = 0.85, 0.05


def compute_fingerprint(page: Page) -> Fingerprint:
    """Return the fingerprint of a page; it is the same on every machine."""
    labels = page.tree.labels
    features = set(hash_paths(page.tree.parents, labels))
    for label, names in set(zip(labels, page.identifiers, strict=True)):
        features.update(
            crc32(word.encode(errors="surrogatepass")) for word in list_identifiers(label, names)
        )
    return frozenset(features)


def compute_similarity(left: Fingerprint, right: Fingerprint) -> float:
    """Return the share of the features of two pages that both have, from 0 to 1."""
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def cluster_fingerprints(fingerprints: Sequence[Fingerprint]) -> list[list[int]]:
    """Return the numbers of the pages in groups, one for each template, the largest group first."""
    measure = _Measure(fingerprints)
    linkage = AverageLinkage(range(len(fingerprints)), measure, MIN_SIMILARITY, measure.differ)
    # Linkage puts the most similar pages of a group first. Sorted, the first ones are any pages.
    groups = map(sorted, linkage.build_groups())
    return sorted(groups, key=lambda group: (-len(group), group[0]))


@dataclass(frozen=True)
class _Measure:
    """The similarity of the pages of a site, given by their numbers."""

    fingerprints: Sequence[Fingerprint]

    def compute_similarity(self, left: int, right: int) -> float:
        return compute_similarity(self.fingerprints[left], self.fingerprints[right])

    compute_upper_bound = compute_similarity

    def differ(self, left: Sequence[int], right: Sequence[int]) -> bool:
        """Tell whether each of two groups has enough features that the other lacks."""
        if min(len(left), len(right)) < MIN_PAGES_TO_DIFFER:
            return False
        left_counts, right_counts = self._count_features(left), self._count_features(right)
        mean_features = min(left_counts.total() / len(left), right_counts.total() / len(right))
        required = max(MIN_DISTINGUISHING, MIN_DISTINGUISHING_SHARE * mean_features)
        return (
            _count_distinguishing(left_counts, len(left), right_counts, len(right)) >= required
            and _count_distinguishing(right_counts, len(right), left_counts, len(left)) >= required
        )

    def _count_features(self, group: Sequence[int]) -> Counter[int]:
        return Counter(feature for number in group for feature in self.fingerprints[number])


def _count_distinguishing(
    counts: Counter[int], pages: int, other_counts: Counter[int], other_pages: int
) -> int:
    """Count the features that nearly all pages of a group have, and hardly any of the other."""
    min_pages, max_other_pages = MIN_SHARE_IN_GROUP * pages, MAX_SHARE_IN_OTHER * other_pages
    return sum(
        [
            count >= min_pages and other_counts[feature] <= max_other_pages
            for feature, count in counts.items()
        ]
    )


def select_examples(fingerprints: Sequence[Fingerprint]) -> list[Fingerprint]:
    """Return a few fingerprints of a template, each the least similar to those before it."""
    examples = list(fingerprints[:1])
    similarities = [compute_similarity(examples[0], candidate) for candidate in fingerprints]
    while len(examples) < min(MAX_EXAMPLES, len(fingerprints)):
        number = min(range(len(fingerprints)), key=similarities.__getitem__)
        if similarities[number] == 1:
            break
        examples.append(fingerprints[number])
        similarities = [
            max(similarity, compute_similarity(examples[-1], candidate))
            for similarity, candidate in zip(similarities, fingerprints, strict=True)
        ]
    return examples


def compute_min_similarity(
    fingerprints: Sequence[Fingerprint], examples: Sequence[Fingerprint]
) -> float:
    """Return the least similarity to the examples of a template that makes a page one of it.

    It is derived from the fingerprints of pages that are of the template.
    """
    similarities = []
    for fingerprint in fingerprints:
        others = [example for example in examples if example is not fingerprint]
        similarities.append(_compare_with_examples(fingerprint, others))
    similarities.sort()
    lowest = similarities[int(IGNORED_SHARE * len(similarities))]
    return max(MIN_SIMILARITY, SIMILARITY_MARGIN * lowest)


def find_nearest_template(
    fingerprint: Fingerprint, templates: Sequence[tuple[Sequence[Fingerprint], float]]
) -> int | None:
    """Return the number of the most similar template, or None if none is similar enough.

    A template is given by its examples and the least similarity to them.
    """
    nearest, nearest_similarity = None, -1.0
    for number, (examples, min_similarity) in enumerate(templates):
        similarity = _compare_with_examples(fingerprint, examples)
        if similarity >= min_similarity and similarity > nearest_similarity:
            nearest, nearest_similarity = number, similarity
    return nearest


def _compare_with_examples(fingerprint: Fingerprint, examples: Sequence[Fingerprint]) -> float:
    """Return the mean similarity of a page to the most similar examples."""
    similarities = sorted(
        (compute_similarity(fingerprint, each) for each in examples), reverse=True
    )
    nearest = similarities[:NEAREST_EXAMPLES]
    return sum(nearest) / len(nearest) if nearest else 0.0
