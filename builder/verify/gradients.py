"""Level ``gradient``: a row's adjoint, in double precision, against differences of its forward code.

For random weights of the outputs the adjoint gives the derivative of their weighted sum by each input. It is compared
with central differences along single inputs (all of them where they are few) and along random directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .differences import BAD, GOOD, KINK, Slope, judge
from .harness import BACKWARD, CUDA, TWIN
from .inputs import MODERATE, ORDINARY, POSITIVE
from .layout import Memory, Values, numbers, put
from .points import NoGradient, Point, directions, point_at
from .subject import Subject, arrays, contents
from .verdict import FAILED, NONSMOOTH, NOT_APPLICABLE, PASSED, Verdict


@dataclass(slots=True)
class _Findings:
    compared: int = 0
    kinks: int = 0
    zeros: int = 0
    worst: float = 0.0
    points: int = 0
    before: bool = False
    wrong: str = ""
    own: bool = False
    none: str = ""


def differentiate(subject: Subject) -> Verdict:
    """Return the verdict on a row's adjoint."""
    found = _Findings()
    lengths = subject.sizes()
    last = lengths[1 if subject.together else min(2, len(lengths) - 1)]
    points = [(ORDINARY, lengths[1]), (POSITIVE, lengths[1]), (ORDINARY, last)]
    if not subject.tiled and not subject.together:
        # Where a whole number that is as small decides, and where numbers beyond 2 do.
        points += [(ORDINARY, 3), (MODERATE, 5)]
    try:
        _check(subject)
        difference = _devices_differ(subject, lengths[1])
        if difference:
            return Verdict(FAILED, difference)
        for place, (profile, size) in enumerate(points):
            try:
                _at(point_at(subject, profile, size, place), found)
            except NoGradient as reason:
                found.none = str(reason)
            if found.wrong:
                break
    except NoGradient as reason:
        return Verdict(NOT_APPLICABLE, str(reason))
    return _verdict(found)


def _verdict(found: _Findings) -> Verdict:
    details = {
        "compared": found.compared,
        "kinks": found.kinks,
        "points": found.points,
        "error_over_bound": float(f"{found.worst:.3g}"),
        "arrays": "before" if found.before else "after",
    }
    if found.wrong and found.own:
        return Verdict(NOT_APPLICABLE, f"overwrites what its adjoint needs: {found.wrong}", details)
    if found.wrong:
        return Verdict(FAILED, found.wrong, details)
    if not found.points:
        return Verdict(NOT_APPLICABLE, found.none or "not finite at any point tried", details)
    if not found.compared:
        return Verdict(NONSMOOTH, "no smooth direction at any point tried", details)
    if found.zeros == found.compared:
        return Verdict(NOT_APPLICABLE, "its derivatives are zero at every point tried", details)
    return Verdict(PASSED, "", details)


def _check(subject: Subject) -> None:
    if not subject.machine.has(subject.main, BACKWARD):
        raise NoGradient("has no adjoint")
    if not subject.machine.has(TWIN, BACKWARD):
        raise NoGradient("its adjoint does not compile with doubles")
    if any(kind.family != "array" for kind in arrays(subject.kinds)):
        raise NoGradient("gradients of arrays seen through indices are not laid out here")


def _at(point: Point, found: _Findings) -> None:
    """Compare at one point."""
    if not np.isfinite(point.centre):
        return
    found.points += 1
    after = point.adjoint(before=False)
    ways = list(directions(point, found.points))
    bad = _compare(point, ways, after, found)
    if bad and _reads_own(point):
        again = _Findings()
        if not _compare(point, ways, point.adjoint(before=True), again):
            found.before, bad = True, ""
            found.compared, found.worst = found.compared + again.compared, max(found.worst, again.worst)
            found.zeros, found.kinks = found.zeros + again.zeros, found.kinks + again.kinks
        else:
            found.own = point.size > 1 and not _wrong_alone(point)
    found.wrong = bad and f"{bad} (length {point.size})"


def _wrong_alone(point: Point) -> bool:
    """Say whether the adjoint is wrong of one thread, too, before which nothing has been overwritten."""
    try:
        alone = point_at(point.subject, ORDINARY, 1, 0)
    except NoGradient:
        return False
    return bool(_compare(alone, list(directions(alone, 0)), alone.adjoint(before=True), _Findings()))


def _compare(
    point: Point, ways: Sequence[tuple[str, list[Values]]], gradient: Sequence[Values], found: _Findings
) -> str:
    compared = kinks = zeros = 0
    for name, way in ways:
        claimed = float(sum((g * w).sum() for g, w in zip(gradient, way, strict=True)))
        slope: Slope = judge(lambda step, way=way: point.along(way, step), point.centre, claimed)  # type: ignore[misc]
        if slope.kind == BAD:
            return f"along {name} the adjoint says {claimed:.9g}, differences say {slope.value:.9g}"
        compared += slope.kind == GOOD
        kinks += slope.kind == KINK
        zeros += slope.kind == GOOD and abs(claimed) < 1e-9 and abs(slope.value) < 1e-9
        found.worst = max(found.worst, slope.error if slope.kind == GOOD else 0.0)
    found.compared, found.kinks, found.zeros = found.compared + compared, found.kinks + kinks, found.zeros + zeros
    return ""


def _reads_own(point: Point) -> bool:
    """Say whether what a row writes depends on what lay there, beyond being added to it."""
    memory, size = point.memory, point.size
    after = point.subject.run(TWIN, memory, size)
    saved = memory.save()
    rng = point.subject.rng("own")
    for n in point.outputs:
        memory.leaves[n].values[...] *= 1.0 + 0.1 * rng.uniform(size=memory.leaves[n].values.shape)
    moved = contents(memory)
    again = point.subject.run(TWIN, memory, size)
    memory.restore(saved)
    before = contents(memory)
    for n in point.outputs:
        # An output either keeps what lay there (then both move alike) or does not care for it.
        shift, cause = again[n] - after[n], moved[n] - before[n]
        careless = np.isclose(shift, 0.0, atol=1e-12) | np.isclose(shift, cause, rtol=1e-6, atol=1e-12)
        if not careless.all():
            return True
    return False


def _devices_differ(subject: Subject, size: int) -> str:
    """Return how the adjoints of the C++ and the CUDA text differ in single precision, or nothing."""
    if not subject.machine.has(CUDA, BACKWARD):
        return ""
    for pair in subject.pairs:
        if name := _pair_differs(subject, size, pair):
            return f"the derivatives by {name} of the CUDA text are not those of the C++ text"
    return ""


def _pair_differs(subject: Subject, size: int, pair: tuple[str, str]) -> str:
    """Return the argument by which the derivatives of two variants differ, or nothing."""
    results = []
    for variant in pair:
        memory = subject.memory(size, ORDINARY, "gradient")
        adjoint = Memory(subject.kinds, size, subject.shapes, wide=False)
        rng = subject.rng("cotangents")
        for leaf in adjoint.floats():
            if leaf.buffer >= 0:
                put(leaf, rng.normal(size=leaf.values.shape))
        launch = subject.launch(size, variant)
        memory.attach(adjoint)
        subject.machine.run(variant, launch, memory)
        subject.machine.run(variant, launch, memory, adjoint, direction=BACKWARD)
        results.append([numbers(leaf) for leaf in adjoint.leaves])
    for leaf, ours, theirs in zip(adjoint.leaves, *results, strict=True):
        if ours.tobytes() != theirs.tobytes():
            return str(leaf.name)
    return ""
