"""Verify a stratified sample of a built folder's rows with what is inside Warp: no GPU.

    python tools/verify_sample.py DIR [-n 500] [--level gradient] [--seed 0] [--num-proc 2]

DIR is a folder of the config `forward_backward`, which holds all code columns. Prints a table of verdicts by category,
and the rows with a verdict of failed.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from builder.package.export import read_tables
from builder.package.manifest import read_manifest
from builder.verify import LEVELS, Verification, verify
from builder.verify.rows import BATCH

Row = dict[str, Any]
_COLUMNS = ("id", "category", "kernel_name", "python_source", "args", "launch_dim")
_CODE = ("cpp_forward", "cpp_backward", "cuda_forward", "cuda_backward")
_CONFIG = "forward_backward"


def sample(folder: Path, count: int) -> list[Row]:
    """Return ``count`` rows, as many of each category as there are, chosen by the hash of their id."""
    splits = read_manifest(folder)["configs"][_CONFIG]["splits"]
    paths = [folder / file["path"] for split in splits.values() for file in split["files"]]
    rows = [row for path in paths for table in read_tables(path) for row in table.select(_COLUMNS + _CODE).to_pylist()]
    rows.sort(key=lambda row: hashlib.sha256(row["id"].encode()).digest())
    place: Counter[str] = Counter()
    ranked = []
    for row in rows:
        ranked.append((place[row["category"]], row["category"], row))
        place[row["category"]] += 1
    ranked.sort(key=lambda item: item[:2])
    return [row for _, _, row in ranked[:count]]


def show(rows: list[Row], verdicts: list[Verification]) -> bool:
    """Print the verdicts; whether none is failed."""
    stages = ("compile", "execute", "gradient")
    counts: Counter[tuple[str, str, str]] = Counter()
    failed = []
    for row, verification in zip(rows, verdicts, strict=True):
        for stage in stages:
            verdict = getattr(verification, stage)
            for category in (row["category"], "all"):
                counts[category, stage, verdict.state] += 1
            if verdict.state == "failed":
                failed.append(f"{row['category']} {row['id']} {row['kernel_name']} {stage}: {verdict.reason}")
    columns = [(stage, state) for stage in stages for state in sorted({s for _, g, s in counts if g == stage})]
    table = Table("category", *(f"{stage} {state}" for stage, state in columns))
    for category in [*sorted({row["category"] for row in rows}), "all"]:
        table.add_row(category, *(str(counts[category, stage, state]) for stage, state in columns))
    Console(width=200).print(table)
    print("\n".join(failed))
    return not failed


def main() -> int:
    """Read the command line; return 1 if a verdict is failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--level", choices=LEVELS, default="gradient")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--num-proc", type=int, default=2)
    args = parser.parse_args()
    rows = sample(args.folder, args.n)
    groups = [rows[at : at + BATCH] for at in range(0, len(rows), BATCH)]
    start = time.perf_counter()
    with ProcessPoolExecutor(args.num_proc) as pool:
        done = pool.map(partial(verify, level=args.level, seed=args.seed), groups)
        verdicts = [verdict for group in done for verdict in group]
    whole = show(rows, verdicts)
    print(f"{len(rows)} rows in {time.perf_counter() - start:.0f} s")
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
