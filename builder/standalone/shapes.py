"""How long arrays are: as the grid where a kernel can be seen to stay within that, longer elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..codegen.arguments import ArrayOf, Kind, Record

# Lengths of an array's dimensions in C++, by the name of the shape: of lists, of tables, of what has more dimensions.
LENGTHS = {
    "equal": ("n", "n"),
    "wider": ("n + 16", "n + 16"),
    "longer": ("8 * n + 64", "n + 16"),
    "square": ("(n + 16) * (n + 16)", "n + 16"),
    "tiles": ("256 * n + 16", "16 * n + 8", "n + 16"),
}


def length_of(shapes: str, ndim: int) -> str:
    """Return C++ for the length of an array's dimensions."""
    given = LENGTHS[shapes]
    return given[min(ndim, len(given)) - 1]


def shapes_of(nodes: Sequence[ast.AST], args: tuple[tuple[str, Kind], ...], indices: tuple[str, ...]) -> str:
    """Return ``equal`` if all that a kernel looks up is within its grid; else ``longer``, or ``wider`` for tables."""
    arrays = {name for name, kind in args if isinstance(kind, ArrayOf)}
    if any(isinstance(kind, Record) and any(isinstance(k, ArrayOf) for _, k in kind.fields) for _, kind in args):
        return "longer"
    if _Safe(nodes, arrays, set(indices)).all():
        return "equal"
    return "wider" if any(isinstance(kind, ArrayOf) and kind.ndim > 1 for _, kind in args) else "longer"


class _Safe:
    def __init__(self, nodes: Sequence[ast.AST], arrays: set[str], indices: set[str]) -> None:
        self.nodes, self.arrays, self.names = nodes, arrays, set(indices)
        stores: dict[str, list[ast.expr]] = {}
        for node in nodes:
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call):
                args = node.iter.args
                stores.setdefault(node.target.id, []).append(args[0] if len(args) == 1 else args[-1])
                if len(args) == 1 and self._is_length(args[0]):
                    self.names.add(node.target.id)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                stores.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                stores.setdefault(node.target.id, []).append(node.value)
        for name, given in stores.items():
            if len(given) > 1:
                self.names.discard(name)
            elif self.index(given[0]):
                self.names.add(name)

    def all(self) -> bool:
        """Say whether all lookups are safe, and no array goes elsewhere."""
        seen: set[int] = set()
        for node in self.nodes:
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self.arrays:
                seen.add(id(node.value))
                given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                if not all(map(self.index, given)):
                    return False
            elif isinstance(node, ast.Attribute) and node.attr == "shape":
                seen.add(id(node.value))
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr.startswith("atomic_")
            ):
                seen.add(id(node.args[0]))
                last = -2 if node.func.attr == "atomic_cas" else -1
                if not all(map(self.index, node.args[1:last])):
                    return False
        names = [n for n in self.nodes if isinstance(n, ast.Name) and n.id in self.arrays]
        return all(id(name) in seen for name in names)

    def index(self, node: ast.expr) -> bool:
        """Say whether an index is at least 0 and below the length of the grid."""
        if isinstance(node, ast.Name):
            return node.id in self.names
        if isinstance(node, ast.Constant):
            return node.value == 0
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return self._is_length(node.right)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._limited(node.func.attr, node.args)
        return False

    def _limited(self, name: str, args: list[ast.expr]) -> bool:
        if name == "clamp":
            return isinstance(args[1], ast.Constant) and args[1].value == 0 and self._is_last(args[2])
        if name == "min" and len(args) == 2:
            return self._is_last(args[1])
        lowered = args and isinstance(args[0], ast.BinOp) and isinstance(args[0].op, ast.Sub)
        if name == "max" and len(args) == 2 and lowered:
            assert isinstance(args[0], ast.BinOp)
            return self.index(args[0].left) and isinstance(args[1], ast.Constant)
        return False

    def _is_length(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape"

    def _is_last(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Sub)
            and self._is_length(node.left)
            and isinstance(node.right, ast.Constant)
        )
