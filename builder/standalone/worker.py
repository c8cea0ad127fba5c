"""Runs Warp's C++ with a program's inputs for another process: ``python -m builder.standalone.worker``.

Each row runs in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen.arguments import argument_kinds
from ..codegen.warp_native import address, load_object, start_runtime
from ..errors import CodegenRejection
from ..served import confine, forked, serve
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
    """Serve the other process."""
    start_runtime()
    serve(partial(forked, _run))


def _run(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    load_object(Path(job["object"]), "standalone")
    for number, one in enumerate(job["jobs"]):
        found = list(forked(partial(_alone, number), one))
        yield {"id": one["row"]["id"], **(found[0] if found else {"values": "Warp's C++ does not come to its end"})}


def _alone(number: int, job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    confine(_SECONDS, _BYTES)
    yield {"values": _examined(number, job)}


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
