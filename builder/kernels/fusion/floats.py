"""Steps that floats are put through."""

from __future__ import annotations

from collections.abc import Callable

from ..author import Scope
from ..terms import Term, number, where, wp
from ..types import scalar_of
from ..vocabulary import MATH, NUMERIC
from .coefficients import coefficient, named

Step = Callable[[Scope, Term], Term]


def _affine(k: Scope, v: Term) -> Term:
    T = scalar_of(v.type)
    return v * coefficient(k, T) + coefficient(k, T) if k.c.chance(1, 2) else coefficient(k, T) - v * coefficient(k, T)


def _limit(k: Scope, v: Term) -> Term:
    T, way = scalar_of(v.type), k.c.below(4)
    high = coefficient(k, T)
    if way == 0:
        return wp.clamp(v, -high, high)
    if way == 1:
        return wp.min(v, high)
    return wp.max(v, -high) if way == 2 else wp.max(wp.min(v, high), number(0.0, T))


def _sigmoid(k: Scope, v: Term) -> Term:
    return 1.0 / (1.0 + wp.exp(-wp.clamp(v, -20.0, 20.0)))


def _gelu(k: Scope, v: Term) -> Term:
    v = named(k, v)
    if k.c.chance(1, 2):
        return 0.5 * v * (1.0 + wp.erf(v * 0.70710678))
    return 0.5 * v * (1.0 + wp.tanh(0.79788456 * (v + 0.044715 * v * v * v)))


def _silu(k: Scope, v: Term) -> Term:
    v = named(k, v)
    return v * _sigmoid(k, v)


def _leaky(k: Scope, v: Term) -> Term:
    v = named(k, v)
    slope = coefficient(k, scalar_of(v.type), 1, 30)
    return where(v > 0.0, v, slope * v) if k.c.chance(1, 2) else wp.max(v, 0.0) + slope * wp.min(v, 0.0)


def _elu(k: Scope, v: Term) -> Term:
    v = named(k, v)
    return where(v > 0.0, v, coefficient(k, scalar_of(v.type)) * (wp.exp(wp.min(v, 0.0)) - 1.0))


def _softplus(k: Scope, v: Term) -> Term:
    return wp.log(1.0 + wp.exp(wp.min(v, 20.0)))


def _softsign(k: Scope, v: Term) -> Term:
    v = named(k, v)
    return v / (1.0 + wp.abs(v))


def _gaussian(k: Scope, v: Term) -> Term:
    v = named(k, v)
    return wp.exp(-wp.min(v * v * coefficient(k, scalar_of(v.type)), 30.0))


def _cauchy(k: Scope, v: Term) -> Term:
    v = named(k, v)
    return coefficient(k, scalar_of(v.type)) / (1.0 + v * v)


def _tanh(k: Scope, v: Term) -> Term:
    return wp.tanh(v * coefficient(k, scalar_of(v.type)))


def _root(k: Scope, v: Term) -> Term:
    return wp.sqrt(wp.abs(v) + coefficient(k, scalar_of(v.type), 1, 50))


def _square(k: Scope, v: Term) -> Term:
    v = named(k, v)
    return v * v if k.c.chance(1, 2) else wp.sign(v) * v * v


def _log(k: Scope, v: Term) -> Term:
    return wp.log(1.0 + wp.abs(v))


def _wave(k: Scope, v: Term) -> Term:
    T = scalar_of(v.type)
    trig = k.c.pick((wp.sin, wp.cos))
    return coefficient(k, T) * trig(v * coefficient(k, T))


def _relu(k: Scope, v: Term) -> Term:
    return wp.max(v, 0.0)


def _hard_threshold(k: Scope, v: Term) -> Term:
    v, t = named(k, v), coefficient(k, scalar_of(v.type), 1, 40)
    return where(wp.abs(v) < t, number(0.0, scalar_of(v.type)), v)


