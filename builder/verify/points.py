"""Where a row is differentiated: arguments, which of them are inputs, and weights of what it writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from .harness import BACKWARD, TWIN
from .layout import Memory, Values
from .subject import Subject, contents, fewer

# Up to so many inputs each is moved alone; of more, a sample. Blocks that work together run slowly: fewer.
_ALL, _SAMPLE = 64, 24
_ALL_OF_BLOCKS, _SAMPLE_OF_BLOCKS = 16, 8
_DIRECTIONS = 3


class NoGradient(Exception):
    """There is nothing to compare; the message says why."""


@dataclass(slots=True)
class Point:
    """Arguments at which a row is differentiated, with what its forward code makes of them.

    ``centre`` is the value there.
    """

    subject: Subject
    size: int
    memory: Memory
    inputs: list[int]
    outputs: list[int]
    weights: list[Values]
    centre: float = field(init=False)

    def __post_init__(self) -> None:
        self.centre = self.value()

    def value(self) -> float:
        """Return the weighted sum of the outputs for what now lies in the inputs."""
        after = self.subject.run(TWIN, self.memory, self.size)
        return float(sum((w * after[n]).sum() for n, w in zip(self.outputs, self.weights, strict=True)))

    def along(self, direction: Sequence[Values], step: float) -> float:
        """Return the value a step along a direction away; the inputs stay."""
        before = [self.memory.leaves[n].values.copy() for n in self.inputs]
        for n, way in zip(self.inputs, direction, strict=True):
            self.memory.leaves[n].values[...] += step * way
        try:
            return self.value()
        finally:
            for n, old in zip(self.inputs, before, strict=True):
                self.memory.leaves[n].values[...] = old

    def adjoint(self, *, before: bool) -> list[Values]:
        """Return the adjoint's derivatives by the inputs.

        Args:
            before: leave in the arrays what lay there before the forward code ran, not after, as Warp's tape does.
        """
        memory, launch = self.memory, self.subject.launch(self.size, TWIN)
        adjoint = Memory(self.subject.kinds, self.size, self.subject.shapes, wide=True)
        for n, weights in zip(self.outputs, self.weights, strict=True):
            adjoint.leaves[n].values[...] = weights
        saved = memory.save()
        memory.attach(adjoint)
        if not before:
            self.subject.machine.run(TWIN, launch, memory)
        self.subject.machine.run(TWIN, launch, memory, adjoint, direction=BACKWARD)
        memory.restore(saved)
        return [adjoint.leaves[n].values.copy() for n in self.inputs]


def point_at(subject: Subject, profile: str, size: int, place: int) -> Point:
    """Return a point of a row, with values of a profile and random weights of what it writes there.

    Raises:
        NoGradient: it writes no floats there, or reads none that it does not write.
    """
    narrow = subject.memory(size, profile, "gradient", place)
    if subject.native and place % 2:
        fewer(narrow)
    memory = subject.wide(narrow, size)
    before = contents(memory)
    after = subject.run(TWIN, memory, size)
    changed = [a.tobytes() != b.tobytes() for a, b in zip(before, after, strict=True)]
    leaves = list(enumerate(memory.leaves))
    outputs = [n for n, leaf in leaves if changed[n] and leaf.is_float]
    whole = [n for n, leaf in leaves if changed[n]]
    inputs = [n for n, leaf in leaves if not changed[n] and leaf.is_float and leaf.buffer >= 0]
    if not outputs:
        raise NoGradient("writes no floats" if whole else "writes nothing")
    if not inputs:
        raise NoGradient("reads no array of floats that it does not write")
    rng = subject.rng("weights", place)
    weights = [rng.normal(size=memory.leaves[n].values.shape) for n in outputs]
    return Point(subject, size, memory, inputs, outputs, weights)


def directions(point: Point, place: int) -> Iterator[tuple[str, list[Values]]]:
    """Yield directions with names: along one input, then random ones."""
    shapes = [point.memory.leaves[n].values.shape for n in point.inputs]
    total = sum(int(np.prod(shape)) for shape in shapes)
    rng = point.subject.rng("directions", place)
    blocks = point.subject.tiled or point.subject.together
    most, sample = (_ALL_OF_BLOCKS, _SAMPLE_OF_BLOCKS) if blocks else (_ALL, _SAMPLE)
    chosen = range(total) if total <= most else sorted(rng.choice(total, sample, replace=False).tolist())
    for at in chosen:
        ways = [np.zeros(shape) for shape in shapes]
        left = at
        for n, way in zip(point.inputs, ways, strict=True):
            if left < way.size:
                way.flat[left] = 1.0
                yield f"{point.memory.leaves[n].name}[{left}]", ways
                break
            left -= way.size
    for _ in range(_DIRECTIONS):
        yield "a random direction", [rng.normal(size=shape) for shape in shapes]
