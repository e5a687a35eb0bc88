"""The command ``studio``."""

from __future__ import annotations

import webbrowser
from threading import Thread

import click

from unweave.cli import signals
from unweave.cli.shared import print_message
from unweave.errors import MissingExtra


@click.command(epilog="Example:  unweave studio examples/products.html")
@click.argument("source", required=False)
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port to listen on.  [default: a free one]",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="IPv4 address to listen on; 0.0.0.0 in a container, whose port this machine publishes.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the browser; only print the URL.")
@click.option(
    "--allow-private",
    is_flag=True,
    help="Also fetch from private addresses: this machine and its network.",
)
def studio(source: str | None, port: int, host: str, no_browser: bool, allow_private: bool) -> None:
    """Open the studio, which shows pages and their tables in the browser.

    SOURCE is a page, a URL, or a folder or an archive (WARC, ZIP, tar) of pages; without it, drop,
    paste or fetch pages in the studio. The server answers this machine only, and requests need
    the token in its URL. It runs until it is interrupted with Ctrl-C, and stores nothing.
    """
    try:
        from unweave.studio.server import serve
        from unweave.studio.state import open_studio
    except ImportError as error:
        raise MissingExtra(error.name or "fastapi", "studio") from None

    def ready(address: str) -> None:
        click.echo(f"The studio is open at {address}\nCtrl-C ends it.")
        if not no_browser:
            # Some browsers return only when they are closed, and the studio has to answer them.
            Thread(target=_open_browser, args=(address,), daemon=True).start()

    with open_studio(source, allow_private=allow_private) as state:
        serve(state, host=host, port=port, on_ready=ready)
    if signals.get_signal_number() not in (0, signals.INTERRUPT):  # Ctrl-C is how users end it
        raise signals.Interrupted


def _open_browser(address: str) -> None:
    if not webbrowser.open(address):
        print_message("no browser could be opened: open the address above")
