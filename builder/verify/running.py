"""Levels ``execute`` and ``gradient``: builds harnesses and has workers run them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..codegen import compile_cpp
from ..errors import CodegenRejection
from ..served import served
from .devices import launch_rows
from .examine import stages
from .harness import BACKWARD, CPP, CUDA, DEVICE, FORWARD, SINGLE, TWIN, harness, works_together
from .layout import FLOATS
from .rows import Row, batches, bisect
from .verdict import FAILED, NOT_RUN, Verdict

_WORKER = "builder.verify.worker"
Parts = dict[str, tuple[str, ...]]
Verdicts = dict[str, Verdict]
# What a row may take for all its runs together, and beside what its process has when it starts.
SECONDS, BYTES = 20.0, 2 << 30
# Functions of Warp that take single precision only.
_NO_DOUBLES = ("wp::volume_", "wp::mesh_", "wp::bvh_", "wp::hash_grid_", "wp::texture_", "noise(", "wp::sample_")

_KEYS = ("id", "kernel_name", "python_source", "cpp_forward", "cpp_backward", "launch_dim")


def run_rows(
    rows: Sequence[Row], level: str, seed: int, *, seconds: float = SECONDS, size: int = BYTES, device: str = ""
) -> dict[str, Verdicts]:
    """Return by id the verdicts ``execute`` and (level ``gradient``) ``gradient`` on rows that compile.

    Args:
        level: ``execute`` or ``gradient``.
        seed: decides the inputs.
        seconds: how long all that is done with one row may take.
        size: how many bytes a row's process may take beside what it starts with.
        device: as Warp names it, to launch rows on too (verdict ``gpu``); level ``gradient`` only.

    Raises:
        WorkerError: a worker process does not start.
    """
    both = (FORWARD,) if level == "execute" else (FORWARD, BACKWARD)
    verdicts: dict[str, Verdicts] = {}
    limits = {"level": level, "seed": seed, "seconds": seconds, "bytes": size, "device": device}
    # A file that does not compile costs as much as ten that do, so what cannot is put aside at once.
    single = [row for row in rows if _needs_single(row)]
    aside = {row["id"] for row in single}
    verdicts.update(
        _together([row for row in rows if row["id"] not in aside], {CPP: both, CUDA: both, TWIN: both}, limits)
    )
    verdicts.update(_together(single, {CPP: both, CUDA: both}, limits))
    for row in rows:
        if row["id"] not in verdicts:
            verdicts[row["id"]] = _alone(row, both, limits)
    return verdicts


def _needs_single(row: Row) -> bool:
    """Say whether a row calls what takes single precision only, or has overloads that doubles would make one."""
    if any(word in row["cpp_forward"] for word in _NO_DOUBLES):
        return True
    if sum(f"wp::{name}" in row["cpp_forward"] for name in FLOATS) < 2:
        return False
    functions = [node.name for node in ast.parse(row["python_source"]).body if isinstance(node, ast.FunctionDef)]
    return len(set(functions)) < len(functions)


def _together(rows: Sequence[Row], parts: Parts, limits: dict[str, Any]) -> dict[str, Verdicts]:
    """Return the verdicts on those rows that compile in all these parts, and load."""
    verdicts: dict[str, Verdicts] = {}

    def done(group: Sequence[Row], code: bytes) -> None:
        verdicts.update(_serve(group, parts, code, limits))

    for batch in batches(rows):
        build = partial(_build, parts)
        bisect(batch, build, done, lambda row, why: None)
    return verdicts


def _build(parts: Parts, rows: Sequence[Row]) -> bytes:
    return compile_cpp(harness(rows, parts), checked=True)


def _alone(row: Row, both: tuple[str, ...], limits: dict[str, Any]) -> Verdicts:
    """Return the verdicts on a row that does not compile in all its parts, or ends the process that loads it."""
    parts = _what_compiles(row, both)
    try:
        code = compile_cpp(harness([row], parts), checked=True)
    except CodegenRejection as refusal:
        return _failed(refusal.detail, limits)
    return _serve([row], parts, code, limits).get(row["id"]) or _failed("ends the process that loads it", limits)


def _failed(why: str, limits: dict[str, Any]) -> Verdicts:
    others = [stage for stage in stages(limits["level"]) if stage != "execute"]
    return {"execute": Verdict(FAILED, why), **{stage: Verdict(NOT_RUN, "does not execute") for stage in others}}


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
    """Have a worker run rows; the verdicts on those that it comes to."""
    with TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        path = Path(folder, "rows.o")
        path.write_bytes(code)
        described = [_described(row, parts) for row in rows]
        job = {"object": str(path), "rows": described, **limits}
        answers, ended = served(_WORKER).ask(job)
        if ended:  # by something else: each job has a process of its own below this one
            answers, _ = served(_WORKER).ask(job)
        found = {
            answer["id"]: {stage: Verdict(*answer[stage]) for stage in stages(limits["level"])} for answer in answers
        }
        if limits["device"]:
            job = {"object": str(path), "seed": limits["seed"], "seconds": limits["seconds"]}
            launched = launch_rows(described[: len(found)], found, job, limits["device"])
            found = {key: {**verdicts, "gpu": launched[key]} for key, verdicts in found.items()}
    return found


def _described(row: Row, parts: Parts) -> dict[str, Any]:
    """Return what a worker needs to know of a row."""
    found = {
        variant: [one for one in wanted if one == FORWARD or row["cpp_backward"]] for variant, wanted in parts.items()
    }
    if CUDA in found and works_together(row):
        found |= {DEVICE: found[CUDA], SINGLE: found[CUDA]}
    return {key: row[key] for key in _KEYS} | {"parts": found}
