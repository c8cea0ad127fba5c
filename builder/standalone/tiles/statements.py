"""The statements of a kernel on tiles."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...codegen.arguments import ArrayOf, Kind, TileOf
from ...codegen.objects import operator_name
from ..code import Code
from .single import SingleElements
from .table import DOERS
from .values import Formula, Single, Tile, Variable, View

# What changes the tile at this place among its arguments.
_CHANGES = {
    "tile_matmul": 2, "tile_axpy": 2, "tile_assign": 0, "tile_scatter_add": 0, "tile_scatter_masked": 0,
    "tile_cholesky_inplace": 0, "tile_cholesky_solve_inplace": 1, "tile_lower_solve_inplace": 1,
    "tile_upper_solve_inplace": 1, "tile_fft": 0, "tile_ifft": 0, "tile_sort": 0,
}  # fmt: skip
_VIEWS = frozenset(["tile_reshape", "tile_squeeze", "tile_transpose", "tile_view", "tile_broadcast"])


class TilePrinter(SingleElements):
    """Prints the statements of a kernel that works on tiles."""

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Print the statements of the kernel."""
        self.changed = self._changed_tiles()
        super().body(statements)
        if self.signature.printed:
            uses: dict[str, set[int]] = {}
            for name, number in self.uses:
                uses.setdefault(name, set()).add(number)
            self.signature.late |= {name for name, numbers in uses.items() if self._is_late(name, numbers)}
        else:
            # What no loop reads was printed too, and may have kept loops apart.
            self.signature.shared.clear()
        self.signature.printed = True

    def _is_late(self, name: str, uses: set[int]) -> bool:
        """Say whether one loop uses a tile, and that is not the one that it is made in."""
        return len(uses) == 1 and 0 not in uses and self.homes.get(name) not in uses

    def _changed_tiles(self) -> set[str]:
        """Return the names of tiles that are not only made and read."""
        found: set[str] = set()
        stored: set[str] = set()
        seen_as: list[tuple[str, str]] = []
        for node in self.typed.nodes:
            match node:
                case ast.Call(func=ast.Attribute(attr=name)) if name in _CHANGES and len(node.args) > _CHANGES[name]:
                    given = node.args[:2] if name == "tile_sort" else [node.args[_CHANGES[name]]]
                    found |= {one.id for one in given if isinstance(one, ast.Name)}
                case ast.AugAssign(target=target) | ast.Assign(targets=[ast.Subscript() as target]):
                    base = target.value if isinstance(target, ast.Subscript) else target
                    found |= {base.id} if isinstance(base, ast.Name) else set()
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found |= {name} & stored
                    stored.add(name)
                    seen_as += [(name, base) for base in _seen(value)]
        for _ in seen_as:
            found |= {base for name, base in seen_as if name in found}
        return found

    # --- statements -------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Print statements, one after the other."""
        super().block(statements)
        self.flush()

    def statement(self, node: ast.stmt) -> None:
        """Print one statement."""
        self.line_now = node.lineno
        self.hint = ""
        if self._tile_statement(node):
            return
        if not self._may_go_before(node):
            self.flush()
        if isinstance(node, (ast.If, ast.While)):
            self.branches += 1
            super().statement(node)
            self.branches -= 1
        elif isinstance(node, ast.For):
            self._turns(node)
        else:
            super().statement(node)

    def _turns(self, node: ast.For) -> None:
        before, outer = self.pending.enter(), self.path
        self.path = (*outer, node)
        super().statement(node)
        self.path = outer
        # The last line closes the loop.
        if self.pending.turns():
            end = self.lines.pop()
            self.line("  __syncthreads();")
            self.lines.append(end)
            self.pending.barrier()
        self.pending.leave(before)

    def _may_go_before(self, node: ast.stmt) -> bool:
        """Say whether a statement may stand before the loop that is open."""
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            return False
        if node.targets[0].id not in self.scope.constant or self.has_effect(node.value):
            return False
        for inner in ast.walk(node.value):
            if self.is_tile(inner) or (isinstance(inner, ast.Call) and self.calls_function(inner)):
                return False
            if isinstance(inner, ast.Subscript) and not isinstance(inner.value, ast.Attribute):
                kind = self.typed.kinds.get(inner)
                if not isinstance(kind, ArrayOf):
                    return False
        return True

    def _tile_statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if self.is_tile(node.value):
                self._define(name, node)
            case ast.AugAssign(target=ast.Name() as target) if self.is_tile(target) or target.id in self.tiles:
                self._update(node, target)
            case ast.Assign(targets=[ast.Subscript() as target]) if self.in_tile(target):
                self.put(target, self.expr(node.value))
            case ast.AugAssign(target=ast.Subscript() as target) if self.in_tile(target):
                self.add_to(target, node)
            case ast.Expr(value=ast.Call() as call):
                return self._do(call)
            case _:
                return False
        return True

    def _do(self, call: ast.Call) -> bool:
        for called in self.typed.calls.get(call, ()):
            if called.function is None and called.name in DOERS:
                DOERS[called.name](self, call, called)
                return True
        return False

    # --- tiles with names -------------------------------------------------------------------------------

    def _define(self, name: str, node: ast.Assign) -> None:
        if name not in self.scope.loaded and name not in self.changed and not self.has_effect(node.value):
            return
        own = self.signature.rename(name)
        here = name in self.scope.declared_at.get(node, ())
        self.hint = own if here else ""
        tile = self.tile(node.value)
        self.hint = ""
        if isinstance(tile, Single) and tile.code.text == own:
            self.tiles[name] = tile
        elif tile.count == 1:
            code = self.number(tile)
            self.flush()
            self.line(f"{self._target(name, code.kind, node)} = {code.text};")
            self.tiles[name] = Single(Code(own, code.kind), tile.shape)
        elif self._stays(name, tile):
            self.tiles[name] = tile
        else:
            self._name(name, own, tile)

    def _stays(self, name: str, tile: Tile) -> bool:
        """Say whether a name stands for what the tile is, rather than for elements that are stored."""
        inner = tile
        while isinstance(inner, View):
            inner = inner.source
        if isinstance(inner, Formula):
            return inner.constant and name not in self.changed
        return True

    def _name(self, name: str, own: str, tile: Tile) -> None:
        source = tile if tile.cheap and name not in self.changed else None
        variable = Variable(own, (tile.element, tile.shape, tile.dims), source)
        self.places_made[own] = self.path
        wanted = not self.signature.printed or own in self.signature.reads
        if source is None or (wanted and own not in self.signature.late):
            self.fill(variable, tile, constant=name not in self.changed)
        self.tiles[name] = variable

    def declare_empty(self, name: str, node: ast.stmt) -> None:
        """Declare a name that is assigned later."""
        kind = self.kind_of_name(name, node)
        if not isinstance(kind, TileOf) or kind.shape == (1,) * len(kind.shape):
            super().declare_empty(name, node)

    def kind_of_name(self, name: str, node: ast.stmt) -> Kind:
        """Return the type of a local name; of a tile of one element that of the element."""
        kind = super().kind_of_name(name, node)
        single = isinstance(kind, TileOf) and kind.shape == (1,) * len(kind.shape)
        return kind.element if isinstance(kind, TileOf) and single else kind

    def _update(self, node: ast.AugAssign, target: ast.Name) -> None:
        self.change(self.tiles[target.id], operator_name(node.op), self.tile(node.value))


def _seen(node: ast.expr) -> list[str]:
    """Return the name of the tile of which an expression is a view."""
    while True:
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[inner, *_]) if name in _VIEWS:
                node = inner
            case ast.Subscript(value=inner):
                node = inner
            case ast.Name(id=name):
                return [name]
            case _:
                return []
