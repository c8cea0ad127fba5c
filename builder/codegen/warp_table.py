"""Warp's table of builtins."""

from __future__ import annotations

from typing import Any

from .raw import Builtin
from .warp_internals import INTERNALS

wcontext, _, wtypes = INTERNALS


def builtins() -> tuple[Builtin, ...]:
    """Return Warp's table of builtins, those of no documentation (which it calls by itself) included, by name."""
    found = []
    for name, function in sorted(wcontext.builtin_functions.items()):
        overloads = getattr(function, "overloads", None) or [function]
        first = sorted({_type_text(next(iter(o.input_types.values()), None)) for o in overloads if o.input_types})
        documented = any(not o.hidden for o in overloads)
        found.append(Builtin(name, function.group, documented, tuple(first), function.is_differentiable))
    return tuple(found)


def _type_text(type_: Any) -> str:
    dtype = getattr(type_, "dtype", None)
    if isinstance(type_, wtypes.array):
        return f"array of {_type_text(dtype)}"
    return str(getattr(type_, "__name__", type_))
