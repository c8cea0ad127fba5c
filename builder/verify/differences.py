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


def judge(value: Callable[[float], float], centre: float, claimed: float) -> Slope:
    """Compare a claimed derivative of a function at 0 with central differences of it.

    Two steps whose differences disagree beyond truncation and noise, or sides with different slopes, are a kink. A
    claim that is bad with the first step is bad only if it is with a shorter one too. Half a step, and the noise, are
    looked at only where a claim is not good without.

    Args:
        value: the function.
        centre: what it is at 0.
        claimed: the derivative to be judged.
    """
    last, noise = Slope(KINK, 0.0, 0.0), None
    for step in _STEPS:
        ahead, behind = value(step), value(-step)
        last = _judge_straight(step, centre, ahead, behind, claimed)
        if last.kind == GOOD:
            return last
        near = _Near(step, centre, ahead, behind, value(0.5 * step), value(-0.5 * step))
        last = _judge(near, claimed, 2.0**-50 * abs(centre))
        if last.kind != GOOD:
            noise = _noise(value, centre) if noise is None else noise
            last = _judge(near, claimed, noise)
        if last.kind == GOOD:
            return last
    return last


def _judge_straight(step: float, centre: float, ahead: float, behind: float, claimed: float) -> Slope:
    """Say good where a function is as good as straight over a step, and a claim as good as its slope there."""
    slope, bend = (ahead - behind) / (2 * step), abs(ahead + behind - 2 * centre) / step
    size = max(abs(slope), abs(claimed))
    error = abs(slope - claimed) / (_RELATIVE * size + 1e-9)
    return Slope(GOOD if error <= 1.0 and bend <= 1e-4 * size + 1e-7 else BAD, slope, error)


@dataclass(frozen=True, slots=True)
class _Near:
    """A function's values at 0, a step and half a step away."""

    step: float
    centre: float
    ahead: float
    behind: float
    ahead_half: float
    behind_half: float


def _judge(at: _Near, claimed: float, noise: float) -> Slope:
    wide, narrow = (at.ahead - at.behind) / (2 * at.step), (at.ahead_half - at.behind_half) / at.step
    best = (4 * narrow - wide) / 3
    # Twice: one differs from two steps, and an extrapolation weighs its two up.
    fuzz = 8 * noise / at.step
    size = max(abs(best), abs(claimed))
    if not abs(wide - narrow) <= 1e-3 * abs(best) + fuzz + 1e-7:
        return Slope(KINK, best, 0.0)
    bend = abs(at.ahead + at.behind - 2 * at.centre) / at.step
    bend_half = 2 * abs(at.ahead_half + at.behind_half - 2 * at.centre) / at.step
    # A smooth function bends half as much over half the step.
    if bend_half > 0.7 * bend and bend_half > 1e-4 * size + 4 * fuzz + 1e-7:
        return Slope(KINK, best, 0.0)
    allowed = _RELATIVE * size + fuzz + abs(wide - narrow) + 1e-9
    error = abs(best - claimed) / allowed
    return Slope(GOOD if error <= 1.0 else BAD, best, error)


def _noise(value: Callable[[float], float], centre: float) -> float:
    """Return how rough a function is where it is as good as straight: its rounding errors."""
    points = [centre if place == 0 else value(place * _TINY) for place in range(-2, 3)]
    bends = [abs(a - 2 * b + c) for a, b, c in zip(points, points[1:], points[2:], strict=False)]
    return max(*bends, 2.0**-50 * max(map(abs, points)))
