"""Cholesky factors and triangular systems in shared memory."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ...codegen.arguments import Number
from ...codegen.typed import Called
from ..code import Code
from ..scalars import math_call
from ..types import INT, literal, number_of
from .places import fixed
from .printing import Tiles
from .table import does, makes
from .values import Tile, Variable
from .views import near

Entry = Callable[[str, str], str]


def _entries(p: Tiles, tile: Tile, *, turned: bool = False) -> Entry:
    """Return what gives C++ for an entry by names of indices."""

    def entry(row: str, column: str = "") -> str:
        names = [row, column] if len(tile.shape) == 2 else [row]
        codes = [Code(name, INT) for name in (names[::-1] if turned else names)]
        return tile.at(p, None, fixed(tile.shape, codes)).text

    return entry


def _upper(called: Called) -> bool:
    return called.values.get("fill_mode") == "upper"


def _copied(p: Tiles, tile: Tile, stem: str) -> Variable:
    """Return a new tile in shared memory with the elements of another."""
    name = p.hint or p.work(stem)
    p.hint = ""
    variable = Variable(name, (tile.element, tile.shape, tile.dims))
    p.share(variable)
    p.fill(variable, tile)
    return variable


def _factored(p: Tiles, tile: Tile, *, upper: bool) -> None:
    number, n = number_of(tile.element), tile.dims[0]
    a = _entries(p, tile, turned=upper)
    t = p.helpers.type(number)

    def lines() -> Iterator[str]:
        root = math_call("sqrt", number, Code("pivot", number)).text
        yield f"for (int j = 0; j < {n}; ++j) {{"
        yield "  if (threadIdx.x == 0) {"
        yield f"    {t} pivot = {a('j', 'j')};"
        yield "    for (int k = 0; k < j; ++k) {"
        yield f"      pivot -= {a('j', 'k')} * {a('j', 'k')};"
        yield "    }"
        yield f"    {a('j', 'j')} = {root};"
        yield "  }"
        yield "  __syncthreads();"
        yield f"  for (int i = j + 1 + threadIdx.x; i < {n}; i += blockDim.x) {{"
        yield f"    {t} entry = {a('i', 'j')};"
        yield "    for (int k = 0; k < j; ++k) {"
        yield f"      entry -= {a('i', 'k')} * {a('j', 'k')};"
        yield "    }"
        yield f"    {a('i', 'j')} = entry / {a('j', 'j')};"
        yield f"    {a('j', 'i')} = {literal(number, 0).text};"
        yield "  }"
        yield "  __syncthreads();"
        yield "}"

    _checked(p, number)
    p.together("Cholesky factor, column by column.", [], [tile], lambda: list(lines()))


def _checked(p: Tiles, number: Number) -> None:
    if number.name not in ("float32", "float64"):
        raise p.refused(f"a factor of {number.name}")


@makes("tile_cholesky")
def _cholesky(p: Tiles, node: ast.expr, called: Called) -> Tile:
    hint, p.hint = p.hint, ""
    source = p.tile(called.nodes["A"])
    p.hint = hint
    factor = _copied(p, source, "factor")
    _factored(p, factor, upper=_upper(called))
    return factor


@does("tile_cholesky_inplace")
def _cholesky_in_place(p: Tiles, node: ast.Call, called: Called) -> None:
    _factored(p, near(p, p.tile(called.nodes["A"]), "factor"), upper=_upper(called))


# --- systems ------------------------------------------------------------------------------------------------


def _solved(p: Tiles, matrix: Tile, x: Tile, *, turned: bool, forward: bool) -> None:
    """Solve in place: from the first unknown on, or from the last; ``turned`` with the matrix transposed."""
    number, n = number_of(x.element), matrix.dims[0]
    a, b = _entries(p, matrix, turned=turned), _entries(p, x)
    columns = x.dims[1] if len(x.shape) == 2 else ""
    t, nil = p.helpers.type(number), literal(number, 0).text
    last = str(int(n) - 1) if n.isdigit() else f"{n} - 1"

    def lines() -> Iterator[str]:
        yield f"for (int c = threadIdx.x; c < {columns}; c += blockDim.x) {{" if columns else "if (threadIdx.x == 0) {"
        yield f"  for (int i = 0; i < {n}; ++i) {{" if forward else f"  for (int i = {last}; i >= 0; --i) {{"
        yield f"    {t} rest = {b('i', 'c')};"
        yield "    for (int j = 0; j < i; ++j) {" if forward else f"    for (int j = i + 1; j < {n}; ++j) {{"
        yield f"      rest -= {a('i', 'j')} * {b('j', 'c')};"
        yield "    }"
        yield f"    {b('i', 'c')} = {a('i', 'i')} != {nil} ? rest / {a('i', 'i')} : rest;"
        yield "  }"
        yield "}"
        yield "__syncthreads();"

    _checked(p, number)
    p.together("Forward substitution." if forward else "Back substitution.", [matrix], [x], lambda: list(lines()))


def _system(p: Tiles, called: Called, *, in_place: bool) -> tuple[Tile, Tile]:
    hint, p.hint = p.hint, ""
    matrix = near(p, p.tile(called.nodes["L" if "L" in called.nodes else "U"]), "matrix")
    right = p.tile(next(called.nodes[name] for name in ("y", "z", "x") if name in called.nodes))
    if in_place:
        return matrix, near(p, right, "solution")
    p.hint = hint
    return matrix, _copied(p, right, "solution")


def _register(name: str, steps: tuple[bool, ...]) -> None:
    """Register a solve, which goes forward or back: of a lower matrix forward, of an upper one back."""

    def run(p: Tiles, called: Called, matrix: Tile, x: Tile) -> None:
        upper = _upper(called) if name.startswith("tile_cholesky") else not steps[0]
        for forward in steps:
            _solved(p, matrix, x, turned=upper == forward, forward=forward)

    def make(p: Tiles, node: ast.expr, called: Called) -> Tile:
        matrix, x = _system(p, called, in_place=False)
        run(p, called, matrix, x)
        return x

    def do(p: Tiles, node: ast.Call, called: Called) -> None:
        run(p, called, *_system(p, called, in_place=True))

    makes(name)(make)
    does(f"{name}_inplace")(do)


_register("tile_cholesky_solve", (True, False))
_register("tile_lower_solve", (True,))
_register("tile_upper_solve", (False,))
