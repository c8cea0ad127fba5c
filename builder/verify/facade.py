"""Verifies rows."""

from __future__ import annotations

from collections.abc import Sequence

from .compiling import compile_rows
from .devices import find_device
from .rows import Row
from .running import run_rows
from .verdict import LEVELS, NOT_RUN, PASSED, Verdict, Verification


def verify(rows: Sequence[Row], *, level: str, seed: int = 0, archs: Sequence[int] = (80, 90)) -> list[Verification]:
    """Return what the checks up to a level say of each row, in the rows' order; the same for the same arguments.

    Args:
        rows: mappings with ``id`` (all different), ``kernel_name``, ``python_source``, ``args`` (list of
            ``{name, type}``), ``launch_dim`` and the four code columns.
        level: one of :data:`~builder.verify.LEVELS`; each includes those before it.
        seed: decides the inputs that kernels are run with.
        archs: compute capabilities to compile the CUDA text for.

    Raises:
        ValueError: an unknown level, or two rows with one id.
    """
    if level not in LEVELS:
        raise ValueError(f"unknown level {level!r}; allowed: {', '.join(LEVELS)}")
    if len({row["id"] for row in rows}) < len(rows):
        raise ValueError("two rows have one id")
    if level == "none" or not rows:
        return [Verification(row["id"]) for row in rows]
    compiled = compile_rows(rows, archs)
    if level == "compile":
        return [Verification(row["id"], compile=compiled[row["id"]]) for row in rows]
    sound = [row for row in rows if compiled[row["id"]].state == PASSED]
    device = find_device() if level == "gpu" else ""
    ran = run_rows(sound, "gradient" if level == "gpu" else level, seed, device=device)
    broken = {"execute": Verdict(NOT_RUN, "does not compile"), "gradient": Verdict(NOT_RUN, "does not compile")}
    return [Verification(row["id"], compiled[row["id"]], **ran.get(row["id"], broken)) for row in rows]
