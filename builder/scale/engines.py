"""Who runs the ranks of a stage: this process, worker processes, or (ray_cluster.py) a cluster.

Every engine is given a stage and ranks, and gives the ranks back in order, each when its files are in the store. Which
engine it was leaves no trace in the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Protocol

from .. import codegen, stages
from ..errors import SpecError
from ..package import attempts, tokens
from ..package.store import Store
from ..shipped import unknown
from ..spec import BuildSpec
from .pool import Pool

ENGINES = ("local", "ray")


class Engine(Protocol):
    """Runs stages."""

    def run(self, stage: str, ranks: Iterable[int]) -> Iterator[int]:
        """Yield each rank of a stage of :mod:`builder.stages.ranked`, in order, when it is done.

        Raises:
            StoreError: the store cannot be written.
            WorkerError: workers keep dying.
        """

    def close(self) -> None:
        """End what was started, whatever it is doing."""


_FOR_LIFE = ExitStack()


def setup_worker() -> None:
    """Prepare a worker process for the stages."""
    tokens.one_thread()
    attempts.limit_candidates()
    codegen.start_runtime()  # 0.03 s; some candidate would ask for it sooner or later
    _FOR_LIFE.enter_context(codegen.fewer_collections())  # a context that nobody holds ends at once


class Here:
    """Runs stages in this process."""

    def __init__(self, spec: BuildSpec, store: Store) -> None:
        self._spec, self._store = spec, store
        self._tuned = ExitStack()
        self._tuned.enter_context(codegen.fewer_collections())

    def run(self, stage: str, ranks: Iterable[int]) -> Iterator[int]:
        return (stages.run(stage, self._spec, self._store, rank) for rank in ranks)

    def close(self) -> None:
        self._tuned.close()


class Workers:
    """Runs stages in worker processes."""

    def __init__(self, spec: BuildSpec, store: Store, num_proc: int) -> None:
        self._spec, self._store = spec, store
        self._pool = Pool(num_proc, setup_worker)

    def run(self, stage: str, ranks: Iterable[int]) -> Iterator[int]:
        # What is there needs no worker; without a task no worker is started.
        there_already = {rank: stages.is_done(stage, self._spec, self._store, rank) for rank in ranks}
        tasks = ((stage, self._spec, self._store, rank) for rank, there in there_already.items() if not there)
        made = self._pool.in_order(stages.run, tasks)
        return (rank if there else next(made) for rank, there in there_already.items())

    def close(self) -> None:
        self._pool.close()


def _open(name: str, spec: BuildSpec, store: Store, num_proc: int, address: str) -> Engine:
    if name not in ENGINES:
        raise SpecError(unknown("engine", name, (*ENGINES, "slurm")))
    if name == "ray":
        from .ray_cluster import RayCluster

        return RayCluster(spec, store, address)
    return Here(spec, store) if num_proc == 1 else Workers(spec, store, num_proc)


@contextmanager
def opened(name: str, spec: BuildSpec, store: Store, *, num_proc: int, address: str) -> Iterator[Engine]:
    """Open an engine of :data:`ENGINES` for the block.

    Raises:
        SpecError: there is no such engine, or what it needs is not installed.
        WorkerError: the cluster cannot be used.
    """
    with closing(_open(name, spec, store, num_proc, address)) as engine:
        yield engine
