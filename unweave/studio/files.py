"""Files to be downloaded."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

KINDS = {
    "csv": "text/csv",
    "jsonl": "application/x-ndjson",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
"""What kinds of files are called on the web, by their endings."""

CONTENT: dict[str, Any] = {
    kind: {"schema": {"type": "string", "format": "binary"}} for kind in KINDS.values()
}
"""The same for the description of the API."""

_UNSAFE = re.compile(r"[^\w.-]+")


def attachment(name: str, ending: str) -> dict[str, str]:
    """What tells a browser to save an answer under a name that is like the page's."""
    stem = _UNSAFE.sub("-", name.rsplit("/", 1)[-1].rsplit(".", 1)[0]).strip("-.")[:60] or "table"
    plain = stem.encode("ascii", "ignore").decode().strip("-.") or "table"
    more = "" if plain == stem else f"; filename*=UTF-8''{quote(f'{stem}.{ending}')}"
    return {"content-disposition": f'attachment; filename="{plain}.{ending}"{more}'}
