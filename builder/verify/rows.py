"""The rows that are verified, and how many go into one file for the compilers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from ..codegen import Generated
from ..errors import CodegenRejection
from ..record import CODE_COLUMNS

Row: TypeAlias = Mapping[str, Any]
Result = TypeVar("Result")

# Reading Warp's headers takes as long as compiling about 30 kernels for NVRTC.
BATCH = 50


def row_of(source: str, code: Generated) -> dict[str, Any]:
    """Return what is verified of a kernel source and the code generated from it."""
    return {
        "id": hashlib.sha256(source.encode()).hexdigest()[:16],
        "kernel_name": code.kernel_name,
        "python_source": source,
        "args": [{"name": name, "type": kind} for name, kind in code.args],
        "launch_dim": code.launch_dim,
        **{name: getattr(code, name) for name in CODE_COLUMNS},
    }


def batches(rows: Sequence[Row], size: int = BATCH) -> Iterator[list[Row]]:
    """Yield groups of rows whose kernels have different names: those have C linkage, whatever namespace they are in."""
    left = list(rows)
    while left:
        batch: list[Row] = []
        rest: list[Row] = []
        names: set[str] = set()
        for row in left:
            fits = len(batch) < size and row["kernel_name"] not in names
            names.add(row["kernel_name"])
            (batch if fits else rest).append(row)
        yield batch
        left = rest


def bisect(
    rows: Sequence[Row],
    build: Callable[[Sequence[Row]], Result],
    done: Callable[[Sequence[Row], Result], None],
    refused: Callable[[Row, str], None],
) -> None:
    """Build rows together; where that is refused halve them, until the rows at fault stand alone.

    Args:
        build: builds rows, or raises CodegenRejection.
        done: takes rows and what they were built to.
        refused: takes a row that cannot be built, and why.
    """
    if not rows:
        return
    try:
        result = build(rows)
    except CodegenRejection as refusal:
        if len(rows) == 1:
            refused(rows[0], refusal.detail)
            return
        half = len(rows) // 2
        bisect(rows[:half], build, done, refused)
        bisect(rows[half:], build, done, refused)
        return
    done(rows, result)
