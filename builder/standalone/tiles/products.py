"""Products of matrices that lie in tiles."""

from __future__ import annotations

import ast

from ...codegen.arguments import Number
from ...codegen.typed import Called
from ..code import Code, binary
from ..operators import binary_op, updates_in_place
from ..scalars import convert
from ..types import INT, is_narrow, literal, number_of
from .loops import Loop
from .places import Place
from .printing import Tiles
from .reductions import fold_of, whole
from .table import does, makes
from .values import Formula, Single, Tile
from .views import near


def product(p: Tiles, left: Tile, right: Tile, number: Number, factor: Code | None) -> Tile:
    """Return the product of two tiles, in numbers of a kind; ``factor`` times it, if there is one."""
    if left.shape[0] == right.shape[1] == 1:
        return _inner(p, left, right, number, factor)
    left, right = near(p, left, "left"), near(p, right, "right")
    name = p.result("sum")
    shape, dims = (left.shape[0], right.shape[1]), (left.dims[0], right.dims[1])

    def at(loop: Loop | None, place: Place) -> Code:
        if loop is None:
            raise p.refused("an element of a product that has no name")
        counter = p.pick("k", "j", "s", taken=(loop.counter, *loop.indices))
        loop.add(f"{p.helpers.type(number)} {name} = {literal(number, 0).text};", defines=name)
        loop.enter(f"for (int {counter} = 0; {counter} < {left.dims[1]}; ++{counter}) {{")
        k = lambda: Code(counter, INT)  # noqa: E731
        a = convert(left.at(p, loop, place.moved(left.shape, (place.axes[0], k))), number)
        b = convert(right.at(p, loop, place.moved(right.shape, (k, place.axes[1]))), number)
        times, total = binary_op(p.helpers, "mul", a, b, number), Code(name, number)
        symbol = updates_in_place("add", number, number) if not is_narrow(number) else ""
        more = f"{name} {symbol} {times.text};" if symbol else f"{name} = {_sum(p, total, times, number)};"
        loop.add(more, defines=name, again=True)
        loop.leave(name)
        loop.read(name)
        return total if factor is None else binary("*", factor, total, number)

    return Formula((number, shape, dims), at)


def _inner(p: Tiles, left: Tile, right: Tile, number: Number, factor: Code | None) -> Tile:
    """Return the product of a row and a column, which the whole block adds up."""

    def at(loop: Loop | None, place: Place) -> Code:
        a = convert(left.at(p, loop, place.reshaped(left.shape)), number)
        b = convert(right.at(p, loop, place.reshaped(right.shape)), number)
        return binary_op(p.helpers, "mul", a, b, number)

    products = Formula((number, left.shape, left.dims), at)
    code = p.number(whole(p, products, fold_of(p, Called("tile_sum", {}, {}, None, {}), number), "sum", number))
    return Single(code if factor is None else binary("*", factor, code, number), (1, 1))


def _sum(p: Tiles, a: Code, b: Code, number: Number) -> str:
    return binary_op(p.helpers, "add", a, b, number).text


def _factor(p: Tiles, called: Called, name: str, number: Number) -> Code | None:
    """Return a factor that a product is given; None if it is 1."""
    if name not in called.nodes:
        return None
    value = called.values.get(name)
    if isinstance(value, (int, float)):
        return None if value == 1.0 else literal(number, value)
    return convert(p.argument(called, name), number)


@makes("tile_matmul")
def _product(p: Tiles, node: ast.expr, called: Called) -> Tile:
    hint, p.hint = p.hint, ""
    left, right = p.tile(called.nodes["a"]), p.tile(called.nodes["b"])
    number = number_of(p.like(node)[0])
    factor = _factor(p, called, "alpha", number)
    p.hint = hint if factor is None else ""
    return product(p, left, right, number, factor)


@does("tile_matmul")
def _multiply(p: Tiles, node: ast.Call, called: Called) -> None:
    left, right, out = (p.tile(called.nodes[name]) for name in ("a", "b", "out"))
    number = number_of(out.element)
    if _factor(p, called, "beta", number) is not None:
        raise p.refused("a product with a factor of what is there before")
    made = product(p, left, right, number, _factor(p, called, "alpha", number))
    p.change(out, "add", made)


@does("tile_axpy")
def _add_scaled(p: Tiles, node: ast.Call, called: Called) -> None:
    source, target = p.tile(called.nodes["src"]), p.tile(called.nodes["dest"])
    factor = p.argument(called, "alpha")

    def at(loop: Loop | None, place: Place) -> Code:
        return binary_op(p.helpers, "mul", source.at(p, loop, place), factor, source.element)

    p.change(target, "add", Formula((source.element, source.shape, source.dims), at))
