"""What is known of the nodes of a typed syntax tree."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import Any

from ..codegen.arguments import ArrayOf, Block, Kind, Number, Record
from ..codegen.objects import components, is_composite_value
from ..codegen.typed import TypedFunction
from ..errors import StandaloneRejection
from .code import Code
from .signatures import Signature
from .types import INT, is_matrix, literal, make, number_of, vector
from .unit import Unit


class Known(ABC):
    """Answers what Warp has found out about the nodes of one function.

    Args:
        unit: the program that the function is in.
        typed: the function.
        signature: how the function is called, and what is found out about its arrays.
    """

    def __init__(self, unit: Unit, typed: TypedFunction, signature: Signature) -> None:
        self.unit, self.typed, self.signature = unit, typed, signature
        self.helpers = unit.helpers

    @abstractmethod
    def expr(self, node: ast.expr) -> Code:
        """Return the C++ of an expression."""

    def kind(self, node: ast.expr) -> Kind:
        """Return the type of an expression, or of a place that is stored to."""
        known = self.typed.kinds.get(node)
        if known is not None:
            return known
        if isinstance(node, ast.Subscript):
            return self._behind(self.kind(node.value), len(indices_of(node)), node)
        if isinstance(node, ast.Attribute):
            return self._field(self.kind(node.value), node)
        if isinstance(node, ast.Name):
            for other, kind in self.typed.kinds.items():
                if isinstance(other, ast.Name) and other.id == node.id:
                    return kind
            if node.id in self.signature.kinds:
                return self.signature.kinds[node.id]
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return INT
        raise self.rejection(f"an expression without a type, {ast.unparse(node)}", node)

    def _behind(self, kind: Kind, indices: int, node: ast.expr) -> Kind:
        if isinstance(kind, ArrayOf):
            if indices < kind.ndim:
                return ArrayOf(kind.family, kind.element, kind.ndim - indices)
            return kind.element if indices == kind.ndim else self._behind(kind.element, indices - kind.ndim, node)
        if isinstance(kind, Block):
            if is_matrix(kind) and indices == 1:
                return vector(kind.shape[1], kind.number)
            return kind.number
        raise self.rejection("a subscript of no array", node)

    def _field(self, kind: Kind, node: ast.Attribute) -> Kind:
        if isinstance(kind, Record):
            return dict(kind.fields)[node.attr]
        if isinstance(kind, Block) and kind.family == "transformation":
            return vector(3, kind.number) if node.attr == "p" else Block("quaternion", (4,), kind.number)
        return number_of(kind)

    def rejection(self, construct: str, node: ast.AST) -> StandaloneRejection:
        """Return a rejection that says where."""
        return StandaloneRejection(construct, getattr(node, "lineno", 0))

    def constant(self, node: ast.AST) -> Any:
        """Return the value of an expression that is constant, or None."""
        return self.typed.constants.get(node)

    def is_local(self, name: str) -> bool:
        """Say whether a name is the function's own."""
        return name in self.signature.locals

    def varies(self, node: ast.expr | None) -> bool:
        """Say whether an expression has the function's own names in it."""
        return node is not None and any(isinstance(n, ast.Name) and self.is_local(n.id) for n in ast.walk(node))

    def counts(self, node: ast.expr) -> bool:
        """Say whether an expression is a length or a number of a thread or turn, which are not negative."""
        if isinstance(node, ast.Name):
            return self.signature.rename(node.id) in self.signature.counters
        return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape"

    def is_positive(self, node: ast.expr) -> bool:
        """Say whether an expression is a whole number above zero that is known before."""
        value = node.value if isinstance(node, ast.Constant) else self.constant(node)
        return type(value) is int and value > 0 and not self.varies(node)

    def value(self, value: Any, kind: Kind) -> Code:
        """Return a constant."""
        if isinstance(kind, Number) and value is not None:
            return literal(kind, value)
        if isinstance(kind, Block) and is_composite_value(value):
            return self.made(kind, [literal(kind.number, one).text for one in components(value)])
        raise StandaloneRejection(f"a constant of type {type(value).__name__}")

    def made(self, kind: Block, parts: list[str]) -> Code:
        """Return a block of its components."""
        self.helpers.type(kind)
        return Code(make(kind, parts), kind)


def indices_of(node: ast.Subscript) -> list[ast.expr]:
    """Return the indices of a subscript."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def changes(builtin: str) -> bool:
    """Say whether a builtin changes something: an array, or the state of random numbers."""
    return builtin.startswith(("rand", "sample_", "poisson", "atomic_", "print", "expect_")) and builtin != "rand_init"
