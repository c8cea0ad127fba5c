"""How a kernel source writes a type of Warp's."""

from __future__ import annotations

from functools import cache
from typing import Any

import warp as wp

_PYTHON = {"float32": "float", "int32": "int", "bool": "bool"}


@cache
def _names() -> dict[int, str]:
    """Return the shortest public name of each of Warp's types by the type's identity."""
    named = sorted(
        (name for name in dir(wp) if isinstance(getattr(wp, name), type)), key=lambda name: (len(name), name)
    )
    return {id(getattr(wp, name)): f"wp.{name}" for name in reversed(named)}


def type_text(type_: Any) -> str:
    """Return a type as a source writes it: ``wp.array2d(dtype=wp.vec3)``, ``float``, ``wp.uint8``, a struct's name."""
    if hasattr(type_, "ndim") and hasattr(type_, "dtype"):
        shape = "" if type_.ndim == 1 else f"{type_.ndim}d"
        return f"wp.array{shape}(dtype={type_text(type_.dtype)})"
    name: str = getattr(type_, "__name__", "")
    if name in _PYTHON:
        return _PYTHON[name]
    if id(type_) in _names():
        return _names()[id(type_)]
    if hasattr(type_, "_wp_scalar_type_"):
        scalar, shape = type_text(type_._wp_scalar_type_), type_._shape_
        if len(shape) == 1:
            return f"wp.types.vector(length={shape[0]}, dtype={scalar})"
        return f"wp.types.matrix(shape={tuple(shape)}, dtype={scalar})"
    return str(getattr(type_, "key", name))
