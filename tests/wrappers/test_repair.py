"""A wrapper that is learned again keeps the names of the fields of the old one."""

import json

import pytest

import unweave
from tests.test_cli import run
from tests.wrappers.fields.products import (
    LEARNED,
    MAKERS,
    NEW,
    REDESIGNS,
    learn_products,
    list_rows,
    make_product,
    make_specification,
    rename_all_classes,
    rename_class,
    wrap_content,
)
from unweave import UsageError, WrapperError
from unweave.wrappers.base import Wrapper
from unweave.wrappers.repair import Repair

NEW_LABELS = {"Colour": "Shade", "Weight": "Mass"}


def reword_labels(markup):
    for old, new in NEW_LABELS.items():
        markup = markup.replace(f">{old}<", f">{new}<")
    return markup


ALL_REDESIGNS = REDESIGNS | {
    "reworded labels": reword_labels,
    "reworded labels and all classes": lambda markup: reword_labels(rename_all_classes(markup)),
    "reworded labels in a div": lambda markup: wrap_content(reword_labels(markup)),
}


@pytest.fixture(scope="module")
def old():
    return Wrapper.loads(learn_products().dumps())


def repair_products(old, redesign, numbers=NEW):
    """Return the repair of a wrapper for the redesigned pages, and these pages."""
    pages = [redesign(make_product(number)) for number in numbers]
    return unweave.repair(old, pages), pages


def list_fields(wrapper):
    return [field.name for field in wrapper.describe_fields()]


# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("redesign", ALL_REDESIGNS)
def test_values_have_the_same_names(old, redesign):
    repaired, pages = repair_products(old, ALL_REDESIGNS[redesign])
    for number, page in zip(NEW, pages, strict=True):
        expected = unweave.apply(old, make_product(number)).fields
        fields = unweave.apply(repaired.wrapper, page).fields
        names = set(list_fields(repaired.wrapper)) & set(list_fields(old)) & expected.keys()
        assert names >= {"title", "price", "text", "colour", "weight", "maker", "year"}
        assert {name: fields.get(name) for name in names} == {
            name: expected[name] for name in names
        }


@pytest.mark.parametrize("redesign", ALL_REDESIGNS)
def test_fields_that_both_wrappers_read_have_the_same_values(old, redesign):
    repaired, pages = repair_products(old, ALL_REDESIGNS[redesign])
    for page in pages:
        before = unweave.apply(old, page).fields
        after = unweave.apply(repaired.wrapper, page).fields
        common = (before.keys() & after.keys()) - set(repaired.new)
        assert common
        assert {name: after[name] for name in common} == {name: before[name] for name in common}


@pytest.mark.parametrize("redesign", ALL_REDESIGNS)
def test_every_field_is_in_one_group(old, redesign):
    repaired, _ = repair_products(old, ALL_REDESIGNS[redesign])
    groups = [repaired.kept, repaired.moved, repaired.lost, repaired.new]
    names = [name for group in groups for name in group]
    assert len(set(names)) == len(names)
    assert set(repaired.kept + repaired.moved + repaired.lost) == set(list_fields(old))
    assert sorted(repaired.kept + repaired.moved + repaired.new) == sorted(
        list_fields(repaired.wrapper)
    )


def test_the_fields_of_the_old_wrapper_come_first_in_its_order(old):
    repaired, _ = repair_products(old, reword_labels)
    names = list_fields(old)
    order = [names.index(name) for name in list_fields(repaired.wrapper) if name in names]
    assert order == sorted(order)
    assert len(order) == len(list_fields(repaired.wrapper)) - len(repaired.new)


def test_pages_that_did_not_change_keep_all_fields(old):
    repaired, _ = repair_products(old, str, LEARNED)
    assert (repaired.kept, repaired.moved, repaired.lost, repaired.new) == (
        tuple(list_fields(old)),
        (),
        (),
        (),
    )
    assert repaired.wrapper.dumps() == old.dumps()


def test_a_field_at_another_path_has_moved(old):
    repaired, _ = repair_products(old, lambda page: rename_class(page, "price", "cost"))
    assert "price" in repaired.moved
    assert {"title", "colour", "weight"} <= set(repaired.kept)


