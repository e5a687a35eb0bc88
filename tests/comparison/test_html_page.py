"""The page of differences: harmless, bounded, and as a browser shows it."""

import re

import pytest

import unweave
from unweave.comparison import html_page
from unweave.comparison.display import describe_difference, shorten_pair

HOSTILE = [
    "<script>alert(1)</script>",
    "'><img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "</style></title><script>alert(4)</script>",
    "javascript:alert(5)",
    "https://x.example/\"onmouseover='alert(6)'",
    "&lt;b&gt;",
    "\ud800\0\x1b",
]


def make_hostile_diff():
    old = [{"id": text, text: text, "x": text} for text in HOSTILE]
    new = [{"id": text, "x": "new " + text, "<b>": [text]} for text in HOSTILE[3:]]
    return unweave.diff(
        old, [*new, {"id": "<i>new</i>", "x": HOSTILE[5]}], key="id", all_columns=True
    )


def test_nothing_of_the_tables_is_markup():
    page = make_hostile_diff().to_html()
    tags = set(re.findall(r"<([a-z0-9]+)", page.casefold()))
    assert tags <= set(
        "html head meta title style body main h1 h2 p b i a div section span input label table tr"
        " th td del ins details summary code".split()
    )
    assert not re.search(r"<[^>]*\s(on\w+|src|style)\s*=", page)
    assert page.count("<style>") == page.count("</style>") == 1
    assert "default-src 'none'" in page
    assert re.findall(r'href="([^"]*)"', page) == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_web_addresses_are_links():
    url = "https://shop.example/p?a=1&b=2"
    page = unweave.diff([{"url": url, "n": 1}], [{"url": url, "n": 2}]).to_html()
    assert '<a href="https://shop.example/p?a=1&amp;b=2" rel="noreferrer noopener">' in page


def test_old_values_stand_beside_new_ones():
    old = [{"id": 1, "price": "€10.00", "stock": 4, "title": "a", "gone": "x"}]
    new = [{"id": 1, "price": "€9.00", "stock": 5, "title": "b", "gone": None}]
    page = unweave.diff(old, new, key="id", all_columns=True).to_html()
    assert (
        '<del>€10.00</del> <ins>€9.00</ins> <span class="difference">−1.00, −10.0 %</span>' in page
    )
    assert '<span class="difference">+1, +25.0 %</span>' in page
    assert "<del>a</del> <ins>b</ins></tr>" in page
    assert '<del>x</del> <i class="dim">empty</i>' in page


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("€10.00", "€12.50", "+2.50, +25.0 %"),
        ("$1,299.00", "$1,300.00", "+1.00, +0.1 %"),
        (10, 9.5, "−0.5, −5.0 %"),
        (-4, -6, "−2, −50.0 %"),
        (0, 5, "+5"),
        ("1,000", "2,500", "+1,500, +150.0 %"),
        ("12 %", "13 %", "+1, +8.3 %"),
        ("€10.00", "$12.50", ""),
        ("€10.00", 12, ""),
        ("1.299", "1.300", ""),  # thousands or decimals?
        ("a", "b", ""),
        (True, False, ""),
        (None, 5, ""),
        (["1"], ["2"], ""),
        (5, 5.0, ""),
        (1e300, 1e-300, ""),
        (10**400, 1, ""),
    ],
)
def test_differences_of_numbers(old, new, expected):
    assert describe_difference(old, new) == expected


def test_long_texts_are_cut_to_where_they_differ():
    text = "word " * 1_000
    old, new = shorten_pair(text + "end", text + "other", 100)
    assert len(old) <= 100
    assert len(new) <= 100
    assert old.startswith("…")
    assert (old[-3:], new[-5:]) == ("end", "other")
    old, new = shorten_pair("x" + text, "y" + text, 100)
    assert (old[0], new[0], len(old), len(new)) == ("x", "y", 100, 100)
    assert shorten_pair("a", "b", 100) == ("a", "b")


def test_a_huge_diff_is_bounded():
    old = [{"id": number, "x": "a"} for number in range(30_000)]
    new = [{"id": number + 10, "x": "b"} for number in range(30_000)]
    page = unweave.diff(old, new, key="id").to_html()
    shown = len(re.findall(r'<section class="row', page))
    assert shown == html_page.MAX_ROWS
    assert "10 added, 10 removed, 29,990 changed" in page
    assert page.count('class="row added"') == page.count('class="row removed"') == 10
    assert "… and 28,010 more changes" in page
    assert "-o changes.jsonl" in page


def test_a_page_of_huge_cells_is_bounded(monkeypatch):
    row = {f"column {number} {'n' * 1000}": "<" * 100_000 for number in range(300)}
    page = unweave.diff([], [{"id": number, **row} for number in range(5)], key="id").to_html()
    assert "and 200 more cells" in page
    assert len(page) < 5 * 100 * 2_000
    monkeypatch.setattr(html_page, "MAX_PAGE_CHARACTERS", 500_000)
    page = unweave.diff([], [{"id": number, **row} for number in range(5)], key="id").to_html()
    assert len(page) < 600_000
    assert "more changes, which this page leaves out" in page


def test_no_changes():
    page = unweave.diff([{"id": 1}], [{"id": 1}], key="id").to_html()
    assert "No row was added, removed or changed." in page


def test_warnings_and_columns_are_on_the_page():
    old = [{"id": 1, "a": 1}, {"id": 1, "a": 2}]
    page = unweave.diff(old, [{"id": 1, "b": 2}], key="id").to_html()
    assert "old: 1 key occurs more than once" in page
    assert "columns only in new, left out without --all-columns: b (1 cell)" in page
    assert "columns only in old, left out without --all-columns: a (2 cells)" in page


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_and_filters_it(tmp_path, scheme, browser):
    old = [{"id": n, "price": n, "stock": 1} for n in range(1, 9)]
    new = [{"id": n, "price": n + (n < 4), "stock": 1 + (n == 3)} for n in range(1, 8)]
    diff = unweave.diff(old, [*new, {"id": 20, "price": 1}], key="id")
    (tmp_path / "d.html").write_text(diff.to_html(), encoding="utf-8")
    make_hostile_diff().save(tmp_path / "hostile.html")
    page = browser.new_page(color_scheme=scheme)
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("request", lambda request: problems.append(request.url))
    page.goto((tmp_path / "d.html").as_uri())

    def count_rows():
        return [
            page.locator(f".row.{kind}:visible").count() for kind in ("added", "removed", "changed")
        ]

    assert count_rows() == [1, 1, 3]
    page.click("label[for=show-removed]")
    assert count_rows() == [1, 0, 3]
    page.click("label:has-text('stock')")
    assert count_rows() == [0, 0, 1]
    page.click("label[for=field-all]")
    page.keyboard.press("Tab")
    assert count_rows() == [1, 0, 3]
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground))) < 200) == (scheme == "dark")
    assert (
        page.locator("del").first.evaluate("e => getComputedStyle(e).textDecorationLine")
        == "line-through"
    )
    page.goto((tmp_path / "hostile.html").as_uri())
    assert page.locator(".row").count() == 9
    assert page.locator("script, img, svg").count() == 0
    page.close()
    assert all(url.startswith("file:") for url in problems)
    assert len(problems) == 2
