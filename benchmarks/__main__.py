"""All benchmarks in one run, and one table of ratios.

    python -m benchmarks [--quick | --long] [-n KERNELS] [--rounds R] [--only PART ...]

Each figure is of a fresh process, and the median of the rounds. What is compared runs in turn, forwards and backwards,
and a ratio of speeds is the median of the rounds' own ratios, so that it holds on a machine that does other things too
or changes its speed; seconds do not. ``--long`` adds the sizes up to 100,000 kernels.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .children import Figures, child

_CONFIG = "cpu"
_LEVELS = ("compile", "execute", "gradient")
Line = tuple[str, str, str, str]


@dataclass(frozen=True)
class Size:
    """How much is measured: kernels of a build, rows verified, rounds, and the sizes over which growth is told."""

    kernels: int
    verified: int
    rounds: int
    sizes: tuple[int, ...]
    memory: tuple[int, ...]


QUICK = Size(1000, 16, 1, (1000,), (2000,))
USUAL = Size(4000, 64, 2, (1000, 4000), (2000, 8000))
LONG = Size(4000, 256, 3, (1000, 10_000, 100_000), (2000, 20_000, 100_000))


def _in_turn(rounds: int, *runs: Callable[[], Figures]) -> list[list[Figures]]:
    """Run all in turn, every second round backwards; return what each gave, round by round."""
    found: list[list[Figures]] = []
    for number in range(rounds):
        order = list(range(len(runs)))[:: -1 if number % 2 else 1]
        given = {run: runs[run]() for run in order}
        found.append([given[run] for run in range(len(runs))])
    return found


def _medians(rounds: int, *runs: Callable[[], Figures]) -> list[Figures]:
    """Run all in turn, as often as there are rounds; return the median of each figure of each."""
    found = _in_turn(rounds, *runs)
    return [
        {name: statistics.median(one[number][name] for one in found) for name in found[0][number]}
        for number in range(len(runs))
    ]


def codegen(size: Size) -> Iterator[Line]:
    """Rates beside Warp's own, and how they grow with a second process."""
    count = size.kernels

    def both_at_once() -> Figures:
        with ThreadPoolExecutor(2) as threads:
            seconds = threads.map(lambda _: child("codegen", "bound", count)["seconds"], range(2))
            return {"seconds": statistics.mean(seconds)}

    found = _in_turn(
        size.rounds,
        lambda: child("codegen", "bound", count),
        lambda: child("codegen", "build", count, 1),
        lambda: child("codegen", "build", count, 2),
        both_at_once,
    )
    seconds = [[one["seconds"] for one in taken] for taken in found]
    bound, one, two, at_once = (f"{count / statistics.median(run):.0f}" for run in zip(*seconds, strict=True))

    def ratio(of: Callable[[Sequence[float]], float]) -> str:
        ratios = sorted(map(of, seconds))
        return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})"

    yield "whole build, 1 process", f"{one} kernels/s", f"Warp alone {bound}", ratio(lambda s: s[0] / s[1])
    yield "whole build, 2 processes", f"{two} kernels/s", f"1 process {one}", ratio(lambda s: s[1] / s[2])
    yield "Warp alone, twice at once", f"{at_once} kernels/s each", f"once {bound}", ratio(lambda s: 2 * s[0] / s[3])


