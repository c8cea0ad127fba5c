"""Check the standalone programs of synthetic kernels, and count what has no translation by its reason.

    python tools/standalone_check.py [--each 4] [--seed 0] [--categories a,b] [--nvcc] [--run] [--sanitize N]

Without further options kernels are translated only. ``--run`` runs each program on this machine's CPU and compares it
with Warp's CPU results; ``--nvcc`` compiles it for sm_80 and sm_90 with warnings as errors.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from builder.codegen import generate
from builder.errors import StandaloneRejection
from builder.kernels import candidate
from builder.spec import load_spec
from builder.standalone.building import compile_with_nvcc, run_on_host
from builder.standalone.making import checked_programs, standalone
from builder.verify import row_of


def rows_of(each: int, seed: int, categories: list[str]) -> list[dict[str, Any]]:
    """Return rows of some candidates of each category."""
    rows: dict[str, dict[str, Any]] = {}
    for category in categories:
        for index in range(each):
            source = candidate(seed, index, {category: 1.0})
            row = row_of(source.text, generate(source.text))
            rows[row["id"]] = row | {
                "category": category,
                "description": source.description,
                "seed": seed,
                "index": index,
            }
    return list(rows.values())


def translate_only(options: argparse.Namespace, categories: list[str]) -> None:
    """Print the share that is translated, by category, and the reasons of the rest."""
    reasons: Counter[str] = Counter()
    total, spent = 0, 0.0
    for category in categories:
        done = 0
        for index in range(options.each):
            source = candidate(options.seed, index, {category: 1.0})
            start = time.process_time()
            try:
                standalone(source.text, seed=options.seed, summary=source.description)
                done += 1
            except StandaloneRejection as rejection:
                reasons[rejection.construct] += 1
            spent += time.process_time() - start
        total += done
        print(f"{category:20} {done / options.each:7.1%}")
    count = options.each * len(categories)
    print(f"all {total / count:.2%} of {count}; {count / spent:.0f} a CPU second")
    for reason, times in reasons.most_common():
        print(f"{times:5} {reason}")


def main() -> int:
    """Run the check; the exit code says whether all that was run passed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--categories", default="")
    parser.add_argument("--nvcc", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--sanitize", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    categories = options.categories.split(",") if options.categories else list(load_spec("cuda").categories)
    if not (options.nvcc or options.run or options.sanitize):
        translate_only(options, categories)
        return 0
    return check(rows_of(options.each, options.seed, categories), options)


def check(rows: list[dict[str, Any]], options: argparse.Namespace) -> int:
    """Compile and run the programs of rows; print what failed."""
    made = checked_programs(rows)
    counts: Counter[str] = Counter()
    for number, row in enumerate(rows):
        one = made[row["id"]]
        if not one.text:
            counts["no translation"] += 1
            continue
        counts["translated"] += 1
        counts["without expected values"] += bool(one.unknown)
        if one.unknown:
            print(f"{row['category']} {row['id']} expected: {one.unknown}")
        outcomes = {}
        if options.nvcc:
            outcomes["nvcc"] = compile_with_nvcc(one.text)
        if options.run:
            outcomes["run"] = run_on_host(one.text)
        if number % max(1, len(rows) // max(1, options.sanitize)) == 0 and options.sanitize:
            outcomes["sanitize"] = run_on_host(one.text, sanitize=True)
        for name, outcome in outcomes.items():
            counts[f"{name} {'passed' if outcome.passed else 'FAILED'}"] += 1
            if not outcome.passed:
                print(f"{row['category']} {row['id']} {name}: {outcome.said}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"{row['id']}.cu").write_text(one.text)
                    (options.keep / f"{row['id']}.py").write_text(row["python_source"])
    print(dict(counts))
    return int(any(name.endswith("FAILED") for name in counts))


if __name__ == "__main__":
    sys.exit(main())
