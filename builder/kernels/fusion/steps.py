"""Steps a value is put through, by its type."""

from __future__ import annotations

from typing import Any

from ..author import Scope
from ..program import Name
from ..terms import Term, make, number, where, wp
from ..types import INT, Mat, Quat, Scalar, Vec, scalar_of
from .coefficients import coefficient, named
from .floats import FLOAT_STEPS, simple


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
        v = named(k, v)
        return where(v % 2 == 0, v // 2, 3 * v + 1)
    if way == 6:
        return v + k.hole(v.type, 1, ("int",))
    if way == 7:
        return c.pick((wp.min, wp.max))(v, k.hole(v.type, 1, ("int", "bits")))
    v = named(k, v)
    return (v << c.between(1, 3)) | (v & c.between(1, 7))


def _vec_step(k: Scope, v: Term) -> Term:
    c, type_ = k.c, v.type
    assert isinstance(type_, Vec)
    T, way = type_.dtype, c.below(9)
    if way == 0:
        return v * coefficient(k, T)
    if way == 1:
        return v + k.hole(type_, 1, ("vec",))
    if way == 2:
        v = named(k, v)
        return v / (wp.length(v) + coefficient(k, T, 1, 50))
    if way == 3:
        v = named(k, v)
        return v * (coefficient(k, T) / wp.max(wp.length(v), coefficient(k, T, 1, 100)))
    if way == 4:
        parts = [number(c.between(-100, 100) / 100, T) for _ in range(type_.n)]
        return wp.cw_mul(v, make(type_, *parts))
    if way == 5:
        v = named(k, v)
        return make(type_, *(simple(k, v[n]) if n == 0 else v[n] for n in range(type_.n)))
    if way == 6:
        along = c.below(type_.n)
        parts = [number(float(n == along), T) for n in range(type_.n)]
        axis = k.let("axis|n|dir|up", make(type_, *parts))
        v = named(k, v)
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
    v = named(k, v)
    if way == 1:
        return (v + wp.transpose(v)) * number(0.5, type_.dtype)
    return v * v if k.c.chance(1, 2) else v + wp.transpose(v) * v


def _quat_step(k: Scope, v: Term) -> Term:
    type_ = v.type
    assert isinstance(type_, Quat)
    v = named(k, v)
    return k.c.pick((wp.normalize, wp.quat_inverse))(v) if k.c.chance(1, 2) else wp.normalize(v * v)


def varied(k: Scope, value: Term, low: int = 1, high: int = 3) -> Any:
    """Return the value after ``low`` to ``high`` drawn steps that fit its type; some give locals names.

    Floats stay finite for finite values of moderate size. A type without steps comes back as it is.
    """
    for _ in range(k.c.between(low, high)):
        type_ = value.type
        if isinstance(type_, Scalar) and type_.is_float:
            value = k.c.pick(FLOAT_STEPS)(k, value)
        elif type_ is INT or (isinstance(type_, Scalar) and type_.is_int):
            value = _int_step(k, value)
        elif isinstance(type_, Vec) and type_.dtype.is_float:
            value = _vec_step(k, value)
        elif isinstance(type_, Mat):
            value = _mat_step(k, value)
        elif isinstance(type_, Quat):
            value = _quat_step(k, value)
        if k.c.chance(1, 4):
            value = named(k, value)
    return value
