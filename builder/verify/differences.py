"""One derivative by differences, and whether another agrees with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

GOOD, BAD, KINK = "good", "bad", "kink"

_STEPS = (1e-4, 1e-5)
_TINY = 1e-11
# How far derivatives that agree may lie apart, relative, beside what the differences themselves are off.
_RELATIVE = 1e-6


@dataclass(frozen=True, slots=True)
class Slope:
    """What came of a comparison.

    Attributes:
        kind: ``good``; ``bad``: the derivatives are apart; ``kink``: there is no derivative to compare with here.
        value: the derivative by differences.
        error: how far they are apart, as a share of what they may be.
    """

    kind: str
    value: float
    error: float


def judge(value: Callable[[float], float], claimed: float) -> Slope:
    """Compare a claimed derivative of a function at 0 with central differences of it.

    Two steps whose differences disagree beyond truncation and noise, or sides with different slopes, are a kink. A
    claim that is bad with the first step is bad only if it is with a shorter one too.
    """
    noise = _noise(value)
    last = Slope(KINK, 0.0, 0.0)
    for step in _STEPS:
        last = _judge(value, claimed, step, noise)
        if last.kind == GOOD:
            return last
    return last


def _judge(value: Callable[[float], float], claimed: float, step: float, noise: float) -> Slope:
    centre = value(0.0)
    ahead, behind = value(step), value(-step)
    ahead_half, behind_half = value(step / 2), value(-step / 2)
    wide, narrow = (ahead - behind) / (2 * step), (ahead_half - behind_half) / step
    best = (4 * narrow - wide) / 3
    # Twice: one differs from two steps, and an extrapolation weighs its two up.
    fuzz = 8 * noise / step
    size = max(abs(best), abs(claimed))
    if not abs(wide - narrow) <= 1e-3 * abs(best) + fuzz + 1e-7:
        return Slope(KINK, best, 0.0)
    bend, bend_half = abs(ahead + behind - 2 * centre) / step, 2 * abs(ahead_half + behind_half - 2 * centre) / step
    # A smooth function bends half as much over half the step.
    if bend_half > 0.7 * bend and bend_half > 1e-4 * size + 4 * fuzz + 1e-7:
        return Slope(KINK, best, 0.0)
    allowed = _RELATIVE * size + fuzz + abs(wide - narrow) + 1e-9
    error = abs(best - claimed) / allowed
    return Slope(GOOD if error <= 1.0 else BAD, best, error)


def _noise(value: Callable[[float], float]) -> float:
    """Return how rough a function is where it is as good as straight: its rounding errors."""
    points = [value(place * _TINY) for place in range(-2, 3)]
    bends = [abs(a - 2 * b + c) for a, b, c in zip(points, points[1:], points[2:], strict=False)]
    return max(*bends, 2.0**-50 * max(map(abs, points)))
