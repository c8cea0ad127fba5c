"""How many rows a process verifies in a second, by level, and how much of the time the native compilers take.

    python -m benchmarks.verify [-n ROWS] [--rounds R] [--seed S]

The same rows for each level, each level in a fresh process. Making the rows is not timed; starting the processes that
kernels run in is. The native compilers' time is that inside Warp's NVRTC and clang on the rows' own texts.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from typing import Any

from rich.console import Console
from rich.table import Table

from builder.record import LEVELS


def _rows(count: int, seed: int) -> list[dict[str, Any]]:
    from builder.codegen import generate
    from builder.errors import CodegenRejection
    from builder.kernels import candidate
    from builder.spec import load_spec
    from builder.verify import row_of

    categories = load_spec("forward_backward").categories
    rows: dict[str, dict[str, Any]] = {}
    index = 0
    while len(rows) < count:
        source = candidate(seed, index, categories).text
        index += 1
        try:
            row = row_of(source, generate(source))
        except CodegenRejection:
            continue
        rows.setdefault(row["id"], row)
    return list(rows.values())


def _measure(level: str, count: int, seed: int) -> dict[str, float]:
    from builder.codegen.native import compiler_seconds
    from builder.verify import verify

    rows = _rows(count, seed)
    start = time.perf_counter()
    verdicts = verify(rows, level=level)
    seconds = time.perf_counter() - start
    checks = ("compile", "execute", "gradient")
    kept = sum(all(getattr(one, check).state != "failed" for check in checks) for one in verdicts)
    return {"seconds": seconds, "native": compiler_seconds(), "kept": kept}


def _child(level: str, count: int, seed: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.verify", "--child", level, "-n", str(count), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=256, help="rows")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(_measure(options.child, options.n, options.seed)))
        return
    table = Table(title=f"{options.n} rows, one process, median of {options.rounds} rounds")
    for header in ("level", "seconds", "rows/s", "kept", "kept rows/s", "native compilers"):
        table.add_column(header, justify="left" if header == "level" else "right")
    for level in LEVELS[1:4]:
        runs = [_child(level, options.n, options.seed) for _ in range(options.rounds)]
        seconds, kept = statistics.median(run["seconds"] for run in runs), runs[0]["kept"]
        share = statistics.median(run["native"] / run["seconds"] for run in runs)
        cells = (f"{seconds:.1f}", f"{options.n / seconds:.2f}", f"{kept:.0f}", f"{kept / seconds:.2f}")
        table.add_row(level, *cells, f"{100 * share:.0f} %")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
