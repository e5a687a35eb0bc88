"""Labels of a template: texts that alternate after a text are values."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import unweave
from unweave.wrappers.fields.labels import MAX_OTHER_TEXTS, TextStatistics, find_labels

PATH = 7
POSITION = (PATH, 0)


def make_statistics(rows):
    """Return the statistics of pages with these texts, all at one position."""
    return TextStatistics(*make_pages(rows))


def make_pages(rows):
    pages = [unweave.load_page("".join(f"<p>{text}</p>" for text in row)) for row in rows]
    return pages, [[PATH] * len(page.tree) for page in pages]


def alternates(rows, before, text):
    """The definition: other pages have other texts after the same text, and these pages do not."""
    after = {}
    for number, row in enumerate(rows):
        for first, second in pairwise(row):
            if first == before:
                after.setdefault(second, set()).add(number)
    others = {other: len(pages) for other, pages in after.items() if other != text}
    total = sum(others.values())
    if total < max(2, 0.1 * len(rows)):
        return False
    together = sum(
        count * sum(other in rows[page] for page in after[text]) for other, count in others.items()
    )
    return 2 * together < total * len(after[text])


texts = st.sampled_from(["aa", "bb", "cc", "dd", "ee"])


@given(st.lists(st.lists(texts, min_size=2, max_size=6), min_size=2, max_size=5))
def test_alternating_texts_are_those_of_the_definition(rows):
    found = make_statistics(rows)
    neighbours = {pair for row in rows for pair in pairwise(row)}
    assert neighbours
    for before, text in neighbours:
        expected = alternates(rows, before, text)
        assert found.alternates_after((*POSITION, before), (*POSITION, text)) == expected


def test_values_that_alternate_after_a_label_are_no_labels():
    rows = [
        ["Genre", value, "Year", f"20{number}"]
        for number, value in enumerate(["Drama", "Comedy"] * 4, start=10)
    ]
    labels, _ = find_labels(*make_pages(rows))
    assert {text for _, _, text in labels} == {"Genre", "Year"}


class CountedDict(dict):
    """A dict that counts how many of its entries are walked over."""

    walked = 0

    def items(self):
        CountedDict.walked += len(self)
        return super().items()


def test_followers_of_a_text_are_counted_once():
    """Two of three pages have each text, so that all of them are tested."""
    for count in (MAX_OTHER_TEXTS // 2, 3 * MAX_OTHER_TEXTS):
        rows = [
            [text for i in range(count) if i % 3 != page for text in ("head", f"kk {i}")]
            for page in range(3)
        ]
        found = make_statistics(rows)
        CountedDict.walked = 0
        found._following.update(
            {key: CountedDict(group) for key, group in found._following.items()}
        )
        asked = [text for text in found.page_counts if text[2] != "head"]
        assert len(asked) == count
        assert any(found.is_label(text) for text in asked) == (count < MAX_OTHER_TEXTS)
        assert 0 < CountedDict.walked <= count
