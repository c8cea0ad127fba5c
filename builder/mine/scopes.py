"""A Python function's source: its text, its positions, and what each name in it is."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..codegen import objects

MISSING = object()


class Source:
    """A source text whose syntax nodes can be found in it.

    Args:
        text: Python source.
        tree: its syntax tree.
    """

    def __init__(self, text: str, tree: ast.AST) -> None:
        self.text = text
        self.tree = tree
        self._starts = [0]
        for line in text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def at(self, line: int, column: int) -> int:
        """Return the offset of a position as syntax nodes give it: line from 1, column in UTF-8 bytes."""
        start = self._starts[line - 1]
        row = self.text[start : self._starts[line] - 1]
        return start + (column if row.isascii() else len(row.encode()[:column].decode()))

    def span(self, node: Any) -> tuple[int, int]:
        """Return the offsets at which a node starts and ends."""
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def segment(self, node: Any) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.text[start:end]


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a function's free names are looked up, as Warp does it: closure, then module.

    Attributes:
        closure: the function's closure variables.
        module: the globals of its module.
        bound: names that are local.
    """

    closure: dict[str, Any]
    module: dict[str, Any]
    bound: frozenset[str]

    def get(self, name: str) -> Any:
        """Return what a name that is not local stands for, or :data:`MISSING`."""
        if name in self.closure:
            return self.closure[name]
        return self.module.get(name, MISSING)

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression.

        Raises:
            Exception: whatever evaluating it raises.
        """
        return eval(expression, dict(self.module), dict(self.closure))


def scope_of(func: types.FunctionType, node: ast.FunctionDef) -> Scope:
    """Return the scope of a function whose definition is ``node``."""
    return Scope(objects.closure(func), func.__globals__, frozenset(_bound(node)))


def _bound(node: ast.FunctionDef) -> Iterator[str]:
    args = node.args
    yield from (arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs))
    yield from (arg.arg for arg in (args.vararg, args.kwarg) if arg is not None)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            yield inner.id
        elif isinstance(inner, ast.Lambda):
            yield from (arg.arg for arg in inner.args.args)


def chain(node: ast.expr) -> tuple[ast.Name, list[ast.Attribute]] | None:
    """Return the name at the root of ``a.b.c`` and its attribute nodes from left to right, if it is one."""
    attributes: list[ast.Attribute] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node)
        node = node.value
    return (node, attributes[::-1]) if isinstance(node, ast.Name) else None
