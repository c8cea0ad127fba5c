"""Level ``compile``: each row's own text below the shipped preamble, with the compilers inside Warp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen import compile_cpp, compile_cuda
from .rows import Row, batches, bisect
from .verdict import FAILED, PASSED, Verdict


def compile_rows(rows: Sequence[Row], archs: Sequence[int]) -> dict[str, Verdict]:
    """Return by id the verdict on each row's texts, forward and backward, C++ and CUDA.

    The details are, for each architecture, ``instructions_sm_<arch>``: how many instructions of PTX the row's
    kernels have. PTX has no register allocation; its own instructions are what says how large a kernel is.
    """
    details: dict[str, dict[str, Any]] = {row["id"]: {} for row in rows}
    refusals: dict[str, list[str]] = {row["id"]: [] for row in rows}
    for batch in batches(rows):
        targets: tuple[str | int, ...] = ("cpu", *archs)
        for target in targets:
            _compile_batch(batch, target, details, refusals)
    return {
        key: Verdict(FAILED if refusals[key] else PASSED, "; ".join(refusals[key]), details[key]) for key in details
    }


def _compile_batch(
    batch: Sequence[Row], target: str | int, details: dict[str, dict[str, Any]], refusals: dict[str, list[str]]
) -> None:
    def build(rows: Sequence[Row]) -> bytes:
        if isinstance(target, str):
            return compile_cpp(_text(rows, "cpp"), optimization_level=0)
        return compile_cuda(_text(rows, "cuda"), target, optimization_level=1)

    def done(rows: Sequence[Row], result: bytes) -> None:
        if isinstance(target, int):
            sizes = instructions(result.decode())
            for row in rows:
                details[row["id"]][f"instructions_sm_{target}"] = sum(
                    count for name, count in sizes.items() if name.startswith(f"{row['kernel_name']}_cuda_kernel_")
                )

    def refused(row: Row, why: str) -> None:
        refusals[row["id"]].append(f"{'C++' if target == 'cpu' else f'sm_{target}'}: {why}")

    bisect(batch, build, done, refused)


def _text(rows: Sequence[Row], device: str) -> str:
    parts = []
    for number, row in enumerate(rows):
        code = f"{row[f'{device}_forward']}\n{row[f'{device}_backward']}\n"
        if device == "cpp":
            code += instances(row)
        parts.append(f"namespace row_{number} {{\n{code}}}\n" if len(rows) > 1 else code)
    return "\n".join(parts)


def instances(row: Row) -> str:
    """Return C++ that makes the compiler take a kernel's C++ functions, which are templates, as they are called."""
    name, bounds = row["kernel_name"], f"wp::launch_bounds_t<{row['launch_dim']}>"
    args = f"wp_args_{name}*"
    text = f"template void {name}_cpu_kernel_forward<false>({bounds}, size_t, {args});\n"
    if row["cpp_backward"]:
        text += f"template void {name}_cpu_kernel_backward<false>({bounds}, size_t, {args}, {args});\n"
    return text


def instructions(ptx: str) -> dict[str, int]:
    """Return how many instructions each entry point of a PTX file has."""
    counts: dict[str, int] = {}
    name = ""
    for line in ptx.splitlines():
        if ".entry " in line:
            name = line.split(".entry ")[1].split("(")[0].strip()
            counts[name] = 0
        elif name and line.startswith("\t") and line.endswith(";") and not line.startswith("\t."):
            counts[name] += 1
    return counts
