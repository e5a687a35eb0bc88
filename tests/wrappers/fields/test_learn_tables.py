"""Tables inside detail pages: their rows and columns, and repeated nodes that are no table."""

import json

import pytest

import unweave
from tests.extraction import extract
from tests.test_cli import run
from tests.wrappers.fields.templates import (
    AUTHORS,
    COUNT,
    PLAYERS,
    TEAMS,
    TITLES,
    list_book_rows,
    make_page,
)
from unweave.errors import WrapperError
from unweave.page.template_paths import TemplatePaths
from unweave.wrappers.base import Wrapper, to_rows
from unweave.wrappers.fields.models import load_models
from unweave.wrappers.fields.naming import FieldNames

NAMES = ["Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hal"]


def review(number, count, *, stars="Stars:", without_date=()):
    found = []
    for place in range(count):
        name = NAMES[(number * 3 + place) % 8]
        date = "" if place in without_date else f"<i>{place + 1} May 20{10 + number}</i>"
        found.append(
            f"<div class=review><b>{name}</b>{date}<span>{stars}</span>"
            f"<u>{(number + place) % 5}</u>"
            f"<p>{name} on thing {number} says {place}</p></div>"
        )
    return "".join(found)


def page(number, reviews, *, crew="", specs=""):
    return (
        f"<html><body><h1>Thing {number}</h1><table>{specs}</table>"
        f"<p>Price: <b>{number * 7} euro</b></p>"
        f"<h2>Reviews</h2><div>{reviews}</div>{crew}"
        "<div class=foot>All rights reserved</div></body></html>"
    )


COUNTS = [2, 3, 5, 4, 1, 3]


@pytest.fixture(scope="module")
def wrapper():
    return unweave.learn(
        [page(number, review(number, count)) for number, count in enumerate(COUNTS)]
    )


def table_of(wrapper, markup, number=0):
    found, _ = extract(wrapper, markup)
    return to_rows(found, wrapper.nested_tables[list(wrapper.nested_tables)[number]])


def test_columns_are_lists_of_one_length(wrapper):
    found, _ = extract(wrapper, page(9, review(9, 3, without_date=[1])))
    assert found["reviews_text"] == ["Dov", "Eve", "Finn"]
    assert found["reviews_date"] == ["1 May 2019", None, "3 May 2019"]
    assert found["title"] == "Thing 9"
    assert found["price"] == "63 euro"


def test_a_constant_text_names_the_column_after_it(wrapper):
    assert [row["reviews_stars"] for row in table_of(wrapper, page(9, review(9, 3)))] == [
        "4",
        "0",
        "1",
    ]


def test_texts_of_rows_are_no_fields_and_no_labels(wrapper):
    names = {field.name for field in wrapper.fields}
    assert names == {"title", "price"}
    assert not {text for _, _, text in wrapper.anchors.labels} & {"Stars:", *NAMES}


def test_one_row_and_none(wrapper):
    assert len(table_of(wrapper, page(9, review(9, 1)))) == 1
    found, fit = extract(wrapper, page(9, ""))
    assert (set(found), fit) == ({"title", "price"}, 1.0)


def test_different_rows_at_one_path_are_two_tables():
    def crew(number):
        people = "".join(
            f"<div class=review><em>Job {number}.{place}</em><s>{NAMES[place]} {number}</s></div>"
            for place in range(2 + number % 3)
        )
        return f"<h2>Crew</h2><div>{people}</div>"

    wrapper = unweave.learn(
        [
            page(number, review(number, count), crew=crew(number))
            for number, count in enumerate(COUNTS)
        ]
    )
    found, _ = extract(wrapper, page(9, review(9, 3), crew=crew(9)))
    assert {
        name: len(to_rows(found, columns)) for name, columns in wrapper.nested_tables.items()
    } == {
        "reviews": 3,
        "crew": 2,
    }


def test_both_halves_of_a_list_are_one_table():
    def halves(number):
        people = [
            f"<li><b>{NAMES[place]} {number}</b><i>{number * place}</i></li>"
            for place in range(number + 3)
        ]
        left, right = "".join(people[::2]), "".join(people[1::2])
        return f"<h2>Cast</h2><div><ul class=left>{left}</ul><ul class=right>{right}</ul></div>"

    wrapper = unweave.learn([page(number, "", crew=halves(number)) for number in range(5)])
    assert [(table.name, len(table.paths)) for table in wrapper.tables] == [("cast", 2)]
    assert len(table_of(wrapper, page(4, "", crew=halves(4)))) == 7


