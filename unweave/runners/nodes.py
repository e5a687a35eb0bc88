"""Is every node of a Ray cluster fit for the work? It needs unweave, the same as here, and must see the same files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

from unweave.errors import UsageError

_FIRST = 65_536

_Sight = tuple[str, int, str]
_Seen = tuple[str | None, list[_Sight]]
"""The version of unweave, None if there is none, and what is at each path."""


def check(paths: Sequence[Path]) -> None:
    """Raise unless unweave is on every node, and these files and folders are there as they are here."""
    here = (_version(), [sight(path) for path in paths])
    for node, there in _nodes(paths):
        if there != here:
            raise UsageError(f"node {node} {_difference(here, there, paths)}")


def sight(path: Path) -> _Sight:
    """What is at a path: enough to tell whether two machines see the same. Of a folder only whether it has anything."""
    try:
        if path.is_dir():
            return "folder", int(any(path.iterdir())), ""
        with path.open("rb") as file:
            return (
                "file",
                path.stat().st_size,
                blake2b(file.read(_FIRST), digest_size=8).hexdigest(),
            )
    except OSError:
        return "nothing", 0, ""


def _version() -> str:
    return str(import_module("unweave").__version__)


def _nodes(paths: Sequence[Path]) -> Iterator[tuple[str, _Seen]]:
    """The nodes that work, and what each of them has."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    # A function in a function travels as it is. Others are found by the name of their module, which may not be there.
    def look(names: list[str], version: str) -> _Seen:
        try:
            theirs = import_module("unweave").__version__
        except ImportError:
            return None, []
        own = import_module("unweave.runners.nodes") if theirs == version else None
        return theirs, [own.sight(Path(name)) for name in names] if own else []

    looks: dict[str, Any] = {}
    for node in ray.nodes():
        if node["Alive"] and node["Resources"].get("CPU"):
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            remote = ray.remote(num_cpus=0)(look).options(scheduling_strategy=there)
            looks[f"{node['NodeManagerAddress']} ({node['NodeID'][:8]})"] = remote.remote(
                [*map(str, paths)], _version()
            )
    for name, answer in looks.items():
        try:
            yield name, ray.get(answer)
        except ray.exceptions.RayError:
            continue  # It has just died: then the others do the work.


def _difference(here: _Seen, there: _Seen, paths: Sequence[Path]) -> str:
    if there[0] is None:
        return "has no unweave: install it there"
    if there[0] != here[0]:
        return f"has unweave {there[0]}, and here is {here[0]}: install the same"
    path = next(
        path for path, own, other in zip(paths, here[1], there[1], strict=True) if own != other
    )
    return (
        f"does not see {path} as it is here: pages and work must be in folders that all nodes share"
    )
