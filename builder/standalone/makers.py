"""Builtins that make vectors, matrices, quaternions and transforms, and those that draw random numbers."""

from __future__ import annotations

import ast

from ..codegen.arguments import Block, Kind, Number
from ..codegen.typed import Called
from .builtins import builtin
from .code import Code, call
from .expressions import Expressions
from .scalars import convert
from .types import FLOAT, INT, UINT, count, literal, name_of, vector, zero


def _given(p: Expressions, node: ast.Call, number: Number) -> list[Code]:
    """Return the arguments by position, numbers as the block's."""
    codes = []
    for one in node.args:
        value = p.constant(one)
        if isinstance(one, ast.Constant) and isinstance(value, (int, float)):
            codes.append(literal(number, value))
            continue
        code = p.expr(one)
        if isinstance(code.kind, Number) and code.kind != number:
            code = convert(code, number)
        codes.append(code)
    if any(isinstance(one, ast.Starred) for one in node.args):
        raise p.rejection("a starred argument", node)
    return codes


@builtin("vector")
def _vector(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    assert isinstance(kind, Block)
    codes = _given(p, node, kind.number)
    p.helpers.type(kind)
    if not codes:
        return Code(zero(kind), kind)
    if len(codes) > 1:
        return p.made(kind, [code.text for code in codes])
    if isinstance(codes[0].kind, Block):
        return _converted(p, codes[0], kind)
    return _filled(p, codes[0], kind)


def _converted(p: Expressions, code: Code, kind: Block) -> Code:
    if code.kind == kind:
        return code
    p.helpers.need("converted", kind, code.kind)
    return call(f"to_{name_of(kind)}", kind, code)


def _filled(p: Expressions, code: Code, kind: Block) -> Code:
    simple = code.text.replace(".", "").replace("_", "").isalnum()
    if simple and count(kind) <= 4:
        return p.made(kind, [code.text] * count(kind))
    p.helpers.need("fill", kind)
    return call(f"fill_{name_of(kind)}", kind, code)


@builtin("matrix")
def _matrix(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    assert isinstance(kind, Block)
    codes = _given(p, node, kind.number)
    p.helpers.type(kind)
    if not codes:
        return Code(zero(kind), kind)
    if isinstance(codes[0].kind, Block):
        if len(codes) == 1 and codes[0].kind.family == "matrix":
            return _converted(p, codes[0], kind)
        return call(p.helpers.need("matrix_from_cols", kind), kind, *codes)
    return _filled(p, codes[0], kind) if len(codes) == 1 else p.made(kind, [code.text for code in codes])


@builtin("matrix_from_rows", "matrix_from_cols")
def _from(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    assert isinstance(kind, Block)
    p.helpers.type(kind)
    return call(p.helpers.need(called.name, kind), kind, *_given(p, node, kind.number))


@builtin("quaternion")
def _quaternion(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    assert isinstance(kind, Block)
    codes = _given(p, node, kind.number)
    if not codes:
        return p.made(kind, [zero(kind.number)] * 4)
    if len(codes) == 4:
        return p.made(kind, [code.text for code in codes])
    if len(codes) == 2 and isinstance(codes[0].kind, Block):
        p.helpers.type(kind)
        return call(p.helpers.need("quat_of", kind), kind, *codes)
    if len(codes) == 1 and isinstance(codes[0].kind, Block) and codes[0].kind.family == "quaternion":
        return _converted(p, codes[0], kind)
    raise p.rejection("a quaternion of other things", node)


@builtin("transformation")
def _transformation(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    assert isinstance(kind, Block)
    codes = _given(p, node, kind.number)
    codes += [p.expr(one.value) for one in node.keywords if one.arg in ("p", "q")]
    p.helpers.type(kind)
    if len(codes) == 2 and all(isinstance(code.kind, Block) for code in codes):
        return Code(f"{name_of(kind)}{{{codes[0].text}, {codes[1].text}}}", kind)
    if len(codes) == 7:
        return p.made(kind, [code.text for code in codes])
    raise p.rejection("a transform of other things", node)


@builtin("spatial_vector")
def _spatial(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    assert isinstance(kind, Block)
    codes = _given(p, node, kind.number)
    p.helpers.type(kind)
    if len(codes) == 2 and all(isinstance(code.kind, Block) for code in codes):
        return call(p.helpers.need("spatial_vector", kind), kind, *codes)
    if len(codes) == 6:
        return p.made(kind, [code.text for code in codes])
    if not codes:
        return Code(zero(kind), kind)
    return _filled(p, codes[0], kind)


_DRAWN: dict[str, Kind] = {
    "randi": INT, "randu": UINT, "randf": FLOAT, "randn": FLOAT, "poisson": UINT,
    **{f"sample_{name}": vector(2, FLOAT) for name in ("triangle", "unit_ring", "unit_disk", "unit_square")},
    **{f"sample_unit_{name}": vector(3, FLOAT) for name in ("sphere", "sphere_surface", "hemisphere", "cube")},
    "sample_unit_hemisphere_surface": vector(3, FLOAT),
    "sample_unit_hypercube": vector(4, FLOAT),
}  # fmt: skip


@builtin("rand_init")
def _rand_init(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    args = p.arguments(called)
    p.helpers.need("rand_init" if len(args) == 1 else "rand_init_2")
    return call("rand_init", UINT, *args)


@builtin(*_DRAWN)
def _draw(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    args = p.arguments(called)
    if not isinstance(node.args[0], ast.Name) or not p.is_local(node.args[0].id):
        raise p.rejection("a random state that is no variable", node)
    p.helpers.need(called.name if len(args) < 3 else f"{called.name}_3")
    return p.effect(call(called.name, _DRAWN[called.name], *args), node)
