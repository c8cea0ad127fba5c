"""Level ``gpu``: what a row gives on a device, forward and backward, against the CPU and double precision.

A device runs what Warp makes of the row's kernel source, which is the row's text: a folder's rows are generated again
before they are verified. All that is launched twice must give the same whole numbers; floats that atomics add up in
another order may differ within their bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bounds import Comparison, compare, floor_units
from .harness import BACKWARD, TWIN
from .inputs import ORDINARY, POSITIVE
from .launching import Launcher
from .layout import Memory, UnsupportedArgument, Values, numbers, put
from .subject import UNIT, Subject, contents
from .verdict import FAILED, NOT_APPLICABLE, PASSED, Verdict

# How far a device's derivatives may lie from those in double precision, as a multiple of how far the CPU's do, and
# beside that in units in the last place of the largest.
_SPREAD, _UNITS = 8.0, 64.0


@dataclass(slots=True)
class _Findings:
    sizes: list[int]
    numbers: int = 0
    worst: float = 0.0
    repeats: bool = True
    gradients: str = ""


def on_device(subject: Subject, launcher: Launcher, *, backward: bool) -> Verdict:
    """Return the verdict on launching a row on a device.

    Args:
        backward: whether its adjoint is launched too; only for rows whose adjoint stays within its arrays.
    """
    found = _Findings([])
    lengths = subject.sizes()
    trials = [*((ORDINARY, size) for size in lengths), (POSITIVE, lengths[1])]
    try:
        why = next(filter(None, (_forward(subject, launcher, *trial, found) for trial in trials)), "")
        if not why and backward:
            why = _backward(subject, launcher, lengths[1], found)
    except UnsupportedArgument as error:
        return Verdict(NOT_APPLICABLE, str(error), _details(found, subject.shapes))
    return Verdict(FAILED if why else PASSED, why, _details(found, subject.shapes))


def _details(found: _Findings, shapes: str) -> dict[str, Any]:
    return {
        "shapes": shapes,
        "sizes": sorted(set(found.sizes)),
        "numbers": found.numbers,
        "error_over_bound": float(f"{found.worst:.3g}"),
        "repeats": found.repeats,
        "gradients": found.gradients,
    }


def _forward(subject: Subject, launcher: Launcher, profile: str, size: int, found: _Findings) -> str:
    """Return what is wrong with a launch, or nothing."""
    memory, launch = subject.memory(size, profile), subject.launch(size, subject.main)
    before = contents(memory)
    here = subject.run(subject.main, memory, size)
    first, second = launcher.forward(memory, launch), launcher.forward(memory, launch)
    written = [
        n for n, old in enumerate(before) if any(old.tobytes() != new[n].tobytes() for new in (here, first, second))
    ]
    found.sizes.append(size)
    where = f"with {profile} values and length {size}"
    for result in (first, second):
        said = _beyond(subject, memory, size, here, result, written, found)
        if said:
            return f"on the device {said} {where}"
    for n in written:
        if first[n].tobytes() != second[n].tobytes():
            found.repeats = False
            if not memory.leaves[n].is_float:
                return f"launched twice, gives two results for {memory.leaves[n].name} {where}"
    return ""


def _beyond(
    subject: Subject,
    memory: Memory,
    size: int,
    here: Sequence[Values],
    result: Sequence[Values],
    written: Sequence[int],
    found: _Findings,
) -> str:
    """Return where a result lies beyond its bound; without a twin, too far from the CPU's."""
    if subject.machine.has(TWIN, "forward"):
        compared: Comparison = compare(subject, memory, size, result, written, here)
        found.numbers += compared.numbers
        found.worst = max(found.worst, compared.worst)
        return compared.wrong
    for n in written:
        leaf = memory.leaves[n]
        found.numbers += leaf.values.size
        near = _near(subject, leaf.number, size, here[n], result[n]) if leaf.is_float else here[n] == result[n]
        if not np.all(near):
            return f"{leaf.name} is not what it is on the CPU"
    return ""


def _near(subject: Subject, number: str, size: int, ours: Values, theirs: Values) -> Values:
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    unit = max(subject.unit, UNIT[number])
    allowed = _UNITS * floor_units(subject, size) * unit * np.max(np.abs(np.nan_to_num(ours)), initial=1.0)
    return np.isclose(ours, theirs, rtol=0.0, atol=allowed, equal_nan=True)


def _backward(subject: Subject, launcher: Launcher, size: int, found: _Findings) -> str:
    """Return what is wrong with the derivatives of a launch, or nothing."""
    if not subject.machine.has(subject.main, BACKWARD):
        found.gradients = "not_applicable: no adjoint"
        return ""
    here = _derivatives(subject, size, subject.main)
    wide = _derivatives(subject, size, TWIN) if subject.machine.has(TWIN, BACKWARD) else here
    memory, adjoint = _cotangents(subject, size, wide=False)
    there = launcher.backward(memory, adjoint, subject.launch(size, subject.main))
    for leaf, cpu, true, gpu in zip(adjoint.leaves, here, wide, there, strict=True):
        if not leaf.is_float or leaf.buffer < 0:
            continue
        cpu, true, gpu = (values.astype(np.float64) for values in (cpu, true, gpu))
        if not (np.isfinite(cpu).all() and np.isfinite(true).all()):
            continue
        unit = _UNITS * floor_units(subject, size) * max(subject.unit, UNIT[leaf.number])
        allowed = _SPREAD * np.max(np.abs(cpu - true), initial=0.0) + unit * np.max(np.abs(true), initial=1.0)
        if not (np.abs(gpu - true) <= allowed).all():
            return f"on the device the derivatives by {leaf.name} are not those on the CPU (length {size})"
    found.gradients = "within bound"
    return ""


def _cotangents(subject: Subject, size: int, *, wide: bool) -> tuple[Memory, Memory]:
    """Return arguments, and gradients of random values of all arrays of floats."""
    memory = subject.memory(size, ORDINARY, "gradient")
    adjoint = Memory(subject.kinds, size, subject.shapes, wide=wide)
    rng = subject.rng("cotangents")
    for leaf in adjoint.floats():
        if leaf.buffer >= 0:
            put(leaf, rng.normal(size=leaf.values.shape).astype(np.float32))
    return (subject.wide(memory, size) if wide else memory), adjoint


def _derivatives(subject: Subject, size: int, variant: str) -> list[Values]:
    memory, adjoint = _cotangents(subject, size, wide=variant == TWIN)
    launch = subject.launch(size, variant)
    memory.attach(adjoint)
    subject.machine.run(variant, launch, memory)
    subject.machine.run(variant, launch, memory, adjoint, direction=BACKWARD)
    return [numbers(leaf) for leaf in adjoint.leaves]
