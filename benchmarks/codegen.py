"""How fast a whole build is beside Warp's own code generation, and how much memory it holds.

    python -m benchmarks.codegen [-n KERNELS] [--rounds R] [--no-memory]

For the same kernels, in turn, each in a fresh process: Warp's own build and code generation (the bound,
one process), then a whole build of ``paired`` to Arrow with one and with two processes. A build is timed
from the call to the last Arrow file closed: drawing programs, importing the sources, Warp, canonical text, keys,
token counts, the store, the decision, the rows. Starting worker processes is inside that time, importing
modules into the first process is not. Ratios are of medians over the rounds.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

_SEED = 1


def _bound(count: int) -> dict[str, float]:
    from builder.kernels import candidate
    from builder.spec import load_spec

    from .warp_bound import warp_bound

    categories = load_spec("paired").categories
    sources = [candidate(_SEED, index, categories).text for index in range(count)]
    warp_bound(sources[:50])  # Warp's start-up is not its rate
    return {"seconds": warp_bound(sources)}


def _resident() -> dict[str, float]:
    """Return this process's resident memory in MiB: all of it, and without mapped files."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {name: int(fields[key].split()[0]) / 1024 for name, key in (("rss", "VmRSS"), ("anonymous", "RssAnon"))}


def _build(count: int, num_proc: int) -> dict[str, float]:
    import pyarrow as pa

    from builder import scale, stages
    from builder.kernels.categories import category
    from builder.package.store import Store
    from builder.scale.progress import Silent
    from builder.spec import SPLITS, load_spec

    spec = load_spec("paired", num_kernels=count, seed=_SEED)
    for name in spec.categories:  # importing modules is not timed
        category(name)
    pa.array([0])  # imports pandas where it is installed
    root = Path(tempfile.mkdtemp(prefix="benchmark-"))
    try:
        start = time.perf_counter()
        store = Store(root / "store")
        decision = scale.build(spec, store, num_proc=num_proc, progress=Silent())
        for split in SPLITS:
            writer = None
            for table in stages.rows(spec, store, decision, split):
                writer = writer or pa.ipc.new_stream(str(root / f"{split}.arrow"), table.schema)
                writer.write_table(table)
            assert writer is not None
            writer.close()
        return {"seconds": time.perf_counter() - start}
    finally:
        shutil.rmtree(root)


def _memory(count: int) -> dict[str, float]:
    from builder.package.store import Store
    from builder.spec import UNIT, load_spec
    from builder.stages import prepare

    spec = load_spec("paired", seed=_SEED)
    root = Path(tempfile.mkdtemp(prefix="benchmark-"))
    try:
        for rank in range(-(-count // UNIT)):
            prepare(spec, Store(root), rank)
        return _resident()
    finally:
        shutil.rmtree(root)


def _child(task: str, *numbers: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.codegen", "--child", task, *map(str, numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def _rates(console: Console, count: int, rounds: int) -> None:
    tasks: dict[str, tuple[Any, ...]] = {
        "Warp's own build + codegen": ("bound", count),
        "whole build, 1 process": ("build", count, 1),
        "whole build, 2 processes": ("build", count, 2),
    }
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            seconds[name].append(_child(*task)["seconds"])
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    bound, one, two = medians.values()
    ratios = ["1", f"{bound / one:.2f} of the bound", f"{one / two:.2f} x one process"]
    table = Table(
        title=f"{count} kernels, median of {rounds} rounds, {platform.machine()}, Python {sys.version.split()[0]}"
    )
    for header in ("", "seconds", "kernels/s", "ms/kernel", "ratio"):
        table.add_column(header, justify="left" if not header else "right")
    for (name, median), ratio in zip(medians.items(), ratios, strict=True):
        table.add_row(name, f"{median:.1f}", f"{count / median:.0f}", f"{1000 * median / count:.2f}", ratio)
    console.print(table)


def _memories(console: Console, counts: tuple[int, int]) -> None:
    first, last = (_child("memory", count) for count in counts)
    table = Table(title="resident memory of one process, MiB")
    for header in ("", *(f"{count} kernels" for count in counts), "ratio"):
        table.add_column(header, justify="left" if not header else "right")
    for name in first:
        table.add_row(name, f"{first[name]:.0f}", f"{last[name]:.0f}", f"{last[name] / first[name]:.3f}")
    console.print(table)


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=4000, help="kernels in each build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        task, *numbers = options.child
        tasks: dict[str, Callable[..., dict[str, float]]] = {"bound": _bound, "build": _build, "memory": _memory}
        print(json.dumps(tasks[task](*map(int, numbers))))
        return
    console = Console(width=110)
    _rates(console, options.n, options.rounds)
    if not options.no_memory:
        _memories(console, (2_000, 20_000))


if __name__ == "__main__":
    main()
