"""What Warp's objects are: kinds, values, types and sources, asked without touching Warp's internals elsewhere."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping
from typing import Any

import warp as wp

from .warp_internals import INTERNALS

wcontext, wcodegen, wtypes = INTERNALS

Kernel = wcontext.Kernel
Function = wcontext.Function
Struct = wcodegen.Struct
StructInstance = wcodegen.StructInstance


def is_value(obj: Any) -> bool:
    """Say whether an object is a scalar, vector, matrix, quaternion or transformation that code may hold."""
    return bool(wtypes.is_value(obj)) and not wtypes.is_native_type(type(obj))


def is_array(obj: Any) -> bool:
    """Say whether an object is an array, or the annotation of one."""
    return bool(wtypes.is_array(obj))


def is_tile(obj: Any) -> bool:
    """Say whether an object is the type of a tile."""
    return isinstance(obj, wtypes.tile)


def is_annotation(obj: Any) -> bool:
    """Say whether an object is an array, the annotation of one, or ``wp.ref[T]``."""
    return bool(wtypes.is_array(obj) or wtypes.is_reference(obj))


def is_subscripted(obj: Any) -> bool:
    """Say whether an annotation was written ``wp.array[T]``, not ``wp.array(dtype=T)``."""
    return isinstance(obj, wtypes._ArrayAnnotationBase)


def is_scalar_type(obj: Any) -> bool:
    """Say whether an object is one of Warp's scalar types, or Python's own."""
    return isinstance(obj, type) and (obj in (int, float, bool) or obj in wtypes.scalar_and_bool_types)


def is_composite_type(obj: Any) -> bool:
    """Say whether an object is a vector, matrix, quaternion or transformation type."""
    return bool(wtypes.type_is_composite(obj))


def same_type(a: Any, b: Any) -> bool:
    """Say whether two annotations are one type to Warp."""
    try:
        return a is b or (wtypes.get_type_code(a) == wtypes.get_type_code(b) and _structs(a) == _structs(b))
    except (TypeError, AttributeError):
        return False


def _structs(kind: Any) -> Any:
    kind = getattr(kind, "dtype", kind) if is_array(kind) else kind
    return kind.hash if isinstance(kind, Struct) else None


def array_family(obj: Any) -> str:
    """Return ``array``, ``indexedarray``, ``fabricarray``, ... of an array annotation."""
    return str(wtypes.concrete_array_type(obj).__name__)


def composite(kind: Any) -> tuple[str, tuple[int, ...], Any]:
    """Return ``(family, shape, scalar type)`` of a composite type; the family is how Warp calls its maker."""
    for family in ("transformation", "quaternion", "matrix", "vector"):
        if getattr(wtypes, f"type_is_{family}")(kind):
            return family, tuple(kind._shape_), kind._wp_scalar_type_
    raise TypeError(f"{kind!r} is no composite type")


def is_composite_value(obj: Any) -> bool:
    """Say whether an object is a vector, matrix, quaternion or transformation."""
    return hasattr(obj, "_wp_scalar_type_") and not isinstance(obj, type)


def components(value: Any) -> list[Any]:
    """Return the scalars of a composite value in storage order, as Python numbers."""
    if hasattr(value, "_shape_") and len(value._shape_) == 2:
        return [value[i][j] for i in range(value._shape_[0]) for j in range(value._shape_[1])]
    return [value[i] for i in range(value._length_)]


def closure(func: types.FunctionType) -> dict[str, Any]:
    """Return a function's closure variables; empty cells are left out."""
    found: Mapping[str, Any] = wcodegen.get_closure_vars(func)
    return dict(found)


def overloads(function: Any) -> list[Any]:
    """Return a function's own overloads, concrete ones first; instances of generic ones are left out."""
    ordered = [*function.user_overloads.values(), *function.user_templates.values()]
    return [one for one in ordered if one.generic_parent is None]


def kernel_overloads(kernel: Any) -> list[Any]:
    """Return the kernels to generate: a concrete kernel itself, or the instances of a generic one."""
    return list(kernel.overloads.values()) if kernel.is_generic else [kernel]


def default_module_options() -> dict[str, Any]:
    """Return the options of a module that nobody has set anything for."""
    return dict(wcontext.Module(None, None).options)


def is_static(func: Any) -> bool:
    """Say whether an object is ``wp.static``."""
    return func is wp.static


def builtin_names() -> frozenset[str]:
    """Return the names of Warp's builtin functions."""
    return frozenset(wcontext.builtin_functions)


def operator_name(operator: ast.operator) -> str:
    """Return the name of the function by which Warp translates a binary operator."""
    return str(wcodegen.builtin_operators[type(operator)])


def referenced(kind: Any) -> Any:
    """Return ``T`` of the annotation ``wp.ref[T]``, or None."""
    return kind.value_type if wtypes.is_reference(kind) else None
