"""How a function of a program is called, and what printing it has found out about its arguments."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ..codegen.arguments import ArrayOf, Kind
from ..codegen.typed import TypedFunction
from .names import WORDS, free


@dataclass(slots=True)
class Signature:
    """What callers, and a second printing, need to know of a function.

    Attributes:
        name: its name in C++.
        kinds: its arguments, in order.
        locals: the names of its arguments and variables.
        written: the array arguments that it changes.
        dims: the dimensions of array arguments whose lengths it needs.
        has_effect: whether it changes an array or draws random numbers.
        counters: C++ names of loop variables that are never negative.
        taken: names that its variables may not have.
        shared: the tiles that lie in shared memory.
        reads: the tiles of which elements are read.
        late: the tiles that are loaded in the one loop that uses them.
        printed: whether that is known.
    """

    name: str
    kinds: dict[str, Kind]
    locals: set[str]
    written: set[str] = field(default_factory=set)
    dims: set[tuple[str, int]] = field(default_factory=set)
    has_effect: bool = False
    counters: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    returns: tuple[Kind, ...] = ()
    shared: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)
    printed: bool = False

    def rename(self, name: str) -> str:
        """Return the C++ name of an argument or variable."""
        return free(name, WORDS | self.taken) if name in WORDS or name in self.taken else name

    def fresh(self, name: str) -> str:
        """Return a name that no argument and no variable has."""
        return free(name, self.locals | WORDS | self.taken)

    def write(self, root: str) -> None:
        """Note that an array argument is changed."""
        self.written.add(root)
        self.has_effect = True

    def use_dim(self, root: str, axis: int) -> None:
        """Note that the length of a dimension of an array argument is needed."""
        if root:
            self.dims.add((root, axis))

    def used_dims(self, name: str) -> list[int]:
        """Return the dimensions of an array argument whose lengths are needed."""
        kind = self.kinds[name]
        assert isinstance(kind, ArrayOf)
        return [axis for axis in range(kind.ndim) if (name, axis) in self.dims]


def signature_of(typed: TypedFunction, name: str) -> Signature:
    """Return a signature of which nothing is found out yet."""
    names = {name for name, _ in typed.args}
    names |= {node.id for node in typed.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return Signature(name, dict(typed.args), names, returns=typed.returns)
