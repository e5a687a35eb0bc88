"""News by the paper of Reis et al.: labels, patterns, and the command line."""

import json
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

import unweave
from tests.extraction import extract
from tests.sources.site import Site
from unweave.cli import main
from unweave.errors import UsageError, WrapperError
from unweave.wrappers.base import Wrapper
from unweave.wrappers.pattern.learn import NewsPatternLearner
from unweave.wrappers.pattern.news import Passage, label_passages

BODY = " ".join(["ferry islands harbour board"] * 26)


def labels(texts, positions=None, **options):
    return label_passages(
        [
            Passage(place, text, [])
            for place, text in zip(positions or range(len(texts)), texts, strict=True)
        ],
        **options,
    )


@pytest.mark.parametrize(
    ("texts", "body", "title"),
    [
        ([], None, None),
        (["ferry"], None, None),
        ([" ".join(["word"] * 100)], None, None),  # not more than 100 words
        ([BODY], 0, None),
        (["ferry news", BODY], 1, 0),
        ([BODY, "ferry news"], 0, None),  # what comes after the body is no title
        (["ferry harbour", "", "weather", BODY], 3, 0),
        (["ferry harbour", "ferry", BODY], 2, 1),  # 2/2 and 1/1: of equals the nearest
        (["ferry " * 21, "board of weather", BODY], 2, 1),  # more than 20 words are no title
    ],
)
def test_labels(texts, body, title):
    assert labels(texts) == (body, title)


def test_the_distance_of_a_title_is_that_of_the_vertices():
    """Section 4.4: p is the position of the wildcard "if we perform a pre-order traversal of the ne-pattern"."""
    texts = ["ferry islands harbour", "ferry board", BODY]
    assert labels(texts) == (2, 1)  # 3/2 and 2/1
    assert labels(texts, [10, 11, 40]) == (2, 0)  # 3/30 and 2/29


@pytest.mark.parametrize(
    ("lines_between", "title"), [(0, "ferry board"), (10, "ferry islands harbour")]
)
def test_the_distance_of_a_title_is_that_of_the_vertices_in_news(lines_between, title):
    """Far from the body, the candidate that shares more words is the title."""
    pages = [
        f"<body><ul>{MENU}</ul><h1>ferry islands harbour {name}</h1><h2>ferry board {name}</h2>"
        f"{'<p>the same on all pages</p>' * lines_between}<div><section>{BODY} {name}</section></div></body>"
        for name in ("north", "south")
    ]
    wildcards = [
        line.strip()
        for line in unweave.learn(pages, method="news-pattern").to_json()["patterns"][0]
    ].count("·")
    assert wildcards == 3
    assert [article.title for article in unweave.news(pages, labels="paper")] == [
        f"{title} north",
        f"{title} south",
    ]


def test_the_printed_quotient_is_negative_and_prefers_what_shares_least():
    texts = ["The page", "ferry islands harbour", "weather", BODY]
    assert labels(texts, variant="printed") == (3, 2)
    assert labels(texts) == (3, 1)


def test_the_improved_form_takes_what_the_document_is_called():
    texts = [
        "Calm winter - Courier",
        "Calm winter",
        "The ferry and the harbour board of the islands",
        BODY,
    ]
    assert labels(texts, [3, 20, 22, 40], document_title="Calm winter - Courier") == (3, 2)
    assert labels(
        texts, [3, 20, 22, 40], document_title="Calm winter - Courier", variant="improved"
    ) == (
        3,
        1,
    )


MENU = "".join(
    f"<li><a href=/{name}>{name.title()}</a></li>"
    for name in "news sports weather culture travel".split()
)


def story(title, *paragraphs, menu=MENU, footer="All rights reserved"):
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    body = f"<ul>{menu}</ul><h1>{title}</h1><div>{text}</div><p>{footer}</p>"
    return f"<html><head><title>{title} - Courier</title></head><body>{body}</body></html>"


def paragraph(seed, words=60):
    return " ".join(f"word{seed}{number}" for number in range(words))


TITLES = ["Ferry word10 word11", "Harbour word20 word21", "Board word30 word31"]
LEARNED = [
    story(title, *(paragraph(f"{n}{m}") for m in range(count)))
    for n, (title, count) in enumerate(zip(TITLES, (2, 3, 4), strict=False))
]
NEW_TEXT = [paragraph("90"), paragraph("91"), paragraph("92"), paragraph("93"), paragraph("94")]
NEW = story("Lighthouse word900 word910", *NEW_TEXT)


