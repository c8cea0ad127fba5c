"""The body of a kernel on tiles: what stands in loops over elements, and where threads wait for each other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ...codegen.arguments import Kind, TileOf
from ...codegen.typed import Called, TypedFunction
from ...errors import StandaloneRejection
from ..code import Code
from ..names import WORDS
from ..operators import binary_op, updates_in_place
from ..scalars import CUDA_NAMES
from ..signatures import Signature
from ..statements import Statements
from ..types import size_of
from ..unit import Unit
from .accesses import ALL, Access, Pending
from .loops import Loop
from .places import first
from .table import MAKERS, NAMES_ITSELF
from .values import Single, Tile, Variable, View

_NAMES = {0: (), 1: (), 2: ("row", "col"), 3: ("plane", "row", "col"), 4: ("cube", "plane", "row", "col")}
_OTHERS = {"row": ("r", "y"), "col": ("c", "x"), "plane": ("p", "z"), "cube": ("q", "w")}
Like = tuple[Kind, tuple[int, ...], tuple[str, ...]]


class Tiles(Statements):
    """Prints the body of a kernel that works on tiles.

    Args:
        lanes: whether the last of the kernel's indices is the thread's place in its block.
    """

    def __init__(self, unit: Unit, typed: TypedFunction, signature: Signature, lanes: bool) -> None:
        super().__init__(unit, typed, signature)
        self.lanes = lanes
        self.tiles: dict[str, Tile] = {}
        self.loop: Loop | None = None
        self.pending = Pending()
        self.arrays_shared: dict[str, Variable] = {}
        self.bound: dict[ast.AST, Code] = {}
        self.hint = ""  # what the next result may be called
        # By tile: the loops that use its elements, by their numbers; 0 stands for other uses.
        self.uses: dict[str, set[int]] = {}
        self.homes: dict[str, int] = {}  # by tile: the loop that it is made in
        self.places_made: dict[str, int] = {}  # inside how many loops of the source a tile is made
        self.opened = 0
        self.silent = False  # whether accesses are noted otherwise
        self.first_only = False  # whether one thread alone does what is printed
        self.branches = 0  # inside how many conditionals
        self.given: set[str] = set()
        self.line_now = 0

    def refused(self, construct: str) -> StandaloneRejection:
        """Return a rejection at the statement that is being printed."""
        return StandaloneRejection(construct, self.line_now)

    def expr(self, node: ast.expr) -> Code:
        """Return the C++ of an expression, which may stand for an element."""
        return self.bound[node] if node in self.bound else super().expr(node)

    # --- names ------------------------------------------------------------------------------------------

    def pick(self, *names: str, taken: Sequence[str] = ()) -> str:
        """Return the first of some names that means nothing else."""
        signature = self.signature
        used = signature.locals | WORDS | signature.taken | CUDA_NAMES | set(self.unit.constants) | set(taken)
        for name in names:
            if name not in used:
                return name
        return self.signature.fresh(names[0])

    def work(self, stem: str) -> str:
        """Return a name for a tile or a number that has none in the source."""
        names = [name for name in (stem, *(f"{stem}{n}" for n in range(2, 99))) if name not in self.given]
        name = self.pick(*names)
        self.given.add(name)
        return name

    def result(self, stem: str) -> str:
        """Return what a variable is called whose value becomes an element of what is assigned."""
        hint, self.hint = self.hint, ""
        return hint if hint and hint not in self.signature.shared else self.work(stem)

    # --- loops and barriers -----------------------------------------------------------------------------

    def element(self, tile: Tile, build: Callable[[Loop], None]) -> None:
        """Do something for each element of tiles like one: in the loop that is open, or in a new one."""
        loop = self._open(tile)
        mark = loop.mark()
        build(loop)
        if self.pending.meets(loop.accesses[mark[-1] :]):
            loop.back(mark)
            self.barrier()
            loop = self._open(tile)
            mark = loop.mark()
            build(loop)
        self.pending.add(loop.accesses[mark[-1] :])

    def _open(self, tile: Tile) -> Loop:
        if self.branches:
            raise self.refused("a tile in a conditional")
        if self.loop is not None and self.loop.fits(tile.shape):
            return self.loop
        self.flush()
        names = _NAMES[sum(length > 1 for length in tile.shape)]
        counter = self.pick("i", "k", "e", "m")
        self.opened += 1
        self.loop = Loop(tile.shape, tile.dims, [counter, *(self.pick(name, *_OTHERS[name]) for name in names)])
        self.loop.number = self.opened
        return self.loop

    def flush(self) -> None:
        """Write the open loop."""
        if self.loop is not None:
            loop, self.loop = self.loop, None
            for line in loop.text():
                self.line(line)

    def barrier(self) -> None:
        """Let the threads wait for each other."""
        self.flush()
        if self.branches:
            raise self.refused("a tile in a conditional")
        self.line("__syncthreads();")
        self.pending.barrier()

    def touch(self, *accesses: Access) -> None:
        """Note accesses outside of the loops over elements, after a barrier if they need one."""
        if self.silent:
            return
        self.flush()
        if self.pending.meets(accesses):
            self.barrier()
        self.pending.add(accesses)

    def together(
        self, about: str, reads: Sequence[Tile], writes: Sequence[Tile], lines: Callable[[], Sequence[str]]
    ) -> None:
        """Write lines in which the threads work together on tiles, the last of them a barrier; and what they do."""
        read, written = ([name for tile in tiles for name in _named(tile)] for tiles in (reads, writes))
        self.touch(*(Access(name, ALL) for name in read), *(Access(name, ALL, writes=True) for name in written))
        if about:
            self.line(f"// {about}")
        self.silent = True
        for line in lines():
            self.line(line)
        self.silent = False
        self.pending.barrier()

    def share(self, tile: Variable) -> None:
        """Note that a tile lies in shared memory."""
        self.signature.shared.add(tile.name)
        known = self.arrays_shared.setdefault(tile.name, tile)
        if (known.element, known.shape) != (tile.element, tile.shape):
            raise self.refused("a tile of several shapes")

    def shared_lines(self) -> list[str]:
        """Return the declarations of the arrays in shared memory."""
        self.unit.shared_bytes = sum(size_of(tile.element) * tile.count for tile in self.arrays_shared.values())
        lines = []
        for name, tile in self.arrays_shared.items():
            lengths = [dim for length, dim in zip(tile.shape, tile.dims, strict=True) if length > 1]
            lines.append(f"  __shared__ {self.helpers.type(tile.element)} {name}{''.join(f'[{n}]' for n in lengths)};")
        return lines

    # --- tiles ------------------------------------------------------------------------------------------

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
                loop.add(self._changed_text(old, operator, changed), defines=old.text, again=True)
            else:
                loop.add(self._changed_text(old, operator, changed))

        self.element(target, build)

    def _change_single(self, target: Single, operator: str, value: Code) -> None:
        self.flush()
        self.line(self._changed_text(target.code, operator, value))

    def _changed_text(self, old: Code, operator: str, value: Code) -> str:
        symbol = updates_in_place(operator, old.kind, value.kind)
        if symbol:
            return f"{old.text} {symbol} {value.text};"
        return f"{old.text} = {binary_op(self.helpers, operator, old, value, old.kind).text};"

    def number(self, tile: Tile) -> Code:
        """Return the element of a tile that has one."""
        return tile.at(self, None, first(tile.shape))

    def is_tile(self, node: ast.AST | None) -> bool:
        """Say whether an expression is a tile."""
        return isinstance(node, ast.expr) and isinstance(self.typed.kinds.get(node), TileOf)


def _named(tile: Tile) -> list[str]:
    """Return the name of the array that a tile is a part of."""
    while isinstance(tile, View):
        tile = tile.source
    return [tile.name] if isinstance(tile, Variable) else []
