"""Plant errors in the generated code of a stratified sample, and count how many of them verification finds.

    python -m tools.mutation [--each 2] [--seed 0]

Each kernel gets one mutant of each kind that its text has a place for: in its C++ or its CUDA text or, for adjoints, in
both. Only kernels that pass themselves are mutated. Prints the score by kind, of those mutants that are not
equivalent, and lists what survives.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence, Set

from builder.verify.running import run_rows

from .dataflow import equal_by_dataflow
from .degenerate import COPY, ZERO, degenerate
from .equivalence import equivalent
from .kinds import ADJOINT, FORWARD
from .planting import Mutant, Row, plant, renamed, rows_of

# One that is found and equivalent counts as neither: the check or the argument is wrong.
DOUBTFUL = "found, though equivalent"
KILLED, SURVIVED, UNCOMPILED, EQUIVALENT = "found", "survived", "do not compile", "equivalent"
_NO_CODE = ("does not compile", "has no adjoint")


def outcomes(mutants: Sequence[Mutant], smooth: Set[str]) -> dict[str, str]:
    """Return by id what became of mutants.

    Args:
        smooth: the ids of the rows whose adjoint passes, so that a mutant may be found by it.
    """
    forward = [mutant for mutant in mutants if mutant.kind in FORWARD]
    said = _ran(forward, "execute")
    again = [mutant for mutant in forward if said[mutant.row["id"]] == SURVIVED and mutant.of["id"] in smooth]
    said |= _ran([*again, *(mutant for mutant in mutants if mutant.kind in ADJOINT)], "gradient")
    for mutant in mutants:
        if said[mutant.row["id"]] == KILLED and (why := equal_by_dataflow(mutant)):
            said[mutant.row["id"]] = f"{DOUBTFUL}: {why}"
    same = equivalent([mutant for mutant in mutants if said[mutant.row["id"]] == SURVIVED])
    return said | {key: f"{EQUIVALENT}: {why}" for key, why in same.items()}


def _ran(mutants: Sequence[Mutant], level: str) -> dict[str, str]:
    said = {}
    verdicts = run_rows([mutant.row for mutant in mutants], level, 0)
    for mutant in mutants:
        verdict, ran = verdicts[mutant.row["id"]][level], verdicts[mutant.row["id"]]["execute"]
        words = (verdict.reason, ran.reason, str(ran.details.get("cuda")))
        if any(word in one for word in _NO_CODE for one in words):
            said[mutant.row["id"]] = UNCOMPILED
        else:
            said[mutant.row["id"]] = KILLED if verdict.state in ("failed", "not_run") else SURVIVED
    return said


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; return 1 if fewer than 99 % of the mutants that are not equivalent are found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=2, help="kernels of each category")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    rows = rows_of(args.each, args.seed)
    verdicts = run_rows(rows, "gradient", 0)
    mutants = []
    for kind in (*FORWARD, *ADJOINT):
        stage = "execute" if kind in FORWARD else "gradient"
        sound = [row for row in rows if verdicts[row["id"]][stage].state == "passed"]
        mutants += [made for row in sound if (made := plant(row, kind, args.seed)) is not None]
    said = outcomes(mutants, {id_ for id_, found in verdicts.items() if found["gradient"].state == "passed"})
    show(mutants, said)
    show_degenerate([row for row in rows if verdicts[row["id"]]["execute"].state == "passed"])
    print(f"\nTold by generating the code again, as `verify DIR` does: {_other_texts(mutants)} of {len(mutants)}")
    killed, lived = (list(said.values()).count(state) for state in (KILLED, SURVIVED))
    return 0 if killed >= 0.99 * (killed + lived) else 1


def _other_texts(mutants: Sequence[Mutant]) -> int:
    """Return how many have a text that is not the one their kernel source generates."""
    return sum(renamed(one.of, one.kind)[column] != one.row[column] for one in mutants for column in one.columns[:1])


def show(mutants: Sequence[Mutant], said: Mapping[str, str]) -> None:
    """Print the score by kind, and each mutant that survives or is equivalent."""
    states = {key: state.partition(":")[0] for key, state in said.items()}
    counts = Counter((mutant.kind, states[mutant.row["id"]]) for mutant in mutants)
    counts.update(("all", states[mutant.row["id"]]) for mutant in mutants)
    print(f"{'':22} {KILLED:>9} {SURVIVED:>9} {'score':>8} {EQUIVALENT:>11} {UNCOMPILED:>15}")
    for kind in (*FORWARD, *ADJOINT, "all"):
        killed, lived = counts[kind, KILLED], counts[kind, SURVIVED]
        score = 100 * killed / max(killed + lived, 1)
        print(
            f"{kind:22} {killed:9} {lived:9} {score:6.1f} % {counts[kind, EQUIVALENT]:11} {counts[kind, UNCOMPILED]:15}"
        )
    for state in sorted(set(said.values()) - {KILLED, UNCOMPILED}, key=lambda state: (state != SURVIVED, state)):
        print(f"\n{state}:")
        for one in mutants:
            if said[one.row["id"]] == state:
                where = f"{one.kind} in {one.columns[0]} of {one.of['category']} {one.of['kernel_name']} {one.of['id']}"
                print(f"{where}: {one.old.strip()} -> {one.new.strip() or 'nothing'}")


def show_degenerate(rows: Sequence[Row]) -> None:
    """Print how many rows that store zeros, or a copy of an input, in both texts alike are found."""
    for kind in (ZERO, COPY):
        made = [one for row in rows if (one := degenerate(row, kind)) is not None]
        verdicts = run_rows(made, "gradient", 0)
        ran = sum(verdicts[row["id"]]["execute"].state != "passed" for row in made)
        passed = [
            row for row in made if not {"failed", "not_run"} & {one.state for one in verdicts[row["id"]].values()}
        ]
        others = len(made) - ran - len(passed)
        print(f"\n{kind} in both texts: {ran} of {len(made)} {KILLED} by running, {others} more by the adjoint; not:")
        print("\n".join(f"{row['category']} {row['id']}" for row in passed))


if __name__ == "__main__":
    sys.exit(main())
