"""The report of how a list was found: complete, harmless, and as a browser shows it."""

import re

import pytest

import unweave
from unweave.lists.features import Features
from unweave.reports.explain import FEATURE_WORDS

HOSTILE = (
    """<html><head><title>x</title><script>alert(1)</script><style>*{display:none}</style></head><body>
<ul class='"><script>alert(2)</script>'>"""
    + "".join(
        f"""<li onclick='alert(3)' style='color:red'>
    <a href='javascript:alert(4)' class='x" onmouseover="alert(5)'>Item {k}</a>
    <p title='"><img src=x onerror=alert(6)>'>&lt;script&gt;alert(7)&lt;/script&gt; number {k}</p>
    <img src='http://evil.example/{k}.png' onerror='alert(8)'><iframe src='http://evil.example/'></iframe></li>"""
        for k in range(6)
    )
    + "</ul></body></html>"
)


def test_it_shows_records_columns_and_reasons():
    found = unweave.explain("examples/products.html", name="examples/products.html")
    assert "24 records" in found
    assert found.count('class="record"') == 24
    assert "now_price" in found
    assert "best of all" in found
    rows = re.findall(r"<tr><td>\d+<td>\d+<td>[\d.]+.*?</tr>", found, re.DOTALL)
    assert len(rows) == 9
    assert all(any(words in row for words in FEATURE_WORDS.values()) for row in rows)
    assert "template_gain" in found


def test_every_feature_has_words():
    assert FEATURE_WORDS.keys() == set(Features._fields)


def test_nothing_of_the_page_is_markup_of_the_report():
    found = unweave.explain(HOSTILE, name='<b>"page"</b>')
    assert "&lt;b&gt;&quot;page&quot;&lt;/b&gt;" in found
    tags = set(re.findall(r"<([a-z0-9]+)", found.casefold()))
    assert tags <= set(
        "html head meta title style body main h1 h2 p div table tr th td span ul li".split()
    )
    assert not re.search(r"<[^>]*\s(on\w+|href|src|style)\s*=", found)
    assert found.count("<style>") == 1
    assert "default-src 'none'" in found


@pytest.mark.parametrize(
    "markup",
    [
        "<p>one</p>",
        "<html><frameset><frame src=a><frame src=b></frameset></html>",
        "<br>x",
        "<ul><li>a<li>b</ul>",
    ],
)
def test_pages_without_a_list_are_explained_too(markup):
    found = unweave.explain(markup)
    assert found.startswith("<!doctype html>")
    assert found.rstrip().endswith("</html>")


def test_required_types_are_a_reason():
    offers = "".join(f"<li>Stool {k} <b>${k}.50</b></li>" for k in range(4))
    talk = "".join(
        f"<article><p>A long and thoughtful word on chair {k}, with praise.</p></article>"
        for k in range(8)
    )
    assert "it has fewer of the required types" in unweave.explain(
        f"<section>{talk}</section><ul>{offers}</ul>", want=["price"]
    )


@pytest.mark.browser
def test_a_browser_shows_it(tmp_path):
    pytest.importorskip("playwright")
    path = tmp_path / "report.html"
    path.write_text(unweave.explain("examples/table.html", name="table"), encoding="utf-8")
    with unweave.Renderer() as renderer:
        page = unweave.Page.render(path, renderer=renderer)
    colours = page.tree.labels.count("td")
    assert colours > 20 * 7
    assert "Arnholt Pier" in page.text()
    records = [
        node
        for node, own in enumerate(page.attributes)
        if own.get("class", "").startswith("record")
    ]
    assert len(records) == 20
    assert all(page.boxes[node].right > page.boxes[node].left for node in records)
