"""Where kernel sources come from: the typed random-program grammar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b

from .categories import category
from .choices import Choices, CounterChoices
from .facts import describe, features, kernel_name
from .program import Program
from .reading import Reading
from .render import render
from .size import unrolled_nodes
from .source import KernelSource

# Weights are turned into whole numbers of this resolution, so that shares are exact.
_RESOLUTION = 1_000_000


# An expression node becomes about ten tokens of CUDA.
_NODES, _TRIES = 1000, 6

# 2**64 / golden ratio: multiples of it, modulo 2**64, fill the range as evenly as any sequence can.
_GOLDEN = 0x9E3779B97F4A7C15
_RANGE = 1 << 64


def category_of(seed: int, index: int, categories: Mapping[str, float]) -> str:
    """Return the category of candidate ``index``, by weight.

    Not a draw but a place in an evenly filling sequence (Kronecker's), so that the share of each category among
    the first ``n`` candidates is its weight's, to within a few candidates, and not only in the mean.
    """
    weights = {name: max(1, round(weight * _RESOLUTION)) for name, weight in categories.items()}
    start = int.from_bytes(blake2b(b"categories", key=seed.to_bytes(8, "little"), digest_size=8).digest(), "little")
    left = (start + index * _GOLDEN) % _RANGE * sum(weights.values()) // _RANGE
    for name, weight in weights.items():
        left -= weight
        if left < 0:
            return name
    raise AssertionError("unreachable: the place lies below the sum of the weights")


def draw_program(choices: Choices, name: str) -> Program:
    """Return one program of a category: launch options, then the category's own choices.

    Only what knows better names its kernel; :func:`to_source` names the others.
    """
    lean, documented = choices.chance(1, 4), choices.chance(1, 4)
    program = _of_moderate_size(choices, name)
    options = (("grid_stride", False),) if lean and not program.options else program.options
    doc = program.summary if documented and not program.doc else program.doc
    return replace(program, options=options, doc=doc)


def _of_moderate_size(choices: Choices, name: str) -> Program:
    """Return the first program that does not explode when Warp unrolls its loops, or the smallest of a few."""
    drawn: list[tuple[int, int, Program]] = []
    while len(drawn) < _TRIES:
        program = category(name)(choices)
        nodes = unrolled_nodes(program)
        if nodes <= _NODES:
            return program
        drawn.append((nodes, len(drawn), program))
    return min(drawn)[2]


def to_source(program: Program) -> KernelSource:
    """Return the kernel source of a program with its description and features."""
    reading = Reading(program)
    if not program.name:
        program = replace(program, name=kernel_name(reading))
    return KernelSource(render(program, reading), program.name, program.category, describe(reading), features(reading))


def candidate(seed: int, index: int, categories: Mapping[str, float]) -> KernelSource:
    """Return candidate ``index``: a pure function of ``(seed, index)`` and the category weights."""
    return to_source(draw_program(CounterChoices(seed, index), category_of(seed, index, categories)))


__all__ = ["KernelSource", "candidate", "category_of", "draw_program", "to_source"]
