"""Steps a value is put through, by its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..author import Author, Scope
from ..grammar import MATH, NUMERIC
from ..program import Name
from ..terms import Term, make, number, where, wp
from ..types import FLOAT, INT, Mat, Quat, Scalar, Vec, scalar_of

Step = Callable[[Scope, Term], Term]
_MAX_SCALARS = 6


def coefficient(k: Scope, type_: Scalar, low: int = 5, high: int = 300) -> Term:
    """Return a positive factor: a literal of hundredths, an argument of the kernel, or a constant of the module."""
    c = k.c
    value = c.between(low, high) / 100
    way = c.weighted({"literal": 3, "argument": 2, "constant": 1, "static": 1})
    if way == "argument" and isinstance(k, Author) and k.scalar_count < _MAX_SCALARS:
        return k.scalar("alpha|beta|gain|scale|weight|rate|sigma|tau|lam|strength|factor|limit", type_)
    if way == "constant":
        return k.constant("SCALE|GAIN|LIMIT|EPS|RATE|ALPHA|BETA|TAU", value, type_)
    if way == "static" and type_ is FLOAT:
        return k.static(number(value) * number(c.pick((2.0, 0.5, 3.0))))
    return number(value, type_)


def _named(k: Scope, value: Term) -> Term:
    """Return a term that may be repeated."""
    return value if isinstance(value.e, Name) else k.let("v|val|t|r|s|u|w|h|q|z|m", value)


# --- floats ---


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
    v = _named(k, v)
    if k.c.chance(1, 2):
        return 0.5 * v * (1.0 + wp.erf(v * 0.70710678))
    return 0.5 * v * (1.0 + wp.tanh(0.79788456 * (v + 0.044715 * v * v * v)))


def _silu(k: Scope, v: Term) -> Term:
    v = _named(k, v)
    return v * _sigmoid(k, v)


def _leaky(k: Scope, v: Term) -> Term:
    v = _named(k, v)
    slope = coefficient(k, scalar_of(v.type), 1, 30)
    return where(v > 0.0, v, slope * v) if k.c.chance(1, 2) else wp.max(v, 0.0) + slope * wp.min(v, 0.0)


def _elu(k: Scope, v: Term) -> Term:
    v = _named(k, v)
    return where(v > 0.0, v, coefficient(k, scalar_of(v.type)) * (wp.exp(wp.min(v, 0.0)) - 1.0))


def _softplus(k: Scope, v: Term) -> Term:
    return wp.log(1.0 + wp.exp(wp.min(v, 20.0)))


def _softsign(k: Scope, v: Term) -> Term:
    v = _named(k, v)
    return v / (1.0 + wp.abs(v))


def _gaussian(k: Scope, v: Term) -> Term:
    v = _named(k, v)
    return wp.exp(-wp.min(v * v * coefficient(k, scalar_of(v.type)), 30.0))


def _cauchy(k: Scope, v: Term) -> Term:
    v = _named(k, v)
    return coefficient(k, scalar_of(v.type)) / (1.0 + v * v)


def _tanh(k: Scope, v: Term) -> Term:
    return wp.tanh(v * coefficient(k, scalar_of(v.type)))


def _root(k: Scope, v: Term) -> Term:
    return wp.sqrt(wp.abs(v) + coefficient(k, scalar_of(v.type), 1, 50))


def _square(k: Scope, v: Term) -> Term:
    v = _named(k, v)
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
    v, t = _named(k, v), coefficient(k, scalar_of(v.type), 1, 100)
    return where(wp.abs(v) < t, number(0.0, scalar_of(v.type)), v)


def _soft_threshold(k: Scope, v: Term) -> Term:
    v = _named(k, v)
    return wp.sign(v) * wp.max(wp.abs(v) - coefficient(k, scalar_of(v.type), 1, 100), 0.0)


def _huber(k: Scope, v: Term) -> Term:
    v = _named(k, v)
    d = number(k.c.between(10, 200) / 100, scalar_of(v.type))
    return where(wp.abs(v) <= d, 0.5 * v * v, d * (wp.abs(v) - 0.5 * d))


def _quantise(k: Scope, v: Term) -> Term:
    steps = number(k.c.pick((8.0, 16.0, 127.0, 255.0, 4.0)), scalar_of(v.type))
    return k.c.pick((wp.round, wp.floor, wp.rint, wp.trunc))(v * steps) / steps


def _periodic(k: Scope, v: Term) -> Term:
    v, length = _named(k, v), coefficient(k, scalar_of(v.type), 50, 800)
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
        x.set(_simple(k, Term(x.e)))
    if k.c.chance(1, 2):
        if k.c.chance(1, 3):
            with k.elif_(wp.abs(x) < coefficient(k, T, 1, 40)):
                x.set(_simple(k, Term(x.e)))
        with k.else_():
            x.set(_simple(k, Term(x.e)))
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


def _simple(k: Scope, v: Term) -> Term:
    return k.c.pick(_SIMPLE)(k, v)


_SIMPLE: tuple[Step, ...] = (
    _affine, _limit, _tanh, _root, _log, _wave, _relu, _square, _softsign, _gaussian, _quantise, _mixed,
)  # fmt: skip
_FLOAT_STEPS: tuple[Step, ...] = (
    _affine, _limit, _mixed, _sigmoid, _gelu, _silu, _leaky, _elu, _softplus, _softsign, _gaussian, _cauchy, _tanh,
    _root, _square, _log, _wave, _relu, _hard_threshold, _soft_threshold, _huber, _quantise, _periodic, _smooth, _mixed,
    _branch, _mixed, _refined, _branch,
)  # fmt: skip


# --- integers ---


def _int_step(k: Scope, v: Term) -> Term:
    c, way = k.c, k.c.below(9)
    n = number(c.between(2, 17), scalar_of(v.type))
    if way == 0:
        return v * n + c.between(1, 31)
    if way == 1:
        return (v ^ (v >> c.between(1, 4))) if isinstance(v.e, Name) else v ^ c.between(1, 63)
    if way == 2:
        return (v & c.pick((63, 31, 15, 127))) + c.between(0, 9)
    if way == 3:
        return wp.max(wp.min(v, c.between(20, 100)), number(0, scalar_of(v.type)))
    if way == 4:
        return wp.abs(v) % n
    if way == 5:
        v = _named(k, v)
        return where(v % 2 == 0, v // 2, 3 * v + 1)
    if way == 6:
        return v + k.hole(v.type, 1, ("int",))
    if way == 7:
        return c.pick((wp.min, wp.max))(v, k.hole(v.type, 1, ("int", "bits")))
    v = _named(k, v)
    return (v << c.between(1, 3)) | (v & c.between(1, 7))


# --- vectors, matrices, quaternions ---


def _vec_step(k: Scope, v: Term) -> Term:
    c, type_ = k.c, v.type
    assert isinstance(type_, Vec)
    T, way = type_.dtype, c.below(9)
    if way == 0:
        return v * coefficient(k, T)
    if way == 1:
        return v + k.hole(type_, 1, ("vec",))
    if way == 2:
        v = _named(k, v)
        return v / (wp.length(v) + coefficient(k, T, 1, 50))
    if way == 3:
        v = _named(k, v)
        return v * (coefficient(k, T) / wp.max(wp.length(v), coefficient(k, T, 1, 100)))
    if way == 4:
        parts = [number(c.between(-100, 100) / 100, T) for _ in range(type_.n)]
        return wp.cw_mul(v, make(type_, *parts))
    if way == 5:
        v = _named(k, v)
        return make(type_, *(_simple(k, v[n]) if n == 0 else v[n] for n in range(type_.n)))
    if way == 6:
        along = c.below(type_.n)
        parts = [number(float(n == along), T) for n in range(type_.n)]
        axis = k.let("axis|n|dir|up", make(type_, *parts))
        v = _named(k, v)
        mirrored: Term = v - axis * (2.0 * wp.dot(v, axis))
        return mirrored if c.chance(1, 2) else Term((axis * wp.dot(v, axis)).e)
    if way == 7:
        return wp.lerp(v, k.hole(type_, 1, ("vec",)), number(c.between(10, 90) / 100, T))
    return c.pick((wp.abs, wp.normalize))(v)


def _mat_step(k: Scope, v: Term) -> Term:
    type_, way = v.type, k.c.below(3)
    assert isinstance(type_, Mat)
    if way == 0 or type_.rows != type_.cols:
        return v * coefficient(k, type_.dtype)
    v = _named(k, v)
    if way == 1:
        return (v + wp.transpose(v)) * number(0.5, type_.dtype)
    return v * v if k.c.chance(1, 2) else v + wp.transpose(v) * v


def _quat_step(k: Scope, v: Term) -> Term:
    type_ = v.type
    assert isinstance(type_, Quat)
    v = _named(k, v)
    return k.c.pick((wp.normalize, wp.quat_inverse))(v) if k.c.chance(1, 2) else wp.normalize(v * v)


def varied(k: Scope, value: Term, low: int = 1, high: int = 3) -> Any:
    """Return the value after ``low`` to ``high`` drawn steps that fit its type; some give locals names.

    Floats stay finite for finite values of moderate size. A type without steps comes back as it is.
    """
    for _ in range(k.c.between(low, high)):
        type_ = value.type
        if isinstance(type_, Scalar) and type_.is_float:
            value = k.c.pick(_FLOAT_STEPS)(k, value)
        elif type_ is INT or (isinstance(type_, Scalar) and type_.is_int):
            value = _int_step(k, value)
        elif isinstance(type_, Vec) and type_.dtype.is_float:
            value = _vec_step(k, value)
        elif isinstance(type_, Mat):
            value = _mat_step(k, value)
        elif isinstance(type_, Quat):
            value = _quat_step(k, value)
        if k.c.chance(1, 4):
            value = _named(k, value)
    return value
