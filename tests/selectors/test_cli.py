"""The command as a user types it."""

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


def test_xpath_is_what_one_gets(wrapper):
    result = run("export", wrapper)
    assert (result.exit_code, result.stderr) == (0, "")
    fields = {own["name"]: own for own in json.loads(result.stdout)["fields"]}
    assert fields["title"] == {
        "name": "title",
        "selector": "//h1[@itemprop='name']/text()[normalize-space()]",
        "many": False,
    }


def test_pages_are_tried_and_the_file_is_written(wrapper, tmp_path):
    out = tmp_path / "selectors.json"
    assert run("export", wrapper, *SHOP, "--as", "css", "-o", str(out)).exit_code == 0
    fields = {own["name"]: own for own in json.loads(out.read_text(encoding="utf-8"))["fields"]}
    assert fields["guarantee"]["selector"] == 'th:contains("Guarantee") + td::text'
    assert fields["guarantee"]["holds"] == "5 of 5"


def test_a_spider_that_compiles(wrapper):
    result = run("export", wrapper, "--as", "scrapy")
    compile(result.stdout, "spider.py", "exec")
    assert '"ROBOTSTXT_OBEY": True, "AUTOTHROTTLE_ENABLED": True' in result.stdout


def test_the_space_that_looks_like_another_is_escaped(wrapper):
    result = run("export", wrapper)
    assert "\xa0" not in result.stdout
    assert "\\u00a0" in result.stdout


def test_pages_that_cannot_be_read_are_named_and_cost_the_others_nothing(wrapper):
    result = run("export", wrapper, "missing.html", SHOP[0])
    assert result.exit_code == 1
    assert result.stderr == "unweave: missing.html: no such file\n"
    assert json.loads(result.stdout)["fields"][0]["holds"] == "1 of 1"


def test_nothing_is_written_where_no_page_can_be_read(wrapper, tmp_path):
    out = tmp_path / "selectors.json"
    assert run("export", wrapper, "missing.html", "-o", str(out)).exit_code == 1
    assert not out.exists()


def test_a_page_from_standard_input(wrapper):
    with open(SHOP[0], "rb") as file:
        result = run("export", wrapper, "-", input=file.read())
    assert json.loads(result.stdout)["fields"][0]["holds"] == "1 of 1"


def test_wrappers_without_elements_say_what_to_do(tmp_path):
    path = tmp_path / "shop.json"
    assert run("learn", "--method", "pattern", *SHOP[:2], "-o", str(path)).exit_code == 0
    result = run("export", str(path))
    assert result.exit_code == 2
    assert "learn one with method fields" in result.stderr


def test_pages_need_an_extra_and_selectors_alone_do_not(wrapper, monkeypatch):
    real = builtins.__import__

    def without_parsel(name, *rest):
        if name == "parsel":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_parsel)
    assert run("export", wrapper).exit_code == 0
    result = run("export", wrapper, SHOP[0])
    assert result.exit_code == 2
    assert result.stderr == "unweave: parsel is not installed: pip install 'unweave[crawl]'\n"


def test_a_terminal_sees_how_far_it_is(wrapper, monkeypatch):
    monkeypatch.setenv(
        "FORCE_COLOR", "1"
    )  # rich takes the standard error of a test for a terminal then
    result = run("export", wrapper, *SHOP)
    assert "Choosing selectors" in result.stderr
    assert json.loads(result.stdout)["fields"]
