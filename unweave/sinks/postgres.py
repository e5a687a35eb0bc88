"""Tables into a PostgreSQL database, with their types and keys, all of them or none."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict

from unweave.errors import SinkError
from unweave.sinks.cells import storable
from unweave.sinks.engine import explained, rows
from unweave.sinks.keys import check_keys, has_index
from unweave.sinks.merged import Sorted
from unweave.sinks.names import make_names_unique

_MARK = "written by unweave"
_LONGEST_NAME = 63
_SYSTEM_COLUMNS = ("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid")
_DEFAULT_SETTINGS = {"connect_timeout": 10, "fallback_application_name": "unweave"}
_OWN_SETTINGS: dict[str, Any] = {"client_encoding": "utf8", "prepare_threshold": None}
# Two runs at the same time wait for each other. The number is any, and ours.
_LOCK = 8_390_172_845

_TYPES: dict[str, LiteralString] = {
    "text": "text",
    "integer": "bigint",
    "number": "double precision",
    "boolean": "boolean",
    "date": "date",
    "datetime": "timestamp",
    "time": "time",
    "list": "text[]",
}

_UNREADABLE = (
    "the address of the database cannot be read; it is like postgresql://user:password@host:5432/name, and a password has "
    "%40 for @, %3A for :, %2F for / and %25 for %"
)

_EXISTING = """
SELECT relname, relkind = 'r', coalesce(obj_description(pg_class.oid, 'pg_class'), '')
FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON relnamespace = pg_namespace.oid WHERE nspname = %s
"""


class _Existing(NamedTuple):
    name: str
    is_table: bool
    comment: str

    @property
    def is_ours(self) -> bool:
        return self.is_table and (
            self.comment == _MARK or self.comment.startswith(f"{_MARK} from ")
        )


class Postgres:
    """A schema of a database. What is ours in it is told by the comments on tables, which name the run that wrote them.

    Tables of ours are replaced. Those of an earlier run of the same name that are no longer written are dropped.
    """

    def __init__(self, address: str, *, schema: str, run: str) -> None:
        self._address = address
        self._schema = make_names_unique([schema], max_bytes=_LONGEST_NAME)[0]
        self._comment = f"{_MARK} from {storable(run)}" if run else _MARK

    def check(self) -> None:
        """Raise if nobody answers at the address, or we may not make tables there."""
        with self._connected() as connection:
            self._make_schema(connection)
            connection.execute(
                sql.SQL("CREATE TABLE {} ()").format(
                    self._qualified(f"unweave_{secrets.token_hex(8)}")
                )
            )
            connection.rollback()

    def write(self, tables: Sequence[Sorted]) -> list[str]:
        """Write the tables in one transaction; gives their names."""
        check_keys(tables)
        names = make_names_unique([table.name for table in tables], max_bytes=_LONGEST_NAME)
        with self._connected() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            self._make_schema(connection)
            self._drop_ours(connection, names)
            self._check_strangers(connection, names)
            for table, name in zip(tables, names, strict=True):
                self._fill(connection, table, name)
        return names

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """A connection in a transaction, which is undone if something goes wrong. Errors are one line without password."""
        settings = _settings(self._address)
        out = shown_address(self._address)
        try:
            with (
                explained(out),
                psycopg.connect(**{**_DEFAULT_SETTINGS, **settings, **_OWN_SETTINGS}) as connection,
            ):
                yield connection
        except psycopg.Error as error:
            raise SinkError(f"cannot write to {out}: {_told(error, settings)}") from None

    def _make_schema(self, connection: Connection) -> None:
        found = connection.execute(
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s", [self._schema]
        )
        if not found.fetchone():
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(self._schema)))

    def _existing(self, connection: Connection) -> list[_Existing]:
        return [_Existing(*row) for row in connection.execute(_EXISTING, [self._schema])]

    def _drop_ours(self, connection: Connection, names: Sequence[str]) -> None:
        """Drop our tables of these names, and those that an earlier run of the same name wrote."""
        ours = [own for own in self._existing(connection) if own.is_ours]
        dropped = [
            own.name for own in ours if own.name in names or own.comment == self._comment != _MARK
        ]
        if dropped:
            tables = sql.SQL(", ").join(map(self._qualified, dropped))
            connection.execute(sql.SQL("DROP TABLE {}").format(tables))

    def _check_strangers(self, connection: Connection, names: Sequence[str]) -> None:
        """Raise if somebody else's table has one of the names."""
        for own in self._existing(connection):
            if own.name in names:
                raise SinkError(
                    f"cannot write to {shown_address(self._address)}: there is a table {own.name!r} in the schema "
                    f"{self._schema!r} that unweave did not write; choose another schema"
                )

    def _fill(self, connection: Connection, table: Sorted, name: str) -> None:
        target = self._qualified(name)
        own_names = [own.name for own in table.attributes]
        columns = dict(
            zip(
                own_names,
                make_names_unique(own_names, max_bytes=_LONGEST_NAME, reserved=_SYSTEM_COLUMNS),
                strict=True,
            )
        )
        definitions = [
            _definition(columns[own.name], own.type, own.name in table.key)
            for own in table.attributes
        ]
        connection.execute(
            sql.SQL("CREATE TABLE {} ({})").format(target, sql.SQL(", ").join(definitions))
        )
        connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(target, self._comment))
        with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copy:
            for row in rows(table.path):
                copy.write_row(row)
        if has_index(table):
            key = sql.SQL(", ").join(sql.Identifier(columns[own]) for own in table.key)
            connection.execute(sql.SQL("ALTER TABLE {} ADD PRIMARY KEY ({})").format(target, key))

    def _qualified(self, name: str) -> sql.Identifier:
        return sql.Identifier(self._schema, name)


def _definition(column: str, kind: str, in_key: bool) -> sql.Composed:
    return sql.SQL("{} {} {}").format(
        sql.Identifier(column), sql.SQL(_TYPES[kind]), sql.SQL("NOT NULL" if in_key else "")
    )


def shown_address(address: str) -> str:
    """The address without the password, for people."""
    settings = _settings(address)
    user, host, port = (str(settings.get(name) or "") for name in ("user", "host", "port"))
    at = f"{user}@" if user else ""
    return f"postgresql://{at}{host}{':' if port else ''}{port}/{settings.get('dbname') or user}"


def _settings(address: str) -> Mapping[str, Any]:
    """What the address says. A password that was not written as it should be would be taken for other parts, and shown."""
    try:
        found = conninfo_to_dict(address)
    except (psycopg.Error, UnicodeError):
        raise SinkError(_UNREADABLE) from None
    host, port, name = (str(found.get(part) or "") for part in ("host", "port", "dbname"))
    if "@" in host + name or (port and not port.replace(",", "").isdigit()):
        raise SinkError(_UNREADABLE)
    return found


def _told(error: psycopg.Error, settings: Mapping[str, Any]) -> str:
    """What the database says, in one line, without the password."""
    line = " ".join((error.diag.message_primary or str(error)).split())
    password = str(settings.get("password") or "")
    return line.replace(password, "***") if password else line
