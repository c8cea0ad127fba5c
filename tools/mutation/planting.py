"""Rows with one planted error each, at places drawn among all that a row's text has for it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from builder.codegen import generate
from builder.errors import CodegenRejection
from builder.kernels import candidate
from builder.spec import load_spec
from builder.verify import row_of

from .kinds import ADJOINT, FORWARD, Edit
from .lines import declared

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A row with an error.

    Attributes:
        row: the row, with a kernel name and an id of its own, so that many fit in one file.
        of: the row that it is made of.
        kind: what was done.
        columns: the code columns that hold the error.
        number: the line of the first of them that was changed.
        new: what it became.
    """

    row: Row
    of: Row
    kind: str
    columns: tuple[str, ...]
    number: int
    new: str

    @property
    def old(self) -> str:
        """The line as it was."""
        return str(self.of[self.columns[0]].split("\n")[self.number])

    def carried(self) -> Row:
        """Return the row with the error in its CUDA text, whichever text it was planted in.

        Raises:
            IndexError: the line does not stand there.
        """
        columns = tuple(name.replace("cpp_", "cuda_") for name in self.columns)
        return renamed(_changed(self.of, self.columns[0], self.number, self.new, columns), self.kind)


def rows_of(each: int, seed: int) -> list[Row]:
    """Return ``each`` rows of every category, all with different kernel names."""
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


def plant(row: Row, kind: str, seed: int) -> Mutant | None:
    """Return a row with one error of a kind, or None if its text has no place for it.

    Forward, the error is in one of the two devices' texts; in an adjoint in both, which hold the same lines.
    """
    rng = random.Random(f"{seed} {row['id']} {kind}")
    if kind in FORWARD:
        columns: tuple[str, ...] = (rng.choice(("cpp_forward", "cuda_forward")),)
        places = list(_places(row[columns[0]], FORWARD[kind], 0))
    else:
        columns = ("cuda_backward", "cpp_backward")
        lines = row["cuda_backward"].split("\n")
        start = next((n for n, line in enumerate(lines) if line.strip() == "// reverse"), 0)
        places = list(_places(row["cuda_backward"], ADJOINT[kind], start))
    if not places:
        return None
    number, new = rng.choice(places)
    return Mutant(renamed(_changed(row, columns[0], number, new, columns), kind), row, kind, columns, number, new)


def _places(text: str, edit: Edit, start: int) -> Iterator[tuple[int, str]]:
    """Yield ``(number of a line, what it becomes)`` for each edit that a text has a place for."""
    types: dict[str, str] = {}
    for number, line in enumerate(text.split("\n")):
        if line.strip().startswith(("//", "#")):
            continue
        if (found := declared(line)) is not None:
            types[found[0]] = found[1]
        if number >= start:
            for new in edit(line, types):
                yield number, new


def _changed(row: Row, source: str, number: int, new: str, columns: tuple[str, ...]) -> Row:
    """Return a row with another line in some columns: where that stands which is at ``number`` in ``source``."""
    before, changed = row[source].split("\n"), dict(row)
    wanted = before[number].strip()
    nth = sum(line.strip() == wanted for line in before[:number])
    for column in columns:
        lines = row[column].split("\n")
        lines[[n for n, line in enumerate(lines) if line.strip() == wanted][nth]] = new
        changed[column] = "\n".join(lines)
    return changed


def renamed(row: Row, kind: str) -> Row:
    """Return a row with another kernel name in code and source, and another id."""
    name = row["kernel_name"]
    other = f"{name}_{hashlib.sha256(kind.encode()).hexdigest()[:6]}"
    # Behind a dash, what does not change the numbers that the row is run with: those that the sound row passed with.
    changed = dict(row) | {"id": f"{row['id']}-{kind}", "kernel_name": other}
    for column in ("cpp_forward", "cpp_backward", "cuda_forward", "cuda_backward"):
        for before, after in (("wp_args_", ""), ("", "_cpu_kernel_"), ("", "_cuda_kernel_")):
            changed[column] = changed[column].replace(f"{before}{name}{after}", f"{before}{other}{after}")
    return changed