def test_a_repaired_wrapper_can_be_repaired_again(old):
    first, _ = repair_products(old, reword_labels)
    second, _ = repair_products(first.wrapper, lambda page: wrap_content(reword_labels(page)))
    assert {"colour", "weight", "price", "title"} <= set(second.kept + second.moved)
    assert second.lost == ()
    assert "shade" not in list_fields(second.wrapper)


def test_names_that_were_given_by_hand_are_kept(old):
    data = json.loads(old.dumps())
    for field in data["fields"]:
        field["name"] = f"my_{field['name']}"
    mine = Wrapper.loads(json.dumps(data))
    repaired, pages = repair_products(mine, ALL_REDESIGNS["reworded labels and all classes"])
    fields = unweave.apply(repaired.wrapper, pages[0]).fields
    assert fields["my_weight"] == list_rows(NEW[0])["Weight"]
    assert fields["my_price"] == f"EUR {NEW[0]}.50"


# ---- lost and new fields -------------------------------------------------------------------------


def make_with_rows(number, change):
    rows = list_rows(number)
    change(rows, number)
    return make_product(number, rows=rows)


def test_fields_that_the_pages_lack_are_lost_and_others_are_new(old):
    def change(rows, number):
        del rows["Maker"]
        rows["Sold on"] = f"2024-03-{number}"

    repaired = unweave.repair(old, [make_with_rows(number, change) for number in NEW])
    assert "maker" in repaired.lost
    assert "sold_on" in repaired.new
    fields = unweave.apply(repaired.wrapper, make_with_rows(30, change)).fields
    assert "maker" not in fields
    assert fields["sold_on"] == "2024-03-30"


def make_counted(number, *, is_new=False):
    """Return a page with a count; in the new design the label has texts of another meaning."""
    words = ["heavy", "light", "medium", "very light", "very heavy"]
    rows = {"Size": f"{number}", "Pieces": f"{number * 3}", "Colour": words[number % 4][:4]}
    if not is_new:
        return make_product(number, rows=rows)
    rows |= {"Pieces": words[number % 5], "Pieces 2": f"{words[number % 3]} too"}

    def specification(rows):
        items = "".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in rows.items())
        return f"<dl>{items}</dl>"

    return make_product(number, rows=rows, specification=specification)


def test_a_new_field_never_has_the_name_of_a_lost_one():
    old = unweave.learn([make_counted(number) for number in LEARNED], method="fields")
    assert "pieces" in list_fields(old)
    repaired = unweave.repair(old, [make_counted(number, is_new=True) for number in NEW])
    assert "pieces" in repaired.lost
    names = list_fields(repaired.wrapper)
    assert "pieces" not in names
    assert not set(repaired.lost) & set(repaired.new)
    assert len(set(names)) == len(names)  # the new label "Pieces 2" has a name of its own
    assert Wrapper.loads(repaired.wrapper.dumps()).dumps() == repaired.wrapper.dumps()


def test_pages_of_another_template_lose_all_fields(old):
    def make(number):
        lines = "".join(f"<li>Line {number}{line} of the poem</li>" for line in range(3))
        return f"<body><h2>Poem {number}</h2><ol>{lines}</ol></body>"

    repaired = unweave.repair(old, [make(number) for number in NEW])
    assert set(repaired.lost) >= {"price", "colour", "weight", "maker", "year"}
    assert not set(repaired.new) & set(list_fields(old))


# ---- tables inside pages -------------------------------------------------------------------------


def make_reviews(number, *, row="review", author="author", count=None):
    reviews = "".join(
        f"<div class='{row}'><b class='{author}'>Reader {number}{review}</b>"
        f"<p>The review {number} has {review} lines</p></div>"
        for review in range(1, 1 + (count or 3 + number % 3))
    )
    return make_product(
        number,
        specification=lambda rows: f"{make_specification(rows)}<div class='all'>{reviews}</div>",
    )


def test_columns_of_tables_inside_pages_keep_their_names():
    old = unweave.learn([make_reviews(number) for number in LEARNED], method="fields")
    pages = [make_reviews(number, row="comment", author="by") for number in NEW]
    repaired = unweave.repair(old, pages)
    assert old.nested_tables
    assert repaired.wrapper.nested_tables == old.nested_tables
    fields = unweave.apply(repaired.wrapper, pages[0]).fields
    expected = unweave.apply(old, make_reviews(NEW[0])).fields
    for columns in old.nested_tables.values():
        for column in columns:
            assert fields[column] == expected[column]


