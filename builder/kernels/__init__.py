"""Where kernel sources come from: the typed random-program grammar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .categories import category
from .choices import Choices, CounterChoices
from .facts import describe, features, kernel_name
from .program import Program
from .reading import Reading
from .render import render
from .source import KernelSource

# Relative weights are turned into whole numbers of this resolution, so that draws are exact.
_RESOLUTION = 1_000_000


def draw_program(choices: Choices, categories: Mapping[str, float]) -> Program:
    """Return one program: a category by weight, launch options, then the category's own choices.

    Only what knows better names its kernel; :func:`to_source` names the others.
    """
    largest = max(categories.values())
    weights = {name: max(1, round(weight / largest * _RESOLUTION)) for name, weight in categories.items()}
    name = choices.weighted(weights)
    lean, documented = choices.chance(1, 4), choices.chance(1, 4)
    program = category(name)(choices)
    options = (("grid_stride", False),) if lean and not program.options else program.options
    doc = program.summary if documented and not program.doc else program.doc
    return replace(program, options=options, doc=doc)


def to_source(program: Program) -> KernelSource:
    """Return the kernel source of a program with its description and features."""
    reading = Reading(program)
    if not program.name:
        program = replace(program, name=kernel_name(reading))
    return KernelSource(render(program, reading), program.name, program.category, describe(reading), features(reading))


def candidate(seed: int, index: int, categories: Mapping[str, float]) -> KernelSource:
    """Return candidate ``index``: a pure function of ``(seed, index)`` and the category weights."""
    return to_source(draw_program(CounterChoices(seed, index), categories))


__all__ = ["KernelSource", "candidate", "draw_program", "to_source"]
