"""The size of the core install, beside its peers, and a check of the wheel.

Each distribution is installed into an environment of its own, in one run, from the same index:

    python -m bench.install dist/unweave-0.2.0-py3-none-any.whl
    python -m bench.install dist/unweave-0.2.0-py3-none-any.whl --extras [--python python3.14]
    python -m bench.install dist/unweave-0.2.0-py3-none-any.whl --check

The first prints the number of packages and the size of each install, without pip and without the
byte code that the installer writes. The second does so for each extra, and runs a command in each.
The third compares the files of the wheel with those of the checkout, installs it without extras,
and runs two commands; it prints the times, and fails if one of them fails. Packages that cannot be
installed are skipped with a message.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.markup import escape
from rich.table import Table

from bench.reporting import make_console, make_parser

ROOT = Path(__file__).parent.parent
PEERS = ("trafilatura", "scrapling", "crawl4ai", "scrapegraphai")
COMMANDS = (("--version",), ("records", "examples/people.html"))


class Install(NamedTuple):
    """A distribution in an environment of its own: packages, bytes and seconds to install."""

    requirement: str
    packages: int
    size: int
    seconds: float


class Step(NamedTuple):
    """A command, its output, and how long it took."""

    command: str
    output: str
    seconds: float


def make_environment(folder: Path, interpreter: str = sys.executable) -> Path:
    """Make an environment without pip; return its Python."""
    subprocess.run([interpreter, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder / "bin" / "python"


def install(python: Path, requirement: str) -> None:
    """Install a requirement into the environment of a Python, from binary packages only."""
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run(
        [*command, "--no-compile", "--only-binary", ":all:", requirement],
        check=True,
        capture_output=True,
        text=True,
    )


def measure_install(requirement: str, interpreter: str = sys.executable) -> Install:
    """Install a requirement into a temporary environment, and measure what it holds.

    The command of unweave is run if it is there.
    """
    with TemporaryDirectory() as folder:
        python = make_environment(Path(folder), interpreter)
        start = time.perf_counter()
        install(python, requirement)
        seconds = time.perf_counter() - start
        site = next(Path(folder).glob("lib/python*/site-packages"))
        packages = len(list(site.glob("*.dist-info")))
        size = sum(path.lstat().st_size for path in site.rglob("*") if path.is_file())
        program = python.with_name("unweave")
        if program.exists():
            command = [str(program), *COMMANDS[-1]]
            subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
        return Install(Path(requirement).name, packages, size, seconds)


def list_extras() -> list[str]:
    """Return the names of the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["optional-dependencies"])


def find_missing_files(wheel: Path) -> list[str]:
    """Return the files of the package in this checkout that the wheel lacks."""
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    files = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "unweave").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    ]
    assert "unweave/py.typed" in files
    return sorted(set(files) - packed)


def run_from_nothing(wheel: Path, interpreter: str) -> Iterator[Step]:
    """Make an environment, install the wheel without extras and run the commands; yield steps.

    Nothing is taken from the cache of pip.
    """
    with TemporaryDirectory() as folder:
        environment = f"{folder}/.venv"
        commands = [
            [interpreter, "-m", "venv", environment],
            [f"{environment}/bin/pip", "install", "-q", "--no-cache-dir", str(wheel.resolve())],
            *([f"{environment}/bin/unweave", *words] for words in COMMANDS),
        ]
        for command in commands:
            start = time.perf_counter()
            done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
            seconds = time.perf_counter() - start
            shown = (
                " ".join(command)
                .replace(f"{folder}/", "")
                .replace(f"{wheel.resolve().parent}/", "")
            )
            yield Step(shown.replace(interpreter, "python3"), done.stdout, seconds)


def check_wheel(wheel: Path, interpreter: str) -> None:
    """Print what is done from an empty environment to a table, and how long each step takes."""
    missing = find_missing_files(wheel)
    if missing:
        raise SystemExit(f"{wheel.name} lacks {', '.join(missing)}")
    steps = []
    for step in run_from_nothing(wheel, interpreter):
        steps.append(step)
        print(f"{step.seconds:5.1f} s  $ {step.command}")
        lines = step.output.splitlines()
        print("".join(f"{_shorten(line)}\n" for line in lines[:3]), end="")
        if len(lines) > 3:
            print(f"… {len(lines)} lines")
    assert json.loads(steps[-1].output)["tables"][0]["rows"], "the page has no table"
    print(f"{sum(step.seconds for step in steps):5.1f} s  in all")


def _shorten(line: str) -> str:
    return line if len(line) <= 90 else f"{line[:89]}…"


def print_installs(requirements: Sequence[str], interpreter: str = sys.executable) -> None:
    """Print packages and size of each install; skip those that cannot be installed."""
    table = Table("install of", "packages", "MB", "seconds to install")
    for requirement in requirements:
        try:
            done = measure_install(requirement, interpreter)
        except subprocess.CalledProcessError as error:
            reason = str(error.stderr).strip().splitlines()[-1:] or ["pip failed"]
            print(f"{requirement} is skipped: {reason[0]}", file=sys.stderr)
            continue
        table.add_row(
            escape(done.requirement),
            str(done.packages),
            f"{done.size / 1e6:.0f}",
            f"{done.seconds:.0f}",
        )
    make_console().print(table)


def main(arguments: Sequence[str] | None = None) -> None:
    """Check the wheel, or measure it beside its peers."""
    parser = make_parser(__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--check", action="store_true", help="install it and run two commands")
    parser.add_argument(
        "--python", default=sys.executable, help="the interpreter of the environments"
    )
    parser.add_argument("--extras", action="store_true", help="measure it with each extra")
    parser.add_argument("--peers", nargs="*", default=PEERS, metavar="NAME")
    chosen = parser.parse_args(arguments)
    if chosen.check:
        check_wheel(chosen.wheel, chosen.python)
    elif chosen.extras:
        wheels = [str(chosen.wheel), *(f"{chosen.wheel}[{name}]" for name in list_extras())]
        print_installs(wheels, chosen.python)
    else:
        print_installs([str(chosen.wheel), *chosen.peers], chosen.python)


if __name__ == "__main__":
    main()