def test_a_table_stays_one_if_the_new_pages_alone_do_not_show_it():
    """Where all pages have the same number of rows, rows may be parts of the template."""
    old = unweave.learn([make_reviews(number) for number in LEARNED], method="fields")
    pages = [make_reviews(number, row="comment", count=3) for number in NEW]
    assert not unweave.learn(pages, method="fields").nested_tables
    repaired = unweave.repair(old, pages)
    assert repaired.wrapper.nested_tables == old.nested_tables
    assert repaired.lost == ()


def test_fields_stay_fields_if_the_new_pages_alone_show_a_table():
    pages = [make_reviews(number, count=2) for number in LEARNED]
    old = unweave.learn(pages, method="fields")
    assert not old.nested_tables
    new_pages = [make_reviews(number) for number in NEW]
    assert unweave.learn(new_pages, method="fields").nested_tables
    repaired = unweave.repair(old, new_pages)
    assert not repaired.wrapper.nested_tables
    assert repaired.lost == ()


def test_values_that_all_new_pages_share_do_not_become_labels(old):
    def change(rows, number):
        rows |= {"Colour": "red", "Maker": MAKERS[0]}

    pages = [make_with_rows(number, change) for number in NEW]
    repaired = unweave.repair(old, pages)
    assert repaired.lost == ()
    fields = unweave.apply(repaired.wrapper, make_product(NEW[2])).fields
    rows = list_rows(NEW[2])
    assert (fields["colour"], fields["maker"]) == (rows["Colour"], rows["Maker"])


# ---- lists ---------------------------------------------------------------------------------------


def make_list(numbers, *, classes=("item", "name", "cost", "views")):
    item, name, cost, views = classes
    items = "".join(
        f"<div class='{item}'><h3 class='{name}'>Thing {number}</h3>"
        f"<b class='{cost}'>EUR {number}.50</b> <i class='{views}'>{number * 7} views</i>"
        f"<p>The thing {number} has a description of some words</p></div>"
        for number in numbers
    )
    return f"<body><h1>Shop</h1><div class='list'>{items}</div><p>All rights reserved</p></body>"


OTHER_CLASSES = ("card", "label", "amount", "clicks")


def read_rows(wrapper, page):
    table = unweave.apply(wrapper, page).table
    return [dict(zip(table.names, row, strict=True)) for row in table.rows]


def test_columns_of_lists_keep_their_names():
    old = unweave.learn([make_list(range(1, 9))], method="records")
    page = make_list(range(20, 30), classes=OTHER_CLASSES)
    repaired = unweave.repair(old, page)
    assert set(list_fields(repaired.wrapper)) == set(list_fields(old))
    assert (repaired.lost, repaired.new) == ((), ())
    assert read_rows(repaired.wrapper, page) == read_rows(old, make_list(range(20, 30)))


@pytest.mark.parametrize("renamed", [False, True])
def test_the_selection_of_columns_is_kept(renamed):
    whole = unweave.learn([make_list(range(1, 9))], method="records")
    first = read_rows(whole, make_list(range(1, 9)))[0]
    by_text = {text: name for name, text in first.items()}
    columns = [by_text["EUR 1.50"], by_text["Thing 1"]]
    if renamed:
        columns = [f"{columns[0]}=money", f"{columns[1]}=what"]
    old = unweave.learn([make_list(range(1, 9))], method="records", columns=columns)
    page = make_list(range(20, 30), classes=OTHER_CLASSES)
    repaired = unweave.repair(old, [page])
    expected = read_rows(old, make_list(range(20, 30)))
    assert list(expected[0].values()) == ["EUR 20.50", "Thing 20"]
    assert read_rows(repaired.wrapper, page) == expected
    assert list(read_rows(repaired.wrapper, page)[0]) == list(expected[0])


# ---- usage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["pattern", "landmark"])
def test_wrappers_without_named_fields_are_refused(method):
    pages = [make_product(number) for number in LEARNED]
    wrapper = unweave.learn(pages, method=method)
    with pytest.raises(UsageError, match=f"method {method} cannot be repaired"):
        unweave.repair(wrapper, pages)


