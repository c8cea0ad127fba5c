"""The build as four Slurm jobs: an array that prepares units, a task that decides, an array that measures, a task that
writes the folder.

Submitted through datatrove, whose array jobs are requeued where a node dies. What is done is told by the files of
the store alone: submitting again goes on. Needs the extra ``slurm``, and a store and a folder that every node sees.
"""

from __future__ import annotations

import math
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from .. import stages
from ..errors import SpecError, StoreError, WorkerError
from ..package import tokens
from ..package.remote import is_url
from ..package.store import Store
from ..shipped import unknown
from ..spec import UNIT, BuildSpec
from .engines import Workers
from .folders import build_folder
from .local import build
from .progress import Terminal

# Candidates prepared for each kernel wanted; what the last job finds missing it makes itself.
_SPARE = 1.02
_MOST_TASKS = 1000  # of an array: Slurm's own limit is 1001


@dataclass(frozen=True)
class Jobs:
    """How the jobs are submitted.

    Attributes:
        partition: of the cluster.
        time: limit of each task, ``HH:MM:SS``.
        units: units of one task, at least; an array has at most 1,000 tasks.
        workers: tasks that run at once; -1 for as many as the cluster lets.
        memory: GiB of each CPU.
    """

    partition: str
    time: str = "24:00:00"
    units: int = 32
    workers: int = -1
    memory: int = 4

    @classmethod
    def parse(cls, text: str) -> Jobs:
        """Return the options in ``partition=main,time=04:00:00,units=64``.

        Raises:
            SpecError: an unknown name, a wrong value, or no partition.
        """
        names = [field.name for field in fields(cls)]
        given: dict[str, Any] = {}
        for part in filter(None, text.split(",")):
            name, _, value = part.partition("=")
            if name not in names:
                raise SpecError(unknown("option of slurm", name, names))
            if name in ("units", "workers", "memory"):
                if not value.removeprefix("-").isdecimal() or int(value) == 0:
                    raise SpecError(f"slurm: {name} must be a whole number other than 0 (got {value!r})")
                given[name] = int(value)
            elif not value or not set(value) <= _PLAIN:
                raise SpecError(f"slurm: {name} may hold letters, digits and -_.: only (got {value!r})")
            else:
                given[name] = value
        if "partition" not in given:
            raise SpecError("slurm needs a partition: --slurm partition=NAME,time=HH:MM:SS")
        return cls(**given)


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")


@dataclass(frozen=True)
class Shards:
    """How the folder is written; the arguments of :func:`~builder.package.folder.write_folder`."""

    format: str
    max_shard_bytes: int


def planned_units(spec: BuildSpec) -> int:
    """Return how many units the array prepares for a spec."""
    return math.ceil(spec.num_kernels * _SPARE / UNIT) + 1


def units_of(rank: int, tasks: int, units: int) -> range:
    """Return the units of one task: every ``tasks``-th, so that all tasks are equally long."""
    return range(rank, units, tasks)


def prepare_rank(specs: Sequence[dict[str, Any]], root: str, data: object, rank: int, world_size: int) -> None:
    """Prepare the units of one task of the array. Called by datatrove in the job."""
    store = Store(Path(root))
    for spec in (BuildSpec(**one) for one in specs):
        # In a worker process: a candidate that ends it does not end the task.
        with closing(Workers(spec, store, 1)) as workers:
            for _ in workers.run(stages.PREPARE, units_of(rank, world_size, planned_units(spec))):
                pass


def decide(specs: Sequence[dict[str, Any]], root: str, data: object, rank: int, world_size: int) -> None:
    """Decide which candidates are kept, and make what units are missing. Called by datatrove in the job."""
    for spec in (BuildSpec(**one) for one in specs):
        build(spec, Store(Path(root)))


