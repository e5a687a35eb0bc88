"""The command line and the output of the scripts of this package."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of arguments that prints the description as it is."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def make_console(width: int = 120) -> Console:
    """Return a console that has this width where the output is no terminal."""
    return Console(width=None if sys.stdout.isatty() else width)