def loading(size: Size) -> Iterator[Line]:
    """The first streamed row, and a load from the cache."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:

        def cold() -> Figures:
            with tempfile.TemporaryDirectory(prefix="benchmark-") as empty:
                return child("loading", "first_row", _CONFIG, env=_caches(empty))

        (first,) = _medians(size.rounds, cold)
        yield "first streamed row, cold, empty store", _time(first["wall"]), f"{first['cpu']:.2f} s of CPU", "-"
        env = _caches(folder)
        child("loading", "fill", _CONFIG, size.kernels, env=env)
        ours, theirs = _medians(
            5 * size.rounds,
            *(
                lambda who=who: child("loading", "cached", who, _CONFIG, size.kernels, folder, env=env)
                for who in ("ours", "datasets")
            ),
        )
    for name in ("script", "call", "again"):
        for clock in ("wall", "cpu"):
            mine, other = ours[f"{name} {clock}"], theirs[f"{name} {clock}"]
            what = {"script": "a script that loads it", "call": "the call", "again": "the call again"}[name]
            yield f"cached load, {what}, {clock}", _time(mine), f"datasets {_time(other)}", f"{mine / other:.2f}"


def _caches(folder: str) -> dict[str, str]:
    own = {"HF_HOME": folder, "WARP_CUDA_PAIRS_CACHE": str(Path(folder) / "store")}
    return {**own, "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def verify(size: Size) -> Iterator[Line]:
    """Rows verified in a second, and the native compilers' share."""
    for level in _LEVELS:
        (run,) = _medians(size.rounds, lambda level=level: child("verify", "measure", level, size.verified))  # type: ignore[misc]
        rate, kept = size.verified / run["seconds"], run["kept"] / run["seconds"]
        yield f"verified: {level}", f"{rate:.2f} rows/s", f"{kept:.2f} kept", f"{run['native'] / run['processor']:.2f}"


def writing(size: Size) -> Iterator[Line]:
    """Token counts and Arrow files."""
    (run,) = _medians(size.rounds, lambda: child("writing", "both", size.kernels))
    ours, bare = run["tokens/s"], run["bare tokens/s"]
    yield "tokens counted", f"{ours / 1e6:.1f} M/s", f"encode_batch_fast {bare / 1e6:.1f} M/s", f"{ours / bare:.2f}"
    ours, bare = run["MB/s"], run["bare MB/s"]
    yield "Arrow written, hashed and synced", f"{ours:.0f} MB/s", f"ArrowWriter {bare:.0f} MB/s", f"{ours / bare:.2f}"


def memory(size: Size) -> Iterator[Line]:
    """Resident memory of a process that prepares units."""
    run = child("codegen", "memory", *size.memory)
    first = size.memory[0]
    for count in size.memory:
        for name, words in (("rss", "resident memory"), ("anonymous", "without mapped files")):
            now, before = run[f"{name} {count}"], run[f"{name} {first}"]
            yield f"{words}, {count} kernels", f"{now:.0f} MiB", f"at {first} {before:.0f} MiB", f"{now / before:.2f}"


def growth(size: Size) -> Iterator[Line]:
    """What each part of a build costs for a kernel, from the smallest size to the largest."""
    runs = {count: child("growth", "parts", count) for count in size.sizes}
    first = runs[size.sizes[0]]
    for part in first:
        unit = "MiB" if part.startswith("MiB") else "ms of CPU a kernel"
        for count, run in runs.items():
            ratio = run[part] / first[part] if first[part] else 0
            yield (
                f"{part.removeprefix('MiB ')}, {count} kernels",
                f"{run[part]:.3g} {unit}",
                f"{first[part]:.3g}",
                f"{ratio:.2f}",
            )


PARTS: dict[str, Callable[[Size], Iterator[Line]]] = {
    "codegen": codegen,
    "loading": loading,
    "verify": verify,
    "writing": writing,
    "memory": memory,
    "growth": growth,
}


def main() -> None:
    """Run the benchmarks and print their table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    much = parser.add_mutually_exclusive_group()
    much.add_argument("--quick", action="store_true", help="some minutes; figures of a thousand kernels")
    much.add_argument("--long", action="store_true", help="an hour and more; sizes up to 100,000 kernels")
    parser.add_argument("-n", type=int, help="kernels in each build")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args()
    size = QUICK if options.quick else LONG if options.long else USUAL
    size = Size(options.n or size.kernels, size.verified, options.rounds or size.rounds, size.sizes, size.memory)
    table = Table(title=f"{size.kernels} kernels, {size.rounds} rounds, {os.cpu_count()} CPUs, {platform.machine()}")
    for header in ("what", "ours", "beside", "ratio"):
        table.add_column(header, justify="right" if header == "ratio" else "left")
    console = Console(width=120)
    for part in options.only:
        for line in PARTS[part](size):
            table.add_row(*line)
            console.print("  ".join(line), highlight=False)
        table.add_section()
    console.print(table)


if __name__ == "__main__":
    main()