def test_rows_of_a_label_and_a_value_are_no_table():
    def specs(number):
        rows = {
            "Colour": f"red {number}",
            "Weight": f"{number} kg",
            "Size": f"{number} cm",
            "Made in": "Peru",
        }
        return "".join(
            f"<tr><td>{label}</td><td>{value}</td></tr>"
            for label, value in list(rows.items())[: 3 + number % 2]
        )

    wrapper = unweave.learn([page(number, "", specs=specs(number)) for number in range(6)])
    assert wrapper.tables == ()
    found, _ = extract(wrapper, page(9, "", specs=specs(9)))
    assert (found["weight"], found["made_in"]) == ("9 kg", "Peru")


def test_paragraphs_are_no_rows():
    text = [
        "".join(f"<p>Part {part} of <b>story</b> {number}.</p>" for part in range(2 + number % 3))
        for number in range(6)
    ]
    assert unweave.learn([page(number, own) for number, own in enumerate(text)]).tables == ()


def test_a_wrapper_with_tables_is_equal_after_writing_and_reading(wrapper):
    assert Wrapper.loads(wrapper.dumps()).dumps() == wrapper.dumps()


COLUMN = {"name": "x", "path": "b", "cell": 0, "number": 0, "examples": []}


@pytest.mark.parametrize(
    "damage",
    [
        {"name": "page"},
        {"rows": 3},
        {"rows": [9, 9]},
        {"rows": [99999]},
        {"columns": [{"name": "x"}]},
        {"columns": [COLUMN, COLUMN]},
        {"columns": [COLUMN | {"name": "title"}]},
        {"columns": [COLUMN | {"name": f"c{number}"} for number in range(3_000)]},
        {"share": "x"},
    ],
)
def test_damaged_tables_are_refused(wrapper, damage):
    data = json.loads(wrapper.dumps())
    data["tables"][0] |= damage
    with pytest.raises(WrapperError, match="damaged"):
        Wrapper.loads(json.dumps(data))


def test_a_new_label_with_the_name_of_a_column_is_no_column():
    def cast(number, count):
        people = "".join(
            f"<li><b>{NAMES[place]} {number}</b><i>{number}.{place}</i></li>"
            for place in range(count)
        )
        return f"<h2>Cast</h2><ul>{people}</ul>"

    def specs(*rows):
        return "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in rows)

    wrapper = unweave.learn(
        [
            page(
                number,
                "",
                crew=cast(number, 2 + number % 3),
                specs=specs(("Size", number), ("Hue", number % 2)),
            )
            for number in range(6)
        ]
    )
    (table,) = wrapper.tables
    found, _ = extract(wrapper, page(9, "", specs=specs(("Size", 3), ("Cast B", "hello"))))
    assert to_rows(found, wrapper.nested_tables[table.name]) == []
    assert "hello" not in found.values()
    assert found["size"] == "3"


def test_names_are_never_given_twice():
    names = FieldNames({}, TemplatePaths(frozenset()), load_models())
    given = [names.add(name) for name in ("cast", "cast", "cast_2", "cast", "cast_2", "cast_3")]
    assert given[:3] == ["cast", "cast_2", "cast_2_2"]
    assert len(set(given)) == len(given)


def test_tables_as_a_user_sees_them(wrapper, tmp_path):
    (tmp_path / "site.json").write_text(wrapper.dumps(), encoding="utf-8")
    (tmp_path / "page.html").write_text(page(9, review(9, 2, without_date=[0])), encoding="utf-8")
    site, own = str(tmp_path / "site.json"), str(tmp_path / "page.html")
    line = json.loads(run("apply", site, own).stdout)
    assert line["tables"] == {
        "reviews": ["reviews_text", "reviews_date", "reviews_stars", "reviews_text_2"]
    }
    assert line["fields"]["reviews_date"] == [None, "2 May 2019"]
    assert "; 2 May 2019" in run("apply", site, own, "--format", "csv").stdout
    shown = run("apply", site, own, "--format", "table").stdout
    assert "reviews: 2 rows" in shown
    assert "row of reviews" in run("show", site, env={"COLUMNS": "160"}).stdout


# ---- tables of data ---------------------------------------------------------------------------


