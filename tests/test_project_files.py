"""The files around the code parse, and name what exists: make targets, files, versions, papers."""

import json
import re
import shlex
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

import unweave
from bench.docs_site import ROOT_PAGES, adapt_links, load_commands, write_help
from bench.install import find_missing_files, list_extras

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
COMMANDS = load_commands()
TARGETS = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
DOCKERFILES = [ROOT / "Dockerfile", ROOT / ".devcontainer" / "Dockerfile"]


class _Loader(yaml.SafeLoader):
    """YAML with the tags of mkdocs, whose values do not matter here."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def read_yaml(path):
    # "on", the key of workflows, is a truth value in YAML 1.1.
    return yaml.load(path.read_text(encoding="utf-8"), _Loader)


def read_steps(workflow):
    return [step for job in read_yaml(workflow)["jobs"].values() for step in job["steps"]]


def read_instructions(path):
    """Return the instructions of a Dockerfile, with their continuation lines, and their words."""
    text = re.sub(r"^#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip()]


class TestWorkflows:
    def test_they_are_those_of_the_project(self):
        assert [path.stem for path in WORKFLOWS] == [
            "container",
            "docs",
            "quality",
            "release",
            "tests",
        ]

    @pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
    def test_they_have_what_a_workflow_needs(self, workflow):
        content = read_yaml(workflow)
        assert {"name", True, "jobs", "permissions"} <= set(content)
        assert content["permissions"] == {"contents": "read"}
        assert content["jobs"]
        for job in content["jobs"].values():
            assert job["runs-on"]
            needed = job.get("needs", [])
            assert {needed} if isinstance(needed, str) else set(needed) <= set(content["jobs"])
            for step in job["steps"]:
                assert ("uses" in step) != ("run" in step)
                assert re.fullmatch(r"[\w-]+/[\w-]+@[\w./-]+", step.get("uses", "a/b@v1"))

    def test_they_run_targets_that_exist(self):
        commands = [step.get("run", "") for path in WORKFLOWS for step in read_steps(path)]
        targets = [name for command in commands for name in re.findall(r"\bmake ([a-z]+)", command)]
        assert {"demo", "test", "fast", "docs", "release", "quality"} == set(targets) <= TARGETS

    def test_several_pythons_and_systems_are_tested(self):
        jobs = read_yaml(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
        tested = [job for job in jobs.values() if "strategy" in job]
        assert {job["runs-on"] for job in tested} == {"ubuntu-latest", "macos-latest"}
        for job in tested:
            versions = job["strategy"]["matrix"]["python"]
            assert len(versions) == 3
            for version in versions:
                name = f"Programming Language :: Python :: {version}"
                assert name in PROJECT["project"]["classifiers"]

    def test_publishing_needs_a_tag_and_no_secret(self):
        release = read_yaml(ROOT / ".github" / "workflows" / "release.yml")
        assert release[True] == {"push": {"tags": ["v*"]}}
        assert release["jobs"]["publish"]["permissions"] == {"id-token": "write"}
        for workflow in WORKFLOWS:
            assert "secrets." not in workflow.read_text(encoding="utf-8")


def test_dependabot_looks_at_folders_that_exist():
    updates = read_yaml(ROOT / ".github" / "dependabot.yml")["updates"]
    assert {update["package-ecosystem"] for update in updates} == {
        "pip",
        "github-actions",
        "docker",
    }
    for update in updates:
        for folder in update.get("directories", [update.get("directory")]):
            assert (ROOT / folder.strip("/")).is_dir()


def test_hooks_before_a_commit_are_tools_of_the_environment():
    (repository,) = read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    tools = {"ruff": "ruff", "lint-imports": "import-linter", "mypy": "mypy", "pytest": "pytest"}
    required = {re.split(r"[>=<]", name)[0] for name in PROJECT["dependency-groups"]["dev"]}
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        program, *words = shlex.split(hook["entry"])
        assert tools[program.removeprefix(".venv/bin/")] in required
        assert all((ROOT / word).exists() for word in words if word.endswith(".py"))
        if "files" in hook:
            assert any(re.search(hook["files"], name) for name in ("unweave/api.py", "Dockerfile"))


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem
)
def test_issue_forms_ask_for_something(path):
    form = read_yaml(path)
    if path.stem == "config":
        assert form == {"blank_issues_enabled": True}
        return
    assert {"name", "description", "body"} <= set(form)
    ids = [question["id"] for question in form["body"]]
    assert len(set(ids)) == len(ids)
    for question in form["body"]:
        assert question["type"] in ("input", "textarea")
        assert question["attributes"]["label"]
    assert any(question["validations"]["required"] for question in form["body"])


class TestVersion:
    def test_the_changelog_has_it_below_what_is_unreleased(self):
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
        citation = read_yaml(ROOT / "CITATION.cff")
        assert sections[:2] == [
            "Unreleased",
            f"{unweave.__version__} ({citation['date-released']})",
        ]

    def test_the_citation_has_it_and_the_papers_of_the_readme(self):
        citation = read_yaml(ROOT / "CITATION.cff")
        assert citation["cff-version"] == "1.2.0"
        assert citation["version"] == unweave.__version__
        assert citation["license"] == PROJECT["project"]["license"]
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        rows = re.findall(
            r"^\| `.*` \| .* \| (.*?): (.*), [A-Z]+ (\d{4}) \|$", readme, re.MULTILINE
        )
        assert len(rows) == len(citation["references"]) == 5
        cited = [
            (
                ", ".join(author["family-names"] for author in reference["authors"]),
                reference["title"],
                str(reference["year"]),
            )
            for reference in citation["references"]
        ]
        assert cited == rows
        for reference in citation["references"]:
            assert re.fullmatch(r"10\.\d{4,}/\S+", reference["doi"])

    def test_documents_name_the_wheel_of_this_version(self):
        named = [
            version
            for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
            for version in re.findall(
                r"unweave-([\d.]+)-py3-none-any", path.read_text(encoding="utf-8")
            )
        ]
        assert set(named) == {unweave.__version__}


class TestPackage:
    def test_the_wheel_is_compared_with_the_checkout(self, tmp_path):
        from zipfile import ZipFile

        wheel = tmp_path / "unweave.whl"
        with ZipFile(wheel, "w") as archive:
            archive.writestr("unweave/py.typed", "")
        missing = find_missing_files(wheel)
        assert "unweave/lists/model.json" in missing
        assert "unweave/studio/static/index.html" in missing
        assert "unweave/py.typed" not in missing
        assert not [name for name in missing if name.endswith(".pyc")]

    def test_files_of_the_source_distribution_exist(self):
        for pattern in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]:
            assert list(ROOT.glob(pattern)), pattern

    def test_all_has_every_extra(self):
        (everything,) = PROJECT["project"]["optional-dependencies"]["all"]
        named = re.search(r"\[(.*)\]", everything)[1].split(",")
        assert sorted([*named, "all"]) == sorted(list_extras())

    def test_documented_extras_exist(self):
        text = (ROOT / "docs" / "explanation" / "installation.md").read_text(encoding="utf-8")
        section = text[text.index("## Extras") :]
        assert sorted(re.findall(r"^\| `(.*?)` \|", section, re.MULTILINE)) == sorted(list_extras())

    def test_targets_of_the_makefile_are_described(self):
        described = set(re.findall(r"^# make ([a-z]+)", MAKEFILE, re.MULTILINE))
        assert {"demo", "test", "docs", "release"} <= described <= TARGETS


class TestContainers:
    @pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.parent.name)
    def test_they_start_from_a_pinned_slim_python_and_end_without_rights(self, path):
        instructions = read_instructions(path)
        known = "FROM WORKDIR COPY RUN ENV USER EXPOSE ENTRYPOINT CMD".split()
        assert instructions[0][0] == "FROM"
        assert {name for name, _ in instructions} <= set(known)
        for name, words in instructions:
            if name == "FROM":
                assert re.match(r"python:3\.\d+-slim-bookworm\b", words)
        users = [words for name, words in instructions if name == "USER"]
        assert users
        assert users[-1] not in ("root", "0")
        run = " ".join(words for name, words in instructions if name == "RUN")
        assert users[-1] in run.split()  # it is made in the image

    def test_the_image_runs_the_command(self):
        instructions = read_instructions(ROOT / "Dockerfile")
        after_user = instructions[[name for name, _ in instructions].index("USER") :]
        settings = dict(after_user)
        (program,) = json.loads(settings["ENTRYPOINT"])
        assert program in PROJECT["project"]["scripts"]
        assert json.loads(settings["CMD"]) == ["--help"]
        assert "RUN" not in settings

    def test_what_is_copied_exists_and_is_not_ignored(self):
        lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        assert "*" in lines
        sent = [line[1:] for line in lines if line.startswith("!")]
        copied = [
            source
            for name, words in read_instructions(ROOT / "Dockerfile")
            if name == "COPY" and not words.startswith("--from")
            for source in words.split()[:-1]
        ]
        assert sorted(copied) == sorted(sent)
        assert all((ROOT / source).exists() for source in copied)
        assert {PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]} <= set(copied)

    def test_the_development_container_sets_up_with_make(self):
        folder = ROOT / ".devcontainer"
        settings = json.loads((folder / "devcontainer.json").read_text(encoding="utf-8"))
        assert (folder / settings["build"]["dockerfile"]).exists()
        user = dict(read_instructions(folder / "Dockerfile"))["USER"]
        assert settings["remoteUser"] == user
        assert settings["postCreateCommand"].removeprefix("make ") in TARGETS

    def test_documented_commands_are_those_of_the_program(self):
        text = (ROOT / "docs" / "how-to" / "containers.md").read_text(encoding="utf-8")
        text += (ROOT / ".github" / "workflows" / "container.yml").read_text(encoding="utf-8")
        commands = re.findall(
            r"docker run .*?\bunweave ([a-z]+)((?: \S+)*)", text.replace("\\\n", "")
        )
        assert len(commands) >= 5
        for name, words in commands:
            options = {
                option
                for parameter in COMMANDS[name].params
                for option in [*parameter.opts, *parameter.secondary_opts]
            }
            assert set(re.findall(r" (--[a-z-]+|-o)", words)) <= options


class TestSite:
    def pages(self):
        def walk(entry):
            if isinstance(entry, str):
                yield entry
            else:
                for each in entry.values() if isinstance(entry, dict) else entry:
                    yield from walk(each)

        return list(walk(read_yaml(ROOT / "mkdocs.yml")["nav"]))

    def test_every_document_is_in_the_navigation(self):
        written = [
            path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")
        ]
        generated = [*ROOT_PAGES, "reference/help.md"]
        assert sorted(self.pages()) == sorted([*written, *generated])

    def test_every_document_is_in_the_readme_and_in_llms_txt(self):
        documents = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*/*.md")}
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        assert documents <= set(re.findall(r"\]\(([^)#]*)", readme))
        text = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
        assert text.startswith("# unweave\n\n> ")
        listed = re.findall(r"^- \[.+\]\((.+)\): \S", text, re.MULTILINE)
        assert sorted(f"docs/{path}" for path in listed) == sorted(documents)

    def test_every_public_name_is_in_the_reference(self):
        text = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
        names = re.findall(r"^::: unweave\.(\w+)$", text, re.MULTILINE)
        assert sorted(names) == sorted(unweave.__all__)

    def test_the_help_of_every_command_is_there(self):
        text = write_help()
        assert "records" in COMMANDS
        for name, command in COMMANDS.items():
            section = text[text.index(f"## unweave {name}\n") :]
            assert section.split("\n## ", 1)[0].count(f"Usage: unweave {name} ") == 1
            # Every command has an example.
            assert re.search(rf"Example.*unweave {name}\b", command.epilog, re.DOTALL)

    def test_links_of_files_of_the_checkout_lead_to_pages_of_the_site(self):
        assert adapt_links("[a](docs/how-to/x.md#y) [b](SECURITY.md) [c](Makefile) [d](#e)") == (
            "[a](how-to/x.md#y) [b](security.md) c [d](#e)"
        )

    def test_the_hooks_of_the_site_exist(self):
        for hook in read_yaml(ROOT / "mkdocs.yml")["hooks"]:
            assert (ROOT / hook).is_file()


def test_paths_that_the_security_policy_names_exist():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    paths = re.findall(r"`(unweave/[\w/.]+)`", text)
    assert len(paths) > 5
    for path in paths:
        assert (ROOT / path).exists(), path
    for path in ("SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md"):
        for target in re.findall(
            r"\]\((?!https?:)([^)#]+)", (ROOT / path).read_text(encoding="utf-8")
        ):
            assert (ROOT / target).exists(), f"{path} links to {target}"


def test_local_files_are_ignored():
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    for name in ("dist/", "site/", "uv.lock", ".venv"):
        assert any(fnmatch(name, line) for line in lines), name
