"""Laws that hold on every page of the real sets, if they exist."""

from pathlib import Path

import pytest
import turbohtml

import unweave
from bench.corpus import RECORDS, find_page_sets

pytestmark = pytest.mark.slow

SETS = find_page_sets(Path("../shared/data"), "records", RECORDS)


@pytest.mark.skipif(not SETS, reason="the sets of real pages were not found")
@pytest.mark.parametrize(("method", "step"), [("mdr", 1), ("ctvs", 7)])
@pytest.mark.parametrize("page_set", SETS, ids=lambda page_set: page_set.name)
def test_tables_keep_their_promises(page_set, method, step):
    checked = 0
    for path in page_set.list_paths()[::step]:
        for table in unweave.records(path, method=method):
            checked += 1
            assert 0 < table.score <= 1
            assert len(table.rows) == len(table.texts) == len(table.records) == len(table.nodes) > 1
            assert all(len(row) == len(table.columns) for row in table.rows)
            for row, nodes in zip(table.rows, table.nodes, strict=True):
                assert [bool(cell) for cell in row] == [bool(own) for own in nodes]
                lists = [isinstance(cell, list) for cell in row if cell is not None]
                types = [
                    column.type
                    for cell, column in zip(row, table.columns, strict=True)
                    if cell is not None
                ]
                assert lists == [kind == "list" for kind in types]
            roots = [node for record in table.records for node in record]
            assert len(set(roots)) == len(roots)
    assert checked


@pytest.mark.skipif(not SETS, reason="the sets of real pages were not found")
@pytest.mark.parametrize("page_set", SETS, ids=lambda page_set: page_set.name)
def test_every_text_is_in_one_cell_and_none_is_lost(page_set):
    checked = 0
    for path in page_set.list_paths()[::9]:
        for table in unweave.records(path, method="depta"):
            strings = [
                number for number, column in enumerate(table.columns) if column.type == "string"
            ]
            for row, text in zip(table.rows, table.texts, strict=True):
                cells = "".join(row[number] or "" for number in strings)
                assert sorted(cells.replace(" ", "")) == sorted(text.replace(" ", ""))
                checked += 1
    assert checked


@pytest.mark.skipif(not SETS, reason="the sets of real pages were not found")
@pytest.mark.parametrize("page_set", SETS, ids=lambda page_set: page_set.name)
def test_xpaths_lead_to_their_nodes(page_set):
    checked = 0
    for path in page_set.list_paths()[::25]:
        page = unweave.load_page(path)
        document = turbohtml.parse(path.read_bytes(), encoding=page.encoding, scripting=True)
        for node in range(0, len(page.tree), 40):
            if "svg" not in page.xpath(node):
                (found,) = document.xpath(page.xpath(node))
                assert found.tag == page.tree.labels[node]
                checked += 1
    assert checked
