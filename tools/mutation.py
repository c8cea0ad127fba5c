"""Plant errors in the generated code of a stratified sample, and count how many of them verification finds.

    python tools/mutation.py [--each 1] [--seed 0]

Each kernel gets one mutant of each kind that its text has a place for, in its CUDA text or, for adjoints, in both
texts. Only kernels that pass themselves are mutated. Prints the score by kind, and the survivors with the line that was
changed: one that changes no result for any input (a constant that a clamp hides) is equivalent, which no program can
tell in general.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from builder.codegen import generate
from builder.errors import CodegenRejection
from builder.kernels import candidate
from builder.spec import load_spec
from builder.verify import row_of
from builder.verify.running import run_rows

Row = dict[str, Any]
Edit = Callable[[str], str | None]


def _swap(old: str, new: str) -> Edit:
    return lambda line: line.replace(old, new, 1) if old in line else None


def _first(*edits: Edit) -> Edit:
    def edit(line: str) -> str | None:
        return next((changed for one in edits if (changed := one(line)) is not None), None)

    return edit


def _constant(line: str) -> str | None:
    name, _, value = line.partition(" = ")
    if "const wp::float" not in name or not value.endswith(";"):
        return None
    return f"{name} = {value[:-1]} + 0.5;"


def _shift(line: str) -> str | None:
    """Let a thread work on the element before its own; the first on its own."""
    return (
        line.replace("= builtin_tid1d()", "= wp::max(builtin_tid1d() - 1, 0)") if "= builtin_tid1d()" in line else None
    )


def _guard(line: str) -> str | None:
    return line.replace("if (var_", "if (true || var_", 1) if line.strip().startswith("if (var_") else None


def _drop(*words: str) -> Edit:
    return lambda line: "" if any(line.strip().startswith(word) for word in words) else None


# Kind of mutant: the columns it is planted in, the level that may find it, what is done to a line.
MUTANTS: dict[str, tuple[tuple[str, ...], Edit]] = {
    "operator swapped": (
        ("cuda_forward",),
        _first(_swap("wp::add(", "wp::sub("), _swap("wp::sub(", "wp::add("), _swap("wp::mul(", "wp::add(")),
    ),
    "index off by one": (("cuda_forward",), _shift),
    "guard dropped": (("cuda_forward",), _guard),
    "constant changed": (("cuda_forward",), _constant),
    "term dropped": (("cuda_forward",), _first(_swap("wp::mul(", "wp::max("), _swap("wp::add(", "wp::min("))),
    "store skipped": (("cuda_forward",), _drop("wp::array_store(")),
    "adjoint term missing": (("cpp_backward", "cuda_backward"), _drop("wp::adj_mul(", "wp::adj_div(", "wp::adj_sub(")),
    "sign flipped": (("cpp_backward", "cuda_backward"), _first(_swap("wp::adj_add(", "wp::adj_sub("))),
}


def rows_of(each: int, seed: int) -> list[Row]:
    """Return rows of every category, without two kernels of one name."""
    rows: dict[str, Row] = {}
    for category in load_spec("paired").categories:
        found = 0
        for index in range(20 * each):
            source = candidate(seed, index, {category: 1.0})
            if source.kernel_name in rows or found == each:
                continue
            try:
                code = generate(source.text)
            except CodegenRejection:
                continue
            found += 1
            rows[code.kernel_name] = {**row_of(source.text, code), "category": category}
    return list(rows.values())


def mutant(row: Row, kind: str) -> tuple[Row, str] | None:
    """Return a row with one error and the line it is in, or None if the row has no place for it."""
    columns, edit = MUTANTS[kind]
    changed, where = dict(row), ""
    for column in columns:
        lines = row[column].split("\n")
        # Of an adjoint: what stands below the forward code that it repeats.
        start = next((n for n, line in enumerate(lines) if line.strip() == "// reverse"), 0)
        start = max(start, max((n for n, line in enumerate(lines) if "_kernel_" in line), default=0))
        for place in range(start, len(lines)):
            new = edit(lines[place])
            if new is not None and not lines[place].strip().startswith("//"):
                where = lines[place].strip()
                lines[place] = new
                break
        else:
            return None
        changed[column] = "\n".join(lines)
    changed["id"] = hashlib.sha256(f"{row['id']} {kind}".encode()).hexdigest()[:16]
    return changed, where


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; return 1 if fewer than 99 % of the mutants are found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=1, help="kernels of each category")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    rows = rows_of(args.each, args.seed)
    verdicts = run_rows(rows, "gradient", 0)
    planted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    survivors = []
    for kind, (columns, _) in MUTANTS.items():
        stage = "gradient" if "cpp_backward" in columns else "execute"
        sound = [row for row in rows if verdicts[row["id"]][stage].state == "passed"]
        mutants = [(row, made) for row in sound if (made := mutant(row, kind)) is not None]
        results = run_rows([made[0] for _, made in mutants], "gradient" if stage == "gradient" else "execute", 0)
        for row, (changed, line) in mutants:
            if str(results[changed["id"]]["execute"].details.get("cuda")).startswith("not_applicable"):
                continue  # no longer compiles: level compile refuses it, and it says nothing of running
            planted[kind] += 1
            if results[changed["id"]][stage].state in ("failed", "not_run"):
                found[kind] += 1
            else:
                survivors.append(f"{kind}: {row['category']} {row['kernel_name']} {row['id']}: {line}")
    for kind in MUTANTS:
        print(f"{kind:22} {found[kind]:4} of {planted[kind]:4}")
    total, killed = sum(planted.values()), sum(found.values())
    print(f"{'all':22} {killed:4} of {total:4}: {100 * killed / max(total, 1):.1f} %")
    print("\n".join(survivors))
    return 0 if killed >= 0.99 * total else 1


if __name__ == "__main__":
    sys.exit(main())
