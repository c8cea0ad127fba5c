"""Tiles folded to one element, or along an axis: by each thread what it has, by the block what its threads have."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from ...codegen.arguments import Kind, Number
from ...codegen.typed import Called, TypedFunction
from ..code import Code, binary
from ..launch import BLOCK as THREADS
from ..operators import binary_op, in_place
from ..scalars import least
from ..types import BOOL, INT, is_float, is_narrow, literal, number_of, zero
from .elements import builtin_call, user_call
from .loops import Loop
from .places import Place
from .printing import Tiles
from .table import makes
from .values import Formula, Single, Tile


@dataclass(frozen=True, slots=True)
class Fold:
    """A function that a reduction folds with.

    Attributes:
        name: ``sum``, ``min``, ``max``, or nothing.
        start: C++ for what changes nothing; "" if there is nothing like that.
        of: the function.
        text: C++ for the function as an argument.
        adds: whether it is the sum.
    """

    name: str
    start: str
    of: Callable[[Code, Code], Code]
    text: str = ""
    adds: bool = False


def fold_of(p: Tiles, called: Called, kind: Kind) -> Fold:
    """Return what a call folds with."""
    name = called.name.removeprefix("tile_")
    op = called.values.get("op") if name == "reduce" else {"sum": "add"}.get(name, name)
    if isinstance(op, TypedFunction):
        function = op
        return Fold("", "", lambda a, b: user_call(p, function, [a, b], kind), p.unit.signature(op).name)
    builtin = str(op)
    plain = isinstance(kind, Number) and not is_narrow(kind)
    if builtin in ("min", "max") and isinstance(kind, Number):
        start = _extreme(kind, builtin) if plain else ""
        fold = Fold(builtin if plain else "", start, lambda a, b: least(builtin, kind, a, b))
    elif builtin == "add":
        start = zero(kind)
        of = lambda a, b: binary_op(p.helpers, "add", a, b, kind)  # noqa: E731
        fold = Fold("sum" if plain else "", start, of, adds=True)
    else:
        fold = Fold("", "", lambda a, b: builtin_call(p, builtin, [a, b], kind))
    if fold.name:
        return fold
    type_ = p.helpers.type(kind)
    inside = fold.of(Code("a", kind), Code("b", kind)).text
    return Fold("", fold.start, fold.of, adds=fold.adds, text=f"[]({type_} a, {type_} b) {{ return {inside}; }}")


def _extreme(kind: Number, name: str) -> str:
    """Return the number that no minimum, or maximum, is beyond."""
    if is_float(kind):
        return "INFINITY" if name == "min" else "-INFINITY"
    bits = int(kind.name.lstrip("uint"))
    if kind.name.startswith("u"):
        return literal(kind, 0 if name == "max" else (1 << bits) - 1).text
    return literal(kind, -(1 << (bits - 1)) if name == "max" else (1 << (bits - 1)) - 1).text.strip("()")


def folded(p: Tiles, old: Code, value: Code, fold: Fold) -> str:
    """Return the line that folds a value into a variable."""
    if fold.adds:
        return in_place(p.helpers, "add", old, value)
    return f"{old.text} = {fold.of(old, value).text};"


def whole(p: Tiles, tile: Tile, fold: Fold, stem: str, element: Kind) -> Tile:
    """Return a tile folded to one element, which every thread gets."""
    if tile.count == 1:
        return Single(p.number(tile), (1,))
    name = p.result(stem)
    result = Code(name, element)

    def build(loop: Loop) -> None:
        place = loop.place(tile.shape)
        value = tile.at(p, loop, place)
        if fold.start or tile.count <= THREADS:
            loop.add(folded(p, result, value, fold) if fold.start else f"{name} = {value.text};")
        else:
            first = binary("<", place.number(), Code("blockDim.x", INT), BOOL)
            loop.add(f"{name} = {p.choice(first, value, fold.of(result, value), element).text};")

    at = len(p.lines)
    p.element(tile, build)
    # Declared before the loop, which is not written yet: it may have been open.
    p.line(f"{p.helpers.type(element)} {name} = {fold.start or zero(element)};")
    assert at <= len(p.lines)
    p.flush()
    if fold.name:
        p.line(f"{name} = {p.helpers.need(f'block_{fold.name}', element)}({name});")
    else:
        p.helpers.need("block_fold")
        p.line(f"{name} = block_fold({name}, {min(tile.count, THREADS)}, {fold.text});")
    p.pending.barrier()
    return Single(result, (1,))


def along(p: Tiles, tile: Tile, axis: int, fold: Fold, stem: str) -> Tile:
    """Return a tile folded along an axis, each result by one thread."""
    element = tile.element
    shape = tuple(n for place, n in enumerate(tile.shape) if place != axis)
    dims = tuple(dim for place, dim in enumerate(tile.dims) if place != axis)
    name = p.result(stem)

    def at(loop: Loop | None, place: Place) -> Code:
        if loop is None:
            raise p.refused("a part of a sum along an axis")
        counter = p.pick("k", "j", "s", taken=(loop.counter, *loop.indices))

        def value(inner: Code) -> Code:
            axes = [*place.axes[:axis], lambda: inner, *place.axes[axis:]]
            return tile.at(p, loop, place.moved(tile.shape, axes))

        result, start = Code(name, element), fold.start
        head = start or value(literal(INT, 0)).text
        loop.add(f"{p.helpers.type(element)} {name} = {head};", defines=name)
        first = 0 if start else 1
        loop.enter(f"for (int {counter} = {first}; {counter} < {tile.dims[axis]}; ++{counter}) {{")
        line = folded(p, result, value(Code(counter, INT)), fold)
        loop.add(line, defines=name, again=True)
        loop.leave(name)
        loop.read(name)
        return result

    return Formula((element, shape, dims), at)


@makes("tile_sum", "tile_min", "tile_max", "tile_reduce")
def _reduced(p: Tiles, node: ast.expr, called: Called) -> Tile:
    hint, p.hint = p.hint, ""
    tile = p.tile(called.nodes["a"])
    fold = fold_of(p, called, tile.element)
    stem = {"tile_sum": "sum", "tile_max": "largest", "tile_min": "smallest"}.get(called.name, "folded")
    p.hint = hint
    axis = called.values.get("axis")
    if isinstance(axis, int) and len(tile.shape) > 1:
        return along(p, tile, axis, fold, stem)
    return whole(p, tile, fold, stem, tile.element)


@makes("tile_dot")
def _dot(p: Tiles, node: ast.expr, called: Called) -> Tile:
    hint, p.hint = p.hint, ""
    left, right = p.tile(called.nodes["a"]), p.tile(called.nodes["b"])
    number = number_of(left.element)
    p.hint = hint

    def at(loop: Loop | None, place: Place) -> Code:
        a, b = left.at(p, loop, place), right.at(p, loop, place)
        if not isinstance(left.element, Number):
            return Code(f"{p.helpers.need('dot', left.element)}({a.text}, {b.text})", number)
        return binary_op(p.helpers, "mul", a, b, number)

    products = Formula((number, left.shape, left.dims), at)
    return whole(p, products, fold_of(p, Called("tile_sum", {}, {}, None, {}), number), "dot", number)


@makes("tile_argmin", "tile_argmax")
def _best(p: Tiles, node: ast.expr, called: Called) -> Tile:
    hint, p.hint = p.hint, ""
    tile = p.tile(called.nodes["a"])
    number = number_of(tile.element)
    name = "max" if called.name == "tile_argmax" else "min"
    place_name, best = hint or p.work("best"), p.work("best_value")
    symbol = ">" if name == "max" else "<"

    def build(loop: Loop) -> None:
        value, index = tile.at(p, loop, loop.place(tile.shape)), loop.place(tile.shape).number()
        test = binary(symbol, value, Code(best, number), BOOL)
        loop.add(f"if ({test.text}) {{", f"  {best} = {value.text};", f"  {place_name} = {index.text};", "}")

    p.element(tile, build)
    p.line(f"{p.helpers.type(number)} {best} = {_extreme(number, name)};")
    p.line(f"int {place_name} = 0;")
    p.flush()
    p.line(f"{place_name} = {p.helpers.need(f'block_arg{name}', number)}({best}, {place_name});")
    p.pending.barrier()
    return Single(Code(place_name, INT), (1,))
