"""Tiles that are worked out element by element."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ...codegen.arguments import Block, Kind, Number
from ...codegen.objects import operator_name
from ...codegen.typed import Called, TypedFunction
from ..code import Code, binary, call
from ..expressions import BUILTINS
from ..operators import binary_op, unary_op
from ..scalars import convert
from ..types import INT, literal, number_of, zero
from .loops import Loop
from .places import Place
from .printing import Tiles
from .table import makes
from .values import Formula, Tile


def _constant(p: Tiles, node: ast.expr, code: Code, steady: bool = True) -> Tile:
    """Return a tile of one value, which may be ``steady``: never change."""
    element, shape, _ = p.like(node)
    dims = p.dims_of(_shape_node(p, node), shape)
    return Formula((element, shape, dims), lambda loop, place: code, cheap=steady, constant=steady)


def _shape_node(p: Tiles, node: ast.expr) -> ast.expr | None:
    for called in p.typed.calls.get(node, ()):
        if "shape" in called.nodes:
            return called.nodes["shape"]
    return None


def _filled(kind: Kind, value: int) -> str:
    if isinstance(kind, Number):
        return literal(kind, value).text
    return zero(kind)


@makes("tile_zeros", "tile_empty")
def _zeros(p: Tiles, node: ast.expr, called: Called) -> Tile:
    element = p.like(node)[0]
    p.helpers.type(element)
    return _constant(p, node, Code(_filled(element, 0), element))


@makes("tile_ones")
def _ones(p: Tiles, node: ast.expr, called: Called) -> Tile:
    element = p.like(node)[0]
    if isinstance(element, Block):
        return _constant(p, node, p.made(element, [literal(element.number, 1).text] * _parts(element)))
    return _constant(p, node, literal(number_of(element), 1))


def _parts(kind: Block) -> int:
    rows, *columns = kind.shape
    return rows * (columns[0] if columns else 1)


@makes("tile_full")
def _full(p: Tiles, node: ast.expr, called: Called) -> Tile:
    element = p.like(node)[0]
    given, kind = called.values.get("value"), called.kinds["value"]
    if isinstance(element, Number) and isinstance(given, (int, float)) and kind != element:
        value = literal(element, given)
    else:
        value = p.argument(called, "value")
        value = convert(value, element) if isinstance(element, Number) and isinstance(value.kind, Number) else value
    return _constant(p, node, value, p.is_steady(called.nodes.get("value")) and not p.path)


@makes("tile_arange")
def _range(p: Tiles, node: ast.expr, called: Called) -> Tile:
    element, shape, dims = p.like(node)
    number = number_of(element)
    given = [float(str(p.constant(one))) for one in getattr(node, "args", ())]
    start, step = (0.0, 1.0) if len(given) == 1 else (given[0], (*given, 1.0)[2])

    def at(loop: Loop | None, place: Place) -> Code:
        code = convert(place.number(), number)
        if step != 1.0:
            code = binary("*", code, literal(number, step), number)
        return code if start == 0.0 else binary("+", literal(number, start), code, number)

    return Formula((element, shape, dims), at, cheap=True, constant=True)


# --- maps and operators -------------------------------------------------------------------------------------

Operand = Tile | Code


def operand(p: Tiles, node: ast.expr) -> Operand:
    """Return an argument: a tile or a number."""
    return p.tile(node) if p.is_tile(node) else p.expr(node)


def elementwise(p: Tiles, node: ast.expr, given: Sequence[Operand], of: Callable[[list[Code]], Code]) -> Tile:
    """Return a tile of a function of elements at the same place."""
    element, shape, _ = p.like(node)
    tiles = [one for one in given if isinstance(one, Tile)]
    named = [one.dims for one in tiles if not all(dim.isdigit() for dim in one.dims)]
    dims = named[0] if named else tiles[0].dims

    def at(loop: Loop | None, place: Place) -> Code:
        code = of([one.at(p, loop, place) if isinstance(one, Tile) else one for one in given])
        return Code(code.text, element, code.binds)

    return Formula((element, shape, dims), at)


@makes("tile_map")
def _map(p: Tiles, node: ast.expr, called: Called) -> Tile:
    assert isinstance(node, ast.Call)
    nodes = [one for name, one in called.nodes.items() if name not in ("op", "args")]
    if "args" in called.values:
        nodes = list(node.args[1:])
    given = [operand(p, one) for one in nodes]
    element = p.like(node)[0]
    function = called.values.get("op")
    if isinstance(function, TypedFunction):
        return elementwise(p, node, given, lambda codes: user_call(p, function, codes, element))
    return elementwise(p, node, given, lambda codes: builtin_call(p, str(function), codes, element))


def user_call(p: Tiles, function: TypedFunction, codes: Sequence[Code], kind: Kind) -> Code:
    """Return the call of a device function."""
    signature = p.unit.signature(function)
    if signature.has_effect or len(function.returns) != 1:
        raise p.refused("a function with an effect over a tile")
    return call(signature.name, kind, *codes)


def builtin_call(p: Tiles, name: str, codes: Sequence[Code], kind: Kind) -> Code:
    """Return the call of a builtin with arguments that are no nodes of the syntax tree."""
    if name not in BUILTINS:
        raise p.refused(f"wp.{name} over a tile")
    names = [ast.Name(id=f"argument {n}", ctx=ast.Load()) for n in range(len(codes))]
    p.bound.update(zip(names, codes, strict=True))
    kinds = {f"x{n}": code.kind for n, code in enumerate(codes)}
    nodes = dict(zip(kinds, names, strict=True))
    made = ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=list(names), keywords=[], lineno=p.line_now)
    return BUILTINS[name](p, made, Called(name, kinds, {}, None, nodes), [], kind)


@makes("BinOp")
def _binary(p: Tiles, node: ast.expr, called: Called) -> Tile:
    assert isinstance(node, ast.BinOp)
    name, element = operator_name(node.op), p.like(node)[0]
    given = [operand(p, node.left), operand(p, node.right)]
    return elementwise(p, node, given, lambda codes: binary_op(p.helpers, name, codes[0], codes[1], element))


@makes("UnaryOp")
def _unary(p: Tiles, node: ast.expr, called: Called) -> Tile:
    assert isinstance(node, ast.UnaryOp)
    operator, element = type(node.op), p.like(node)[0]
    tile = p.tile(node.operand)
    return elementwise(p, node, [tile], lambda codes: unary_op(p.helpers, operator, codes[0], element))


@makes("tile_astype")
def _converted(p: Tiles, node: ast.expr, called: Called) -> Tile:
    number = p.like(node)[0]
    if not isinstance(number, Number):
        raise p.refused("wp.tile_astype of blocks")
    return elementwise(p, node, [p.tile(called.nodes["t"])], lambda codes: convert(codes[0], number))


@makes("tile_diag_add")
def _diagonal(p: Tiles, node: ast.expr, called: Called) -> Tile:
    tile, diagonal = p.tile(called.nodes["a"]), p.tile(called.nodes["d"])
    element = p.like(node)[0]
    nil = literal(number_of(element), 0)

    def at(loop: Loop | None, place: Place) -> Code:
        row, column = (axis() for axis in place.axes)
        more = diagonal.at(p, loop, place.moved(diagonal.shape, place.axes[:1]))
        value = tile.at(p, loop, place)
        added = p.choice(binary("==", row, column, INT), more, nil, element)
        return binary_op(p.helpers, "add", value, added, element)

    return Formula((element, tile.shape, tile.dims), at)
