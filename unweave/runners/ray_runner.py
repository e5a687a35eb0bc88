"""Run tasks on a Ray cluster, whose nodes have unweave and see the files of the run."""

from __future__ import annotations

import json
import logging
import os
import pickle
import socket
import sys
import traceback
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

from unweave.errors import MissingExtra, UnweaveError, UsageError
from unweave.runners.runner import MAX_WORKER_DEATHS, Result, Task, TaskFunction
from unweave.text_cleaning import replace_control_characters

CONNECT_TIMEOUT_SECONDS = 10
MAX_MESSAGE_CHARACTERS = 300
HASHED_BYTES = 65_536
"""Files are compared by their size and by a hash of this many bytes."""

_ENVIRONMENT = {
    # Messages of raylets about dead workers: Ray would write them to standard output.
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^",
    # The seconds after which the resources of a run that was killed are free for the next one.
    "RAY_DATA_AUTOSCALING_REQUEST_EXPIRE_TIME_S": "30",
}


class RayRunner:
    """Streams tasks through Ray Data, which keeps every core busy and tries again after a death.

    A connection to a cluster that exists is used and kept; a new one is open until ``close``.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        if "ray" not in sys.modules:  # Ray reads these when it is imported
            for name, value in _ENVIRONMENT.items():
                os.environ.setdefault(name, value)
        try:
            import ray
            import ray.data
        except ImportError:
            raise MissingExtra("ray", "ray") from None
        self._workers = workers
        self._owns_connection = not ray.is_initialized()
        if self._owns_connection:
            _connect(address or "auto")

    def map(self, function: TaskFunction, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the results as they come."""
        if not tasks:
            return
        with _silence_ray_data(), closing(self._stream(function, tasks)) as answers:
            for answer in answers:
                if isinstance(answer, UnweaveError):
                    raise answer
                yield answer

    def check_paths(self, paths: Sequence[Path]) -> None:
        """Raise UsageError unless every node has this unweave, and sees these files as they are."""
        check_nodes(paths)

    def close(self) -> None:
        """Leave the cluster, unless the connection existed before."""
        import ray

        if self._owns_connection:
            ray.shutdown()

    def _stream(self, function: TaskFunction, tasks: Sequence[Task]) -> Generator[Any, None, None]:
        """Yield results and errors. Raises UnweaveError if Ray fails."""
        import ray.data

        with _ignore_warnings():
            rows = ray.data.from_items(
                [{"task": json.dumps(task)} for task in tasks], override_num_blocks=len(tasks)
            )
            workers = ray.data.TaskPoolStrategy(self._workers and min(self._workers, len(tasks)))
            stream = rows.map(
                _TaskCaller(function),
                compute=workers,
                num_cpus=1,
                max_retries=MAX_WORKER_DEATHS - 1,
            )
            stream.context.enable_progress_bars = False
            # A single task may take longer than Ray Data would wait for the next result.
            stream.context.execution_no_progress_timeout_s = -1
        try:
            # Without prefetching: else each result would be held back until there is another.
            for batch in stream.iter_batches(
                batch_size=None, batch_format="pyarrow", prefetch_batches=0
            ):
                yield from map(pickle.loads, batch["answer"].to_pylist())
        except Exception as error:
            raise _explain_failure(error) from error


class _TaskCaller:
    """Calls the function on a node. Errors are returned: Ray would wrap and print them."""

    def __init__(self, function: TaskFunction) -> None:
        self._function = function

    def __call__(self, row: dict[str, Any]) -> dict[str, bytes]:
        answer: Result | UnweaveError
        try:
            answer = self._function(json.loads(row["task"]))
        except UnweaveError as error:
            answer = error
        except Exception as error:
            message = _get_last_line(f"{type(error).__name__}: {error}")
            answer = UnweaveError(f"a worker failed: {message}")
            answer.add_note(traceback.format_exc())
        return {"answer": pickle.dumps(answer)}


# ---- connection ----------------------------------------------------------------------------------


def _connect(address: str) -> None:
    import ray

    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or "auto"
    try:
        if address not in ("auto", "local"):
            _check_port(address)
        with _ignore_warnings():
            ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL)
    except (OSError, ValueError, RuntimeError, AssertionError) as error:
        location = "on this machine" if address == "auto" else f"at {address}"
        message = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise UsageError(
            f"there is no Ray cluster {location} that can be used: {_shorten(message)}"
        ) from None


