"""What all commands share: error messages, exit statuses, options, and the output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TextIO

import click
from rich.console import Console

from unweave.cli import signals
from unweave.cli.terminal import show_page
from unweave.errors import UnweaveError, UsageError
from unweave.sinks.output import STANDARD_OUTPUT, open_text
from unweave.sinks.page_tables import open_table_writer as open_page_tables
from unweave.sinks.registry import FILE_FORMATS, infer_format
from unweave.sources.crawl import CrawlOptions
from unweave.table import Table
from unweave.text_cleaning import replace_control_characters
from unweave.variants import Variant

UNSURE_CONFIDENCE = 0.5
"""What corresponds to a field of a schema with a lower confidence is reported."""
TERMINAL_FORMAT = "table"

DONE, SOME_FAILED, WRONG_USE = 0, 1, 2
"""Exit statuses."""

OUTPUT, KEPT_WORK = "unweave.output", "unweave.kept_work"
"""Keys of a context's ``meta``: the Output, and a function that returns the folder of kept work."""


# ---- errors --------------------------------------------------------------------------------------


def print_message(message: str) -> None:
    """Print a message on standard error, unless it is closed, as when the terminal is gone."""
    with suppress(OSError):
        click.echo(f"unweave: {replace_control_characters(message)}", err=True)


@contextmanager
def handle_errors(ctx: click.Context) -> Iterator[None]:
    """Turn errors and signals into one line on standard error and an exit status."""
    try:
        yield
    except (click.exceptions.Exit, click.ClickException, click.Abort, BrokenPipeError):
        raise  # click handles these
    except (Exception, KeyboardInterrupt) as error:
        number = signals.get_signal_number()
        if not number and isinstance(error, KeyboardInterrupt):
            number = signals.INTERRUPT
        message = _format_error(error)
        if number:  # first, because what a signal interrupts may raise another error
            print_message(_format_interruption(number, ctx.meta.get(OUTPUT)))
        elif message:
            print_message(message)
        else:
            raise
        has_work = not isinstance(error, UsageError) and KEPT_WORK in ctx.meta
        if has_work and (folder := ctx.meta[KEPT_WORK]()):
            print_message(
                f"finished work is kept in {folder}: the same command continues with it,"
                " --fresh starts over"
            )
        ctx.exit(signals.STATUS + number if number else WRONG_USE)


