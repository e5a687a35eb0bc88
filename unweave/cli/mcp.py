"""The command ``mcp``."""

from __future__ import annotations

from pathlib import Path

import click

from unweave.cli import signals
from unweave.cli.shared import allow_private_option
from unweave.errors import MissingExtra


@click.command(epilog="Example:  unweave mcp --root examples")
@click.option(
    "--root",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose pages and wrappers clients can read.  [default: none]",
)
@allow_private_option
def mcp(root: Path | None, allow_private: bool) -> None:
    """Serve tools for agents over standard input and output (Model Context Protocol).

    The tools are extract_tables, extract_text, learn_wrapper, apply_wrapper and explain. Clients
    give pages as text, as files below the root, or as URLs, and get portions of bounded size. The
    server writes no files, and ends when its input ends.
    """
    try:
        from unweave.mcp.server import create_server
    except ImportError as error:
        raise MissingExtra(error.name or "mcp", "mcp") from None
    server = create_server(root, allow_private=allow_private)
    signals.end_at_once()
    server.run("stdio")
