"""Runs kernels for another process, which ``running.py`` has start this one: ``python -m builder.verify.worker``.

A job is a harness, and has a process forked for it that loads it; each row another, so that a kernel which crashes,
hangs or takes all memory ends itself alone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ..codegen.arguments import argument_kinds
from ..codegen.warp_native import address, load_object, start_runtime
from ..errors import CodegenRejection
from ..served import confine, end_with_parent, forked, serve
from .examine import examine, stages
from .harness import CUDA, SINGLE, symbol
from .inputs import generator
from .limits import known_limits
from .machine import Machine
from .subject import shapes_to_try
from .verdict import FAILED, NOT_RUN

BEYOND = "a check in Warp's headers fails"
_SIGNALS = {
    signal.SIGSEGV: "reads or writes memory that is not its own",
    signal.SIGBUS: "reads or writes memory that is not there",
    signal.SIGFPE: "divides a whole number by zero",
    signal.SIGILL: "runs an instruction that is none",
}


def main() -> None:
    """Serve the other process."""
    start_runtime()
    generator("", 0)  # NumPy loads its random numbers late: once here, not in each fork
    serve(partial(forked, _run))


def _run(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    load_object(Path(job["object"]), "verify")
    for number, row in enumerate(job["rows"]):
        try:
            machine = Machine(addresses(number, row))
            kinds = argument_kinds(row["python_source"])
        except (OSError, CodegenRejection) as error:
            answer = {"execute": [FAILED, str(error), {}], "gradient": [NOT_RUN, "does not execute", {}]}
        else:
            answer = _examined(machine, kinds, row, job)
        yield {"id": row["id"], **answer}


def addresses(number: int, row: dict[str, Any]) -> dict[tuple[str, str], int]:
    """Return where the functions of a row of the loaded harness lie, by variant and direction."""
    found = {}
    for variant, directions in row["parts"].items():
        for direction in (*directions, "size"):
            if direction != "size" or variant not in (CUDA, SINGLE):
                found[variant, direction] = address("verify", symbol(number, variant, direction))
    return found


def _examined(machine: Machine, kinds: Any, row: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Examine a row with the first shapes of arrays that it stays within, or else with equal lengths."""
    answers: dict[str, Any] = {}
    for shapes in shapes_to_try(row):
        answer = _alone(machine, kinds, row, job, shapes)
        answers = answers or answer
        if not answer["execute"][1].startswith(BEYOND):
            return answer
    return answers


def _alone(machine: Machine, kinds: Any, row: dict[str, Any], job: dict[str, Any], shapes: str) -> dict[str, Any]:
    """Examine a row in a process of its own; what became of it."""
    read, write = os.pipe()
    with tempfile.TemporaryFile() as printed:
        child = os.fork()
        if child == 0:
            end_with_parent()
            os.close(read)
            os.dup2(printed.fileno(), 2)
            confine(job["seconds"], job["bytes"])
            _child(write, machine, kinds, row, job, shapes)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            text = pipe.read()
        status = os.waitpid(child, 0)[1]
        printed.seek(0)
        words = printed.read().decode(errors="replace").splitlines()
    answers = dict(json.loads(line) for line in text.decode().splitlines(keepends=True) if line.endswith("\n"))
    for stage in stages(job["level"]):
        if stage not in answers:
            broken = any(answer[0] == FAILED for answer in answers.values())
            why = "does not execute" if broken else _death(status, words, job["seconds"])
            answers[stage] = [NOT_RUN if broken else FAILED, why, {}]
    if answers.get("gradient", [""])[0] == FAILED:
        answers["gradient"][1] += "".join(f"; {limit}" for limit in known_limits(row["python_source"]))
    return answers


def _child(write: int, machine: Machine, kinds: Any, row: dict[str, Any], job: dict[str, Any], shapes: str) -> None:
    code = 1
    try:
        with os.fdopen(write, "w", encoding="utf-8") as pipe:
            for stage, verdict in examine(machine, kinds, row, job["level"], job["seed"], shapes):
                print(json.dumps([stage, [verdict.state, verdict.reason, verdict.details]]), file=pipe, flush=True)
        code = 0
    except MemoryError:
        print("takes more memory than it may", file=sys.stderr, flush=True)
    except BaseException as error:  # noqa: BLE001 (a forked process must not return into its parent's code)
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    os._exit(code)


def _death(status: int, words: list[str], seconds: float) -> str:
    if not os.WIFSIGNALED(status):
        return words[-1] if words else "ended without an answer"
    number = os.WTERMSIG(status)
    asserted = [line for line in words if line.startswith("Assertion failed")]
    if number in (signal.SIGABRT, signal.SIGILL, signal.SIGTRAP) and asserted:
        return f"{BEYOND}: {asserted[-1].removeprefix('Assertion failed: ')}"
    if number in (signal.SIGPROF, signal.SIGALRM):
        return f"takes more than {seconds:g} s"
    return _SIGNALS.get(signal.Signals(number), f"ended by {signal.Signals(number).name}")


if __name__ == "__main__":
    main()
