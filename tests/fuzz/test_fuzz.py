"""The fuzzer finds planted faults, shrinks them, and makes the same inputs from the same seed."""

import json
import warnings
from copy import deepcopy
from random import Random

import pytest

from fuzz import cases
from fuzz.__main__ import EXAMPLES, fuzz, main
from fuzz.archives import KINDS, pack
from fuzz.cases import VERBS, Case, Corpus, read_seeds
from fuzz.markup import find_elements, tokenize, trim
from fuzz.mutations import MUTATIONS
from fuzz.shrinking import shrink
from fuzz.verbs import CHECKS, check, learn_example_wrappers
from fuzz.workers import Bounds, run_case
from tests.fuzz import planted
from unweave import Table
from unweave.errors import WrapperError

TABLE = (
    b"<table>" + b"".join(b"<tr><td>thing %d<td>$%d.50" % (n, n) for n in range(1, 7)) + b"</table>"
)


@pytest.fixture(scope="module")
def wrappers():
    return learn_example_wrappers(EXAMPLES)


@pytest.fixture(scope="module")
def corpus(wrappers):
    return Corpus(read_seeds(EXAMPLES), wrappers, seed=1)


# ---- inputs ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_same_seed_gives_the_same_inputs(corpus, wrappers):
    again = Corpus(read_seeds(EXAMPLES), learn_example_wrappers(EXAMPLES), seed=1)
    other = Corpus(read_seeds(EXAMPLES), wrappers, seed=2)
    numbers = range(200)
    first = [corpus.build_case(number) for number in numbers]
    assert [again.build_case(number) for number in reversed(numbers)] == first[::-1]
    assert (
        sum(other.build_case(number) == case for number, case in zip(numbers, first, strict=True))
        < 5
    )


@pytest.mark.slow
def test_all_verbs_and_formats_are_among_the_inputs(corpus):
    cases = [corpus.build_case(number) for number in range(3000)]
    assert {case.verb for case in cases} == set(VERBS)
    assert {verb.split()[0] for verb in VERBS} == set(CHECKS)
    formats = {case.options["format"] for case in cases if case.verb.startswith("records")}
    assert formats == {"csv", "jsonl", "json", "table", "xlsx", "pandas", "arrow", "parquet"}
    assert {case.options["kind"] for case in cases if case.verb == "source"} == set(KINDS)
    small = [case for case in cases if max(map(len, case.parts)) < 10_000]
    assert 0.85 < len(small) / len(cases) < 1


@pytest.mark.slow
def test_most_inputs_are_answered_and_not_refused(corpus):
    """Else the mutations would break pages so much that nothing behind the parser is tried."""
    cases = [
        case
        for number in range(150)
        if (case := corpus.build_case(number)).verb not in ("site", "learn landmark")
    ]
    refused = sum(bool(run_case(case, check)[0]) for case in cases)
    assert 0 < refused < len(cases) / 4


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_mutation_changes_pages_and_takes_any(mutation):
    pages = [page.decode("latin-1") for _, page in read_seeds(EXAMPLES)[:6]]
    changed = [
        mutation(page, pages[0], Random(number)) != page for number, page in enumerate(pages * 3)
    ]
    assert sum(changed) > len(changed) / 3
    for page in ("", "x", "<", "<p>", "</p>", "<td>", "\x00\xff"):
        mutation(page, page, Random(0)).encode("latin-1")


def test_markup_is_cut_into_tokens_and_elements():
    tokens = tokenize("a<p class='x'>b<br>c</p><!-- <i> --><ul><li>d</ul><")
    assert "".join(tokens) == "a<p class='x'>b<br>c</p><!-- <i> --><ul><li>d</ul><"
    assert ["".join(tokens[start:stop]) for start, stop in find_elements(tokens)] == [
        "<p class='x'>b<br>c</p>",
        "<ul><li>d</ul>",
    ]


def test_a_trimmed_page_keeps_whole_elements():
    markup = "<ul>" + "".join(f"<li>number {n}</li>" for n in range(1000)) + "</ul>"
    trimmed = trim(markup, 5000, Random(0))
    assert 1000 < len(trimmed) <= 5000
    assert trimmed.startswith("<ul><li>")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "folder"])
def test_archives_hold_the_pages(kind):
    case = Case("source", (TABLE, TABLE), {"kind": kind, "packed": False})
    assert run_case(case, check) == ("", None)
    damaged = Case("source", (pack(kind, case.parts)[:-20],), {"kind": kind, "packed": True})
    assert run_case(damaged, check)[1] is None


# ---- checks ----------------------------------------------------------------------------------

RECORDS = Case("records auto", (TABLE,), {"format": "csv"})


def test_a_case_without_fault():
    assert run_case(RECORDS, check) == ("", None)


def test_unweave_errors_are_no_failures():
    assert run_case(Case("records auto", (b"",), {"format": "csv"}), check) == ("EmptyPage", None)


def test_other_exceptions_are_failures_with_their_location(monkeypatch):
    monkeypatch.setattr(Table, "to_json", lambda table: [][1])
    _, failure = run_case(RECORDS, check)
    assert failure.reason == "IndexError"
    assert failure.location.startswith("tests/fuzz/test_fuzz.py:")
    assert "list index out of range" in failure.details


@pytest.mark.parametrize(
    ("csv", "kind"),
    [
        ('a,b\n1,"2', "CSV cannot be read again"),
        ("", "CSV has other columns than the table"),
        ("a,b\n1,2\n", "CSV has other rows than the table"),
        ("a,b\n" + "1,2\n" * 5 + "1\n", "rows of CSV differ in length"),
        ("a,a\n" + "1,2\n" * 6, "two columns have one name"),
    ],
)
def test_broken_csv_is_a_failure(monkeypatch, csv, kind):
    monkeypatch.setattr(Table, "to_csv", lambda table, values=False: csv)
    assert run_case(RECORDS, check)[1].reason == kind


