"""Arrays: a pointer and the lengths of its dimensions, row after row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..codegen.arguments import ArrayOf, Kind
from .code import Code, binary
from .types import INT


@dataclass(frozen=True, slots=True)
class Array:
    """An array, or the rest of one behind leading indices.

    Attributes:
        kind: its type.
        pointer: C++ for where it starts.
        dims: C++ for the length of each dimension.
        root: the parameter that it is, or is a part of; "" for one in a struct.
        skipped: how many of the root's dimensions come before its own.
    """

    kind: ArrayOf
    pointer: str
    dims: tuple[str, ...]
    root: str
    skipped: int = 0

    def offset(self, indices: Sequence[Code]) -> Code:
        """Return where the element, or the rest, behind some indices lies."""
        total = indices[0]
        for axis, index in enumerate(indices[1:], 1):
            total = binary("*", total, Code(self.dims[axis], INT), INT) if total.text != "0" else total
            if index.text != "0":
                total = binary("+", total, index, INT) if total.text != "0" else index
        for axis in range(len(indices), self.kind.ndim):
            total = binary("*", total, Code(self.dims[axis], INT), INT) if total.text != "0" else total
        return total

    def element(self, indices: Sequence[Code]) -> Code:
        """Return the element at some indices, one for each dimension."""
        pointer = f"({self.pointer})" if " " in self.pointer else self.pointer
        return Code(f"{pointer}[{self.offset(indices).text}]", self.kind.element)

    def rest(self, pointer: str, count: int) -> Array:
        """Return what lies behind ``count`` leading indices, at a pointer."""
        kind = ArrayOf(self.kind.family, self.kind.element, self.kind.ndim - count)
        return Array(kind, pointer, self.dims[count:], self.root, self.skipped + count)


def whole(name: str, kind: Kind, root: str) -> Array:
    """Return the array that a parameter or a field is."""
    assert isinstance(kind, ArrayOf)
    return Array(kind, name, tuple(f"{name}_dim{axis}" for axis in range(kind.ndim)), root)
