"""A PostgreSQL server for tests, on a private socket."""

import os
import pwd
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

import psycopg
import pytest

_USER = "unweave"
_numbers = count(1)


def _find_programs():
    """Return the folder of initdb and pg_ctl; on Debian they are not on the path."""
    on_path = shutil.which("initdb")
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3])
    )
    return Path(on_path).parent if on_path else debian[-1].parent if debian else None


def _choose_account():
    """Return the account for the server: PostgreSQL refuses to be run by root."""
    if os.geteuid() != 0:
        return {}
    known = {account.pw_name for account in pwd.getpwall()}
    name = "postgres" if "postgres" in known else "nobody"
    return {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}


class Server:
    """A running server; every database that it gives is new."""

    def __init__(self, socket):
        self.socket = socket

    def address(self, database="postgres", user=_USER, options=""):
        return f"postgresql://{user}@/{database}?host={self.socket}{options}"

    def run(self, *commands, database="postgres"):
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            for command in commands:
                connection.execute(command)

    def new_database(self, options=""):
        name = f"db{next(_numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE template0 {options}")
        return name


@pytest.fixture(scope="session")
def server():
    programs = _find_programs()
    if programs is None:
        assert not os.environ.get("CI"), "PostgreSQL is not installed"
        pytest.skip("PostgreSQL is not installed")
    account = _choose_account()
    # Sockets have short names: pytest's own folders may be too deep.
    folder = Path(tempfile.mkdtemp(prefix="pg"))

    def run(program, *words):
        subprocess.run(
            [programs / program, "-D", folder / "data", *words],
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            **account,
        )

    try:
        if account:
            shutil.chown(folder, account["user"], account["group"])
        run("initdb", "-U", _USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = f"-k {folder} -c listen_addresses= -c fsync=off -c full_page_writes=off"
        settings += " -c max_connections=20"
        run("pg_ctl", "-w", "-l", folder / "log", "-o", settings, "start")
        try:
            yield Server(folder)
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def database(server):
    """The name of an empty database."""
    return server.new_database()
