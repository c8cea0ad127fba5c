"""Literals, casts, values made of their parts; constants read back."""

from __future__ import annotations

from functools import cache

from ..ops import Op, op
from ..program import Apply, Expr, Literal, Name
from ..types import BOOL, FLOAT, Mat, Quat, Scalar, Struct, Transform, Value, Vec, scalar_of
from .term import Like, Term, lift, literal


def number(value: float, type_: Scalar = FLOAT) -> Term:
    """Return a literal of a scalar type."""
    return Term(literal(value, type_))


def cast(value: Term, type_: Scalar) -> Term:
    """Return a value converted to another scalar type; the value itself where it has that type."""
    if value.type is type_:
        return value
    if isinstance(value.e, Literal) and type_ is not BOOL:
        return number(value.e.value, type_)
    return Term(Apply(op(type_.text, value.type, result=type_), (value.e,)))


@cache
def _constructor(type_: Value, params: tuple[Value, ...]) -> Op:
    return Op(type_.text, params, type_, "make", f"{type_.name} construction")


def make(type_: Value, *parts: Like) -> Term:
    """Return ``type_(parts...)``: a vector, matrix, quaternion, transform or struct (by fields); zero without parts."""
    if isinstance(type_, Struct):
        likes = [kind for _, kind in type_.fields][: len(parts)]
        args = tuple(lift(part, like) for part, like in zip(parts, likes, strict=True))
    else:
        args = tuple(lift(part, scalar_of(type_)) for part in parts)
    params = tuple(arg.type for arg in args)
    try:
        return Term(Apply(op(type_.text, *params, result=type_), args))
    except KeyError:
        _check_parts(type_, params)
        return Term(Apply(_constructor(type_, params), args))


def _check_parts(type_: Value, params: tuple[Value, ...]) -> None:
    sizes = {0, 1}
    if isinstance(type_, Vec):
        sizes = {0, type_.n} if type_.n == 6 and not type_.alias else {0, 1, type_.n}  # spatial vectors: not of one
    elif isinstance(type_, Mat):
        sizes.add(type_.rows * type_.cols)
    elif isinstance(type_, Struct):
        if params and params != tuple(kind for _, kind in type_.fields):
            raise TypeError(f"{type_.name}() takes nothing or its fields in order")
        return
    if len(params) not in sizes or any(param is not scalar_of(type_) for param in params):
        raise TypeError(f"no {type_.name} of {', '.join(p.name for p in params)}")


def zero(type_: Value) -> Term:
    """Return the zero of a type."""
    return number(0, type_) if isinstance(type_, Scalar) else make(type_)


def identity(type_: Mat | Quat | Transform) -> Term:
    """Return the identity of a square matrix type, a quaternion or a transform."""
    name = {Mat: "identity", Quat: "quat_identity", Transform: "transform_identity"}[type(type_)]
    return Term(Apply(op(f"wp.{name}", result=type_), ()))


def constant_value(term: Expr) -> int:
    """Return the value of an expression that must be known when the program is drawn: a literal, a constant.

    Raises:
        ValueError: it is not known.
    """
    if isinstance(term, Literal):
        return int(term.value)
    if isinstance(term, Name) and term.value is not None:
        return int(term.value)
    raise ValueError(f"{term!r} must be a literal or a constant of the module")
