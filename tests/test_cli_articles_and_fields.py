"""The commands news, learn, apply and show, for articles, fields and landmarks."""

import csv
import json

import pytest
from click.testing import CliRunner

from tests.test_cli import PRODUCTS, run
from unweave.cli import main

COURIER = [
    "examples/news/courier-1.html",
    "examples/news/courier-2.html",
    "examples/news/courier-front.html",
]


def test_news_as_json_lines():
    result = run("news", *COURIER)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["page"] for line in lines] == COURIER
    assert [line["article"] for line in lines] == [True, True, False]
    assert list(lines[0]) == ["page", "title", "body", "cluster", "article", "date", "authors"]
    assert lines[2]["title"] is lines[2]["body"] is None


def test_news_as_csv(tmp_path):
    out = tmp_path / "news.csv"
    assert run("news", *COURIER, "-o", str(out)).exit_code == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["article"] for row in rows] == ["true", "true", "false"]
    assert "; " in rows[1]["authors"]
    assert "\n" in rows[0]["body"]


def test_news_on_terminal():
    result = run("news", *COURIER, "--format", "table")
    assert "courier-front.html: no article was found" in result.stdout


def test_news_reports_failed_pages(tmp_path):
    picture = tmp_path / "picture.html"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    result = run("news", COURIER[0], str(picture), "missing.html")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 1
    assert "missing.html: no such file" in result.stderr


def test_fields_of_detail_pages(tmp_path):
    wrapper = tmp_path / "shop.json"
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan")]
    assert (
        run("learn", "--method", "pattern", "-p", "gap=0", *pages, "-o", str(wrapper)).exit_code
        == 0
    )
    result = run("apply", str(wrapper), pages[0], "examples/table.html")
    assert result.exit_code == 0
    found, missed = map(json.loads, result.stdout.splitlines())
    assert found["fields"]["field_4"] == "Gooseneck kettle 0.9 l, matt black"
    assert 0.9 < found["fit"] < 1  # the page lacks an optional part of the pattern
    assert missed == {"page": "examples/table.html", "fields": {}, "fit": 0.0}
    assert "examples/table.html: does not fit the wrapper" in result.stderr
    head, row = csv.reader(
        run("apply", str(wrapper), pages[0], "--format", "csv").stdout.splitlines()
    )
    assert head[:3] == ["page", "fit", "field_1"]
    assert row[:2] == [pages[0], str(found["fit"])]
    assert "field_4" in run("apply", str(wrapper), pages[0], "--format", "table").stdout


def test_learn_show_and_apply_fields(tmp_path):
    wrapper = tmp_path / "shop.json"
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan", "clock", "toaster")]
    assert run("learn", *pages, "-o", str(wrapper)).exit_code == 0
    shown = run("show", str(wrapper), env={"COLUMNS": "160"}).stdout
    assert "guarantee" in shown
    assert "label guarantee" in shown
    result = run(
        "apply",
        str(wrapper),
        "examples/shop/blender.html",
        "examples/table.html",
        "--min-fit",
        "0.5",
    )
    assert result.exit_code == 1
    (found,) = map(json.loads, result.stdout.splitlines())
    assert found["fields"]["title"] == "Jug blender 1.5 l, glass"
    assert found["fields"]["guarantee"] == "3 years"
    assert "examples/table.html: rejected: its fit is" in result.stderr
    assert "missing:" in result.stderr


def test_show_describes_every_method(tmp_path):
    for method, pages, told in (
        ("pattern", ["examples/shop/kettle.html", "examples/shop/lamp.html"], "· field_1"),
        ("records", [PRODUCTS], "a list of records at html/body"),
    ):
        path = tmp_path / f"{method}.json"
        assert run("learn", "--method", method, *pages, "-o", str(path)).exit_code == 0
        assert told in run("show", str(path)).stdout


