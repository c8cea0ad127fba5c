"""Single elements of tiles and arrays, outside of the loops over elements."""

from __future__ import annotations

import ast

from ...codegen.arguments import ArrayOf
from ...codegen.typed import TypedFunction
from ..atomics import atomic
from ..code import Code
from ..known import indices_of
from ..signatures import Signature
from ..unit import Unit
from .accesses import ALL, FIRST, Access
from .places import fixed
from .printing import Tiles
from .values import Single, Tile
from .varying import varies, varying_names
from .waiting import named

_ATOMIC = {ast.Add: "add", ast.Sub: "sub", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}


class SingleElements(Tiles):
    """Prints what is done to single elements: by one thread where all would do the same."""

    def __init__(self, unit: Unit, typed: TypedFunction, signature: Signature, lanes: bool) -> None:
        super().__init__(unit, typed, signature, lanes)
        self.read_arrays = self._arrays_read()
        self.varying = varying_names(typed.node) if lanes else set()
        self.guarded = (0, "")  # behind which line a condition for the first thread ends, and its head

    def _arrays_read(self) -> set[str]:
        """Return the arrays of which elements are read one by one."""
        return {
            node.value.id
            for node in self.typed.nodes
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)
        }

    def in_tile(self, target: ast.Subscript) -> bool:
        return isinstance(target.value, ast.Name) and target.value.id in self.tiles

    def _indexed(self, target: ast.Subscript) -> tuple[Tile, list[Code]]:
        tile, codes = self.tile(target.value), [self.expr(one) for one in indices_of(target)]
        if len(codes) != len(tile.shape):
            raise self.rejection("a part of an element of a tile", target)
        return tile, codes

    def put(self, target: ast.Subscript, value: Code) -> None:
        tile, codes = self._indexed(target)
        if isinstance(tile, Single):
            self.flush()
            self.line(f"{tile.code.text} = {value.text};")
            return
        if self.lanes:
            raise self.rejection("an element of a tile that each thread stores", target)
        # In Warp the first threads change the element while others are still to read it.
        if any(one.by == ALL for name in named(tile) for one in self.pending.of(name)):
            raise self.rejection("an element of a tile that is changed while threads may read it", target)
        self.first_only = True
        place = tile.ref(self, None, fixed(tile.shape, codes))
        self.first_only = False
        self.only_first(f"{place.text} = {value.text};")

    def add_to(self, target: ast.Subscript, node: ast.AugAssign) -> None:
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
        if self.in_tile(node):
            tile, codes = self._indexed(node)
            return tile.at(self, None, fixed(tile.shape, codes))
        code = super()._subscript(node, stores)
        if not stores and not isinstance(node.value, ast.Attribute):
            self._touch_array(node, "lane" if self.lanes else ALL, writes=False)
        return code

    def _store(self, target: ast.expr, value: Code, node: ast.stmt) -> None:
        alone = self._is_one(target, node)
        self._touch_array(target, FIRST if alone else "lane" if self.lanes else ALL, writes=True)
        self.flush()
        super()._store(target, value, node)
        if alone:
            self.only_first(self.lines.pop().strip())

    def _is_one(self, target: ast.expr, node: ast.stmt) -> bool:
        """Say whether a store of an array's element is the same for all threads, and none reads it.

        Raises:
            StandaloneRejection: threads store different values to one element.
        """
        base = target.value if isinstance(target, ast.Subscript) else None
        if not isinstance(base, ast.Name) or not isinstance(self.kind(base), ArrayOf):
            return False
        if self.lanes:
            assert isinstance(target, ast.Subscript)
            if self.branches or varies(target.slice, self.varying):
                return False
            if isinstance(node, ast.Assign) and varies(node.value, self.varying):
                raise self.rejection("an element that threads of a block store differently", node)
        return base.id not in self.read_arrays

    def _touch_array(self, node: ast.expr, by: str, *, writes: bool) -> None:
        """Note an access to an element of an array that is changed."""
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        if isinstance(node, ast.Name) and isinstance(self.typed.kinds.get(node), ArrayOf):
            root = self.array(node).root
            if root in self.signature.written:
                self.touch(Access(f"{root}[]", by, writes))