def _soft_threshold(k: Scope, v: Term) -> Term:
    v = named(k, v)
    return wp.sign(v) * wp.max(wp.abs(v) - coefficient(k, scalar_of(v.type), 1, 40), 0.0)


def _huber(k: Scope, v: Term) -> Term:
    v = named(k, v)
    d = number(k.c.between(10, 200) / 100, scalar_of(v.type))
    return where(wp.abs(v) <= d, 0.5 * v * v, d * (wp.abs(v) - 0.5 * d))


def _quantise(k: Scope, v: Term) -> Term:
    steps = number(k.c.pick((8.0, 16.0, 127.0, 255.0, 4.0)), scalar_of(v.type))
    return k.c.pick((wp.round, wp.floor, wp.rint, wp.trunc))(v * steps) / steps


def _periodic(k: Scope, v: Term) -> Term:
    v, length = named(k, v), coefficient(k, scalar_of(v.type), 50, 800)
    return v - wp.floor(v / length) * length


def _smooth(k: Scope, v: Term) -> Term:
    high = number(k.c.between(20, 300) / 100, scalar_of(v.type))
    return wp.smoothstep(-high, high, v)


def _mixed(k: Scope, v: Term) -> Term:
    """Join the value with another of the scope."""
    other, way = k.hole(v.type, k.c.between(1, 2), k.c.pick((NUMERIC, MATH))), k.c.below(5)
    if way == 0:
        return v + other
    if way == 1:
        return v * other
    if way == 2:
        return v - other
    if way == 3:
        return wp.lerp(v, other, number(k.c.between(5, 95) / 100, scalar_of(v.type)))
    return k.c.pick((wp.max, wp.min))(v, other)


def _branch(k: Scope, v: Term) -> Term:
    """Change the value where a condition holds."""
    T = scalar_of(v.type)
    x = k.var("y|adj|fixed|cur|g", v)
    test = x > coefficient(k, T) if k.c.chance(1, 2) else x < -coefficient(k, T)
    with k.if_(test):
        x.set(simple(k, Term(x.e)))
    if k.c.chance(1, 2):
        if k.c.chance(1, 3):
            with k.elif_(wp.abs(x) < coefficient(k, T, 1, 40)):
                x.set(simple(k, Term(x.e)))
        with k.else_():
            x.set(simple(k, Term(x.e)))
    return Term(x.e)


def _refined(k: Scope, v: Term) -> Term:
    """Iterate a few times towards a fixed point."""
    T, way = scalar_of(v.type), k.c.below(3)
    a = k.let("a0|target|rhs", wp.abs(v) + coefficient(k, T, 5, 100))
    x = k.var("x|guess|est|root", a)
    with k.for_("it|step|n", k.c.between(2, 6)):
        if way == 0:
            x.set(0.5 * (x + a / x))
        elif way == 1:
            x.set(x - (x * x * x - a) / (3.0 * x * x + coefficient(k, T, 1, 10)))
        else:
            x.set(coefficient(k, T, 10, 90) * x + a * wp.exp(-wp.min(x, 20.0)))
    return Term(x.e)


def simple(k: Scope, v: Term) -> Term:
    """Return the value after one drawn step without branches or loops."""
    return k.c.pick(_SIMPLE)(k, v)


_SIMPLE: tuple[Step, ...] = (
    _affine, _limit, _tanh, _root, _log, _wave, _relu, _square, _softsign, _gaussian, _quantise, _mixed,
)  # fmt: skip
FLOAT_STEPS: tuple[Step, ...] = (
    _affine, _limit, _mixed, _sigmoid, _gelu, _silu, _leaky, _elu, _softplus, _softsign, _gaussian, _cauchy, _tanh,
    _root, _square, _log, _wave, _relu, _hard_threshold, _soft_threshold, _huber, _quantise, _periodic, _smooth, _mixed,
    _branch, _mixed, _refined, _branch,
)  # fmt: skip
