"""The commands records, learn, apply and cluster: output, errors and exit statuses."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import unweave
from bench.docs_site import load_commands
from unweave.cli import main
from unweave.sinks.page_tables import open_table_writer

PRODUCTS, PEOPLE = "examples/products-rows.html", "examples/people.html"


def run(*words, **options):
    return CliRunner().invoke(main, words, **options)


def test_program_name_and_version():
    done = subprocess.run(
        ["unweave", "--version"],
        capture_output=True,
        text=True,
        check=True,
        env=_make_environment(),
    )
    assert done.stdout == f"unweave, version {unweave.__version__}\n"


def test_pipe_gets_json_lines():
    result = run("records", PRODUCTS, PEOPLE)
    assert result.exit_code == 0
    assert result.stderr == ""
    first, second = map(json.loads, result.stdout.splitlines())
    assert (first["page"], second["page"]) == (PRODUCTS, PEOPLE)
    table = first["tables"][0]
    assert list(table) == ["score", "columns", "rows", "values", "texts", "records"]
    assert {"name": "title", "type": "string"} in table["columns"]
    assert {"name": "title_link", "type": "url"} in table["columns"]
    assert len(table["rows"]) == len(table["texts"]) == len(table["records"]) == 14
    assert table["records"][0]["nodes"][0].startswith("/html/body/")
    scores = [table["score"] for table in first["tables"]]
    assert scores == sorted(scores, reverse=True)


def test_page_name_is_unchanged():
    typed = "./examples/../examples/table.html"
    assert json.loads(run("records", typed).stdout)["page"] == typed


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "CSV"])
def test_file_ending_selects_format(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    result = run("records", PRODUCTS, "-o", str(path))
    assert (result.exit_code, result.stdout) == (0, "")
    text = path.read_text(encoding="utf-8")
    if ending == "jsonl":
        assert json.loads(text)["page"] == PRODUCTS
    elif ending == "json":
        assert [page["page"] for page in json.loads(text)] == [PRODUCTS]
    else:
        assert next(csv.DictReader(io.StringIO(text)))["title"] == "Hand trowel with ash handle"
    assert list(tmp_path.iterdir()) == [path]


def test_json_of_several_pages(tmp_path):
    path = tmp_path / "out.json"
    run("records", PRODUCTS, PEOPLE, "-o", str(path))
    assert [page["page"] for page in json.loads(path.read_text())] == [PRODUCTS, PEOPLE]


def test_older_file_is_kept_if_no_page_is_read(tmp_path):
    path = tmp_path / "out.json"
    path.write_text("older")
    assert run("records", "missing.html", "-o", str(path)).exit_code == 1
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_csv_holds_first_or_selected_table():
    first = list(csv.reader(io.StringIO(run("records", PRODUCTS, "--format", "csv").stdout)))
    second = list(
        csv.reader(
            io.StringIO(run("records", PRODUCTS, "--format", "csv", "--all", "--table", "2").stdout)
        )
    )
    tables = unweave.records(PRODUCTS, alternatives=True)
    assert len(first) == 1 + len(tables[0])
    assert len(second) == 1 + len(tables[1])


def test_csv_of_several_pages_has_page_column():
    rows = list(
        csv.DictReader(io.StringIO(run("records", PRODUCTS, PEOPLE, "--format", "csv").stdout))
    )
    assert [row["page"] for row in rows] == [PRODUCTS] * 14 + [PEOPLE] * 9


def test_json_holds_only_selected_table():
    line = json.loads(run("records", PRODUCTS, "--all", "--table", "2").stdout)
    assert len(line["tables"]) == 1
    tables = unweave.records(PRODUCTS, alternatives=True)
    assert line["tables"][0]["texts"] == list(tables[1].texts)


def test_all_gives_alternatives_after_the_lists_of_the_page():
    lists = json.loads(run("records", PRODUCTS).stdout)["tables"]
    every = json.loads(run("records", PRODUCTS, "--all").stdout)["tables"]
    assert every[: len(lists)] == lists
    assert 10 >= len(every) > len(lists)
    assert all(table["score"] >= 0.5 for table in lists)
    result = run("records", PRODUCTS, "--all", "--together")
    assert result.exit_code == 2
    assert "--all cannot be used with --together" in result.stderr


def test_terminal_gets_table():
    result = run("records", PEOPLE, "--format", "table", env={"COLUMNS": "100"})
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{PEOPLE}: table 1 of ")
    assert "9 rows" in lines[0]
    assert any("Henrik Vasquez" in line for line in lines)
    assert all(len(line) <= 100 for line in lines)


def test_terminal_shows_that_there_is_no_table(tmp_path):
    page = tmp_path / "prose.html"
    page.write_text("<p>Only this.</p>")
    assert (
        run("records", str(page), "--format", "table", env={"COLUMNS": "200"}).stdout
        == f"{page}: no list was found\n"
    )


def test_missing_table_number_is_reported():
    for form in ("csv", "jsonl", "table"):
        result = run("records", PEOPLE, "--format", form, "--table", "99")
        assert (
            result.stderr
            == f"unweave: {PEOPLE}: there is no table 99, only {len(unweave.records(PEOPLE))};"
            " --all gives less likely ones\n"
        )


def test_control_characters_are_replaced_on_terminal(tmp_path):
    page = tmp_path / "evil.html"
    page.write_text("<ul>" + "<li><b>a</b><p>\x1b]0;owned\x07\x1b[2Jx</p></li>" * 3 + "</ul>")
    shown = run("records", str(page), "--format", "table").stdout
    assert "3 rows" in shown
    assert "\x1b" not in shown


def test_page_from_standard_input():
    result = run("records", "-", input="<ul>" + "<li><a><b>t</b></a></li>" * 3 + "</ul>")
    assert json.loads(result.stdout)["page"] == "-"
    assert len(json.loads(result.stdout)["tables"][0]["rows"]) == 3


def test_charset_option(tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes("<ul><li><b>цена</b><p>x</p><li><b>вид</b><p>y</p></ul>".encode("koi8-r"))
    rows = json.loads(run("records", str(page), "--charset", "koi8-r").stdout)["tables"][0]["rows"]
    assert rows[0][0] == "цена"


def test_page_notes_are_printed_on_standard_error(tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes(
        b"<p>" + "déjà vu, très bien à côté, même là où ça gêne".encode() + b" \xff</p>"
    )
    result = run("records", str(page))
    assert result.exit_code == 0
    assert (
        result.stderr == f"unweave: {page}: some bytes are not UTF-8 and were replaced by \ufffd\n"
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["records"], "Missing argument 'PAGE...'"),
        (
            ["records", PEOPLE, "-o", "out.xyz"],
            "cannot tell the format of 'out.xyz' from its extension; known extensions: .jsonl, .json, .csv, .xlsx, .parquet, .duckdb",
        ),
        (
            ["records", PEOPLE, "-o", "no/such/folder/out.csv"],
            "cannot write no/such/folder/out.csv: No such file or directory",
        ),
        (
            ["records", PEOPLE, "--format", "csv", "-o", "examples"],
            "cannot write examples: it is a folder",
        ),
        (["records", PEOPLE, "--method", "magic"], "unknown method 'magic'; choose from auto"),
        (["records", PEOPLE, "--table", "0"], "Invalid value for '--table'"),
        (["frobnicate"], "No such command 'frobnicate'"),
    ],
)
def test_usage_errors_of_records(words, complaint):
    result = run(*words)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert "Traceback" not in result.stderr


def test_terminal_table_in_file(tmp_path):
    path = tmp_path / "out.txt"
    result = run("records", PEOPLE, "--format", "table", "-o", str(path))
    assert (result.exit_code, result.stdout) == (0, "")
    assert "Henrik Vasquez" in path.read_text()


def test_symbolic_link_and_permissions_are_kept(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("older")
    real.chmod(0o600)
    link.symlink_to(real)
    run("records", PEOPLE, "-o", str(link))
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert "Henrik Vasquez" in real.read_text()


def test_output_to_named_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        assert run("records", PEOPLE, "--format", "csv", "-o", str(pipe)).exit_code == 0
        assert "Henrik Vasquez" in reader.communicate()[0]
    assert pipe.is_fifo()


def test_output_to_device(tmp_path):
    command = f"{sys.executable} -m unweave records {PEOPLE} --format csv -o /dev/stdout | cat"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=True, env=_make_environment()
    )
    assert "Henrik Vasquez" in done.stdout


def test_learn_fails_if_no_page_is_read(tmp_path):
    result = run("learn", "examples/missing.html", "-o", str(tmp_path / "x.json"))
    assert result.exit_code == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("redirection", [">&-", "> /dev/full", "2>&-", "- <&-"])
def test_closed_and_full_streams_give_no_traceback(redirection):
    command = f"{sys.executable} -m unweave records {PEOPLE} {redirection}"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, env=_make_environment()
    )
    assert "Traceback" not in done.stderr


def test_terminal_with_limited_encoding_gets_table():
    environment = {**_make_environment(), "PYTHONIOENCODING": "ascii"}
    command = [
        sys.executable,
        "-m",
        "unweave",
        "records",
        "examples/auction-sjis.html",
        "--format",
        "table",
    ]
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")


def test_undecodable_file_names_are_escaped(tmp_path):
    name = os.fsencode(tmp_path) + b"/p\xff.html"
    with open(name, "wb") as file, open(PEOPLE, "rb") as page:
        file.write(page.read())
    command = [sys.executable.encode(), b"-m", b"unweave", b"records", name]
    done = subprocess.run(command, capture_output=True, check=True, env=_make_environment())
    assert os.fsencode(json.loads(done.stdout.decode("utf-8"))["page"]) == name


def run_on_terminal(words):
    command = ["script", "-qec", words, "/dev/null"]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=_make_environment()
    ).stdout


@pytest.mark.slow
def test_progress_bar_only_on_terminal(tmp_path):
    words = f"{sys.executable} -m unweave records {PEOPLE} {PRODUCTS} -o {tmp_path}/out.jsonl"
    assert "Reading pages" in run_on_terminal(words)
    piped = subprocess.run(
        words.split(), capture_output=True, text=True, check=True, env=_make_environment()
    )
    assert piped.stdout == piped.stderr == ""


@pytest.mark.parametrize("form", ["csv", "jsonl", "table"])
def test_control_characters_are_replaced_in_all_formats_on_terminal(tmp_path, form):
    page = tmp_path / "evil.html"
    page.write_text("<ul>" + "<li><b>a</b><p>\x1b[2Jx</p></li>" * 3 + "</ul>")
    shown = run_on_terminal(f"{sys.executable} -m unweave records {page} --format {form}")
    assert "2Jx" in shown
    assert "\x1b[2J" not in shown


def test_older_file_is_kept_if_run_fails(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("older")

    def fail_while_writing():
        with open_table_writer(str(path), "jsonl") as writer:
            writer.write("page", [])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_while_writing()
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("command", load_commands())
def test_help_of_each_command_has_example(command):
    assert f"Example:  unweave {command} " in run(command, "--help").stdout


def test_closed_pipe_is_not_an_error():
    command = f"{sys.executable} -m unweave records {' '.join([PEOPLE] * 50)} | head -c 10"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=True, env=_make_environment()
    )
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def _make_environment():
    return {
        **os.environ,
        "PATH": f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}",
    }


@pytest.mark.browser
def test_rendered_pages(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "<ul></ul><script>const list = document.querySelector('ul');"
        "for (k of [1, 2, 3]) list.innerHTML += '<li><b>n' + k + '</b><i>x</i></li>'</script>"
    )
    assert json.loads(run("records", str(page)).stdout)["tables"] == []
    rendered = json.loads(run("records", str(page), "--render").stdout)
    assert rendered["page"] == str(page)
    assert [row[0] for row in rendered["tables"][0]["rows"]] == ["n1", "n2", "n3"]
    assert json.loads(run("records", str(page), "--render", "--no-scripts").stdout)["tables"] == []


def test_url_option_makes_links_absolute():
    table = json.loads(run("records", PEOPLE, "--url", "https://canals.example.org/").stdout)[
        "tables"
    ][0]
    assert table["rows"][0][0] == "https://canals.example.org/about/people/dr-marguerite-osei-lund"


@pytest.mark.browser
def test_other_pages_are_rendered_after_failure(tmp_path):
    endless = tmp_path / "endless.html"
    endless.write_text("<p>x</p><script>while (true) {}</script>")
    result = run("records", str(endless), PEOPLE, "--render", "--timeout", "5")
    assert result.exit_code == 1
    assert result.stderr == f"unweave: {endless}: the browser took longer than 5 s\n"
    assert json.loads(result.stdout)["page"] == PEOPLE


def test_rendering_url_requires_network():
    result = run("records", "https://example.org/", "--render")
    assert result.exit_code == 2
    assert result.stderr == "unweave: a URL can be rendered only with the network on\n"


def test_learn_and_apply(tmp_path):
    wrapper = tmp_path / "people.json"
    learned = run("learn", PEOPLE, "-o", str(wrapper), "--method", "records")
    assert (learned.exit_code, learned.output) == (0, "")
    applied = run("apply", str(wrapper), PEOPLE, "examples/no-list.html")
    assert applied.exit_code == 0
    first, second = map(json.loads, applied.stdout.splitlines())
    assert (
        first["tables"][0]["texts"]
        == json.loads(run("records", PEOPLE).stdout)["tables"][0]["texts"]
    )
    assert (first["fit"], second) == (
        1.0,
        {"page": "examples/no-list.html", "tables": [], "fit": 0.0},
    )
    assert applied.stderr.startswith("unweave: examples/no-list.html: does not fit the wrapper")


def test_apply_writes_every_format(tmp_path):
    wrapper = str(tmp_path / "people.json")
    run("learn", PEOPLE, "-o", wrapper)
    rows = list(
        csv.DictReader(io.StringIO(run("apply", wrapper, PEOPLE, "--format", "csv").stdout))
    )
    assert len(rows) == 9
    assert (
        "Henrik Vasquez"
        in run("apply", wrapper, PEOPLE, "--format", "table", env={"COLUMNS": "100"}).stdout
    )


def test_sample_depends_on_seed(tmp_path):
    pages = ["examples/table.html", PEOPLE, "examples/jobs.html", PRODUCTS]
    learned = []
    for number, seed in enumerate(["1", "1", "2", "3", "4", "5"]):
        path = tmp_path / f"{number}.json"
        assert run("learn", *pages, "--sample", "1", "--seed", seed, "-o", str(path)).exit_code == 0
        learned.append(path.read_text())
    assert learned[0] == learned[1]
    assert len(set(learned)) > 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["learn", PEOPLE], "Missing option '-o'"),
        (["records", PEOPLE, "--network"], "--network and --no-scripts require --render"),
        (
            ["apply", "examples/missing.json", PEOPLE],
            "examples/missing.json: cannot be read: No such file or directory",
        ),
        (
            ["apply", "examples/truth.jsonl", PEOPLE],
            "examples/truth.jsonl: the wrapper is not JSON",
        ),
    ],
)
def test_usage_errors_of_wrappers(words, complaint):
    result = run(*words)
    assert result.exit_code == 2
    assert complaint in result.stderr


def test_other_pages_are_extracted_after_failure(tmp_path, monkeypatch):
    wrapper = str(tmp_path / "people.json")
    run("learn", PEOPLE, "-o", wrapper)
    monkeypatch.setattr("unweave.wrappers.list_tables.MAX_CELLS", 10)
    result = run("apply", wrapper, PEOPLE, "examples/no-list.html")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"unweave: {PEOPLE}: the table would have more than 10 cells")
    assert json.loads(result.stdout)["page"] == "examples/no-list.html"


# ---- lists in cells ------------------------------------------------------------------------------------------------


def test_list_columns_in_every_format(tmp_path):
    page = "examples/nested/shoes.html"
    improved = ["--method", "ctvs", "--variant", "improved"]
    result = CliRunner().invoke(main, ["records", page, *improved])
    best = json.loads(result.stdout)["tables"][0]
    assert best["rows"][0][-2:] == ["40; 41; 42; 43", "3 left; In stock; In stock; 1 left"]
    assert best["lists"]["text_6"][0] == ["40", "41", "42", "43"]
    shown = CliRunner().invoke(
        main, ["records", page, *improved, "--format", "table"], env={"COLUMNS": "120"}
    )
    assert "40; 41; 42; 43" in shown.stdout
    output = tmp_path / "shoes.csv"
    assert CliRunner().invoke(main, ["records", page, *improved, "-o", str(output)]).exit_code == 0
    assert "40; 41; 42; 43" in output.read_text(encoding="utf-8")


# ---- cluster ---------------------------------------------------------------------------------------------------


SHOP = ["examples/shop/kettle.html", "examples/table.html", "examples/shop/lamp.html"]


def test_cluster_prints_one_line_per_page():
    result = CliRunner().invoke(main, ["cluster", *SHOP])
    assert result.exit_code == 0
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"page": page, "cluster": number} for page, number in zip(SHOP, (0, 1, 0), strict=True)
    ]


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (
            "csv",
            "page,cluster\nexamples/shop/kettle.html,0\nexamples/table.html,1\nexamples/shop/lamp.html,0\n",
        ),
        ("jsonl", '{"page": "examples/shop/kettle.html", "cluster": 0}\n'),
        ("json", '[\n{"page": "examples/shop/kettle.html", "cluster": 0},\n'),
    ],
)
def test_cluster_formats(ending, expected, tmp_path):
    output = tmp_path / f"clusters.{ending}"
    assert CliRunner().invoke(main, ["cluster", *SHOP, "-o", str(output)]).exit_code == 0
    assert output.read_text().startswith(expected)


def test_cluster_thresholds():
    assert CliRunner().invoke(main, ["cluster", *SHOP, "--threshold", "paper"]).exit_code == 0
    result = CliRunner().invoke(main, ["cluster", *SHOP, "--threshold", "much"])
    assert result.exit_code == 2
    assert "neither a number nor 'paper'" in result.stderr
    result = CliRunner().invoke(main, ["cluster", *SHOP, "--threshold", "7"])
    assert result.exit_code == 2
    assert "above 0 and at most 1" in result.stderr


def test_cluster_reports_failed_pages(tmp_path):
    empty = tmp_path / "empty.html"
    empty.write_text("")
    result = CliRunner().invoke(main, ["cluster", str(empty), *SHOP])
    assert result.exit_code == 1
    assert "empty.html" in result.stderr
    assert len(result.stdout.splitlines()) == 3
    assert CliRunner().invoke(main, ["cluster", str(empty)]).exit_code == 1