def test_a_cell_that_is_lost_as_a_value_is_a_failure(monkeypatch):
    monkeypatch.setattr(
        Table, "to_csv", lambda table, values=False: "a,b\n" + ("1,\n" if values else "1,x\n") * 6
    )
    assert run_case(RECORDS, check)[1].reason.startswith("typed output loses a cell")


def test_a_result_that_is_no_json_is_a_failure(monkeypatch):
    monkeypatch.setattr(Table, "to_json", lambda table: {"score": float("nan")})
    assert run_case(RECORDS, check)[1].reason == "a result cannot be written as JSON"


def test_a_wrapper_that_does_not_load_is_a_failure(monkeypatch):
    def refuse(path):
        raise WrapperError("damaged")

    case = Case("learn records", (TABLE,))
    assert run_case(case, check) == ("", None)
    monkeypatch.setattr("fuzz.verbs.Wrapper.load", refuse)
    assert run_case(case, check)[1].reason == "a wrapper does not load after it was saved"


def test_a_warning_that_says_bug_is_a_failure():
    def warn(text):
        return run_case(RECORDS, lambda case: warnings.warn(text, stacklevel=1))[1]

    assert warn("something is slow") is None
    assert warn("this is a bug, please report it").reason == "a warning that says bug"


# ---- runs ------------------------------------------------------------------------------------


def run(check, tmp_path, *, inputs=8, **options):
    found = tmp_path / "found"
    status = fuzz(
        planted.Pages(),
        check,
        seed=7,
        numbers=iter(range(inputs)),
        workers=2,
        output=found,
        **options,
    )
    return status, sorted(found.glob("*"))


@pytest.mark.slow
def test_a_run_without_failures(tmp_path, capsys):
    assert run(planted.refuse, tmp_path) == (0, [])
    assert _counts(capsys) == ["8", "7", "1", "0"]


def _counts(capsys):
    """The inputs, and of them the answered, the refused and the failed ones, as the summary has them."""
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "seed 7"
    return next(line for line in lines if line.startswith("planted")).split()[1:5]


@pytest.mark.slow
def test_an_exception_is_reported_and_shrunken(tmp_path, capsys):
    status, (folder,) = run(planted.raise_error, tmp_path)
    assert status == 1
    assert folder.name.endswith("-7-3")
    assert Case.load(folder) == Case("planted", (planted.FAULT,))
    facts = json.loads((folder / "failure.json").read_text())
    assert (facts["seed"], facts["number"], facts["times"]) == (7, 3, 1)
    assert "KeyError: 'planted'" in (folder / "failure.txt").read_text()
    assert "KeyError tests/fuzz/planted.py" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "kind"),
    [
        (planted.use_memory, "too much memory"),
        (planted.allocate_for_ever, "too much memory"),
        (planted.die, "the process died"),
    ],
)
def test_an_input_that_exhausts_memory_or_kills_the_process_is_reported_and_shrunken(
    tmp_path, check, kind
):
    status, (folder,) = run(check, tmp_path, bounds=Bounds(memory_mib=450), max_shrink_runs=3)
    assert status == 1
    facts = json.loads((folder / "failure.json").read_text())
    assert facts["failure"] == kind
    assert facts["bytes"]["smaller"] < facts["bytes"]["original"]
    assert planted.FAULT in b"".join(Case.load(folder).parts)


@pytest.mark.slow
def test_an_input_that_does_not_end_is_ended(tmp_path, capsys):
    status, (folder,) = run(
        planted.use_processor, tmp_path, bounds=Bounds(cpu_seconds=1), max_shrink_runs=2
    )
    assert status == 1
    facts = json.loads((folder / "failure.json").read_text())
    assert facts["failure"] == "too much processor time"
    assert facts["bytes"]["smaller"] < facts["bytes"]["original"]
    assert _counts(capsys) == ["8", "7", "0", "1"]


@pytest.mark.slow
def test_an_input_that_waits_for_ever_is_ended(tmp_path):
    _, (folder,) = run(
        planted.wait_for_ever, tmp_path, inputs=4, bounds=Bounds(wall_seconds=2), max_shrink_runs=0
    )
    assert json.loads((folder / "failure.json").read_text())["failure"] == "no answer"


def test_a_saved_input_can_be_run_again(tmp_path, monkeypatch, capsys):
    RECORDS.save(tmp_path / "case")
    assert main(["--case", str(tmp_path / "case")]) == 0
    monkeypatch.setattr(Table, "to_csv", lambda table, values=False: "")
    assert main(["--case", str(tmp_path / "case")]) == 1
    assert "CSV" in capsys.readouterr().out


def test_json_is_shrunken_by_its_keys():
    case = Case(
        "apply",
        (json.dumps({"a": [1, {"b": 2, "c": [3, "fault"]}], "d": {"e": 4}}).encode(), b"<p>x</p>"),
    )
    smaller = shrink(case, lambda case: any(b"fault" in part for part in case.parts))
    assert smaller.parts == (b'{"a": [{"c": ["fault"]}]}',)


def test_shrinking_keeps_within_its_budget():
    tried = []
    case = Case("records auto", (b"<p>" * 5000,))
    shrink(case, lambda case: tried.append(case) or True, max_runs=5)
    assert len(tried) == 5


def test_mutated_wrappers_do_not_change_later_ones():
    odd = deepcopy(cases._ODD_JSON)
    random = Random(3)
    for _ in range(300):
        data = {"a": [1, {"b": []}], "c": {}}
        for _ in range(4):
            cases._change_json(data, random)
        json.dumps(data)
    assert odd == cases._ODD_JSON