def make_statistics(number, *, classes=("odd", "even"), first=0):
    rows = "".join(
        f"<tr class={classes[row % 2]}><td>{2000 + row}</td><td>{TEAMS[(number + row) % 4]}</td>"
        f"<td>{(number * 13 + row * 7) % 50}</td></tr>"
        for row in range(first, 3 + number % 4)
    )
    head = "<tr><th>Season</th><th>Team</th><th>Goals</th></tr>"
    return make_page(
        f"{PLAYERS[number % 10]} - Sport",
        f"<h1>{PLAYERS[number % 10]}</h1><h2>Career</h2><table>{head}{rows}</table>",
    )


def test_alternating_rows_of_a_table_stay_one_table():
    wrapper = unweave.learn([make_statistics(number) for number in range(10)])
    fields = unweave.apply(wrapper, make_statistics(3)).fields
    lists = {name: value for name, value in fields.items() if isinstance(value, list)}
    assert sorted(map(len, lists.values())) == [6, 6, 6], lists


def test_columns_of_regular_rows_follow_the_positions_of_the_cells():
    """Empty cells and cells with a link do not move the others."""

    def make(number):
        rows = []
        for row in range(3 + number % 3):
            team = TEAMS[(number + row) % 4]
            cells = [
                str(2000 + row),
                f"<a href=/t>{team}</a>" if row % 2 else team,
                "" if (number + row) % 3 == 0 else str((number * 13 + row * 7) % 50 + 1),
                str((number * 3 + row) % 9 + 100),
            ]
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        head = "<tr><th>Season</th><th>Team</th><th>Goals</th><th>Games</th></tr>"
        content = f"<h1>{PLAYERS[number % 10]}</h1><table>{head}{''.join(rows)}</table>"
        return make_page(f"{PLAYERS[number % 10]} - Sport", content)

    wrapper = unweave.learn([make(number) for number in range(10)])
    fields = unweave.apply(wrapper, make(3)).fields
    columns = {
        name.rpartition("_")[2]: value for name, value in fields.items() if isinstance(value, list)
    }
    assert columns["season"] == ["2000", "2001", "2002"], fields
    assert columns["team"] == ["Jets", "Lions", "Bears"], fields
    assert columns["goals"] == [None, "47", "4"], fields
    assert columns["games"] == ["100", "101", "102"], fields


def test_columns_of_rows_without_headers_follow_the_positions_of_the_cells():
    def make(number):
        rows = []
        for row in range(3 + number % 3):
            cells = [
                f"{row + 1} May {number + 2000}",
                "" if (number + row) % 3 == 0 else AUTHORS[(number * 5 + row) % COUNT],
                TEAMS[(number + row) % 4],
            ]
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        content = f"<h1>{TITLES[number]}</h1><table>{''.join(rows)}</table>"
        return make_page(f"{TITLES[number]} - Sport", content)

    wrapper = unweave.learn([make(number) for number in range(COUNT)])
    fields = unweave.apply(wrapper, make(3)).fields
    lists = [value for value in fields.values() if isinstance(value, list)]
    assert [None, AUTHORS[4], AUTHORS[5]] in lists, fields
    assert ["Jets", "Lions", "Bears"] in lists, fields


def test_odd_and_even_rows_are_one_table_in_a_file_and_in_a_redesign():
    wrapper = unweave.learn([make_statistics(number) for number in range(10)])
    assert Wrapper.loads(wrapper.dumps()) == wrapper
    assert wrapper.nested_tables == {"career": ["career_season", "career_team", "career_goals"]}
    pages = [make_statistics(number, classes=("a", "b")) for number in range(10, 20)]
    repaired = unweave.repair(wrapper, pages).wrapper
    fields = unweave.apply(repaired, pages[0]).fields
    assert fields["career_season"] == ["2000", "2001", "2002", "2003", "2004"]


def test_rows_with_labels_in_the_first_of_three_cells_are_no_table():
    def make(number):
        rows = "".join(
            f"<tr><td>{label}</td><td>{value}</td><td>checked</td></tr>"
            for label, value in list(list_book_rows(number).items())[: 3 + number % 2]
        )
        title = TITLES[number]
        return make_page(f"{title} - Shop", f"<h1>{title}</h1><table>{rows}</table>")

    wrapper = unweave.learn([make(number) for number in range(COUNT)])
    assert not wrapper.nested_tables
    assert unweave.apply(wrapper, make(0)).fields["pages"] == "100"
