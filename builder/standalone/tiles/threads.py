"""Where the numbers of single threads and tiles meet."""

from __future__ import annotations

import ast

from ...codegen.arguments import Block, Kind
from ...codegen.typed import Called
from ..atomics import atomic
from ..builtins import builtin
from ..code import Code, call
from ..expressions import Expressions
from ..scalars import truth
from ..types import INT, UINT, count, part
from .accesses import FIRST, OWN, Access
from .loops import Loop
from .places import Place, fixed
from .printing import Tiles
from .table import does, makes
from .values import Formula, Single, Tile, Variable

_THREAD = Code("threadIdx.x", INT)


def _own(shape: tuple[int, ...]) -> Place:
    return Place(shape, (lambda: _THREAD,), lambda: _THREAD, own=True)


@makes("tile")
def _gathered(p: Tiles, node: ast.expr, called: Called) -> Tile:
    element, shape, dims = p.like(node)
    value = p.argument(called, "x")
    if not value.text.isidentifier():
        name = p.work("value")
        p.line(f"const {p.helpers.type(value.kind)} {name} = {value.text};")
        value = Code(name, value.kind)
    tile = Variable(p.hint or p.work("values"), (element, shape, dims))
    p.hint = ""
    p.share(tile)
    p.flush()
    p.touch(Access(tile.name, OWN, writes=True))
    if len(shape) == 1:
        p.line(f"{tile.name}[threadIdx.x] = {value.text};")
    elif len(shape) == 2 and isinstance(value.kind, Block):
        for n in range(count(value.kind)):
            p.line(f"{tile.name}[{n}][threadIdx.x] = {part(value.kind, value.text, n)};")
    else:
        raise p.refused("a tile of the threads' matrices")
    return tile


@makes("tile_from_thread")
def _from_thread(p: Tiles, node: ast.expr, called: Called) -> Tile:
    element, shape, _ = p.like(node)
    value, thread = p.argument(called, "value"), p.argument(called, "thread_idx")
    name = p.hint or p.work("chosen")
    p.hint = ""
    p.share(Variable(name, (element, (1,), ("1",))))
    p.touch(Access(name, FIRST, writes=True))
    p.line(f"if (threadIdx.x == {thread.text}) {{")
    p.line(f"  {name} = {value.text};")
    p.line("}")
    p.barrier()
    # All threads read it where it is used; it is written again only behind a barrier.
    p.pending.add([Access(name, "any thread")])
    code = Code(name, element)
    if shape == (1,):
        return Single(code, (1,))
    return Formula((element, shape, tuple(map(str, shape))), lambda loop, place: code, cheap=True, constant=True)


@builtin("untile")
def _untile(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    tile = _tile_of(p, node, called.nodes["a"])
    if len(tile.shape) != 1:
        raise p.rejection("wp.untile of rows", node)
    assert isinstance(p, Tiles)
    if isinstance(tile, Formula):
        tile = p.stored(Formula((tile.element, tile.shape, tile.dims), lambda lo, pl: tile.at(p, lo, pl)), "values")
    assert isinstance(tile, Variable)
    p.share(tile)
    p.touch(Access(tile.name, OWN))
    return Code(f"{tile.name}[threadIdx.x]", tile.element)


@builtin("tile_extract")
def _extract(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    tile = _tile_of(p, node, node.args[0])
    codes = [p.expr(one) for one in node.args[1:]]
    if len(codes) != len(tile.shape):
        raise p.rejection("a part of an element of a tile", node)
    assert isinstance(p, Tiles)
    if not isinstance(tile, Single) and tile.count == 1:
        return p.number(tile)
    return tile.at(p, None, fixed(tile.shape, codes))


def _tile_of(p: Expressions, node: ast.Call, tile: ast.expr) -> Tile:
    if not isinstance(p, Tiles):
        raise p.rejection("a tile in a function", node)
    return p.tile(tile)


# --- each thread changes an element of its own choice -------------------------------------------------------


@does("tile_scatter_add", "tile_scatter_masked")
def _scattered(p: Tiles, node: ast.Call, called: Called) -> None:
    tile = p.tile(node.args[0])
    codes = [p.expr(one) for one in node.args[1:-2]]
    value, test = p.expr(node.args[-2]), truth(p.expr(node.args[-1]))
    adds = called.name == "tile_scatter_add"
    if called.values.get("atomic") is False:
        raise p.refused("a scatter that is not atomic")
    place = tile.ref(p, None, fixed(tile.shape, codes), atomic=adds)
    line = f"{atomic(p.helpers, 'add', place, value).text};" if adds else f"{place.text} = {value.text};"
    p.flush()
    if test.text == "true":
        p.line(line)
        return
    p.line(f"if ({test.text}) {{")
    p.line(f"  {line}")
    p.line("}")


# --- random numbers -----------------------------------------------------------------------------------------


@makes("tile_randf", "tile_randi")
def _random(p: Tiles, node: ast.expr, called: Called) -> Tile:
    element, shape, _ = p.like(node)
    state, start = p.work("state"), p.argument(called, "rng")
    name = called.name.removeprefix("tile_")
    limits = [p.argument(called, one) for one in ("min", "max") if one in called.nodes]
    p.helpers.need("rand_pcg")
    p.flush()
    p.line(f"unsigned int {state} = rand_pcg(threadIdx.x + {start.inside(11)});")
    p.helpers.need(name)
    if limits:
        p.helpers.need(f"{name}_3")

    def at(loop: Loop | None, place: Place) -> Code:
        return call(name, element, Code(state, UINT), *limits)

    like = element, shape, p.dims_of(called.nodes["shape"], shape)
    variable = Variable(p.hint or p.work("random"), like)
    p.hint = ""
    p.fill(variable, Formula(like, at))
    return variable
