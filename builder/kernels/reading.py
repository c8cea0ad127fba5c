"""Walking a program: its statements, its expressions, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator

from .program import (
    Apply,
    Assign,
    Atomic,
    Body,
    Expr,
    For,
    If,
    Let,
    Load,
    Name,
    Part,
    Program,
    Stmt,
    Store,
)


def statements(body: Body) -> Iterator[Stmt]:
    """Yield every statement of a body in order, nested ones included."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, If):
            for _, inner in stmt.arms:
                yield from statements(inner)
            yield from statements(stmt.otherwise)
        elif isinstance(stmt, For):
            yield from statements(stmt.body)


def _roots(stmt: Stmt) -> Iterator[tuple[Expr, bool]]:
    """Yield the expressions of a statement itself, and whether each is a value (or an array index)."""
    if isinstance(stmt, (Let, Assign)):
        yield stmt.value, True
    elif isinstance(stmt, (Store, Atomic)):
        for index in stmt.index:
            yield index, False
        yield stmt.value, True
    elif isinstance(stmt, If):
        for test, _ in stmt.arms:
            yield test, True
    elif isinstance(stmt, For):
        if stmt.start is not None:
            yield stmt.start, True
        yield stmt.stop, True


def _nodes(expr: Expr) -> Iterator[Expr]:
    """Yield the nodes of an expression in order, those of array indices left out."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Apply):
            stack.extend(reversed(node.args))
        elif isinstance(node, Part):
            stack.append(node.base)


def expressions(program: Program) -> Iterator[Expr]:
    """Yield every expression node of a program, those of array indices included."""
    pending = [root for stmt in statements(program.body) for root, _ in _roots(stmt)]
    while pending:
        for node in _nodes(pending.pop()):
            yield node
            if isinstance(node, Load):
                pending.extend(node.index)


class Reading:
    """What a program holds, found in one walk.

    Attributes:
        program: the program read.
        statements: every statement in order.
        values: the operations on values, not on array indices, in order.
        builtins: names of the Warp builtins called, in indices too.
        dtypes: names of the types of all expressions.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.statements = list(statements(program.body))
        self.values: list[Apply] = []
        self.builtins: set[str] = set()
        self.dtypes: set[str] = set()
        indices: list[Expr] = []
        for stmt in self.statements:
            for root, value in _roots(stmt):
                self._read([root], self.values if value else [], indices)
        self._read(indices, [], indices)

    def _read(self, stack: list[Expr], applied: list[Apply], indices: list[Expr]) -> None:
        """Read the expressions of ``stack``; append their operations and the array indices they hold."""
        while stack:
            node = stack.pop()
            if isinstance(node, Apply):
                applied.append(node)
                if node.op.builtin:
                    self.builtins.add(node.op.builtin)
                stack.extend(node.args[::-1])
            elif isinstance(node, Load):
                indices.extend(node.index)
            elif isinstance(node, Part):
                stack.append(node.base)
            elif not isinstance(node, Name):
                continue
            self.dtypes.add(node.type.name)
