"""The statements of a kernel on tiles."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...codegen.arguments import ArrayOf, Kind, TileOf
from ...codegen.objects import operator_name
from ..atomics import atomic
from ..code import Code
from ..known import indices_of
from .accesses import ALL, FIRST, Access
from .places import fixed
from .printing import Tiles
from .table import DOERS
from .values import Formula, Single, Tile, Variable, View

_ATOMIC = {ast.Add: "add", ast.Sub: "sub", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
# What changes the tile at this place among its arguments.
_CHANGES = {
    "tile_matmul": 2, "tile_axpy": 2, "tile_assign": 0, "tile_scatter_add": 0, "tile_scatter_masked": 0,
    "tile_cholesky_inplace": 0, "tile_cholesky_solve_inplace": 1, "tile_lower_solve_inplace": 1,
    "tile_upper_solve_inplace": 1, "tile_fft": 0, "tile_ifft": 0, "tile_sort": 0,
}  # fmt: skip


class TilePrinter(Tiles):
    """Prints the statements of a kernel that works on tiles."""

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Print the statements of the kernel."""
        self.changed = self._changed_tiles()
        self.read_arrays = self._read_arrays()
        self.guarded = (0, "")
        super().body(statements)
        if self.signature.printed:
            self.signature.late |= {name for name, uses in self.uses.items() if self._is_late(name, uses)}
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
        for node in self.typed.nodes:
            match node:
                case ast.Call(func=ast.Attribute(attr=name)) if name in _CHANGES and len(node.args) > _CHANGES[name]:
                    given = node.args[:2] if name == "tile_sort" else [node.args[_CHANGES[name]]]
                    found |= {one.id for one in given if isinstance(one, ast.Name)}
                case ast.AugAssign(target=target) | ast.Assign(targets=[ast.Subscript() as target]):
                    base = target.value if isinstance(target, ast.Subscript) else target
                    found |= {base.id} if isinstance(base, ast.Name) else set()
                case ast.Assign(targets=[ast.Name(id=name)]):
                    found |= {name} & stored
                    stored.add(name)
        return found

    def _read_arrays(self) -> set[str]:
        """Return the arrays of which elements are read one by one."""
        return {
            node.value.id
            for node in self.typed.nodes
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)
        }

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
        before = self.pending.enter()
        super().statement(node)
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
            case ast.Assign(targets=[ast.Subscript() as target]) if self._in_tile(target):
                self._put(target, self.expr(node.value))
            case ast.AugAssign(target=ast.Subscript() as target) if self._in_tile(target):
                self._add_to(target, node)
            case ast.Expr(value=ast.Call() as call):
                return self._do(call)
            case _:
                return False
        return True

    def _in_tile(self, target: ast.Subscript) -> bool:
        return isinstance(target.value, ast.Name) and target.value.id in self.tiles

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
        if isinstance(tile, (View, Variable)):
            return isinstance(tile, Variable) or tile.cheap or name not in self.changed
        return isinstance(tile, Formula) and tile.constant and name not in self.changed

    def _name(self, name: str, own: str, tile: Tile) -> None:
        source = tile if isinstance(tile, Formula) and tile.cheap and name not in self.changed else None
        variable = Variable(own, (tile.element, tile.shape, tile.dims), source)
        self.places_made[own] = len(self.pending.bodies)
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

    # --- single elements --------------------------------------------------------------------------------

    def _indexed(self, target: ast.Subscript) -> tuple[Tile, list[Code]]:
        tile, codes = self.tile(target.value), [self.expr(one) for one in indices_of(target)]
        if len(codes) != len(tile.shape):
            raise self.rejection("a part of an element of a tile", target)
        return tile, codes

    def _put(self, target: ast.Subscript, value: Code) -> None:
        tile, codes = self._indexed(target)
        if isinstance(tile, Single):
            self.flush()
            self.line(f"{tile.code.text} = {value.text};")
            return
        if self.lanes:
            raise self.rejection("an element of a tile that each thread stores", target)
        self.first_only = True
        place = tile.ref(self, None, fixed(tile.shape, codes))
        self.first_only = False
        self.only_first(f"{place.text} = {value.text};")

    def _add_to(self, target: ast.Subscript, node: ast.AugAssign) -> None:
        """Print a change that, as in Warp, every thread makes."""
        value = self.expr(node.value)
        tile, codes = self._indexed(target)
        word = _ATOMIC.get(type(node.op), "")
        if isinstance(tile, Single) or not word:
            raise self.rejection("an element of a tile that is changed in place", target)
        place = tile.ref(self, None, fixed(tile.shape, codes), atomic=True)
        self.line(f"{atomic(self.helpers, word, place, value).text};")

    def only_first(self, line: str, test: str = "") -> None:
        """Write a line that one thread of the block runs, if a condition holds."""
        self.flush()
        head = f"{self.indent}if (threadIdx.x == 0{f' && {test}' if test else ''}) {{"
        if self.guarded == (len(self.lines), head):
            self.lines.pop()
        else:
            self.lines.append(head)
        self.line(f"  {line}")
        self.line("}")
        self.guarded = (len(self.lines), head)

    def _subscript(self, node: ast.Subscript, stores: bool) -> Code:
        if self._in_tile(node):
            tile, codes = self._indexed(node)
            return tile.at(self, None, fixed(tile.shape, codes))
        code = super()._subscript(node, stores)
        if not stores and not isinstance(node.value, ast.Attribute):
            self._touch_array(node, "lane" if self.lanes else ALL, writes=False)
        return code

    def _store(self, target: ast.expr, value: Code, node: ast.stmt) -> None:
        base = target.value if isinstance(target, ast.Subscript) else None
        alone = isinstance(base, ast.Name) and base.id not in self.read_arrays and not self.lanes
        self._touch_array(target, FIRST if alone else "lane" if self.lanes else ALL, writes=True)
        self.flush()
        super()._store(target, value, node)
        if alone and base is not None and isinstance(self.kind(base), ArrayOf):
            self.only_first(self.lines.pop().strip())

    def _touch_array(self, node: ast.expr, by: str, *, writes: bool) -> None:
        """Note an access to an element of an array that is changed."""
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        if isinstance(node, ast.Name) and isinstance(self.typed.kinds.get(node), ArrayOf):
            root = self.array(node).root
            if root in self.signature.written:
                self.touch(Access(f"{root}[]", by, writes))
