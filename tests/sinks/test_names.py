"""Names of strangers, such that every sink can tell them apart."""

from hypothesis import given
from hypothesis import strategies as st

from tests.sinks.made import names
from unweave.sinks.names import make_file_names, make_names_unique


def test_names_that_differ_only_by_case_get_a_number():
    assert make_names_unique(["Price", "price", "title", "PRICE"]) == [
        "Price",
        "price_2",
        "title",
        "PRICE_3",
    ]


def test_names_are_never_empty():
    assert make_names_unique(["", "\0", "unnamed"]) == ["unnamed", "unnamed_2", "unnamed_3"]


def test_long_names_are_cut_between_characters_and_stay_different():
    assert make_names_unique(["ü" * 40, "ü" * 41], max_bytes=63) == ["ü" * 31, "ü" * 30 + "_2"]


def test_reserved_names_are_not_used():
    assert make_names_unique(["xmin", "XMIN"], reserved=["xmin"]) == ["xmin_2", "XMIN_3"]


@given(st.lists(names), st.sampled_from([None, 63]))
def test_names_stay_different_in_databases(given_names, longest):
    found = make_names_unique(given_names, max_bytes=longest, reserved=["xmin"])
    assert len({name.casefold() for name in found} | {"xmin"}) == len(given_names) + 1
    assert all(
        name and "\0" not in name and len(name.encode()) <= (longest or 10_000) for name in found
    )
    assert make_names_unique(found, max_bytes=longest, reserved=["xmin"]) == found


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
    found = make_file_names(given_names)
    for name in found:
        (folder / name).touch(exist_ok=False)
    assert sorted(path.name for path in folder.iterdir()) == sorted(found)
    assert not any(name.startswith((".", "-")) or "/" in name for name in found)
