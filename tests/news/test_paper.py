"""The rules of the paper for title and body, on passages."""

import pytest

from unweave.news.paper import label

BODY = " ".join(["ferry islands harbour board"] * 26)


@pytest.mark.parametrize(
    ("passages", "body", "title"),
    [
        ([], None, None),
        (["ferry"], None, None),
        ([" ".join(["word"] * 100)], None, None),  # not more than 100 words
        ([BODY], 0, None),
        (["ferry news", BODY], 1, 0),
        ([BODY, "ferry news"], 0, None),  # what comes after the body is no title
        (["ferry harbour", "", "weather", BODY], 3, 0),  # 2/3 of a term each step: empty passages count as steps
        (["ferry harbour", "ferry", BODY], 2, 1),  # 2/2 and 1/1: of equals the nearest
        (["ferry " * 21, "board of weather", BODY], 2, 1),  # more than 20 words are no title
    ],
)
def test_labels(passages, body, title):
    assert label(passages) == (body, title)
