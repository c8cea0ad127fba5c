"""Mutants that do what the row does, by the compiler's word.

Trivial compiler equivalence: M. Papadakis, Y. Jia, M. Harman, Y. Le Traon, "Trivial Compiler Equivalence: A Large Scale
Empirical Study of a Simple, Fast and Effective Equivalent Mutant Detection Technique", ICSE 2015. Where NVRTC makes
the same PTX of both texts at its highest level, no run can tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from builder.codegen import compile_cuda
from builder.errors import CodegenRejection

from .argued import equal_by_argument
from .dataflow import equal_by_dataflow
from .planting import Mutant, Row


def equivalent(mutants: Sequence[Mutant]) -> dict[str, str]:
    """Return by id why mutants do what their rows do, of those of which that can be shown."""
    said = {mutant.row["id"]: why for mutant in mutants if (why := equal_by_dataflow(mutant))}
    left = [mutant for mutant in mutants if mutant.row["id"] not in said]
    said |= dict.fromkeys(_of_one_ptx(left), "the compiler makes one program of both")
    left = [mutant for mutant in left if mutant.row["id"] not in said]
    return said | {mutant.row["id"]: why for mutant in left if (why := equal_by_argument(mutant))}


def _of_one_ptx(mutants: Sequence[Mutant]) -> set[str]:
    groups: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault(mutant.of["id"], []).append(mutant)
    return {found for group in groups.values() for found in _of_one_row(group)}


def _of_one_row(mutants: Sequence[Mutant]) -> Iterator[str]:
    rows = [mutant.carried() for mutant in mutants]
    parts = [mutants[0].of, *rows]
    text = "\n".join(f"namespace row_{n} {{\n{_code(row)}}}" for n, row in enumerate(parts))
    try:
        ptx = compile_cuda(text, optimization_level=3).decode()
    except CodegenRejection:
        return
    own = _functions(ptx, mutants[0].of["kernel_name"])
    for mutant, row in zip(mutants, rows, strict=True):
        if _functions(ptx, row["kernel_name"]) == own:
            yield mutant.row["id"]


def _code(row: Row) -> str:
    return f"{row['cuda_forward']}\n{row['cuda_backward']}\n"


def _functions(ptx: str, name: str) -> list[str]:
    """Return the PTX of a kernel's two entry points, with its name and the numbers of labels left out."""
    found = []
    for part in ptx.split(".visible .entry ")[1:]:
        if part.startswith((f"{name}_cuda_kernel_forward(", f"{name}_cuda_kernel_backward(")):
            body = part.partition("\n}\n")[0].replace(f"{name}_cuda_kernel_", "")
            first, *rest = body.split("$L__BB")
            # A label is the number of its function in the file, then its own.
            found.append("$L__BB_".join([first, *(one.partition("_")[2] for one in rest)]))
    return sorted(found)