def _check_port(address: str) -> None:
    """Raise OSError if nothing listens at an address: Ray would try to connect for minutes."""
    host, separator, port = address.rpartition(":")
    if "://" in address or not separator or not port.isdecimal():
        raise ValueError("an address is HOST:PORT, or auto")
    socket.create_connection((host.strip("[]"), int(port)), CONNECT_TIMEOUT_SECONDS).close()


@contextmanager
def _ignore_warnings() -> Iterator[None]:
    """Ignore warnings about future changes of Ray."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _silence_ray_data() -> Iterator[None]:
    log = logging.getLogger("ray.data")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)


def _explain_failure(error: Exception) -> UnweaveError:
    import ray

    deaths = (
        ray.exceptions.WorkerCrashedError,
        ray.exceptions.OutOfMemoryError,
        ray.exceptions.NodeDiedError,
    )
    if isinstance(error, deaths):
        return UnweaveError(
            f"a worker died {MAX_WORKER_DEATHS} times: there may be too little memory on the nodes"
        )
    return UnweaveError(f"the cluster failed: {_get_last_line(str(error))}")


def _get_last_line(text: str) -> str:
    """Return the last line of a report of Ray: it says what happened, those before say where."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return _shorten(lines[-1]) if lines else "unknown error"


def _shorten(message: str) -> str:
    return replace_control_characters(message)[:MAX_MESSAGE_CHARACTERS]


# ---- nodes ---------------------------------------------------------------------------------------

PathState = tuple[str, int, str]
"""Whether there is a file, a folder or nothing; its size; a hash of its first bytes."""
NodeState = tuple[str | None, list[PathState]]
"""The version of unweave, None if it is not installed, and the state of each path."""


def check_nodes(paths: Sequence[Path]) -> None:
    """Raise UsageError unless every node has this unweave, and sees these paths as here."""
    version = _get_version()
    states = [get_path_state(path) for path in paths]
    for node, (node_version, node_states) in _iter_nodes(paths):
        if node_version is None:
            raise UsageError(f"node {node} has no unweave: install it there")
        if node_version != version:
            raise UsageError(
                f"node {node} has unweave {node_version}, and here is {version}: install the same"
            )
        for path, state, node_state in zip(paths, states, node_states, strict=True):
            if state != node_state:
                raise UsageError(
                    f"node {node} does not see {path} as it is here:"
                    " pages and work must be in folders that all nodes share"
                )


def get_path_state(path: Path) -> PathState:
    """Return the state of a path; of a folder only whether it is empty."""
    try:
        if path.is_dir():
            return "folder", int(any(path.iterdir())), ""
        with path.open("rb") as file:
            digest = blake2b(file.read(HASHED_BYTES), digest_size=8).hexdigest()
            return "file", path.stat().st_size, digest
    except OSError:
        return "nothing", 0, ""


def _get_version() -> str:
    return str(import_module("unweave").__version__)


def _iter_nodes(paths: Sequence[Path]) -> Iterator[tuple[str, NodeState]]:
    """Yield the name and the state of each node that has cores."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    # A nested function is sent as code. Others are imported, and unweave may not be installed.
    def get_state(names: list[str], version: str) -> NodeState:
        try:
            node_version = import_module("unweave").__version__
        except ImportError:
            return None, []
        if node_version != version:
            return node_version, []
        module = import_module("unweave.runners.ray_runner")
        return node_version, [module.get_path_state(Path(name)) for name in names]

    pending: dict[str, Any] = {}
    for node in ray.nodes():
        if node["Alive"] and node["Resources"].get("CPU"):
            affinity = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            remote = ray.remote(num_cpus=0)(get_state).options(scheduling_strategy=affinity)
            name = f"{node['NodeManagerAddress']} ({node['NodeID'][:8]})"
            pending[name] = remote.remote([*map(str, paths)], _get_version())
    for name, answer in pending.items():
        try:
            yield name, ray.get(answer)
        except ray.exceptions.RayError:
            continue  # the node has just died; the others do the work
