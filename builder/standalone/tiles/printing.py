"""Tiles: what expressions make of them, and how their elements get values."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...codegen.arguments import Kind, TileOf
from ...codegen.typed import Called
from ..code import Code
from ..operators import in_place
from .loops import Loop
from .places import first
from .table import MAKERS, NAMES_ITSELF
from .values import Single, Tile, Variable
from .waiting import Blocks

Like = tuple[Kind, tuple[int, ...], tuple[str, ...]]


class Tiles(Blocks):
    """Prints the tiles of a kernel."""

    def tile(self, node: ast.expr) -> Tile:
        """Return the tile that an expression is."""
        if isinstance(node, ast.Name) and node.id in self.tiles:
            return self.tiles[node.id]
        if isinstance(node, ast.Call):
            for called in self.typed.calls.get(node, ()):
                if called.name in MAKERS and called.function is None:
                    self.hint = self.hint if called.name in NAMES_ITSELF else ""
                    return MAKERS[called.name](self, node, called)
            names = [called.name for called in self.typed.calls.get(node, ())] or ["?"]
            raise self.rejection(f"wp.{names[0]}", node)
        maker = MAKERS.get(type(node).__name__)
        if maker is None or isinstance(node, ast.Name):
            raise self.rejection("a tile that is chosen", node)
        self.hint = ""
        return maker(self, node, Called("", {}, {}, None, {}))

    def like(self, node: ast.expr, dims: Sequence[str] = ()) -> Like:
        """Return the type of the elements and the lengths of a tile."""
        kind = self.kind(node)
        assert isinstance(kind, TileOf)
        return kind.element, kind.shape, tuple(dims) or tuple(map(str, kind.shape))

    def dims_of(self, node: ast.expr | None, shape: tuple[int, ...]) -> tuple[str, ...]:
        """Return C++ for lengths: constants keep their names."""
        given = list(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else [node]
        if len(given) != len(shape):
            return tuple(map(str, shape))
        named = [isinstance(one, ast.Name) and self.constant(one) == n for one, n in zip(given, shape, strict=True)]
        return tuple(
            self.expr(one).text if by_name and one is not None else str(n)
            for one, n, by_name in zip(given, shape, named, strict=True)
        )

    def stored(self, tile: Tile, stem: str) -> Tile:
        """Return a tile whose elements may be asked for again and again: itself, or stored under a new name."""
        if tile.cheap:
            return tile
        variable = Variable(self.work(stem), (tile.element, tile.shape, tile.dims))
        self.fill(variable, tile)
        return variable

    def fill(self, variable: Variable, tile: Tile, *, declares: bool = True, constant: bool = True) -> None:
        """Give all elements of a tile those of another."""

        def build(loop: Loop) -> None:
            place = loop.place(variable.shape)
            code = tile.at(self, loop, place)
            if variable.name in self.signature.shared:
                loop.add(f"{variable.ref(self, loop, place).text} = {code.text};")
            elif variable.name in loop.locals or not declares:
                loop.add(f"{variable.ref(self, loop, place).text} = {code.text};", defines=variable.name)
            elif code.text == variable.name:
                loop.locals.add(variable.name)
            else:
                const = "const " if constant else ""
                type_ = self.helpers.type(variable.element)
                loop.add(f"{const}{type_} {variable.name} = {code.text};", defines=variable.name)
                loop.locals.add(variable.name)

        self.element(variable, build)
        self.homes[variable.name] = self.opened

    def change(self, target: Tile, operator: str, value: Tile) -> None:
        """Change all elements of a tile by those of another."""
        if isinstance(target, Single):
            self._change_single(target, operator, self.number(value))
            return

        def build(loop: Loop) -> None:
            place = loop.place(target.shape)
            changed = value.at(self, loop, place)
            old = target.ref(self, loop, place)
            if old.text in loop.locals:
                loop.add(in_place(self.helpers, operator, old, changed), defines=old.text, again=True)
            else:
                loop.add(in_place(self.helpers, operator, old, changed))

        self.element(target, build)

    def _change_single(self, target: Single, operator: str, value: Code) -> None:
        self.flush()
        self.line(in_place(self.helpers, operator, target.code, value))

    def number(self, tile: Tile) -> Code:
        """Return the element of a tile that has one."""
        return tile.at(self, None, first(tile.shape))

    def is_tile(self, node: ast.AST | None) -> bool:
        """Say whether an expression is a tile."""
        return isinstance(node, ast.expr) and isinstance(self.typed.kinds.get(node), TileOf)
