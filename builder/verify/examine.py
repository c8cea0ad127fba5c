"""All that is done with one row in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..codegen.arguments import Kind
from .executing import execute
from .gradients import differentiate
from .layout import UnsupportedArgument
from .machine import Machine
from .subject import subject_of
from .verdict import FAILED, NOT_APPLICABLE, NOT_RUN, Verdict


def stages(level: str) -> tuple[str, ...]:
    """Return what a level runs kernels for."""
    return ("execute",) if level == "execute" else ("execute", "gradient")


def examine(
    machine: Machine, kinds: Sequence[tuple[str, Kind]], row: Mapping[str, Any], level: str, seed: int, shapes: str
) -> Iterator[tuple[str, Verdict]]:
    """Yield ``(stage, verdict)`` for each stage of a level."""
    try:
        subject = subject_of(machine, kinds, row, seed, shapes)
        verdict = execute(subject)
        yield "execute", verdict
        if "gradient" in stages(level):
            if verdict.state == FAILED:
                yield "gradient", Verdict(NOT_RUN, "does not execute")
            else:
                yield "gradient", differentiate(subject)
    except UnsupportedArgument as error:
        for stage in stages(level):
            yield stage, Verdict(NOT_APPLICABLE, str(error))
