"""Levels ``execute`` and ``gradient``: builds harnesses and has workers run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..codegen import compile_cpp
from ..errors import CodegenRejection, WorkerError
from .harness import BACKWARD, CPP, CUDA, FORWARD, TWIN, harness
from .rows import Row, batches, bisect
from .verdict import FAILED, NOT_RUN, Verdict

# What a worker writes when it has been started and has loaded Warp.
READY = "ready"
Parts = dict[str, tuple[str, ...]]
Verdicts = dict[str, Verdict]
# What a row may take for all its runs together, and beside what its process has when it starts.
SECONDS, BYTES = 20.0, 2 << 30
# Functions of Warp that take single precision only.
_NO_DOUBLES = ("wp::volume_", "wp::mesh_", "wp::bvh_", "wp::hash_grid_", "wp::texture_", "noise(", "wp::adj_rand")

_KEYS = ("id", "kernel_name", "python_source", "cpp_forward", "cpp_backward", "launch_dim")


def run_rows(
    rows: Sequence[Row], level: str, seed: int, *, seconds: float = SECONDS, size: int = BYTES
) -> dict[str, Verdicts]:
    """Return by id the verdicts ``execute`` and (level ``gradient``) ``gradient`` on rows that compile."""
    both = (FORWARD,) if level == "execute" else (FORWARD, BACKWARD)
    verdicts: dict[str, Verdicts] = {}
    limits = {"level": level, "seed": seed, "seconds": seconds, "bytes": size}
    alone: list[Row] = []

    def build(parts: Parts, group: Sequence[Row]) -> tuple[Parts, bytes]:
        return parts, compile_cpp(harness(group, parts), checked=True)

    def done(group: Sequence[Row], built: tuple[Parts, bytes]) -> None:
        verdicts.update(_serve(group, *built, limits))

    everything: Parts = {CPP: both, CUDA: both, TWIN: both}
    # A file that does not compile costs as much as ten that do, so what may not is put aside at once.
    plain = [row for row in rows if not any(word in row["cpp_forward"] for word in _NO_DOUBLES)]
    alone += [row for row in rows if row not in plain]
    for batch in batches(plain):
        bisect(batch, lambda group: build(everything, group), done, lambda row, _: alone.append(row))
    for row in alone:
        bisect([row], lambda group: build(_what_compiles(group[0], both), group), done, _refuse(verdicts))
    return verdicts


def _refuse(verdicts: dict[str, Verdicts]) -> Any:
    def refused(row: Row, why: str) -> None:
        verdicts[row["id"]] = {"execute": Verdict(FAILED, why), "gradient": Verdict(NOT_RUN, "does not compile")}

    return refused


def _what_compiles(row: Row, both: tuple[str, ...]) -> Parts:
    """Return the parts of a row's harness that compile; always its C++ text."""
    parts: Parts = {CPP: both}
    for variant in (CUDA, TWIN):
        for directions in (both, (FORWARD,)):
            if _compiles(row, {CPP: (FORWARD,), variant: directions}):
                parts[variant] = directions
                break
    return parts


def _compiles(row: Row, parts: Parts) -> bool:
    try:
        compile_cpp(harness([row], parts), checked=True)
    except CodegenRejection:
        return False
    return True


def _serve(rows: Sequence[Row], parts: Parts, code: bytes, limits: dict[str, Any]) -> dict[str, Verdicts]:
    with TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        path = Path(folder, "rows.o")
        path.write_bytes(code)
        job = {
            "object": str(path),
            "rows": [
                {key: row[key] for key in _KEYS}
                | {
                    "parts": {
                        variant: [one for one in wanted if one == FORWARD or row["cpp_backward"]]
                        for variant, wanted in parts.items()
                    }
                }
                for row in rows
            ],
            **limits,
        }
        lines = _ask(job)
    answers = {line["id"]: line for line in map(json.loads, lines)}
    missing = ["gradient"] if limits["level"] == "gradient" else []
    return {
        row["id"]: {
            stage: Verdict(*answers[row["id"]][stage])
            if row["id"] in answers
            else Verdict(FAILED, "its object cannot be loaded")
            for stage in ("execute", *missing)
        }
        for row in rows
    }


def _ask(job: dict[str, Any]) -> list[str]:
    # No device: a process that has used one must not fork.
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    root = str(Path(__file__).resolve().parents[2])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
    worker = subprocess.run(
        [sys.executable, "-m", "builder.verify.worker"],
        input=json.dumps(job),
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        check=False,
    )
    ready, *lines = worker.stdout.splitlines() or [""]
    if ready != READY:
        raise WorkerError(f"a worker that runs kernels did not start; it ended with {worker.returncode}")
    return lines
