"""What Warp's own CPU code makes of a program's inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..codegen import compile_cpp
from ..served import served
from ..verify.harness import CPP, CUDA, FORWARD, harness
from ..verify.rows import batches, bisect
from .program import Expected

Row = Mapping[str, Any]
_KEYS = ("id", "kernel_name", "python_source", "cpp_forward", "launch_dim", "args")


@dataclass(frozen=True, slots=True)
class Job:
    """One program whose expected values are wanted.

    Attributes:
        row: the pair that it is the program of.
        seed: decides the inputs.
        n: the length of the grid's dimensions.
        shapes: how long arrays are.
        paths: the leaves that are compared.
    """

    row: Row
    seed: int
    n: int
    shapes: str
    paths: tuple[str, ...]


def expected_values(jobs: Sequence[Job]) -> dict[str, list[Expected] | str]:
    """Return by id what the outputs are, or why that is not known.

    Args:
        jobs: their rows have different ids.

    Raises:
        WorkerError: a worker process does not start.
    """
    by_id = {str(job.row["id"]): job for job in jobs}
    found: dict[str, list[Expected] | str] = dict.fromkeys(by_id, "its C++ does not compile")
    rows: list[Any] = [job.row for job in jobs]

    def done(group: Sequence[Any], code: bytes) -> None:
        found.update(_served([by_id[row["id"]] for row in group], code))

    for batch in batches(rows):
        bisect(batch, partial(_build), done, lambda row, why: None)
    return found


def _build(rows: Sequence[Any]) -> bytes:
    return compile_cpp(harness(rows, {CPP: (FORWARD,), CUDA: (FORWARD,)}), checked=True)


def _served(jobs: Sequence[Job], code: bytes) -> dict[str, list[Expected] | str]:
    with TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        path = Path(folder, "rows.o")
        path.write_bytes(code)
        described = [
            {
                "row": {key: job.row[key] for key in _KEYS},
                "seed": job.seed,
                "n": job.n,
                "shapes": job.shapes,
                "paths": job.paths,
            }
            for job in jobs
        ]
        found, _ = served("builder.standalone.worker").ask({"object": str(path), "jobs": described})
    answers = {str(job.row["id"]): "no answer" for job in jobs} | {one["id"]: one["values"] for one in found}
    return {
        key: answer if isinstance(answer, str) else [Expected(**one) for one in answer]
        for key, answer in answers.items()
    }
