"""Lists in the scripts of a page, in its microdata and in its RDFa."""

import json
import pickle

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import unweave
from unweave.cli import main
from unweave.lists.data_tables import MAX_COLUMNS, MAX_ROWS, MAX_TABLES
from unweave.page import page_data

PRODUCTS = [
    {
        "id": number,
        "productName": f"Lamp {number}",
        "price": {"amount": number + 0.5, "currency": "EUR"},
        "url": f"/p/{number}",
        "img": f"/i/{number}.jpg",
        "tags": ["new", "red"] if number == 1 else [],
        "inStock": number % 2 == 0,
        "note": None,
        "__typename": "Product",
    }
    for number in range(1, 6)
]
STATE = {"props": {"pageProps": {"menu": ["a", "b"], "products": PRODUCTS}}}


def find(*scripts, body="<div id=app></div>", **options):
    return unweave.records(body + "".join(scripts), data=True, **options)


def json_script(data, type="application/json", id=""):
    return f'<script type="{type}" id="{id}">{json.dumps(data)}</script>'


def test_a_list_in_the_state_of_a_page_is_a_typed_table():
    (table,) = find(json_script(STATE, id="__NEXT_DATA__"), url="https://shop.example/list")
    assert [(column.name, column.type) for column in table.columns] == [
        ("id", "integer"),
        ("product_name", "string"),
        ("price_amount", "number"),
        ("price_currency", "string"),
        ("url", "url"),
        ("img", "image"),
        ("tags", "list"),
        ("in_stock", "boolean"),
    ]
    first = table.to_dicts(values=True)[0]
    assert float(first.pop("price_amount")) == 1.5
    assert first == {
        "id": 1,
        "product_name": "Lamp 1",
        "price_currency": "EUR",
        "url": "https://shop.example/p/1",
        "img": "https://shop.example/i/1.jpg",
        "tags": ["new", "red"],
        "in_stock": False,
    }
    assert table.score == 1.0


@pytest.mark.parametrize(
    "program",
    [
        "window.__INITIAL_STATE__ = {};",
        "var state={},other=1;",
        "self.x=function(){{}};const y = {};",
        "window.a = {{unquoted: 1}}; window.b = {} ; go({{}})",
        '{{"a"}}={{"b":1,;window.b = {}',
    ],
)
def test_values_that_programs_assign_are_read(program):
    (table,) = find(f"<script>{program.format(json.dumps(STATE))}</script>")
    assert len(table) == 5


def test_json_in_a_string_of_a_program_is_read():
    people = [
        {"name": 'O\'Neil "X"', "age": 5},
        {"name": "Ada", "age": 6},
        {"name": "\\", "age": 7},
    ]
    text = json.dumps({"people": people})
    single = text.replace("\\", "\\\\").replace("'", "\\'").replace("Ada", "\\x41da")
    for quoted in (f"'{single}'", json.dumps(text)):
        (table,) = find(f"<script>window.s = JSON.parse({quoted});</script>")
        assert [row[0] for row in table.rows] == ['O\'Neil "X"', "Ada", "\\"]


def test_data_that_next_streams_is_read():
    text = f'1:"$Sreact"\n2:I[5,["x"]]\na3:{json.dumps(["$", "div", None, STATE])}\n'
    half = len(text) // 2
    scripts = [
        f"<script>self.__next_f.push({json.dumps([1, part])})</script>"
        for part in (text[:half], text[half:])
    ]
    (table,) = find(*scripts)
    assert table.names[:2] == ["id", "product_name"]
    assert len(table) == 5


def test_the_state_of_nuxt_is_read():
    values = [
        ["Reactive", 1],
        {"data": 2},
        [3, 4, 5],
        {"name": 6, "price": 9},
        {"name": 7, "price": 9},
        {"name": 8, "price": 10},
        "Lamp",
        "Desk",
        "Chair",
        5.5,
        7,
    ]
    (table,) = find(json_script(values, id="__NUXT_DATA__"))
    assert table.to_dicts() == [
        {"name": "Lamp", "price": "5.5"},
        {"name": "Desk", "price": "5.5"},
        {"name": "Chair", "price": "7"},
    ]


def test_json_ld_gives_lists_and_objects_of_one_type():
    item_list = {
        "@type": "ItemList",
        "itemListElement": [
            {
                "@type": "ListItem",
                "position": n,
                "item": {"@type": "Book", "name": f"Book {n}", "isbn": f"978-{n}"},
            }
            for n in range(1, 5)
        ],
    }
    (table,) = find(json_script(item_list, "application/ld+json"))
    assert (table.names, len(table)) == (["name", "isbn"], 4)
    events = [
        json_script(
            {"@type": "Event", "name": f"Event {n}", "startDate": f"2026-05-0{n}"},
            "application/ld+json",
        )
        for n in range(1, 5)
    ]
    (table,) = find(*events)
    assert table.columns[1].type == "date"
    assert table.names == ["name", "start_date"]


