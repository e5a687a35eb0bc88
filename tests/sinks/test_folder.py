"""Tables as files in a folder."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sinks.example_tables import make_products, make_table, names
from unweave.errors import SinkError
from unweave.sinks.folder import MARKER, make_file_names
from unweave.sinks.registry import choose_sink, write_tables


def test_csv(tmp_path):
    write_tables(str(tmp_path / "out"), [make_products(tmp_path)], format="csv", work=tmp_path)
    assert (tmp_path / "out" / "products.csv").read_text(encoding="utf-8") == (
        "sku,stock,price,new,day,seen,opens,tags\n"
        'a,-5,2.5,true,2024-05-01,2024-05-01T10:00:00,10:30:00,"x""; y; \ufffd"\n'
        "b,,,,,,,\n"
    )


def test_csv_of_a_table_without_rows_has_a_header(tmp_path):
    write_tables(str(tmp_path / "out"), [make_products(tmp_path, [])], format="csv", work=tmp_path)
    assert (
        tmp_path / "out" / "products.csv"
    ).read_text() == "sku,stock,price,new,day,seen,opens,tags\n"


def test_formulas_are_written_as_they_are(tmp_path):
    table = make_table(tmp_path, "t", [("a",)], [{"a": "=HYPERLINK(1)"}])
    write_tables(str(tmp_path / "out"), [table], format="csv", work=tmp_path)
    assert (tmp_path / "out" / "t.csv").read_text() == "a\n=HYPERLINK(1)\n"


def test_json_lines(tmp_path):
    write_tables(str(tmp_path / "out"), [make_products(tmp_path)], format="jsonl", work=tmp_path)
    assert (tmp_path / "out" / "products.jsonl").read_text(encoding="utf-8") == (
        '{"sku": "a", "stock": -5, "price": 2.5, "new": true, "day": "2024-05-01",'
        ' "seen": "2024-05-01T10:00:00", '
        '"opens": "10:30:00", "tags": ["x\\"; y", "\ufffd"]}\n'
        '{"sku": "b", "stock": null, "price": null, "new": null, "day": null,'
        ' "seen": null, "opens": null, "tags": []}\n'
    )


def test_the_marker_describes_the_tables(tmp_path):
    tables = [
        make_products(tmp_path),
        make_table(tmp_path, "a/b", [("Name",), ("name", "list")], [], key=["name"]),
    ]
    write_tables(str(tmp_path / "out"), tables, format="csv", work=tmp_path)
    described = json.loads((tmp_path / "out" / MARKER).read_text())
    assert described["written_by"] == "unweave"
    assert described["format"] == "csv"
    assert described["tables"][0]["rows"] == 2
    assert described["tables"][1] == {
        "name": "a/b",
        "file": "a_b.csv",
        "rows": 0,
        "key": ["name_2"],
        "columns": [{"name": "Name", "type": "text"}, {"name": "name_2", "type": "list"}],
    }


def test_a_folder_that_unweave_wrote_is_replaced_as_a_whole(tmp_path):
    out = tmp_path / "out"
    write_tables(
        str(out),
        [make_products(tmp_path), make_table(tmp_path, "old", [("a",)], [])],
        format="csv",
        work=tmp_path,
    )
    out.chmod(0o750)
    write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    assert sorted(os.listdir(out)) == ["products.parquet", MARKER]
    assert out.stat().st_mode & 0o777 == 0o750
    assert not list(tmp_path.glob(".*"))


def test_an_empty_folder_and_a_link_to_a_folder_are_filled(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write_tables(str(tmp_path / "link"), [make_products(tmp_path)], work=tmp_path)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / MARKER).exists()


@pytest.mark.parametrize(
    ("marker", "refused"),
    [
        (None, "notes.txt"),
        ("{}", "notes.txt"),
        ('{"written_by": "unweave", "tables": [{"file": "../../x"}]}', "notes.txt"),
        ('{"written_by": "somebody", "tables": [{"file": "notes.txt"}]}', "notes.txt"),
        ('{"written_by": "unweave", "tables": 5}', "notes.txt"),
        ("[" * 100_000, "notes.txt"),
        ('{"written_by": "unweave", "tables": [{"file": "notes.txt"}]}', "photos"),
        (
            '{"written_by": "unweave", "tables": [{"file": "notes.txt"}, {"file": "photos"}]}',
            "photos",
        ),
    ],
)
def test_files_that_unweave_did_not_write_are_never_deleted(tmp_path, marker, refused):
    out = tmp_path / "out"
    (out / "photos").mkdir(parents=True)
    (out / "notes.txt").write_text("mine")
    if marker:
        (out / MARKER).write_text(marker)
    with pytest.raises(SinkError, match=f"unweave did not write {refused!r}"):
        write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    assert (out / "notes.txt").read_text() == "mine"
    assert (out / "photos").is_dir()


def test_a_file_that_appears_meanwhile_is_kept(tmp_path, monkeypatch):
    out = tmp_path / "out"
    write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    target = choose_sink(str(out))
    target.check()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(SinkError, match=r"unweave did not write 'notes\.txt'"):
        target.write([])
    assert (out / "notes.txt").read_text() == "mine"


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(SinkError, match="it is a file"):
        write_tables(str(tmp_path / "out"), [make_products(tmp_path)], work=tmp_path)


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    out = tmp_path / "out"
    write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    rename = os.rename

    def refuse_new(source, target):
        if os.path.basename(source) == "new":
            raise PermissionError(13, "Permission denied")
        rename(source, target)

    monkeypatch.setattr(os, "rename", refuse_new)
    with pytest.raises(SinkError, match="Permission denied"):
        write_tables(str(out), [make_products(tmp_path, [])], work=tmp_path)
    assert json.loads((out / MARKER).read_text())["tables"][0]["rows"] == 2
    assert not list(tmp_path.glob(".*"))


def test_names_of_files_stay_in_their_folder():
    assert make_file_names(
        ["../../etc/passwd", ".hidden", "-rf", "CON", "a b/c", "Größe", "\u202egpj.exe"]
    ) == [
        "_.._etc_passwd",
        "hidden",
        "rf",
        "CON_2",
        "a_b_c",
        "Größe",
        "_gpj.exe",
    ]


@given(st.lists(names))
def test_names_of_files_are_different_and_can_be_made(tmp_path_factory, given_names):
    folder = tmp_path_factory.mktemp("names")
    unique = make_file_names(given_names)
    for name in unique:
        (folder / name).touch(exist_ok=False)
    assert sorted(path.name for path in folder.iterdir()) == sorted(unique)
    assert not any(name.startswith((".", "-")) or "/" in name for name in unique)