def test_learn_show_and_apply_landmarks(tmp_path):
    wrapper = tmp_path / "shop.json"
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan")]
    result = run(
        "learn",
        "--method",
        "landmark",
        "--search",
        "greedy",
        "--tokens",
        "texts",
        "-k",
        "3",
        *pages,
        "-o",
        str(wrapper),
    )
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(run("apply", str(wrapper), pages[0]).stdout)
    assert "Gooseneck kettle 0.9 l, matt black" in found["fields"].values()
    assert found["fit"] == 1
    shown = run("show", str(wrapper)).stdout
    assert "tokens of text are texts" in shown
    assert "part_1 → <html> part_2 </html>" in shown
    set_aside = run("apply", str(wrapper), "examples/table.html", "--min-fit", "0.9")
    assert set_aside.exit_code == 1
    assert "; missing: " in set_aside.stderr


def learn_landmarks(tmp_path, *words):
    wrapper = tmp_path / "wrapper.json"
    result = run("learn", "--method", "landmark", *words, "-o", str(wrapper))
    assert result.exit_code == 0, result.stderr
    return json.loads(wrapper.read_text()), result.stderr


def test_landmark_search_options(tmp_path):
    pages = []
    for number, words in enumerate(["u c a b", "a b c b"]):
        (tmp_path / f"{number}.html").write_text(f"<p>{words}</p>")
        pages.append(str(tmp_path / f"{number}.html"))
    corrected, said = learn_landmarks(tmp_path, "--search", "astar", *pages)
    assert (corrected["cost"], corrected["bound"], said) == (4, 4, "")
    printed, said = learn_landmarks(tmp_path, "--search", "astar", "--variant", "printed", *pages)
    assert (printed["cost"], corrected["splits"] > 0) == (6, True)
    assert said == (
        "unweave: the estimate that the paper prints cannot prove optimality: 6 tokens are extracted, none does with fewer than 3\n"
    )
    stopped, said = learn_landmarks(tmp_path, "--budget", "0", "--search", "astar", *pages)
    assert stopped["bound"] < stopped["cost"]
    assert "the search reached its budget" in said


def test_landmark_tie_and_attribute_options(tmp_path):
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan")]
    greedy = ["--search", "greedy", "--tokens", "texts", *pages]
    informed, _ = learn_landmarks(tmp_path, *greedy)
    drawn = [
        learn_landmarks(tmp_path, "--ties", "random", "--seed", str(seed), *greedy)[0]
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != informed
    assert drawn[2] != drawn[0]
    plain, _ = learn_landmarks(tmp_path, "--no-attributes", *greedy)
    assert (informed["attributes"], plain["attributes"]) == (True, False)
    assert informed["cost"] < plain["cost"]
    assert (
        f"found with {plain['splits']:,} splits"
        in run("show", str(tmp_path / "wrapper.json")).stdout
    )


@pytest.mark.slow
def test_exact_search_reports_gap_after_budget(tmp_path):
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan")]
    result = run("learn", "--method", "landmark", *pages, "-o", str(tmp_path / "shop.json"))
    assert result.exit_code == 0
    assert "the search reached its budget: " in result.stderr
    assert "none does with fewer than" in result.stderr


def test_landmark_options_require_landmark_method(tmp_path):
    result = run(
        "learn", "--search", "greedy", "examples/table.html", "-o", str(tmp_path / "x.json")
    )
    assert result.exit_code == 2
    assert "is an option of landmark" in result.stderr


@pytest.mark.parametrize("words", [["news"], ["cluster"], ["learn", "-o", "wrapper.json"]])
def test_folder_without_pages_is_reported(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    result = CliRunner().invoke(main, [*words, "empty"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "unweave: empty: contains no pages\n"


@pytest.mark.parametrize("command", ["news", "cluster"])
def test_crawl_requires_url(command):
    result = CliRunner().invoke(main, [command, "--crawl", "examples/people.html"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "unweave: --crawl needs the URL of a site\n"
