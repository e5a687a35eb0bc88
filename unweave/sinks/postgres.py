"""The tables of a site as tables of a PostgreSQL database, with types and keys: all or none."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict

from unweave.errors import SinkError
from unweave.sinks.cells import clean_text, make_names_unique
from unweave.sinks.duckdb_connection import explain_sink_errors
from unweave.sinks.parquet import read_parquet_rows
from unweave.sinks.site_tables import SortedTable, check_keys

_COMMENT = "written by unweave"
_MAX_NAME_BYTES = 63
_SYSTEM_COLUMNS = ("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid")
_DEFAULT_SETTINGS = {"connect_timeout": 10, "fallback_application_name": "unweave"}
_REQUIRED_SETTINGS: dict[str, Any] = {"client_encoding": "utf8", "prepare_threshold": None}
# Two runs that write at the same time wait for each other. The number is arbitrary.
_LOCK_NUMBER = 8_390_172_845

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

_ADDRESS_ERROR = (
    "the address of the database cannot be parsed; it is like"
    " postgresql://user:password@host:5432/name, and a password has"
    " %40 for @, %3A for :, %2F for / and %25 for %"
)

_LIST_RELATIONS = """
SELECT relname, relkind = 'r', coalesce(obj_description(pg_class.oid, 'pg_class'), '')
FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON relnamespace = pg_namespace.oid
WHERE nspname = %s
"""


class _Relation(NamedTuple):
    """A table, view, index or sequence of the schema."""

    name: str
    is_table: bool
    comment: str

    @property
    def is_ours(self) -> bool:
        is_marked = self.comment == _COMMENT or self.comment.startswith(f"{_COMMENT} from ")
        return self.is_table and is_marked


class PostgresSchema:
    """A schema of a database. Comments on tables mark those that unweave wrote, and name the run.

    Such tables are replaced. Those of an earlier run of the same name that are no longer written
    are dropped.
    """

    def __init__(self, address: str, *, schema: str, run: str) -> None:
        self._address = address
        self._schema = make_names_unique([schema], max_bytes=_MAX_NAME_BYTES)[0]
        self._comment = f"{_COMMENT} from {clean_text(run)}" if run else _COMMENT

    def check(self) -> None:
        """Raise SinkError if the database cannot be reached, or tables cannot be created in it."""
        with self._connect() as connection:
            self._create_schema(connection)
            table = self._qualify(f"unweave_{secrets.token_hex(8)}")
            connection.execute(sql.SQL("CREATE TABLE {} ()").format(table))
            connection.rollback()

    def write(self, tables: Sequence[SortedTable]) -> list[str]:
        """Write the tables in one transaction and return their names."""
        check_keys(tables)
        names = make_names_unique([table.name for table in tables], max_bytes=_MAX_NAME_BYTES)
        with self._connect() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK_NUMBER])
            self._create_schema(connection)
            self._drop_earlier_tables(connection, names)
            for relation in self._list_relations(connection):
                if relation.name in names:
                    raise SinkError(
                        f"cannot write to {hide_password(self._address)}: there is a table"
                        f" {relation.name!r} in the schema {self._schema!r} that unweave did not"
                        " write; choose another schema"
                    )
            for table, name in zip(tables, names, strict=True):
                self._create_table(connection, table, name)
        return names

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        """Give a connection in a transaction, which is undone if anything fails.

        Errors are a SinkError of one line, without the password.
        """
        settings = _parse_address(self._address)
        out = hide_password(self._address)
        options = {**_DEFAULT_SETTINGS, **settings, **_REQUIRED_SETTINGS}
        try:
            with explain_sink_errors(out), psycopg.connect(**options) as connection:
                yield connection
        except psycopg.Error as error:
            message = " ".join((error.diag.message_primary or str(error)).split())
            if password := str(settings.get("password") or ""):
                message = message.replace(password, "***")
            raise SinkError(f"cannot write to {out}: {message}") from None

    def _create_schema(self, connection: Connection) -> None:
        existing = connection.execute(
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s", [self._schema]
        )
        if not existing.fetchone():
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(self._schema)))

    def _list_relations(self, connection: Connection) -> list[_Relation]:
        return [_Relation(*row) for row in connection.execute(_LIST_RELATIONS, [self._schema])]

    def _drop_earlier_tables(self, connection: Connection, names: Sequence[str]) -> None:
        """Drop tables that unweave wrote: those of these names, and those of the same run."""
        dropped = []
        for relation in self._list_relations(connection):
            is_of_run = relation.comment == self._comment != _COMMENT
            if relation.is_ours and (relation.name in names or is_of_run):
                dropped.append(self._qualify(relation.name))
        if dropped:
            connection.execute(sql.SQL("DROP TABLE {}").format(sql.SQL(", ").join(dropped)))

    def _create_table(self, connection: Connection, table: SortedTable, table_name: str) -> None:
        target = self._qualify(table_name)
        names = [column.name for column in table.columns]
        unique_names = make_names_unique(names, max_bytes=_MAX_NAME_BYTES, reserved=_SYSTEM_COLUMNS)
        identifiers = dict(zip(names, map(sql.Identifier, unique_names), strict=True))
        definitions = [
            sql.SQL("{} {} {}").format(
                identifiers[column.name],
                sql.SQL(_TYPES[column.type]),
                sql.SQL("NOT NULL" if column.name in table.key else ""),
            )
            for column in table.columns
        ]
        connection.execute(
            sql.SQL("CREATE TABLE {} ({})").format(target, sql.SQL(", ").join(definitions))
        )
        connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(target, self._comment))
        with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copy:
            for row in read_parquet_rows(table.path):
                copy.write_row(row)
        if table.has_indexable_key:
            key = sql.SQL(", ").join(identifiers[name] for name in table.key)
            connection.execute(sql.SQL("ALTER TABLE {} ADD PRIMARY KEY ({})").format(target, key))

    def _qualify(self, name: str) -> sql.Identifier:
        return sql.Identifier(self._schema, name)


def hide_password(address: str) -> str:
    """Return the address without the password, for messages."""
    settings = _parse_address(address)
    user, host, port = (str(settings.get(name) or "") for name in ("user", "host", "port"))
    prefix = f"{user}@" if user else ""
    suffix = f":{port}" if port else ""
    return f"postgresql://{prefix}{host}{suffix}/{settings.get('dbname') or user}"


def _parse_address(address: str) -> Mapping[str, Any]:
    """Return the settings of an address.

    Raises SinkError if it is wrong: parts of a password without escapes would be taken for other
    settings, and shown.
    """
    try:
        settings = conninfo_to_dict(address)
    except (psycopg.Error, UnicodeError):
        raise SinkError(_ADDRESS_ERROR) from None
    host, port, name = (str(settings.get(part) or "") for part in ("host", "port", "dbname"))
    if "@" in host + name or (port and not port.replace(",", "").isdigit()):
        raise SinkError(_ADDRESS_ERROR)
    return settings
