"""Loops over the elements of tiles, arrays in shared memory, and where threads wait for each other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ...codegen.arguments import Kind
from ...codegen.typed import TypedFunction
from ...errors import StandaloneRejection
from ..code import Code
from ..names import WORDS
from ..scalars import CUDA_NAMES
from ..signatures import Signature
from ..statements import Statements
from ..unit import Unit
from .accesses import ALL, Access, Pending
from .loops import Loop
from .values import Tile, Variable, View, size_of

_NAMES = {0: (), 1: (), 2: ("row", "col"), 3: ("plane", "row", "col"), 4: ("cube", "plane", "row", "col")}
_OTHERS = {"row": ("r", "y"), "col": ("c", "x"), "plane": ("p", "z"), "cube": ("q", "w")}
Like = tuple[Kind, tuple[int, ...], tuple[str, ...]]


class Blocks(Statements):
    """Prints what the threads of a block do together.

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
        # The loops that use elements of a tile, by their numbers; 0 stands for other uses.
        self.uses: list[tuple[str, int]] = []
        self.homes: dict[str, int] = {}  # by tile: the loop that it is made in
        self.path: tuple[ast.For, ...] = ()  # the loops of the source around what is printed
        self.places_made: dict[str, tuple[ast.For, ...]] = {}  # by tile: those around where it is made
        self.opened = 0
        self.silent = False  # whether accesses are noted otherwise
        stores = (one for one in self.typed.nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
        self.assigned = {one.id for one in stores}
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

    def is_steady(self, node: ast.AST | None) -> bool:
        """Say whether an expression means the same in all that follows inside the same loops of the source."""
        turned = {loop.target.id for loop in self.path if isinstance(loop.target, ast.Name)}
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} if node is not None else set()
        arguments = set(self.signature.kinds)
        return all(
            not self.is_local(name) or name in self.scope.constant | turned or name in arguments - self.assigned
            for name in names
        )

    def result(self, stem: str) -> str:
        """Return what a variable is called whose value becomes an element of what is assigned."""
        hint, self.hint = self.hint, ""
        return hint if hint and hint not in self.signature.shared else self.work(stem)

    # --- loops and barriers -----------------------------------------------------------------------------

    def element(self, tile: Tile, build: Callable[[Loop], None]) -> None:
        """Do something for each element of tiles like one: in the loop that is open, or in a new one."""
        loop = self._open(tile)
        mark, uses = loop.mark(), len(self.uses)
        build(loop)
        if self.pending.meets(loop.accesses[mark[-1] :]):
            loop.back(mark)
            del self.uses[uses:]
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
        read, written = ([name for tile in tiles for name in named(tile)] for tiles in (reads, writes))
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


def named(tile: Tile) -> list[str]:
    """Return the name of the array that a tile is a part of."""
    while isinstance(tile, View):
        tile = tile.source
    return [tile.name] if isinstance(tile, Variable) else []
