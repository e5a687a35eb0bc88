"""The command line: parses arguments, calls the API, prints.

Commands are imported when they run.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from unweave import __version__

_COMMANDS = {
    "apply": ("wrappers", "Extract the data of pages with a wrapper."),
    "cluster": ("pages", "Sort pages by template."),
    "diff": ("diff", "Compare two tables: rows that were added, removed and changed."),
    "explain": ("explain", "Write a report on how the list of a page was found."),
    "export": ("export", "Convert a wrapper to selectors, a Scrapy spider or a page object."),
    "learn": ("wrappers", "Learn a wrapper from pages of one template."),
    "mcp": ("mcp", "Serve tools for agents (Model Context Protocol)."),
    "news": ("pages", "Extract articles: title, body, date and authors."),
    "records": ("records", "Find the lists of pages and write them as tables."),
    "show": ("wrappers", "Describe a wrapper: its fields, with examples."),
    "site": ("site", "Sort the pages of whole sites into the tables of a database."),
    "studio": ("studio", "Open the studio, which shows pages and tables in the browser."),
    "text": ("text", "Extract the main content of pages as text and Markdown."),
}
"""The commands: the module of each, and its line in the list of commands."""


class LazyGroup(click.Group):
    """A group of commands that are imported when they are used; ``--help`` imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported."""
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"unweave.cli.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run as a program; signals raise an exception in the command."""
        from unweave.cli import signals

        with signals.raise_signals():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; an error becomes one line on standard error and an exit status."""
        from unweave.cli.shared import handle_errors

        with handle_errors(ctx):
            return super().invoke(ctx)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="unweave")
def main() -> None:
    """Extract tables, fields and articles from web pages: pages in, tables out."""
