"""Builtins of vectors, matrices, quaternions and transforms: calls of the helper that has their name."""

from __future__ import annotations

import ast

from ..codegen.arguments import Block, Kind, Number
from ..codegen.typed import Called
from .builtins import builtin
from .code import ATOM, Code, call
from .expressions import Expressions
from .types import literal, name_of, number_of

# Helpers that have the builtin's name and are written for the kind of the first argument.
_OF_FIRST = (
    "dot", "length", "normalize", "cross", "cw_mul", "cw_div", "transpose", "trace", "get_diag", "diag", "skew", "ddot",
    "determinant", "inverse", "quat_inverse", "quat_rotate", "quat_rotate_inv", "quat_slerp", "quat_to_matrix",
    "quat_from_matrix", "transform_multiply", "transform_inverse", "transform_point", "transform_vector",
    "spatial_top", "spatial_bottom", "spatial_cross", "spatial_cross_dual", "spatial_adjoint",
)  # fmt: skip
_SYNONYMS = {"inverse_approx": "inverse", "spatial_dot": "dot"}


@builtin(*_OF_FIRST, *_SYNONYMS)
def _of_first(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    args = p.arguments(called)
    if isinstance(args[0].kind, Number) and called.name == "dot":
        raise p.rejection("wp.dot of numbers", node)
    name = _SYNONYMS.get(called.name, called.name)
    for one in args:
        p.helpers.type(one.kind)
    first = args[0].kind
    if name in ("transform_point", "transform_vector") and isinstance(first, Block) and first.family == "matrix":
        p.helpers.need(f"{name}_by_matrix", first)
        return call(name, kind, *args)
    return call(p.helpers.need(name, args[0].kind), kind, *args)


@builtin("length_sq")
def _length_sq(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    return call(p.helpers.need("length_sq", x.kind), kind, x)


@builtin("outer")
def _outer(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    a, b = p.arguments(called)
    p.helpers.type(kind)
    return call(p.helpers.need("outer", a.kind, b.kind), kind, a, b)


@builtin("quat_from_axis_angle", "quat_rpy")
def _of_numbers(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    p.helpers.type(kind)
    return call(p.helpers.need(called.name, number_of(kind)), kind, *p.arguments(called))


@builtin("quat_identity", "transform_identity", "identity")
def _identity(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    assert isinstance(kind, Block)
    p.helpers.type(kind)
    if called.name == "identity":
        p.helpers.need("identity", kind)
        return Code(f"identity_{name_of(kind)}()", kind)
    one, nil = literal(kind.number, 1).text, literal(kind.number, 0).text
    rotation = [nil, nil, nil, one]
    return p.made(kind, rotation if called.name == "quat_identity" else [nil] * 3 + rotation)


@builtin("transform_get_translation", "transform_get_rotation")
def _get(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    return Code(f"{x.inside(ATOM)}.{'p' if called.name.endswith('translation') else 'q'}", kind)
