"""How far a row's result may lie from what it is in double precision.

The bound of each number comes from three things: how much the row's own result moves when all is rounded down, up or to
zero (W. Kahan, "How Futile are Mindless Assessments of Roundoff in Floating-Point Computation?", 2006); how much
the result in double precision moves when the inputs move by half a unit in the last place; and a few units in the last
place of the result for each kind of operation in the row, since those two miss what happens to be exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .harness import TWIN
from .inputs import nudge
from .layout import Leaf, Memory, Values
from .machine import DIRECTED
from .subject import UNIT, Subject

# Units in the last place by kind of operation: CUDA's and the C library's functions are good to a few.
_BASIC, _DIVISION, _FUNCTION, _TERM = 4.0, 8.0, 16.0, 1.0
_DIVIDES = {"sqrt", "normalize", "length", "inverse", "div", "cbrt", "quat_inverse", "determinant"}
_FUNCTIONS = {
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log2", "log10"),
    *("pow", "erf", "erfc", "erfinv", "erfcinv", "noise", "pnoise", "curlnoise", "svd3", "qr3", "eig3", "svd2"),
    *("quat_slerp", "quat_from_axis_angle", "quat_to_axis_angle", "quat_rpy", "quat_from_matrix"),
}
# What the spread and the response are multiplied by: three samples of each say what a worst case is only roughly.
_SPREAD, _RESPONSE = 4.0, 8.0
_SAMPLES, _STEPS = 4, (64.0, 4096.0)
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of a comparison.

    Attributes:
        numbers: how many numbers were compared.
        worst: the largest error, as a share of its bound, of those that do not jump.
        jumps: how many lie beyond their bound where the row itself, in double precision, jumps nearby.
        wrong: the first that lies beyond its bound and does not, in words; or empty.
    """

    numbers: int
    worst: float
    jumps: int
    wrong: str


def floor_units(subject: Subject, size: int) -> float:
    """Return how many units in the last place a result may be off however well it behaves."""
    units: float = _BASIC + _TERM * min(size**subject.ndim, 4096)
    units += _DIVISION if subject.calls & _DIVIDES else 0.0
    return units + (_FUNCTION if subject.calls & _FUNCTIONS else 0.0)


def compare(
    subject: Subject,
    memory: Memory,
    size: int,
    after: Sequence[Values],
    written: Sequence[int],
    here: Sequence[Values] | None = None,
) -> Comparison:
    """Compare what a row wrote with what it writes in double precision.

    Args:
        memory: the arguments it ran with.
        size: the length of the grid's dimensions.
        after: what lay in the leaves when it had run.
        written: the leaves that it writes.
        here: what the CPU made of them, where ``after`` is what another device did.
    """
    centre = after if here is None else here
    exact = subject.run(TWIN, subject.wide(memory, size), size)
    directed = [subject.run(subject.main, memory, size, rounding=mode) for mode in DIRECTED]
    near = _nudged(subject, memory, size, subject.unit)
    far: list[list[Values]] = []
    count, worst, jumps = 0, 0.0, 0
    for n in written:
        leaf = memory.leaves[n]
        ours, true = after[n].astype(np.float64), exact[n].astype(np.float64)
        error = _error(ours, true, leaf.number)
        bound = _SPREAD * _distance(directed, n, centre[n].astype(np.float64)) + _RESPONSE * _distance(near, n, true)
        bound = bound + _least(subject, leaf, size, ours, true)
        beyond = ~(error <= bound)
        count += error.size
        worst = max(worst, float((error[~beyond] / np.maximum(bound[~beyond], _TINY)).max(initial=0.0)))
        if beyond.any():
            far = far or [one for step in _STEPS for one in _nudged(subject, memory, size, step * subject.unit)]
            still = beyond & ~(_distance(far, n, true) >= 0.1 * error)
            jumps += int((beyond & ~still).sum())
            if still.any():
                return Comparison(count, worst, jumps, _said(leaf, int(np.flatnonzero(still)[0]), ours, true, bound))
    return Comparison(count, worst, jumps, "")


def _said(leaf: Leaf, at: int, ours: Values, true: Values, bound: Values) -> str:
    share = abs(ours.flat[at] - true.flat[at]) / max(bound.flat[at], _TINY)
    return (
        f"{leaf.name}[{at}] is {ours.flat[at]:.9g}, in double precision {true.flat[at]:.9g}, "
        f"{share:.3g} times the bound"
    )


def _least(subject: Subject, leaf: Leaf, size: int, ours: Values, true: Values) -> Values:
    """Return what is allowed however little a row moves; nothing for whole numbers."""
    if not leaf.is_float:
        return np.zeros(ours.shape)
    largest = np.nan_to_num(np.maximum(np.abs(ours), np.abs(true)), nan=np.inf)
    unit = max(subject.unit, UNIT[leaf.number])
    return np.asarray(floor_units(subject, size) * unit * largest + float(np.finfo(np.float32).tiny))


def _nudged(subject: Subject, memory: Memory, size: int, relative: float) -> list[list[Values]]:
    rng = subject.rng("nudge", relative)
    results = []
    for _ in range(_SAMPLES):
        wide = subject.wide(memory, size)
        nudge(wide, rng, relative)
        results.append(subject.run(TWIN, wide, size))
    return results


def _error(ours: Values, true: Values, number: str) -> Values:
    """Return the errors; none where both are no number, or the true one is beyond the numbers of the row's type."""
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(ours - true)
        largest = {"float16": 65504.0, "float32": float(np.finfo(np.float32).max)}.get(number, np.inf)
        # What overflowed on its way may end as any number (a minimum drops what is none), so it says nothing.
        alike = (np.isnan(ours) & np.isnan(true)) | (ours == true) | ~(np.abs(true) < largest / 2)
    return np.where(alike, 0.0, np.nan_to_num(error, nan=np.inf))


def _distance(results: Sequence[Sequence[Values]], n: int, centre: Values) -> Values:
    """Return how far one leaf of some results lies from its centre at most."""
    with np.errstate(invalid="ignore"):
        distances = [
            np.where(np.isnan(result) & np.isnan(centre), 0.0, np.abs(result.astype(np.float64) - centre))
            for result in (one[n] for one in results)
        ]
    largest: Values = np.maximum.reduce(distances)
    return np.nan_to_num(largest, nan=np.inf)
