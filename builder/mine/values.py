"""Values and types of a running process -> the Python expressions that make them again."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import Any

import warp as wp

from ..codegen import objects
from .items import Item, Parts

# Gives the definition for an object that has a name of its own: a function or a struct.
Define = Callable[[Any], Item]


class Unwritable(Exception):
    """A value that no short Python expression makes."""


def expression(value: Any, define: Define, *, python: bool = False) -> Parts:
    """Return the expression of a value, a type, a function or a struct.

    Args:
        value: what to write.
        define: gives definitions for functions and structs.
        python: also allow what only Python code may hold: strings, None, tuples, lists, dicts.

    Raises:
        Unwritable: none of these.
    """
    if isinstance(value, (objects.Function, objects.Struct, type)) or objects.is_annotation(value):
        return type_expression(value, define)
    if python and (value is None or isinstance(value, (str, bytes))):
        return (repr(value),)
    if python and type(value) in (tuple, list, dict):
        return _container(value, define)
    if isinstance(value, (bool, int, float)):
        return (_number(value),)
    if objects.is_value(value):
        return _warp_value(value, define)
    kind = type(value)
    raise Unwritable(f"a value of type {kind.__module__}.{kind.__qualname__}")


def _number(value: float) -> str:
    if isinstance(value, enum.Enum) or type(value) not in (bool, int, float):
        # Warp writes a constant as Python prints it, and numpy prints a float32 with fewer digits than its value has.
        value = int(value) if isinstance(value, int) else float(str(value))
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _warp_value(value: Any, define: Define) -> Parts:
    kind = type(value)
    if objects.is_scalar_type(kind):
        return (f"wp.{kind.__name__}({_number(value.value)})",)
    numbers = ", ".join(_number(number) for number in map(_plain, objects.components(value)))
    return (*type_expression(kind, define), f"({numbers})")


def _plain(number: Any) -> Any:
    return number.value if hasattr(number, "value") else number


def _container(value: Any, define: Define) -> Parts:
    parts: list[Any] = []
    if isinstance(value, dict):
        for key, one in value.items():
            parts += [*expression(key, define, python=True), ": ", *expression(one, define, python=True), ", "]
        return ("{", *parts[:-1], "}")
    for one in value:
        parts += [*expression(one, define, python=True), ", "]
    if isinstance(value, list):
        return ("[", *parts[:-1], "]")
    return ("(", *(parts[:-1] if len(value) > 1 else parts), ")")


def public_name(kind: Any) -> str | None:
    """Return ``wp.<name>`` if Warp exports the object under its own name."""
    name = getattr(kind, "__name__", None)
    return f"wp.{name}" if name and getattr(wp, name, None) is kind else None


def type_expression(kind: Any, define: Define) -> Parts:
    """Return the expression of a type, an annotation, a function or a struct.

    Raises:
        Unwritable: it is of another kind.
    """
    if isinstance(kind, objects.Function):
        return (f"wp.{kind.key}",) if kind.is_builtin() else (define(kind),)
    if isinstance(kind, objects.Struct):
        return (define(kind),)
    if objects.is_array(kind):
        return _array(kind, define)
    referenced = objects.referenced(kind)
    if referenced is not None:
        return ("wp.ref[", *type_expression(referenced, define), "]")
    if isinstance(kind, type):
        if kind in (int, float, bool):
            return (kind.__name__,)
        name = public_name(kind)
        if name is not None:
            return (name,)
        if objects.is_composite_type(kind):
            return _composite(kind, define)
    raise Unwritable(f"the type {kind!r}"[:120])


def _array(kind: Any, define: Define) -> Parts:
    family, ndim = objects.array_family(kind), kind.ndim
    if getattr(kind, "device", None) is not None or not isinstance(ndim, int):
        raise Unwritable(f"the annotation {kind!r}"[:120])
    suffix = "" if ndim == 1 else f"{ndim}d" if family == "array" and ndim <= 4 else ""
    if family == "array" and ndim <= 4 and objects.is_subscripted(kind):
        return (f"wp.array{suffix}[", *type_expression(kind.dtype, define), "]")
    dimensions = "" if ndim == 1 or suffix else f", ndim={ndim}"
    return (f"wp.{family}{suffix}(dtype=", *type_expression(kind.dtype, define), f"{dimensions})")


def _composite(kind: type, define: Define) -> Parts:
    family, shape, scalar = objects.composite(kind)
    dtype = type_expression(scalar, define)
    if family == "vector":
        return (f"wp.types.vector(length={shape[0]}, dtype=", *dtype, ")")
    if family == "matrix":
        return (f"wp.types.matrix(shape=({shape[0]}, {shape[1]}), dtype=", *dtype, ")")
    return (f"wp.types.{family}(dtype=", *dtype, ")")
