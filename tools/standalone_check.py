"""Check the standalone programs of kernels, and count what has no translation by its reason.

    python tools/standalone_check.py [--each 4 | --programs N | --mined DIR] [--seed 0] [--categories a,b]
        [--run [N]] [--sanitize [N]] [--unchecked [N]] [--nvcc [N]] [--verdicts FILE] [--keep DIR]

Without a check kernels are translated only. Kernels are candidates 0, 1, 2, ... of each category in turn: ``--each``
says how many of each are tried, ``--programs`` how many programs are wanted; ``--mined`` takes what ``warp-cuda-pairs
mine --out DIR`` wrote. Checks, each of all programs or of N that are spread over them:

run        on this machine's CPU, compared with Warp's CPU code
sanitize   the same under AddressSanitizer and UndefinedBehaviorSanitizer
unchecked  the program as it stands in the config's column, under the sanitizers, at three sizes
nvcc       compiled for sm_80 and sm_90, warnings as errors

``--verdicts`` keeps what was found by program and check: a second run does what is missing or what has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from builder.codegen import generate
from builder.errors import CodegenRejection, StandaloneRejection
from builder.kernels import candidate
from builder.spec import load_spec
from builder.standalone.building import LANES, SANITIZERS, SHIM, Outcome, compile_with_nvcc, host_text, run_on_host
from builder.standalone.making import Made, checked_programs, program_seed, standalone
from builder.standalone.program import example_size, size_step
from builder.standalone.translate import translate
from builder.verify import row_of

Row = dict[str, Any]
CHECKS: dict[str, Callable[[str, Row], Outcome]] = {
    "run": lambda text, row: run_on_host(text),
    "sanitize": lambda text, row: run_on_host(text, sanitize=True),
    "unchecked": lambda text, row: run_on_host(text, sanitize=True, sizes=_sizes(row)),
    "nvcc": lambda text, row: compile_with_nvcc(text),
}
_CHUNK = 156  # four candidates of each category
_MISSES = 100


def _sizes(row: Row) -> tuple[int, int, int]:
    translation = translate(row["python_source"])
    own, step = example_size(translation), size_step(translation)
    return own, step, 2 * own + step


def synthetic(seed: int, categories: Sequence[str], each: int | None) -> Iterator[Row]:
    """Yield candidates 0, 1, 2, ... of each category in turn, as rows."""
    for index in range(each) if each else count():
        for category in categories:
            source = candidate(seed, index, {category: 1.0})
            about = {"category": category, "description": source.description, "seed": seed, "index": index}
            yield row_of(source.text, generate(source.text)) | about


def mined(folder: Path) -> Iterator[Row]:
    """Yield the kernels of a folder of mined ones."""
    columns = ["python_source", "category", "description", "seed", "index"]
    for row in pq.read_table(folder / "kernels.parquet", columns=columns).to_pylist():
        try:
            yield row | row_of(row["python_source"], generate(row["python_source"]))
        except CodegenRejection:
            continue


class Verdicts:
    """What was found, one JSON line for each program and check."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.known: dict[str, Outcome] = {}
        means = [path.read_text(encoding="utf-8") for path in sorted([*SHIM.glob("*.h"), LANES / "lanes.h"])]
        means += [inspect.getsource(one) for one in (host_text, compile_with_nvcc)] + [SANITIZERS]
        self.means = hashlib.sha256("".join(means).encode()).hexdigest()
        if path and path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                one = json.loads(line)
                self.known[one["key"]] = Outcome(one["passed"], one["said"])

    def of(self, check: str, text: str, row: Row) -> Outcome:
        """Return what a check says of a program."""
        key = hashlib.sha256(f"{check} {self.means} {text}".encode()).hexdigest()[:20]
        if key not in self.known:
            self.known[key] = outcome = CHECKS[check](text, row)
            if self.path:
                names = {"check": check, "category": row["category"], "id": row["id"]}
                line = {"key": key, **names, "passed": outcome.passed, "said": outcome.said}
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        return self.known[key]