def test_lists_of_several_sections_are_one_and_maps_by_id_are_lists():
    sections = {
        "sections": [
            {"title": f"Section {n}", "items": [{"name": f"{n} {m}", "size": m} for m in range(3)]}
            for n in range(3)
        ]
    }
    tables = find(json_script(sections))
    assert sorted(len(table) for table in tables) == [3, 9]
    by_id = {"users": {f"u{n}": {"name": f"User {n}", "age": n} for n in range(4)}}
    (table,) = find(json_script(by_id))
    assert len(table) == 4


def test_a_list_that_is_there_twice_is_given_once():
    assert len(find(json_script(STATE), json_script({"again": PRODUCTS}))) == 1


def test_the_list_with_most_text_comes_first():
    menu = [{"label": f"m{n}", "to": f"/m/{n}"} for n in range(4)]
    tables = find(json_script({"menu": menu, "products": PRODUCTS}))
    assert [len(table) for table in tables] == [5, 4]
    assert tables[0].score > tables[1].score > 0
    assert sum(table.score for table in tables) == pytest.approx(1)


@pytest.mark.parametrize(
    "data",
    [
        [1, 2, 3],
        ["a", "b", "c"],
        PRODUCTS[:2],
        [{"a": 1}, {"b": 2}, {"c": 3}],
        [{"name": "same", "x": 1}] * 5,
        [{}, {}, {}],
        [{"only": n} for n in range(5)],
        {"a": {"b": {"c": 1}}},
        None,
    ],
)
def test_other_data_is_no_list(data):
    assert list(find(json_script(data))) == []


def test_scripts_that_are_no_data_are_skipped():
    scripts = [
        "<script>let a = {b: 1}; if (a == [1]) {}</script>",
        "<script type=text/template>= [{}]</script>",
        '<script type="application/json">{"a": </script>',
    ]
    assert list(find(*scripts)) == []


def test_microdata_gives_its_items_with_provenance():
    items = "".join(
        f'<div itemscope itemtype="https://schema.org/Product"><a itemprop="url" href="/p/{n}"><b itemprop="name">Lamp {n}</b></a>'
        f'<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><i itemprop="price" content="{n}.50">€ {n},50</i>'
        f'<i itemprop="priceCurrency">EUR</i></div></div>'
        for n in range(1, 5)
    )
    products, offers = find(body=f"<main>{items}</main>")
    assert products.names == ["url", "name", "offers_price", "offers_price_currency"]
    assert products.columns[0].type == "url"
    assert products.rows[1][2:] == ["2.50", "EUR"]
    assert products.xpaths()[1] == ["/html/body/main/div[2]"]
    assert [row[0] for row in offers.rows] == ["1.50", "2.50", "3.50", "4.50"]


def test_rdfa_gives_its_items_with_provenance():
    items = "".join(
        f'<li typeof="Product"><a property="url" href="/p/{n}"><b property="name">Lamp {n}</b></a>'
        f'<div property="offers" typeof="Offer"><meta property="price" content="{n}.50"></div></li>'
        for n in range(1, 5)
    )
    markup = f'<main vocab="https://schema.org/">{items}</main>'
    products, *_ = find(body=markup, url="https://shop.example/")
    assert products.names == ["url", "name", "offers_price"]
    assert products.rows[2] == ["https://shop.example/p/3", "Lamp 3", "3.50"]
    assert products.xpaths()[2] == ["/html/body/main/li[3]"]


def test_the_url_of_an_item_of_rdfa_is_a_column():
    steps = "".join(
        f'<a property="item" typeof="WebPage" href="/{n}"><b property="name">Page {n}</b></a>'
        for n in range(1, 5)
    )
    (table,) = find(body=f'<p vocab="https://schema.org/">{steps}')
    assert table.names == ["name", "url"]
    assert table.rows[1] == ["Page 2", "/2"]


def test_pictures_of_open_graph_are_a_list():
    metas = "".join(
        f'<meta property="og:image" content="https://shop.example/{n}.jpg">'
        f'<meta property="og:image:width" content="{n}00">'
        for n in range(1, 5)
    )
    (table,) = find(body=f"{metas}<p>x")
    assert [(column.name, column.type) for column in table.columns] == [
        ("url", "image"),
        ("width", "integer"),
    ]
    assert table.rows[1] == ["https://shop.example/2.jpg", "200"]


def test_paths_to_a_page_and_items_without_properties_are_no_lists():
    steps = [
        {"@type": "ListItem", "position": n, "item": f"/{n}", "name": f"Step {n}"} for n in range(4)
    ]
    jsonld = json_script(
        {"@type": "BreadcrumbList", "itemListElement": steps}, "application/ld+json"
    )
    microdata = "".join(
        f'<li itemscope itemtype="https://schema.org/ListItem"><b itemprop=name>{n}</b><i itemprop=position>{n}</i></li>'
        f'<p itemscope itemtype="https://schema.org/Thing">x</p>'
        for n in range(4)
    )
    assert list(find(jsonld, body=microdata)) == []