def _format_error(error: BaseException) -> str | None:
    """Return the message for an error of the user or the system; None for a defect."""
    if isinstance(error, UnweaveError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        has_name = isinstance(error.filename, str | bytes)
        return f"{os.fsdecode(error.filename)}: {reason}" if has_name else reason
    return None


def _format_interruption(signal_number: int, output: Output | None) -> str:
    if signal_number == signals.INTERRUPT:
        message = "interrupted"
    else:
        message = f"terminated by {signals.get_signal_name(signal_number)}"
    return f"{message}: {output.describe()}" if output else message


# ---- output --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Output:
    """The output of a command, and the identity of the file that is there when it starts."""

    path: str
    identity: tuple[int, int] | None

    def describe(self) -> str:
        """Return what became of the output of a command that was interrupted."""
        if self.path == STANDARD_OUTPUT:
            return "the output may be incomplete"
        if "://" in self.path:  # not named: a URL may contain a password
            return "the database has all tables of this run, or none"
        identity = _identify_file(self.path)
        if identity is None:
            return f"{self.path} was not written"
        if not os.path.isfile(self.path) and not os.path.isdir(self.path):
            return f"{self.path} may be incomplete"
        state = "was not changed" if identity == self.identity else "is complete"
        return f"{self.path} {state}"


def _identify_file(path: str) -> tuple[int, int] | None:
    """Return numbers that change when a file is replaced; None if there is no file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_mtime_ns


def _remember_output(ctx: click.Context, _: click.Parameter, path: str) -> str:
    ctx.meta[OUTPUT] = Output(path, _identify_file(path))
    return path


def open_table_writer(
    stack: ExitStack,
    output: str,
    format: str,
    *,
    number: int | None = None,
    many: bool,
    with_fit: bool = False,
    values: bool = False,
) -> Callable[[str, Sequence[Table]], None]:
    """Return a function that writes the tables of a page, until the stack is closed."""
    if format == TERMINAL_FORMAT:
        return partial(show_page, open_console(stack, output), number=number)
    return stack.enter_context(
        open_page_tables(
            output, format, table=number, name_pages=many, with_fit=with_fit, values=values
        )
    ).write


def open_console(stack: ExitStack, output: str) -> Console:
    """Return the console for tables: the terminal with colours, or a file without."""
    if output == STANDARD_OUTPUT and is_terminal(sys.stdout):
        return Console()
    return Console(file=stack.enter_context(open_text(output)))


def choose_format(output: str, others: Sequence[str] = ()) -> str:
    """Return the format by the ending of the output file; for a terminal, a table is drawn.

    ``others`` are formats that the command writes itself.
    """
    if output != STANDARD_OUTPUT:
        return infer_format(output, others)
    return TERMINAL_FORMAT if is_terminal(sys.stdout) else "jsonl"


def report_match(name: str, field: str | None, confidence: float, *, noun: str = "field") -> None:
    """Print that a field of a schema was not found, or is not sure."""
    if not field:
        print_message(f"{name}: no {noun} of the pages corresponds to it")
    elif confidence < UNSURE_CONFIDENCE:
        print_message(f"{name}: may be the {noun} {field} (confidence {confidence:.2f})")


def is_same_file(output: str, path: str) -> bool:
    """Tell whether an output is an existing file that is also the input of this path."""
    is_file = STANDARD_OUTPUT not in (output, path)
    return (
        is_file
        and os.path.exists(output)
        and os.path.exists(path)
        and os.path.samefile(output, path)
    )


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a stream is a terminal."""
    return stream is not None and stream.isatty()


# ---- options -------------------------------------------------------------------------------------


def output_option(
    metavar: str = "OUT",
    *,
    required: bool = False,
    help: str = "Output file; the ending selects the format.",
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option ``--output``; its file is named if the command is interrupted."""
    needed = {"required": True} if required else {"default": STANDARD_OUTPUT}
    return click.option(
        "-o", "--output", metavar=metavar, callback=_remember_output, help=help, **needed
    )


def make_format_option(*others: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option ``--format``; ``others`` are formats that the command writes itself."""

    def check_format(ctx: click.Context, _: click.Parameter, format: str | None) -> str | None:
        if format is not None and format not in (TERMINAL_FORMAT, *others):
            FILE_FORMATS[format]  # raises UsageError for an unknown format
        return format

    names = "|".join(
        ["jsonl", "json", "csv", "xlsx", "parquet", "duckdb", *others, TERMINAL_FORMAT, "..."]
    )
    return click.option(
        "--format",
        "chosen_format",
        metavar=f"[{names}]",
        callback=check_format,
        help="Output format, if the ending of OUT does not select it.",
    )


format_option = make_format_option()
charset_option = click.option(
    "--charset", metavar="NAME", help="Encoding of the pages, as in the HTTP header."
)
url_option = click.option(
    "--url", metavar="URL", help="URL of the pages, to make links and images absolute."
)
keep_constant_option = click.option(
    "--keep-constant",
    is_flag=True,
    help="Keep columns with the same text in every row in CSV, Excel and Parquet files.",
)
allow_private_option = click.option(
    "--allow-private",
    is_flag=True,
    help="Also fetch from private addresses: this machine and its network.",
)
want_option = click.option(
    "--want",
    metavar="TYPE,...",
    help="Types that the records hold, such as price,image: tables with them come first.",
)
like_option = click.option(
    "--like",
    metavar="XPATH",
    multiple=True,
    help="Give twice: elements of two records. Their list is the only table.",
)
column_option = click.option(
    "--column",
    "columns",
    metavar="COLUMN[=NAME][:TYPE]",
    multiple=True,
    help="Keep this column or field, renamed and retyped; COLUMN@link holds its links. Repeat for"
    " more.",
)
schema_option = click.option(
    "--schema",
    metavar="SCHEMA.json",
    help="Exactly the fields of this JSON Schema, in its order and with its types.",
)
variant_option = click.option(
    "--variant",
    type=click.Choice([*map(str, Variant)]),
    help="For methods of papers: as printed, with errors corrected, or improved."
    "  [default: corrected]",
)
parameter_option = click.option(
    "-p",
    "--parameter",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    help="A parameter of the method, such as k=5; see docs/explanation/methods.md.",
)


def render_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of rendering, which the command gets as ``rendering``: options of a Renderer.

    It is None without --render.
    """

    @wraps(command)
    def run_command(
        *args: Any, render: bool, network: bool, no_scripts: bool, timeout: float, **parameters: Any
    ) -> None:
        if (network or no_scripts) and not render:
            raise UsageError("--network and --no-scripts require --render")
        rendering = {"network": network, "scripts": not no_scripts, "timeout": timeout}
        command(*args, rendering=rendering if render else None, **parameters)

    options = [
        click.option(
            "--render", is_flag=True, help="Render the pages in Chromium and use what is visible."
        ),
        click.option("--network", is_flag=True, help="With --render: allow network requests."),
        click.option("--no-scripts", is_flag=True, help="With --render: disable JavaScript."),
        click.option(
            "--timeout",
            metavar="SECONDS",
            type=click.FloatRange(min=0.1),
            default=30.0,
            show_default=True,
            help="With --render: maximum time for each page.",
        ),
    ]
    for option in reversed(options):
        run_command = option(run_command)
    return run_command


def crawl_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of crawls, which the command gets as ``crawl``, None without --crawl."""

    @wraps(command)
    def run_command(
        *args: Any, crawl: bool, max_pages: int, delay: float, **parameters: Any
    ) -> None:
        options = CrawlOptions(max_pages, delay=delay) if crawl else None
        command(*args, crawl=options, **parameters)

    options = [
        click.option(
            "--crawl",
            is_flag=True,
            help="Crawl the site of each URL, as its robots.txt allows.",
        ),
        click.option(
            "--max-pages",
            metavar="N",
            type=click.IntRange(min=1),
            default=1_000,
            show_default=True,
            help="With --crawl: maximum number of pages of each site.",
        ),
        click.option(
            "--delay",
            metavar="SECONDS",
            type=click.FloatRange(min=0),
            default=1.0,
            show_default=True,
            help="With --crawl: minimum time between two requests to a host.",
        ),
    ]
    for option in reversed(options):
        run_command = option(run_command)
    return run_command


_SWITCHES = {"yes": True, "true": True, "no": False, "false": False}


def parse_parameters(
    texts: Sequence[str], given: Container[str] = ()
) -> dict[str, str | int | float | bool]:
    """Return the options of a method by name, from texts such as ``k=5`` and ``nested=yes``.

    Names in ``given`` were given by an option of the command already.
    """
    parameters: dict[str, str | int | float | bool] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise UsageError(f"expected -p NAME=VALUE, got {text!r}")
        if name in parameters or name in given:
            raise UsageError(f"the option {name} is given twice")
        parameters[name] = _parse_value(value)
    return parameters


def _parse_value(text: str) -> str | int | float | bool:
    """Convert a text to a switch or a number, if it is one."""
    if text in _SWITCHES:
        return _SWITCHES[text]
    for type in (int, float):
        with suppress(ValueError):
            return type(text)
    return text