@pytest.fixture(scope="module")
def patterns():
    return unweave.learn(LEARNED, method="news-pattern")


def test_pages_of_two_three_and_four_paragraphs_have_one_body(patterns):
    assert [line.strip() for line in patterns.to_json()["patterns"][0][-6:]] == [
        "h1",
        "·",
        "div",
        "+",
        "p",
        '"All rights reserved"',
    ]
    articles = unweave.news(LEARNED, labels="paper")
    assert [len(article.paragraphs) for article in articles] == [2, 3, 4]
    assert [article.title for article in articles] == TITLES


def test_a_page_that_was_not_learned_from(patterns):
    (article,) = unweave.news([NEW], labels="paper", patterns=patterns)
    assert article.title == "Lighthouse word900 word910"
    assert article.paragraphs == tuple(NEW_TEXT)
    assert article.cluster == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"footer": "All rights reserved, and another year"},  # a text that no page learned from had
        {"menu": MENU.replace("<li>", "<li><b>New</b>", 1)},  # an element that none had
        {
            "menu": MENU.replace("<li><a href=/travel>Travel</a></li>", "")
        },  # one that all had is missing
    ],
)
def test_a_new_page_may_differ_where_all_pages_learned_from_agree(patterns, changed):
    page = story("Lighthouse word900 word910", *NEW_TEXT, **changed)
    (article,) = unweave.news([page], labels="paper", patterns=patterns)
    assert (article.title, article.paragraphs) == ("Lighthouse word900 word910", tuple(NEW_TEXT))
    (refused,) = unweave.news([page], labels="paper", patterns=patterns, variant="printed")
    assert not refused
    assert refused.cluster is None
    strict = unweave.learn(LEARNED, method=NewsPatternLearner(tolerance=0))
    assert extract(strict, page) == (None, 0.0)


def test_a_page_of_another_site_matches_no_pattern(patterns):
    articles = unweave.news(
        ["<main><table><tr><td>1<td>2</table></main>", NEW], labels="paper", patterns=patterns
    )
    assert [article.cluster for article in articles] == [None, 0]
    assert articles.warnings == ("1 of 2 pages match no pattern",)


def test_of_several_patterns_the_cheapest_reads_the_page():
    """Figure 9: the set of patterns is matched against the tree, and the one of least cost is selected."""
    other = [
        f"<main><table><tr><td>{n}<td>{paragraph(n, 120)}</table><form><input><input></form></main>"
        for n in "12"
    ]
    patterns = unweave.learn([*LEARNED, *other], method="news-pattern")
    assert len(patterns.patterns) == 2
    found = unweave.news([NEW, other[0].replace("word1", "x")], labels="paper", patterns=patterns)
    assert [article.cluster for article in found] == [0, 1]
    assert found[0].title == "Lighthouse word900 word910"


def test_apply_gives_title_and_body_as_fields(patterns):
    again = Wrapper.loads(patterns.dumps())
    fields, fit = extract(again, NEW)
    assert fields == {"title": "Lighthouse word900 word910", "body": NEW_TEXT}
    assert fit == 1
    page = unweave.load_page(NEW)
    assert {
        name: [page.texts[chunk] for chunk in chunks]
        for name, chunks in again.provenance(page).items()
    } == {
        "title": ["Lighthouse word900 word910"],
        "body": NEW_TEXT,
    }


@pytest.mark.parametrize(
    "changed", [{"tolerance": "much"}, {"tolerance": 1}, {"variant": "new"}, {"patterns": []}]
)
def test_a_file_that_is_no_wrapper_for_news(patterns, changed):
    with pytest.raises(WrapperError):
        Wrapper.loads(json.dumps({**json.loads(patterns.dumps()), **changed}))


@pytest.mark.parametrize("tolerance", [-0.1, 1.0])
def test_a_tolerance_out_of_range(tolerance):
    with pytest.raises(UsageError, match="tolerance"):
        unweave.learn(LEARNED, method=NewsPatternLearner(tolerance=tolerance))


