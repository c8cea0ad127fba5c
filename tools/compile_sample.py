"""Compile a stratified sample of a built folder's rows with the compilers inside Warp: NVRTC and clang, no GPU.

    python tools/compile_sample.py DIR [-n 500] [--arch 80 --arch 90] [--num-proc 2]

DIR is a folder of the config `forward_backward`, which holds all code columns. Each row's own text is compiled below
the shipped preamble, forward and backward, many rows in one file; a file that does not compile is halved until the rows
at fault stand alone. Prints a table by category, and the rows that do not compile.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from builder.codegen import compile_cpp, compile_cuda
from builder.errors import CodegenRejection
from builder.package.export import read_tables
from builder.package.manifest import read_manifest

Row = dict[str, Any]
_COLUMNS = ("id", "category", "kernel_name", "cpp_forward", "cpp_backward", "cuda_forward", "cuda_backward")
_CONFIG = "forward_backward"
_BATCH = 20


def sample(folder: Path, count: int) -> list[Row]:
    """Return ``count`` rows, as many of each category as there are, chosen by the hash of their id."""
    splits = read_manifest(folder)["configs"][_CONFIG]["splits"]
    paths = [folder / file["path"] for split in splits.values() for file in split["files"]]
    rows = [row for path in paths for table in read_tables(path) for row in table.select(_COLUMNS).to_pylist()]
    rows.sort(key=lambda row: hashlib.sha256(row["id"].encode()).digest())
    place: Counter[str] = Counter()
    ranked = []
    for row in rows:
        ranked.append((place[row["category"]], row["category"], row))
        place[row["category"]] += 1
    ranked.sort(key=lambda item: item[:2])
    return [row for _, _, row in ranked[:count]]


def batches(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield groups of rows whose kernels have different names: those have C linkage, whatever namespace they are in."""
    left = list(rows)
    while left:
        batch: list[Row] = []
        rest: list[Row] = []
        for row in left:
            fits = len(batch) < _BATCH and all(row["kernel_name"] != other["kernel_name"] for other in batch)
            (batch if fits else rest).append(row)
        yield batch
        left = rest


def _text(rows: Sequence[Row], device: str) -> str:
    parts = []
    for number, row in enumerate(rows):
        code = f"{row[f'{device}_forward']}\n{row[f'{device}_backward']}"
        parts.append(f"namespace row_{number} {{\n{code}\n}}\n" if len(rows) > 1 else code)
    return "\n".join(parts)


def failures(rows: Sequence[Row], target: str) -> list[str]:
    """Return the ids of the rows that do not compile for ``cpu`` or for ``sm_<arch>``, and why, one line each."""
    try:
        if target == "cpu":
            compile_cpp(_text(rows, "cpp"), optimization_level=0)
        else:
            compile_cuda(_text(rows, "cuda"), int(target.removeprefix("sm_")), optimization_level=1)
    except CodegenRejection as refusal:
        if len(rows) == 1:
            return [f"{target} {rows[0]['category']} {rows[0]['id']} {rows[0]['kernel_name']}: {refusal.detail}"]
        half = len(rows) // 2
        return failures(rows[:half], target) + failures(rows[half:], target)
    return []


def main() -> int:
    """Read the command line; return 1 if a row does not compile."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--arch", type=int, action="append")
    parser.add_argument("--num-proc", type=int, default=2)
    args = parser.parse_args()
    targets = ["cpu", *(f"sm_{arch}" for arch in args.arch or (80, 90))]
    rows = sample(args.folder, args.n)
    tasks = [(batch, target) for batch in batches(rows) for target in targets]
    start = time.perf_counter()
    with ProcessPoolExecutor(args.num_proc) as pool:
        failed = [line for lines in pool.map(failures, *zip(*tasks, strict=True)) for line in lines]
    table = Table("category", "rows", *targets)
    refused = Counter(tuple(line.split()[:2]) for line in failed)
    for category, count in sorted(Counter(row["category"] for row in rows).items()):
        table.add_row(category, str(count), *(str(count - refused[target, category]) for target in targets))
    table.add_row("all", str(len(rows)), *(str(len(rows) - sum(r.startswith(t) for r in failed)) for t in targets))
    Console(width=160).print(table)
    print(f"{len(rows)} rows for {len(targets)} targets in {time.perf_counter() - start:.0f} s")
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
