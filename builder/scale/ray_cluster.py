"""Running stages on a Ray cluster: one task for a rank, results in order, files on storage that every node sees.

A worker or node that dies costs its tasks, which Ray runs again elsewhere; whatever else dies, the build is run
again and goes on from the files. Needs the extra ``ray``.
"""

from __future__ import annotations

import contextlib
import platform
import socket
import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from .. import stages
from ..errors import SpecError, StoreError, WorkerError
from ..package.scratch import remove, scratch_name
from ..package.store import Store
from ..resources import source_digest
from ..spec import BuildSpec
from ..versions import versions
from .engines import setup_worker

_RETRIES = 10  # of a task whose worker or node died
_AHEAD = 2  # tasks for each CPU that are handed to the cluster before one is waited for
_CHECK_LIMIT = 120.0  # seconds that a node may take to answer at the start
_REACH_LIMIT = 10.0  # seconds for the head to take a connection
_GPU_SHARE = 0.25  # of a GPU, for a unit that is verified on one
_PROBE = "probe"


def environment() -> dict[str, str]:
    """Return what has to be equal on every node for its files to be those of any other."""
    libraries = {name: metadata.version(name) for name in ("pyarrow", "tokenizers", "numpy", "Pygments")}
    return {**versions(), **libraries, "python": platform.python_version(), "sources": source_digest(".")}


@cache
def _set_up() -> None:
    setup_worker()


def run_rank(stage: str, spec: dict[str, Any], root: str, rank: int) -> tuple[int, float]:
    """Run a rank of a stage in a worker of the cluster; return the rank and the seconds that took."""
    began = time.perf_counter()
    _set_up()
    stages.run(stage, BuildSpec(**spec), _store(root), rank)
    return rank, time.perf_counter() - began


@cache
def _store(root: str) -> Store:
    return Store(Path(root))


def look_at_node(probe: str) -> tuple[dict[str, str], bool]:
    """Return a worker's environment, and whether it sees a file that the driver wrote."""
    return environment(), Path(probe).is_file()


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise SpecError("engine 'ray' needs Ray on every node: pip install 'warp-cuda-pairs[ray]'") from None
    return ray


def _reach(address: str) -> None:
    """Knock at ``host:port``, because Ray waits for minutes where nobody listens.

    Raises:
        OSError: nobody does.
        ValueError: it is no such address.
    """
    if address != "auto":
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise ValueError("an address is 'auto' or HOST:PORT")
        socket.create_connection((host, int(port)), timeout=_REACH_LIMIT).close()


class RayCluster:
    """Runs ranks as tasks of a cluster that is running.

    Args:
        address: ``auto`` or ``host:port`` of its head.

    Attributes:
        task_seconds: what the tasks took in the workers, summed.
        cpus: CPUs of the cluster.

    Raises:
        SpecError: Ray is not installed, or the spec needs what the cluster does not have.
        StoreError: the store cannot be written.
        WorkerError: there is no cluster there, a node has other versions, or does not see the store.
    """

    def __init__(self, spec: BuildSpec, store: Store, address: str) -> None:
        self._ray = _ray()
        self._spec, self._store = spec, store
        self._pending: deque[Any] = deque()
        self.task_seconds = 0.0
        try:
            _reach(address)
            self._ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False)
        except (OSError, RuntimeError, ValueError) as error:
            said = " ".join(str(error).split())[:300]
            raise WorkerError(f"no Ray cluster at {address!r}: {said}; start one (`ray start --head`)") from None
        try:
            self.cpus = self._cpus()
            self._check_nodes()
        except BaseException:
            self.close()
            raise
        self._task = self._ray.remote(run_rank).options(**self._options())

    def _options(self) -> dict[str, Any]:
        options = {"num_cpus": 1, "max_retries": _RETRIES, "scheduling_strategy": "SPREAD"}
        return options | ({"num_gpus": _GPU_SHARE} if self._spec.verify == "gpu" else {})

    def _cpus(self) -> int:
        """Return the CPUs of the cluster, having looked that it has what will be asked for."""
        has = self._ray.cluster_resources()
        if self._spec.verify == "gpu" and has.get("GPU", 0) < _GPU_SHARE:
            raise SpecError("verify: 'gpu' needs a GPU, and the Ray cluster has none; add a node with one")
        if has.get("CPU", 0) < 1:
            raise SpecError("the Ray cluster has no CPU for tasks; add a node, or give the head --num-cpus")
        return int(has["CPU"])

    def _check_nodes(self) -> None:
        """Compare every node's environment with ours, and have it look for a file in the store."""
        ray = self._ray
        strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
        probe = self._store.root / scratch_name(_PROBE)
        with self._store.errors("write to"):
            probe.parent.mkdir(parents=True, exist_ok=True)
            probe.write_bytes(b"")
        try:
            look = ray.remote(look_at_node)
            asked = {
                node["NodeManagerAddress"]: look.options(
                    num_cpus=1, scheduling_strategy=strategy(node["NodeID"], soft=False)
                ).remote(str(probe))
                for node in nodes
            }
            for name, ref in asked.items():
                self._compare(name, ref)
        finally:
            remove(probe)

    def _compare(self, name: str, ref: Any) -> None:
        try:
            theirs, sees = self._ray.get(ref, timeout=_CHECK_LIMIT)
        except self._ray.exceptions.RayError as error:
            said = " ".join(str(error).split())[-300:]
            raise WorkerError(f"node {name} cannot run our code ({said}); install the same versions there") from None
        ours = environment()
        wrong = [f"{key} {theirs.get(key)} (here {ours[key]})" for key in ours if theirs.get(key) != ours[key]]
        if wrong:
            raise WorkerError(f"node {name} has {', '.join(wrong)}; install the same versions on every node")
        if not sees:
            raise StoreError(f"node {name} does not see the store {self._store.root}; put it on storage they share")

    def run(self, stage: str, ranks: Iterable[int]) -> Iterator[int]:
        supply = iter(ranks)
        while True:
            while len(self._pending) < _AHEAD * self.cpus and (rank := next(supply, None)) is not None:
                self._pending.append(self._submit(stage, rank))
            if not self._pending:
                return
            head = self._pending[0]
            yield head if isinstance(head, int) else self._result(head)
            self._pending.popleft()

    def _submit(self, stage: str, rank: int) -> Any:
        """Return a rank that is done already, or the reference of a task that does it."""
        if stages.is_done(stage, self._spec, self._store, rank):
            return rank
        return self._task.remote(stage, self._spec.model_dump(), str(self._store.root), rank)

    def _result(self, ref: Any) -> int:
        try:
            rank, seconds = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None  # what the stage raised, as in any other engine
        except self._ray.exceptions.RayError as error:
            said = " ".join(str(error).split())[:300]
            raise WorkerError(f"the Ray cluster lost a task {_RETRIES} times or is gone: {said}") from None
        self.task_seconds += seconds
        return int(rank)

    def close(self) -> None:
        for ref in self._pending:
            if not isinstance(ref, int):
                with contextlib.suppress(self._ray.exceptions.RayError):
                    self._ray.cancel(ref, force=True)
        self._ray.shutdown()
