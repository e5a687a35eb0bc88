"""Texts of sources of several pages, by workers."""

import pytest

import unweave
from tests.pipeline.conftest import write_warc
from unweave.errors import SourceError
from unweave.pipeline.texts import TextOptions, TextRun

STORY = "<h1>Story {0}</h1><p>The ferry to island {0} will sail twice a day from May, said the harbour board."
PAGE = f"{STORY}<p><a href=x>Islanders</a> had asked for a later crossing, which had been called too dear to run."


class BackwardsRunner:
    """Does the last task first."""

    def map(self, function, tasks):
        return map(function, reversed(tasks))

    def check_paths(self, paths):
        pass

    def close(self):
        pass


@pytest.fixture
def archive(tmp_path):
    pages = [(f"http://site-{n}.example/a/b", PAGE.format(n).encode()) for n in range(7)]
    gone = ("http://site-9.example/", b"", "404 Gone", [])
    return write_warc(tmp_path / "crawl.warc.gz", [*pages[:3], gone, *pages[3:]])


def test_rows_are_in_the_order_of_the_source(archive, tmp_path, monkeypatch):
    monkeypatch.setattr("unweave.sources.selection.PAGES_PER_SHARD", 2)
    expected = [
        unweave.text(PAGE.format(n), url=f"http://site-{n}.example/a/b").to_row() for n in range(7)
    ]
    for runner in (None, BackwardsRunner()):
        folder = tmp_path / type(runner).__name__
        folder.mkdir()
        steps = []
        run = TextRun(
            [str(archive)],
            folder,
            TextOptions(flat=True),
            runner=runner,
            progress=lambda *step, steps=steps: steps.append(step),
        )
        rows = list(run)
        assert [row.pop("page") for row in rows] == [
            f"http://site-{n}.example/a/b" for n in range(7)
        ]
        assert rows == expected
        assert run.pages == 7
        assert sum(run.skipped.values()) == 1
        assert steps[0][:2] == ("apply", 0)
        assert steps[-1] == ("apply", 4, 4)
        assert not list(folder.glob("*.jsonl"))  # files are removed when they have been read


def test_options(archive, tmp_path):
    (first, *_) = TextRun([str(archive)], tmp_path, TextOptions(links=False, blocks=True))
    assert first["blocks"]
    assert "](" not in first["markdown"]
    assert first["links"] == [{"text": "Islanders", "url": "http://site-0.example/a/x"}]


def test_pages_of_files_have_the_url_that_is_given(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text(PAGE.format(1))
    options = TextOptions(url="https://mirror.example/c/")
    (row,) = TextRun([str(tmp_path / "pages")], tmp_path, options)
    assert row["page"] == "a.html"
    assert row["links"][0]["url"] == "https://mirror.example/c/x"
    (row,) = TextRun([str(tmp_path / "pages")], tmp_path)
    assert row["links"][0]["url"] == "x"


def test_source_without_pages(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="empty: contains no pages"):
        list(TextRun([str(tmp_path / "empty")], tmp_path))
