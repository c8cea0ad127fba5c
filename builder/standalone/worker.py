"""Runs Warp's C++ with a program's inputs; for ``python -m builder.standalone.worker``.

Reads one job (JSON) from standard input, writes one JSON line for each row. Each row runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen.arguments import argument_kinds
from ..codegen.warp_adapter import address, load_object, start_runtime
from ..errors import CodegenRejection
from ..verify.bounds import floor_units
from ..verify.harness import CPP, CUDA, FORWARD, symbol
from ..verify.layout import FLOATS, Memory, UnsupportedArgument, Values, put
from ..verify.machine import DIRECTED, Machine
from ..verify.subject import UNIT, Subject, subject_of
from .inputs import leaves, values

_SECONDS, _BYTES = 20, 2 << 30
# What the spread over rounding modes is multiplied by: three samples say what a worst case is only roughly.
_SPREAD = 8.0


def main() -> None:
    """Serve one job."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what Warp prints does not belong to the answers
    job = json.load(sys.stdin)
    start_runtime()
    print("ready", file=out, flush=True)
    load_object(Path(job["object"]), "standalone")
    for number, one in enumerate(job["jobs"]):
        print(json.dumps({"id": one["row"]["id"], "values": _alone(number, one)}), file=out, flush=True)


def _alone(number: int, job: dict[str, Any]) -> Any:
    """Return what a process of its own finds out, or in words why it does not."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(_SECONDS)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with os.fdopen(write, "w", encoding="utf-8") as pipe:
            json.dump(_examined(number, job), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(text) if status == 0 and text else f"Warp's C++ ends with status {status}"


def _examined(number: int, job: dict[str, Any]) -> Any:
    row, n = job["row"], job["n"]
    try:
        found = {(variant, FORWARD): address("standalone", symbol(number, variant, FORWARD)) for variant in (CPP, CUDA)}
        found[CPP, "size"] = address("standalone", symbol(number, CPP, "size"))
        kinds = argument_kinds(row["python_source"])
        # Rows of this worker have no ``args``.
        subject = subject_of(Machine(found), kinds, row, job["seed"], job["shapes"])
        memory = Memory(kinds, n, job["shapes"], wide=False)
        _fill(memory, kinds, job["seed"], n)
    except (OSError, CodegenRejection, UnsupportedArgument) as error:
        return str(error)
    main = subject.main
    after = subject.run(main, memory, n)
    others = [subject.run(main, memory, n, rounding=mode) for mode in DIRECTED]
    names = [leaf.name for leaf in memory.leaves]
    return [_expected(subject, memory, names.index(path), n, after, others) for path in job["paths"]]


def _fill(memory: Memory, kinds: Any, seed: int, n: int) -> None:
    for leaf, ours in zip(memory.leaves, leaves(kinds), strict=True):
        shape = leaf.values.shape
        length = shape[len(shape) - 1 - (ours.parts > 1) * len(getattr(ours.kind, "shape", ()))] if ours.array else 1
        drawn = values(ours, seed, n, length, leaf.values.size // ours.parts)
        put(leaf, drawn.reshape(shape).astype(leaf.values.dtype if "float" not in leaf.number else np.float64))


def _expected(
    subject: Subject, memory: Memory, at: int, n: int, after: list[Values], others: list[list[Values]]
) -> dict[str, Any]:
    leaf = memory.leaves[at]
    ours = after[at].astype(np.float64).ravel()
    relative, absolute = 0.0, 0.0
    if leaf.number in FLOATS:
        unit = max(subject.unit, UNIT[leaf.number])
        relative = floor_units(subject, n) * unit
        spread = np.max([np.abs(other[at].astype(np.float64).ravel() - ours) for other in others], axis=0)
        absolute = float(_SPREAD * np.nan_to_num(spread, nan=0.0, posinf=0.0).max(initial=0.0)) + 1e-30
    return {
        "symbol": leaf.name.replace(".", "_"),
        "numbers": ours.tolist(),
        "absolute": float(f"{absolute:.3g}"),
        "relative": float(f"{relative:.3g}"),
    }


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