def test_a_repair_needs_pages(old):
    with pytest.raises(UsageError, match="no pages"):
        unweave.repair(old, [])


def test_one_page_is_not_enough_for_fields(old):
    with pytest.raises(WrapperError, match="two or more pages"):
        unweave.repair(old, make_product(20))


def test_a_repair_as_text_has_a_line_for_each_group(old):
    assert str(Repair(old, kept=("a", "b"), lost=("c",))) == "kept (2): a, b\nlost (1): c"
    assert str(Repair(old, moved=("a",), new=("b",))) == "moved (1): a\nnew (1): b"
    assert str(Repair(old)) == ""


def test_the_old_wrapper_may_be_a_file(old, tmp_path):
    path = tmp_path / "old.json"
    old.save(path)
    pages = [reword_labels(make_product(number)) for number in NEW]
    assert str(unweave.repair(path, pages)) == str(unweave.repair(old, pages))


# ---- the command line ----------------------------------------------------------------------------


@pytest.fixture
def files(old, tmp_path):
    """The paths of the old wrapper, of the new one, and of pages of a new design."""
    old.save(tmp_path / "old.json")
    pages = []
    for number in NEW:
        page = tmp_path / f"{number}.html"
        page.write_text(rename_class(reword_labels(make_product(number)), "price", "cost"))
        pages.append(str(page))
    return str(tmp_path / "old.json"), str(tmp_path / "new.json"), pages


def test_learn_from_an_old_wrapper(old, files):
    old_path, new_path, pages = files
    result = run("learn", "--from", old_path, *pages, "-o", new_path)
    assert (result.exit_code, result.stdout) == (0, "")
    repaired = unweave.repair(old, pages)
    messages = result.stderr.splitlines()
    assert messages == [f"unweave: {line}" for line in str(repaired).splitlines()]
    assert [line.split()[1] for line in messages] == ["kept", "moved"]
    assert Wrapper.load(new_path).dumps() == repaired.wrapper.dumps()
    line = run("apply", new_path, pages[0]).stdout
    assert json.loads(line)["fields"]["weight"] == list_rows(NEW[0])["Weight"]


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "fields"],
        ["--method", "records"],
        ["--table", "1"],
        ["-k", "3"],
        ["-p", "gap=0"],
        ["--no-attributes"],
        ["--column", "a"],
    ],
)
def test_options_of_methods_exclude_an_old_wrapper(files, tmp_path, options):
    old_path, new_path, pages = files
    result = run("learn", "--from", old_path, *options, *pages, "-o", new_path)
    assert result.exit_code == 2
    assert "--from" in result.stderr
    assert not (tmp_path / "new.json").exists()


def damage(text):
    data = json.loads(text)
    data["statistics"]["shares"] = [0]
    return json.dumps(data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:100], "not JSON"),
        (lambda text: "[1]", "not an unweave wrapper"),
        (damage, "damaged"),
    ],
)
def test_a_damaged_old_wrapper_is_an_error(files, tmp_path, change, message):
    old_path, new_path, pages = files
    path = tmp_path / "old.json"
    path.write_text(change(path.read_text()))
    result = run("learn", "--from", old_path, *pages, "-o", new_path)
    assert result.exit_code not in (0, None)
    assert message in result.stderr
    assert old_path in result.stderr
    assert "Traceback" not in result.output
    assert not (tmp_path / "new.json").exists()


def test_a_missing_old_wrapper_is_an_error(files):
    _, new_path, pages = files
    result = run("learn", "--from", "missing.json", *pages, "-o", new_path)
    assert result.exit_code not in (0, None)
    assert "missing.json" in result.stderr


def test_a_sample_of_the_pages_is_learned_from(files):
    old_path, new_path, pages = files
    result = run("learn", "--from", old_path, "--sample", "4", *pages, "-o", new_path)
    assert result.exit_code == 0
    assert Wrapper.load(new_path).pages == 4


def test_an_old_wrapper_of_another_method_is_an_error(files, tmp_path):
    _, new_path, pages = files
    path = str(tmp_path / "pattern.json")
    unweave.learn(pages, method="pattern").save(path)
    result = run("learn", "--from", path, *pages, "-o", new_path)
    assert result.exit_code == 2
    assert "cannot be repaired" in result.stderr
