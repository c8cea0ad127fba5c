"""Programs of rows, with the values that they are checked against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import StandaloneRejection
from .expected import Job, expected_values
from .host import written_leaves
from .program import Expected, default_shapes, example_size, program
from .shapes import LENGTHS
from .translate import Translation, translate

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """The program of a row.

    Attributes:
        text: the program, with expected values where they are known; "" if the kernel has no translation.
        rejection: why it has none.
        unknown: why no expected values are known.
    """

    text: str
    rejection: StandaloneRejection | None = None
    unknown: str = ""


def standalone(source: str, *, seed: int = 0, summary: str = "") -> str:
    """Return the program of a kernel source, without expected values.

    Args:
        source: a kernel source.
        seed: decides the inputs.
        summary: one sentence for the head of the program.

    Raises:
        CodegenRejection: Warp itself refuses the kernel.
        StandaloneRejection: it has no translation; names the construct and the line.
    """
    return program(translate(source), seed=seed, summary=summary)


def program_seed(row: Mapping[str, Any]) -> int:
    """Return what decides the inputs of a row's program: another number for each candidate of a seed."""
    return (int(row.get("seed") or 0) * 1_000_003 + int(row.get("index") or 0)) & 0xFFFFFFFF


def checked_programs(rows: Sequence[Row]) -> dict[str, Made]:
    """Return by id the programs of rows, which compare their outputs with what Warp's CPU code gives.

    Args:
        rows: pairs with different ids; ``seed`` and ``index``, where there, decide the inputs, and ``description``
            stands at the head of the program.
    """
    made: dict[str, Made] = {}
    translations: dict[str, Translation] = {}
    for row in rows:
        try:
            translations[row["id"]] = translate(row["python_source"])
        except StandaloneRejection as rejection:
            made[row["id"]] = Made("", rejection)
    left = {row["id"]: row for row in rows if row["id"] in translations}
    tries = {key: _tries(translations[key]) for key in left}
    while left:
        jobs = [_job(row, translations[key], tries[key][0]) for key, row in left.items()]
        again: dict[str, Row] = {}
        for key, answer in expected_values(jobs).items():
            # An index beyond an array ends the process.
            if isinstance(answer, str) and "status" in answer and len(tries[key]) > 1:
                again[key] = left[key]
                tries[key] = tries[key][1:]
            else:
                made[key] = _made(left[key], translations[key], tries[key][0], answer)
        left = again
    return made


def _tries(t: Translation) -> list[str]:
    """Return how long to make arrays, in the order in which that is tried."""
    first = default_shapes(t)
    return [first, *(name for name in LENGTHS if name != first)]


def _job(row: Row, t: Translation, shapes: str) -> Job:
    return Job(row, program_seed(row), example_size(t), shapes, tuple(leaf.path for leaf in written_leaves(t)))


def _made(row: Row, t: Translation, shapes: str, answer: list[Expected] | str) -> Made:
    summary = str(row.get("description", ""))
    known = [] if isinstance(answer, str) else answer
    try:
        text = program(t, seed=program_seed(row), summary=summary, shapes=shapes, expected=known)
    except StandaloneRejection as rejection:
        return Made("", rejection)
    return Made(text, None, answer if isinstance(answer, str) else "")
