"""The command line: parses words, calls the api, prints."""

from __future__ import annotations

import click

from unweave import __version__
from unweave.cli.explain import explain
from unweave.cli.export import export
from unweave.cli.pages import cluster, news
from unweave.cli.records import records
from unweave.cli.shared import Group
from unweave.cli.site import site
from unweave.cli.studio import studio
from unweave.cli.wrappers import apply, learn, show


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="unweave")
def main() -> None:
    """Take web pages apart into template and data: pages in, tables out."""


for command in (records, explain, learn, apply, show, export, cluster, news, site, studio):
    main.add_command(command)
