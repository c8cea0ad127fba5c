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
    key = hashlib.sha256(f"{row['id']} {kind}".encode()).hexdigest()[:16]
    other = f"{name}_{key[:6]}"
    changed = dict(row) | {"id": key, "kernel_name": other}
    for column in ("cpp_forward", "cpp_backward", "cuda_forward", "cuda_backward"):
        for before, after in (("wp_args_", ""), ("", "_cpu_kernel_"), ("", "_cuda_kernel_")):
            changed[column] = changed[column].replace(f"{before}{name}{after}", f"{before}{other}{after}")
    return changed
