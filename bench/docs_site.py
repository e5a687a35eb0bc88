"""What mkdocs adds to docs/ for the site: files of the checkout, help, and an archive of notebooks.

mkdocs calls the functions by their names (``hooks`` in mkdocs.yml). The site also has the Markdown
of each page beside it, for programs that read llms.txt.
"""

from __future__ import annotations

import re
import shutil
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import click

from unweave.cli import main

ROOT = Path(__file__).parent.parent
ROOT_PAGES = {
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
}
HELP_PAGE = "reference/help.md"
TUTORIALS_ARCHIVE = "tutorial/tutorials.zip"
_ARCHIVE = Path(TUTORIALS_ARCHIVE).name
_NOTEBOOK_LINE = re.compile(r"^(The same as a notebook: \[.*\]\(.*\))\.$", re.MULTILINE)
_ARCHIVE_FOLDER = "unweave-tutorials"
_HELP_COLUMNS = 100
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)([^)#\s]+)(#[^)]*)?\)")


def load_commands() -> dict[str, click.Command]:
    """Return the commands by name; the group itself imports them when they are used."""
    context = click.Context(main, info_name="unweave")
    commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    return {name: command for name, command in commands.items() if command is not None}


def write_help() -> str:
    """Return a page with the help of the program and of each of its commands."""
    settings: dict[str, Any] = {**main.context_settings, "max_content_width": _HELP_COLUMNS}
    group = click.Context(main, info_name="unweave", **settings)
    parts = [
        "# Help of every command\n\nWhat `--help` prints. "
        "[The command line](command-line.md) explains it.\n",
        _format_help("unweave", main.get_help(group)),
    ]
    for name, command in load_commands().items():
        context = click.Context(command, info_name=name, parent=group)
        parts.append(_format_help(f"unweave {name}", command.get_help(context)))
    return "\n".join(parts)


def _format_help(title: str, text: str) -> str:
    return f"## {title}\n\n```text\n{text}\n```\n"


def adapt_links(markdown: str) -> str:
    """Make the links of a file of the checkout those of a page at the top of the site.

    Links to files that are not on the site become their texts.
    """
    targets = {source: page for page, source in ROOT_PAGES.items()}

    def adapt(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        if target.startswith("docs/"):
            return f"[{text}]({target.removeprefix('docs/')}{anchor})"
        return f"[{text}]({targets[target]}{anchor})" if target in targets else text

    return _LINK.sub(adapt, markdown)


def pack_tutorials() -> bytes:
    """Return a ZIP archive of the notebooks of the tutorials and the example pages."""
    examples = [path for path in (ROOT / "examples").rglob("*") if path.is_file()]
    tutorials = ROOT / "docs" / "tutorial"
    packed = {path: path.name for end in ("ipynb", "png") for path in tutorials.glob(f"*.{end}")}
    packed |= {path: path.relative_to(ROOT).as_posix() for path in examples}
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for path, name in sorted(packed.items(), key=lambda item: item[1]):
            if path.suffix != ".pyc":
                entry = ZipInfo(f"{_ARCHIVE_FOLDER}/{name}")  # its time is the same in every build
                archive.writestr(entry, path.read_bytes(), ZIP_DEFLATED)
    return buffer.getvalue()


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    for page, source in ROOT_PAGES.items():
        text = adapt_links((ROOT / source).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, HELP_PAGE, content=write_help()))
    files.append(File.generated(config, TUTORIALS_ARCHIVE, content=pack_tutorials()))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Link notebooks to the archive; turn links to files outside of docs/ into their texts.

    There is no page for such files, and no archive in the checkout.
    """
    archive = f"or all notebooks with the example pages: [{_ARCHIVE}]({_ARCHIVE})"
    markdown = _NOTEBOOK_LINE.sub(rf"\1, {archive}.", markdown)
    return re.sub(r"\[([^\]]*)\]\(\.\./\.\./(?!docs/)[^)]*\)", r"\1", markdown)


def on_post_build(config: Any) -> None:
    """Put the Markdown of the pages beside them."""
    source, target = Path(config["docs_dir"]), Path(config["site_dir"])
    for path in source.rglob("*.md"):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