def test_what_news_cannot_take(patterns):
    with pytest.raises(UsageError, match="give labels paper"):
        unweave.news([NEW], patterns=patterns)
    with pytest.raises(UsageError, match="news-pattern"):
        unweave.news([NEW], labels="paper", patterns=unweave.learn(LEARNED, method="pattern"))
    with pytest.raises(UsageError, match="unknown variant"):
        unweave.news([NEW], labels="paper", variant="new")


def test_a_cluster_that_is_too_large_says_so(monkeypatch):
    monkeypatch.setattr("unweave.trees.pattern.MAX_COMPOSITION_COST", 1)
    articles = unweave.news(LEARNED, labels="paper")
    assert not any(articles)
    assert articles.warnings == (
        "cluster 0: its 3 pages are too large and too different for one pattern",
    )


def test_estimated_similarities_are_reported(monkeypatch):
    monkeypatch.setattr("unweave.clustering.clusters.MAX_COMPARISON_COST", 1)
    numbers = unweave.cluster(LEARNED)
    assert "3 pairs of pages would have taken too long" in numbers.warnings[0]


# ---- the command line ------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.fixture
def folder(tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    for number, markup in enumerate(LEARNED):
        (pages / f"{number}.html").write_text(markup)
    return pages


def test_the_chain_from_a_folder_to_the_news_of_new_pages(tmp_path, folder):
    new = tmp_path / "new.html"
    new.write_text(NEW)
    wrapper = tmp_path / "courier.json"
    learned = run("learn", "--method", "news-pattern", folder, "-o", wrapper)
    assert (learned.exit_code, learned.stderr) == (0, "")
    read = run("news", "--labels", "paper", "--patterns", wrapper, new)
    assert (read.exit_code, read.stderr) == (0, "")
    assert json.loads(read.stdout)["title"] == "Lighthouse word900 word910"
    applied = json.loads(run("apply", wrapper, new).stdout)
    assert applied["fields"] == {"title": "Lighthouse word900 word910", "body": NEW_TEXT}
    assert "1 patterns" in run("show", wrapper).stdout


def test_an_archive_is_read_as_its_pages(tmp_path, folder):
    archive = tmp_path / "pages.zip"
    with ZipFile(archive, "w") as file:
        for path in sorted(folder.iterdir()):
            file.write(path, path.name)
        file.writestr("picture", b"\x89PNG\r\n\x1a\n")
    found = run("cluster", archive)
    assert [json.loads(line) for line in found.stdout.splitlines()] == [
        {"page": f"{n}.html", "cluster": 0} for n in range(3)
    ]
    assert "1 skipped" in found.stderr
    news = run("news", "--labels", "paper", archive)
    assert [json.loads(line)["title"] for line in news.stdout.splitlines()] == TITLES


def test_a_missing_archive_is_named(tmp_path, folder):
    found = run("cluster", tmp_path / "missing.zip", folder)
    assert found.exit_code == 1
    assert "missing.zip: no such file" in found.stderr
    assert len(found.stdout.splitlines()) == 3


def test_wrappers_of_another_method_are_refused(tmp_path, folder):
    wrapper = tmp_path / "wrapper.json"
    assert run("learn", "--method", "pattern", folder, "-o", wrapper).exit_code == 0
    refused = run("news", "--labels", "paper", "--patterns", wrapper, folder)
    assert refused.exit_code == 2
    assert "news-pattern" in refused.stderr


@pytest.mark.slow
def test_a_site_is_crawled_and_its_news_are_read(tmp_path):
    """Section 4: crawl a portal, cluster its pages, build patterns; then match pages that come later."""
    wrapper = tmp_path / "courier.json"
    with Site() as site:
        for number, markup in enumerate(LEARNED):
            site.respond(f"/{number}", markup)
        site.add_page("/", *(f"/{number}" for number in range(len(LEARNED))))
        found = run("news", "--labels", "paper", "--crawl", "--delay", "0", site.url("/"))
        learned = run(
            "learn",
            "--method",
            "news-pattern",
            "--crawl",
            "--delay",
            "0",
            site.url("/"),
            "-o",
            wrapper,
        )
        site.respond("/new", NEW)
        read = run(
            "news", "--labels", "paper", "--patterns", wrapper, "--allow-private", site.url("/new")
        )
    assert {json.loads(line)["title"] for line in found.stdout.splitlines()} == {None, *TITLES}
    assert learned.exit_code == 0
    assert json.loads(read.stdout)["title"] == "Lighthouse word900 word910"
