"""The command ``unweave export``."""

import builtins
import json

import pytest

from tests.test_cli import run

SHOP = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan", "clock", "toaster")]


@pytest.fixture
def wrapper(tmp_path):
    path = tmp_path / "shop.json"
    assert run("learn", *SHOP, "-o", str(path)).exit_code == 0
    return str(path)


def test_xpath_is_the_default(wrapper):
    result = run("export", wrapper)
    assert (result.exit_code, result.stderr) == (0, "")
    fields = {field["name"]: field for field in json.loads(result.stdout)["fields"]}
    assert fields["title"] == {
        "name": "title",
        "selector": "//h1[@itemprop='name']/text()[normalize-space()]",
        "many": False,
    }


def test_selectors_are_tested_on_pages_and_written_to_a_file(wrapper, tmp_path):
    out = tmp_path / "selectors.json"
    assert run("export", wrapper, *SHOP, "--as", "css", "-o", str(out)).exit_code == 0
    fields = {
        field["name"]: field for field in json.loads(out.read_text(encoding="utf-8"))["fields"]
    }
    assert fields["guarantee"]["selector"] == 'th:contains("Guarantee") + td::text'
    assert fields["guarantee"]["holds"] == "5 of 5"


def test_the_spider_compiles(wrapper):
    result = run("export", wrapper, "--as", "scrapy")
    compile(result.stdout, "spider.py", "exec")
    assert '"ROBOTSTXT_OBEY": True, "AUTOTHROTTLE_ENABLED": True' in result.stdout


def test_the_page_object_compiles(wrapper):
    result = run("export", wrapper, "--as", "web-poet")
    compile(result.stdout, "page.py", "exec")
    assert "class ItemPage(WebPage[Item]):" in result.stdout


def test_no_break_spaces_are_escaped(wrapper):
    result = run("export", wrapper)
    assert "\xa0" not in result.stdout
    assert "\\u00a0" in result.stdout


def test_unreadable_pages_are_named_and_the_others_are_used(wrapper):
    result = run("export", wrapper, "missing.html", SHOP[0])
    assert result.exit_code == 1
    assert result.stderr == "unweave: missing.html: no such file\n"
    assert json.loads(result.stdout)["fields"][0]["holds"] == "1 of 1"


def test_nothing_is_written_if_no_page_can_be_read(wrapper, tmp_path):
    out = tmp_path / "selectors.json"
    assert run("export", wrapper, "missing.html", "-o", str(out)).exit_code == 1
    assert not out.exists()


def test_a_page_from_standard_input(wrapper):
    with open(SHOP[0], "rb") as file:
        result = run("export", wrapper, "-", input=file.read())
    assert json.loads(result.stdout)["fields"][0]["holds"] == "1 of 1"


def test_wrappers_without_elements_are_refused(tmp_path):
    path = tmp_path / "shop.json"
    assert run("learn", "--method", "pattern", *SHOP[:2], "-o", str(path)).exit_code == 0
    result = run("export", str(path))
    assert result.exit_code == 2
    assert "learn one with method fields" in result.stderr


def test_only_tests_on_pages_need_the_extra(wrapper, monkeypatch):
    original = builtins.__import__

    def without_parsel(name, *rest):
        if name == "parsel":
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_parsel)
    assert run("export", wrapper).exit_code == 0
    result = run("export", wrapper, SHOP[0])
    assert result.exit_code == 2
    assert result.stderr == "unweave: parsel is not installed: pip install 'unweave[crawl]'\n"


def test_progress_is_shown_on_a_terminal(wrapper, monkeypatch):
    monkeypatch.setenv(
        "FORCE_COLOR", "1"
    )  # rich takes the standard error of a test for a terminal then
    result = run("export", wrapper, *SHOP)
    assert "Choosing selectors" in result.stderr
    assert json.loads(result.stdout)["fields"]