def translate_only(rows: Iterator[Row]) -> None:
    """Print the share that is translated, by category, and the reasons of the rest."""
    reasons: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    done: Counter[str] = Counter()
    spent = 0.0
    for row in rows:
        tried[row["category"]] += 1
        start = time.process_time()
        try:
            standalone(row["python_source"], seed=program_seed(row), summary=row["description"])
            done[row["category"]] += 1
        except StandaloneRejection as rejection:
            reasons[rejection.construct] += 1
        spent += time.process_time() - start
    for category, times in tried.items():
        print(f"{category:20} {done[category] / times:7.1%}")
    total = tried.total()
    print(f"all {done.total() / total:.2%} of {total}; {total / spent:.0f} a CPU second")
    for reason, times in reasons.most_common():
        print(f"{times:5} {reason}")


def programs(rows: Iterator[Row], wanted: int | None, counts: Counter[str]) -> Iterator[tuple[Row, Made]]:
    """Yield rows with their programs, until there are as many as are wanted."""
    seen: set[str] = set()
    found = missed = 0
    while chunk := list(islice(rows, _CHUNK)):
        new = [row for row in {row["id"]: row for row in chunk}.values() if row["id"] not in seen]
        seen.update(row["id"] for row in new)
        made = checked_programs(new)
        for row in new:
            one = made[row["id"]]
            counts["translated" if one.text else "no translation"] += 1
            missed = 0 if one.text else missed + 1
            if one.text:
                found += 1
                yield row, one
            if found == wanted or missed == _MISSES:
                return


def spread(number: int, share: int, total: int) -> bool:
    """Say whether one of ``total`` programs is among the ``share`` that are checked."""
    return (number + 1) * share // total > number * share // total


def check(made: Iterator[tuple[Row, Made]], total: int, options: argparse.Namespace, counts: Counter[str]) -> None:
    """Check programs, and print what failed."""
    verdicts = Verdicts(options.verdicts)
    shares = {name: getattr(options, name) for name in CHECKS if getattr(options, name)}
    for number, (row, one) in enumerate(made):
        if one.unknown:
            counts["without expected values"] += 1
            print(f"{row['category']} {row['id']} expected: {one.unknown}", flush=True)
        for name, share in shares.items():
            if not spread(number, share, total):
                continue
            text = one.text
            if name == "unchecked":
                text = standalone(row["python_source"], seed=program_seed(row), summary=row["description"])
            outcome = verdicts.of(name, text, row)
            counts[f"{name} {'passed' if outcome.passed else 'FAILED'}"] += 1
            if not outcome.passed:
                print(f"{row['category']} {row['id']} {name}: {outcome.said}", flush=True)
                keep(options.keep, name, row, text)


def keep(folder: Path | None, check: str, row: Row, text: str) -> None:
    """Write a program that failed, and its kernel source."""
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{row['category']}_{row['id']}_{check}.cu").write_text(text, encoding="utf-8")
        (folder / f"{row['category']}_{row['id']}.py").write_text(row["python_source"], encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--programs", type=int)
    parser.add_argument("--mined", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--categories", default="")
    for name in CHECKS:
        parser.add_argument(f"--{name}", type=int, nargs="?", const=sys.maxsize, default=0)
    parser.add_argument("--verdicts", type=Path)
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


def main() -> int:
    """Run the check; the exit code says whether all that was run passed."""
    options = _options()
    categories = options.categories.split(",") if options.categories else list(load_spec("cuda").categories)
    each = None if options.programs else options.each
    rows = mined(options.mined) if options.mined else synthetic(options.seed, categories, each)
    if not any(getattr(options, name) for name in CHECKS):
        translate_only(rows)
        return 0
    counts: Counter[str] = Counter()
    total = options.programs or options.each * len(categories)
    check(programs(rows, options.programs, counts), total, options, counts)
    print(dict(counts))
    return int(any(name.endswith("FAILED") for name in counts))


if __name__ == "__main__":
    sys.exit(main())
