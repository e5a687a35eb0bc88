"""The layout of the studio in a real Chromium: what is meant is in sight, and nothing is cut off or moves away."""

import pytest

from tests.studio.conftest import running
from tests.studio.test_page_in_browser import cell, drawn, head, inside, menu_of, status

expect = pytest.importorskip("playwright.sync_api").expect

SIZES = [(1280, 800), (1024, 700), (800, 600)]
PARTS = "maker model colour fabric origin weight width depth height finish grade stock price note".split()
WORDS = "amber birch cedar delta ember fjord grove heath".split()
ROWS = 80


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A studio on a page whose table has far more rows and columns than its pane has room for."""

    def cells(row):
        return "".join(
            f"<td class={part}>{WORDS[row * (at + 3) % 8]} {part} {WORDS[(row * row + at) % 8]} {row}</td>"
            for at, part in enumerate(PARTS)
        )

    heads = "".join(f"<th>{part}</th>" for part in PARTS)
    rows = "".join(f"<tr>{cells(row)}</tr>" for row in range(ROWS))
    path = tmp_path_factory.mktemp("wide") / "wide.html"
    path.write_text(
        f"<!doctype html><title>Wide</title><table><thead><tr>{heads}</tr></thead>{rows}</table>",
        "utf-8",
    )
    with running(str(path)) as studio:
        yield studio


@pytest.fixture
def table(wide, look):
    window = look(wide.address, reduced_motion="reduce")
    expect(status(window)).to_have_text("80 rows, 14 columns; 1 table found")
    expect(drawn(window).locator("td.maker").first).to_be_visible()
    return window


# ---- The cell that is meant ----------------------------------------------------------------------------------------


def test_arrow_keys_keep_the_active_cell_in_sight(table):
    grid = table.get_by_role("grid")
    grid.focus()
    walk = (
        ["ArrowRight"] * 14
        + ["ArrowDown"] * 25
        + ["ArrowLeft"] * 15
        + ["ArrowUp"] * 27
        + ["ArrowRight"] * 9
    )
    walk += ["PageDown", "PageDown", "PageUp", "Control+End", "Control+Home", "End", "Home"]
    active = set()
    for key in walk:
        table.keyboard.press(key)
        active.add(grid.get_attribute("aria-activedescendant"))
        assert inside(table, "hiddenPart", grid.get_attribute("aria-activedescendant")) == 0, (
            key,
            active,
        )
    assert {"cell-0-13", "cell-25-13", "cell-25--1", "cell--1--1", f"cell-{ROWS - 1}-13"} <= active


def test_pointing_at_the_page_brings_the_cell_into_sight(table):
    for row, column in [(0, 13), (0, 0), (40, 7), (79, 13), (79, 0), (3, 5)]:
        place = drawn(table).locator("tbody tr").nth(row).locator("td").nth(column)
        place.scroll_into_view_if_needed()
        place.hover()
        expect(cell(table, row, column)).to_have_class("is-pointed")
        assert inside(table, "hiddenPart", f"cell-{row}-{column}") == 0
        place.click()
        expect(cell(table, row, column)).to_have_class("is-pointed is-active")
        assert inside(table, "hiddenPart", f"cell-{row}-{column}") == 0


# ---- Everything has room -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def products():
    with running("examples/products.html") as studio:
        yield studio


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_no_tool_of_a_page_is_cut_off_and_clicks_move_nothing(products, look, width, height):
    window = look(products.address, width=width, height=height, permissions=["clipboard-write"])
    expect(status(window)).to_contain_text("8 columns")
    menu_of(window, "brand").get_by_role("menuitem", name="Hide").click()
    expect(head(window, "brand")).to_have_count(0)
    before = inside(window, "frameOfWindow")
    assert before == {
        "offsets": [0, 0, 0, 0],
        "size": [width, height],
        "bar": [0, 0],
        "end": [width, height],
    }
    found = inside(window, "toolbarControls")
    assert found["count"] >= 11  # the bar, the tools, and what picks a list
    assert found["cut"] == []
    for name in ["export", "columns", "copy", "undo", "redo", "pick"]:
        window.locator(f"#{name}").click()
        assert inside(window, "frameOfWindow") == before, name
        window.keyboard.press("Escape")
        assert inside(window, "frameOfWindow") == before, name
    assert inside(window, "toolbarControls")["cut"] == []


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_long_count_of_columns_cuts_no_tool_off(wide, look, width, height):
    window = look(wide.address, width=width, height=height)
    expect(status(window)).to_contain_text("14 columns")
    window.locator("#columns-label").evaluate(
        "label => (label.textContent = 'Columns: 1,160 of 1,200')"
    )
    assert inside(window, "toolbarControls")["cut"] == []


@pytest.fixture(scope="module")
def shop():
    with running("examples/shop") as studio:
        yield studio


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_no_tool_of_a_group_is_cut_off_and_clicks_move_nothing(shop, look, width, height):
    window = look(shop.address, width=width, height=height)
    window.locator(".card").click()
    expect(status(window)).to_contain_text("fit ", timeout=15_000)
    before = inside(window, "frameOfWindow")
    assert before == {
        "offsets": [0, 0, 0, 0],
        "size": [width, height],
        "bar": [0, 0],
        "end": [width, height],
    }
    for name in ["Wrapper", "Pages", "Fields"]:
        window.get_by_role("tab", name=name).click()
        found = inside(window, "toolbarControls")
        assert (
            found["count"] >= 10
        )  # the bar, what goes back and exports, what is coloured, the tabs
        assert found["cut"] == [], name
        assert inside(window, "frameOfWindow") == before, name
    window.get_by_role("button", name="Export all pages").click()
    assert inside(window, "frameOfWindow") == before