def measure_rank(specs: Sequence[dict[str, Any]], root: str, data: object, rank: int, world_size: int) -> None:
    """Measure the groups of one task of the second array. Called by datatrove in the job."""
    tokens.one_thread()
    store = Store(Path(root))
    for spec in (BuildSpec(**one) for one in specs):
        decision = stages.saved_decision(spec, store)
        if decision is None:
            raise StoreError(f"the decision that was in the store {root} is gone; submit the build again")
        for stage in stages.AFTER:
            for number in stages.ranks_of(stage, decision)[rank::world_size]:
                stages.run(stage, spec, store, number)


def finish(
    specs: Sequence[dict[str, Any]], root: str, out: str, shards: Shards, data: object, rank: int, world_size: int
) -> None:
    """Write the folder from what the other jobs made. Called by datatrove in the job."""
    tokens.one_thread()
    build_folder(
        [BuildSpec(**one) for one in specs],
        out,
        Store(Path(root)),
        progress=Terminal(),
        format=shards.format,
        max_shard_bytes=shards.max_shard_bytes,
    )


def submit(specs: Sequence[BuildSpec], out: str, store: Store, *, jobs: Jobs, shards: Shards) -> tuple[str, str]:
    """Submit the jobs that build some configs to a folder; return the number of the array and of the last job.

    Logs and datatrove's own files go to ``slurm/`` in the store.

    Raises:
        SpecError: datatrove is not installed, or a path is not one that datatrove's scripts can hold.
        WorkerError: there is no Slurm here, or it refuses the jobs.
    """
    executor = _executor()
    target = out if is_url(out) else str(Path(out).expanduser().absolute())
    for path in (store.root, target, sys.executable):
        if shlex.quote(str(path)) != str(path):
            raise SpecError(f"the path {str(path)!r} holds what a job script cannot; choose a plainer one")
    dumped = [spec.model_dump() for spec in specs]
    most = max(planned_units(spec) for spec in specs)
    tasks = min(_MOST_TASKS, math.ceil(most / jobs.units))
    logs = store.root / "slurm" / f"{Path(target).name}-{specs[0].decision_key()}"
    shutil.rmtree(logs, ignore_errors=True)  # datatrove's own notes of what is done: ours are the files of the store
    common = {
        "time": jobs.time,
        "partition": jobs.partition,
        "qos": "",
        "mem_per_cpu_gb": jobs.memory,
        "env_command": f"export PATH={Path(sys.executable).parent}:$PATH",
    }
    measuring = min(_MOST_TASKS, math.ceil(most / stages.GROUP))
    steps = (
        ("prepare", partial(prepare_rank, dumped, str(store.root)), tasks),
        ("decide", partial(decide, dumped, str(store.root)), 1),
        ("measure", partial(measure_rank, dumped, str(store.root)), measuring),
        ("finish", partial(finish, dumped, str(store.root), target, shards), 1),
    )
    made: list[Any] = []
    for name, step, count in steps:
        # Where a task of the job before failed, what depends on it is cancelled: submitting again goes on.
        depends = {"depends": made[-1], "sbatch_args": {"kill-on-invalid-dep": "yes"}} if made else {}
        made.append(
            executor(
                pipeline=[step],
                tasks=count,
                workers=jobs.workers,
                job_name=f"warp_cuda_pairs_{name}",
                logging_dir=str(logs / name),
                **depends,
                **common,
            )
        )
    try:
        made[-1].run()
    except (OSError, subprocess.CalledProcessError) as error:
        raise WorkerError(f"Slurm does not take the jobs ({error}); is `sbatch` of the cluster here?") from None
    return str(made[0].job_id), str(made[-1].job_id)


def _executor() -> Any:
    os.environ.setdefault("LOGURU_LEVEL", "WARNING")
    try:
        from datatrove.executor.slurm import SlurmPipelineExecutor
    except ImportError:
        raise SpecError("engine 'slurm' needs datatrove: pip install 'warp-cuda-pairs[slurm]'") from None
    return SlurmPipelineExecutor
