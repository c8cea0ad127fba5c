"""Level ``compile``: each row's own text below the shipped preamble, with the compilers inside Warp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..codegen import compile_cpp, compile_cuda
from .rows import Row, batches, bisect
from .verdict import FAILED, PASSED, Verdict


def compile_rows(rows: Sequence[Row], archs: Sequence[int]) -> dict[str, Verdict]:
    """Return by id the verdict on each row's texts, forward and backward, C++ and CUDA.

    The details are, for each architecture, ``instructions_sm_<arch>``: how many instructions of PTX the row's
    kernels have. PTX has no register allocation, so NVRTC does not tell registers; its own instructions are what says
    how large a kernel is. ``shared_sm_<arch>``: the most bytes of shared memory that one of them
    names.
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
            found = sizes(result.decode())
            for row in rows:
                own = [found[name] for name in found if name.startswith(f"{row['kernel_name']}_cuda_kernel_")]
                details[row["id"]][f"instructions_sm_{target}"] = sum(size.instructions for size in own)
                details[row["id"]][f"shared_sm_{target}"] = max((size.shared for size in own), default=0)

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
    """Return C++ for which the compiler makes code of a kernel's C++ functions, templates that nothing here calls."""
    name, bounds = row["kernel_name"], f"wp::launch_bounds_t<{row['launch_dim']}>"
    args = f"wp_args_{name}*"
    directions = {"forward": f"({bounds}, size_t, {args})", "backward": f"({bounds}, size_t, {args}, {args})"}
    if not row["cpp_backward"]:
        del directions["backward"]
    return "".join(
        f"extern void (*{name}_{way}_made){kind};\nvoid (*{name}_{way}_made){kind} = &{name}_cpu_kernel_{way}<false>;\n"
        for way, kind in directions.items()
    )


@dataclass(slots=True)
class Size:
    """How large a kernel is.

    Attributes:
        instructions: of PTX.
        shared: bytes of shared memory that it names; what a launch adds is not known here.
    """

    instructions: int = 0
    shared: int = 0


def sizes(ptx: str) -> dict[str, Size]:
    """Return how large each entry point of a PTX file is."""
    found: dict[str, Size] = {}
    shared: dict[str, int] = {}
    current, named = Size(), set[str]()
    for line in ptx.splitlines():
        words = line.translate(_TO_WORDS).split()
        if ".entry" in words:
            current, named = found.setdefault(words[words.index(".entry") + 1], Size()), set()
        elif ".shared" in words and ".extern" not in words:
            shared.update([_declared(words)])
        elif line.startswith("\t") and line.endswith(";") and not line.startswith("\t."):
            current.instructions += 1
            used = {word for word in words if word in shared} - named
            named |= used
            current.shared += sum(shared[word] for word in used)
    return found


def _declared(words: Sequence[str]) -> tuple[str, int]:
    """Return the name and the bytes of ``.shared .align 4 .b8 name[1024]``, or of one ``.u32 name``."""
    at = next(n for n, word in enumerate(words) if word[:2] in (".b", ".u", ".s", ".f") and word[2:].isdigit())
    name, *count = words[at + 1 :]
    return name, int(words[at][2:]) // 8 * math.prod(map(int, count))


_TO_WORDS = str.maketrans(dict.fromkeys("[](),;+", " "))
