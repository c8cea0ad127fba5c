"""Has workers launch rows on this machine's GPU, if it has one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import warp as wp

from ..codegen.warp_native import start_runtime
from ..errors import WorkerError
from ..surroundings import surroundings
from .verdict import FAILED, NONSMOOTH, NOT_RUN, PASSED, Verdict

# NVIDIA's checker of memory accesses and races; it comes with the CUDA toolkit, and is used where it is.
SANITIZER = "compute-sanitizer"
_ERRORS = 9
_READY = "ready"


def find_device() -> str:
    """Return the name of the device to use, or nothing where there is none."""
    start_runtime()
    return str(wp.get_cuda_devices()[0].alias) if wp.is_cuda_available() else ""


def launch_rows(
    rows: Sequence[Mapping[str, Any]], checked: Mapping[str, Mapping[str, Verdict]], job: Mapping[str, Any], device: str
) -> dict[str, Verdict]:
    """Return by id the verdict on launching rows that execute; ``not_run`` on the others.

    Args:
        rows: as a worker that runs kernels takes them, in the order of the harness.
        checked: the verdicts ``execute`` and ``gradient`` by id.
        job: the path of the harness's ``object``, the ``seed``, the ``seconds`` that a row may take.
        device: as :func:`find_device` names it.

    Raises:
        WorkerError: a worker process does not start.
    """
    verdicts: dict[str, Verdict] = {}
    todo: list[dict[str, Any]] = []
    for number, row in enumerate(rows):
        execute, gradient = (checked[row["id"]][check] for check in ("execute", "gradient"))
        if execute.state != PASSED:
            verdicts[row["id"]] = Verdict(NOT_RUN, "does not execute on the CPU")
            continue
        backward = gradient.state in (PASSED, NONSMOOTH)
        todo.append({**row, "number": number, "shapes": execute.details["shapes"], "backward": backward})
    while todo:
        lines, _ = _ask(todo, job, device)
        answers = [json.loads(line) for line in lines]
        verdicts.update({answer["id"]: Verdict(*answer["gpu"]) for answer in answers})
        if len(answers) < len(todo):
            verdicts[todo[len(answers)]["id"]] = Verdict(FAILED, "ends or hangs the process on the device")
        todo = todo[len(answers) + 1 :]
    return verdicts | _sanitized(rows, verdicts, job, device)


def _sanitized(
    rows: Sequence[Mapping[str, Any]], verdicts: Mapping[str, Verdict], job: Mapping[str, Any], device: str
) -> dict[str, Verdict]:
    """Return the verdicts that change when rows are launched under NVIDIA's checker, halving until one is alone."""
    tool = shutil.which(SANITIZER)
    passed = [dict(row) for row in rows if verdicts[row["id"]].state == PASSED]
    if tool is None or not passed:
        return {}
    told = [{**row, **_again(verdicts[row["id"]], rows, row)} for row in passed]
    changed: dict[str, Verdict] = {}
    groups = [told]
    while groups:
        group = groups.pop()
        if _ask(group, job, device, tool, "--error-exitcode", str(_ERRORS))[1] != _ERRORS:
            continue
        if len(group) == 1:
            changed[group[0]["id"]] = Verdict(FAILED, f"{SANITIZER} finds an error")
        else:
            groups += [group[: len(group) // 2], group[len(group) // 2 :]]
    return changed


def _again(verdict: Verdict, rows: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> dict[str, Any]:
    number = next(n for n, other in enumerate(rows) if other["id"] == row["id"])
    return {"number": number, "shapes": verdict.details["shapes"], "backward": bool(verdict.details["gradients"])}


def _ask(rows: Sequence[Mapping[str, Any]], job: Mapping[str, Any], device: str, *tool: str) -> tuple[list[str], int]:
    """Return the lines that a worker answers with before it ends, and its exit code."""
    command = [*tool, sys.executable, "-m", "builder.verify.device_worker"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps({**job, "rows": list(rows), "device": device}),
            capture_output=True,
            text=True,
            env=surroundings(),
            check=False,
            timeout=60 + job["seconds"] * len(rows) * (10 if tool else 1),
        )
        output, code, said = done.stdout, done.returncode, done.stderr
    except subprocess.TimeoutExpired as late:
        output, code, said = (late.stdout or b"").decode(), -1, "takes too long"
    lines = [line for line in output.splitlines(keepends=True) if line.endswith("\n")]
    while lines and lines[0].strip() != _READY:  # what the tool says first
        lines.pop(0)
    if not lines:
        raise WorkerError(
            f"a worker that launches kernels did not start: {(said.strip().splitlines() or [str(code)])[-1]}"
        )
    return [line for line in lines[1:] if line.startswith("{")], code