def test_pickled_pages_have_the_same_tables():
    page = unweave.load_page("<p>x" + json_script(STATE))
    pickled = pickle.loads(pickle.dumps(page))
    assert unweave.records(pickled, data=True)[0].rows == unweave.records(page, data=True)[0].rows


def test_all_forms_of_a_data_table():
    (table,) = find(json_script(STATE))
    assert "Lamp 2" in table._repr_html_()
    assert table.to_json()["records"] == [{"nodes": []}] * 5
    assert table.xpaths() == [[]] * 5
    assert table.select("product_name=name", "price_amount:number").names == [
        "name",
        "price_amount",
    ]


def test_data_cannot_be_used_with_other_ways_to_find_lists():
    for options in ({"method": "mdr"}, {"want": "price"}, {"alternatives": True}):
        with pytest.raises(unweave.UsageError, match="data cannot be used with"):
            find(json_script(STATE), **options)


# ---- warnings ------------------------------------------------------------------------------------


def test_a_page_without_a_list_says_where_there_is_one():
    page = '<div id="app"></div>' + json_script(STATE)
    assert unweave.records(page).warnings == (
        "the data of its scripts and microdata has a list of 5: try --data (data=True)",
    )


def test_an_empty_page_says_that_scripts_make_it():
    page = '<h1>Shop</h1><div id="root"></div><script src="app.js"></script>'
    assert unweave.records(page).warnings == ("the page seems to be made by scripts: try --render",)
    with pytest.raises(unweave.EmptyPage, match="scripts make it"):
        unweave.records("<script src=app.js></script>")
    assert unweave.records("<h1>Shop</h1><div id=root>closed today</div>").warnings == ()


# ---- the command ---------------------------------------------------------------------------------


def test_the_command_writes_the_data(tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "out.csv"
    page.write_text("<div id=app></div>" + json_script(STATE))
    result = CliRunner().invoke(main, ["records", "--data", str(page), "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert out.read_text().splitlines()[1] == "1,Lamp 1,1.5,EUR,/p/1,/i/1.jpg,new; red,false"
    result = CliRunner().invoke(main, ["records", str(page), "-o", str(out)])
    assert "try --data" in result.output
    for option in ("--together", "--all", "--render", "--method=mdr", "--want=price"):
        result = CliRunner().invoke(main, ["records", "--data", option, str(page)])
        assert result.exit_code == 2
        assert "--data cannot be used with" in result.output


# ---- hostile pages -------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "item", "node", "@type", "name", ""]), inner)
    ),
    max_leaves=30,
)


@given(st.lists(JSON, max_size=6))
def test_any_data_gives_tables_that_can_be_written(values):
    scripts = [json_script(value) for value in values] + [json_script(values, id="__NUXT_DATA__")]
    for table in find(
        *(script.replace("</s", "<\\/s", script.count("</s") - 1) for script in scripts)
    ):
        assert len(table) >= 3
        assert len(json.dumps(table.to_json())) > 0
        assert all(len(row) == len(table.columns) for row in table.rows)


@pytest.mark.parametrize(
    "text",
    [
        "=[" * 200_000,
        '={"a":' * 100_000,
        "=JSON.parse('" * 50_000,
        '=["' + "x" * 500_000,
        '={"a":[1,2,3,' + "4," * 200_000,
        "self.__next_f.push([" * 30_000,
        ('={"k":"' + "y" * 2_000 + '",}') * 400,
    ],
)
def test_programs_that_begin_like_data_again_and_again_cost_little(text, monkeypatch):
    budgets = []

    class Budget(page_data._Budget):
        def __init__(self):
            super().__init__()
            budgets.append(self)

    monkeypatch.setattr(page_data, "_Budget", Budget)
    monkeypatch.setattr(page_data, "_MAX_FAILED_CHARACTERS", 1_000_000)
    assert list(find(f"<script>{text}</script>")) == []
    assert budgets
    # One attempt may go beyond the budget, by no more than it has read.
    assert all(budget.characters > -2 * len(text) for budget in budgets)


def test_large_data_is_bounded():
    many = [{"n": m} | {f"key {n}": n for n in range(300)} for m in range(5)]
    rows = [{"a": n, "b": f"x{n}"} for n in range(MAX_ROWS + 5)]
    lists = {f"list {n}": [{"a": n, "b": m} for m in range(3)] for n in range(50)}
    nested: dict = {}
    for _ in range(400):
        nested = (
            {"x": nested, "y": [nested] * 2} if len(json.dumps(nested)) < 10_000 else {"x": nested}
        )
    assert len(find(json_script(many))[0].columns) <= MAX_COLUMNS
    assert len(find(json_script(rows))[0]) == MAX_ROWS
    assert len(find(json_script(lists))) <= MAX_TABLES
    assert list(find(json_script(nested))) == []
