"""Articles of the newspapers in examples/, with the pages of their site and one by one."""

import json
from datetime import datetime
from pathlib import Path

import pytest

import unweave
from unweave.text_similarity import compute_dice, count_terms

FOLDER = Path("examples/news")
TRUTH = json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))
ARTICLES = [name for name, truth in TRUTH.items() if truth["article"]]
OTHERS = [name for name, truth in TRUTH.items() if not truth["article"]]

# Where a caption stands in a table without a name, a line is won.
INEXACT = {"valley-2.html", "valley-3.html"}


@pytest.fixture(scope="module")
def together():
    return dict(zip(TRUTH, unweave.news([FOLDER / name for name in TRUTH]), strict=True))


@pytest.mark.parametrize("name", ARTICLES)
def test_articles_of_a_site(together, name):
    article, truth = together[name], TRUTH[name]
    assert article.title == truth["title"]
    assert list(article.paragraphs) == truth["paragraphs"] or name in INEXACT
    assert (
        compute_dice(count_terms(article.body), count_terms(" ".join(truth["paragraphs"]))) > 0.95
    )
    assert list(article.authors) == truth["authors"]
    assert datetime.fromisoformat(article.date) == datetime.fromisoformat(truth["date"])


@pytest.mark.parametrize("name", ARTICLES)
def test_articles_of_single_pages(name):
    (article,) = unweave.news([FOLDER / name])
    assert article.title == TRUTH[name]["title"]
    assert (
        compute_dice(count_terms(article.body), count_terms(" ".join(TRUTH[name]["paragraphs"])))
        > 0.9
    )


@pytest.mark.parametrize("name", OTHERS)
def test_front_and_section_pages_are_no_articles(together, name):
    assert not together[name]
    (alone,) = unweave.news([FOLDER / name])
    assert not alone
    assert alone.title is None
    assert alone.body is None


def test_pages_of_one_template_share_a_cluster(together):
    assert len({together[name].cluster for name in ARTICLES if name.startswith("courier")}) == 1
    assert together["courier-1.html"].cluster != together["valley-1.html"].cluster


def test_the_labels_of_the_paper():
    names = [name for name in ARTICLES if name.startswith("valley")]
    found = unweave.news([FOLDER / name for name in names], labels="paper")
    assert [bool(article) for article in found] == [True] * len(names)
    for name, article in zip(names, found, strict=True):
        told = [
            text
            for text in article.paragraphs
            if any(text in own for own in TRUTH[name]["paragraphs"])
        ]
        assert len(told) >= len(article.paragraphs) / 2
    with pytest.raises(unweave.UsageError, match="default, paper"):
        unweave.news([], labels="mine")
