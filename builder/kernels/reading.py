"""Walking a program: its statements, its expressions, and what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .program import (
    Apply,
    Assign,
    Atomic,
    Body,
    Call,
    Do,
    Each,
    Expr,
    Field,
    For,
    Give,
    If,
    Items,
    Let,
    LetMany,
    Load,
    Name,
    Part,
    Program,
    Put,
    Span,
    Static,
    Stmt,
    Store,
    While,
    Word,
)
from .types import Array, Mat, Several, Struct, Tile, Value, Vec


def statements(body: Body) -> Iterator[Stmt]:
    """Yield every statement of a body in order, nested ones included."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, If):
            for _, inner in stmt.arms:
                yield from statements(inner)
            yield from statements(stmt.otherwise)
        elif isinstance(stmt, (For, Each, While)):
            yield from statements(stmt.body)


def bodies(program: Program) -> Iterator[Body]:
    """Yield the body of each function (its gradient and its replay too), then the kernel's."""
    for function in program.functions:
        yield function.body
        yield function.gradient
        yield function.replay
    yield program.body


def roots(stmt: Stmt) -> Iterator[tuple[Expr, bool]]:
    """Yield the expressions of a statement itself, and whether each is a value (or an array index)."""
    if isinstance(stmt, (Let, LetMany, Assign, Do, Give)):
        yield stmt.value, True
    elif isinstance(stmt, (Store, Atomic)):
        for index in stmt.index:
            yield index, False
        yield stmt.value, True
    elif isinstance(stmt, Put):
        yield stmt.target, False
        yield stmt.value, True
    elif isinstance(stmt, If):
        for test, _ in stmt.arms:
            yield test, True
    elif isinstance(stmt, For):
        if stmt.start is not None:
            yield stmt.start, True
        yield stmt.stop, True
    elif isinstance(stmt, Each):
        yield stmt.over, True
    elif isinstance(stmt, While):
        yield stmt.test, True


def children(node: Expr) -> tuple[Expr, ...]:
    """Return the expressions right below a node, those of array indices included."""
    below = _BELOW.get(type(node))  # asked of every node of every program, a dozen times
    return below(node) if below is not None else ()


def _below_apply(node: Apply) -> tuple[Expr, ...]:
    return (*node.args, *(value for _, value in node.keywords)) if node.keywords else node.args


def _below_part(node: Part) -> tuple[Expr, ...]:
    return (node.base, *(k for k in node.index if not isinstance(k, int)))


def _below_span(node: Span) -> tuple[Expr, ...]:
    return tuple(end for end in (node.start, node.stop) if end is not None)


_BELOW: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    Apply: _below_apply,
    Call: lambda node: node.args,
    Load: lambda node: node.index,
    Part: _below_part,
    Field: lambda node: (node.base,),
    Items: lambda node: node.items,
    Span: _below_span,
    Static: lambda node: (node.value,),
}


def nodes(root: Expr) -> Iterator[Expr]:
    """Yield an expression and all those below it, in no particular order."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += children(node)


def expressions(program: Program) -> Iterator[Expr]:
    """Yield every expression node of a program, those of functions and of array indices included."""
    for body in bodies(program):
        for stmt in statements(body):
            for root, _ in roots(stmt):
                yield from nodes(root)
    for constant in program.constants:
        yield from nodes(constant.value)


class Reading:
    """What a program holds, found in one walk over its functions and its kernel.

    Attributes:
        program: the program read.
        statements: every statement in order, those of functions first.
        values: the operations on values, not on array indices, in order; the kernel's own come first.
        builtins: names of the Warp builtins called, in indices too.
        dtypes: names of the types of all expressions.
        pairs: (builtin, name of the type of its result or first argument) of all calls of builtins.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.statements: list[Stmt] = []
        self.values: list[Apply] = []
        self.builtins: set[str] = set()
        self._types: set[Value] = set()
        self.pairs: set[tuple[str, str]] = set()
        indices: list[Expr] = [constant.value for constant in program.constants]
        helpers: list[Apply] = []
        for body in bodies(program):
            into = self.values if body is program.body else helpers
            found = list(statements(body))
            self.statements += found
            for stmt in found:
                for root, value in roots(stmt):
                    self._read([root], into if value else [], indices)
        self._read(indices, [], indices)
        self.values += helpers
        self.dtypes = {dtype_name(type_) for type_ in self._types if not isinstance(type_, Several)}

    def _read(self, stack: list[Expr], applied: list[Apply], indices: list[Expr]) -> None:
        """Read the expressions of ``stack``; append their operations and the array indices they hold."""
        while stack:
            node = stack.pop()
            if isinstance(node, Apply):
                applied.append(node)
                if node.op.builtin:
                    self.builtins.add(node.op.builtin)
                    self.pairs.add((node.op.builtin, _told(node)))
                stack.extend(children(node)[::-1])
            elif isinstance(node, Load):
                indices.extend(node.index)
            elif isinstance(node, (Call, Part, Field, Items, Span, Static)):
                stack.extend(children(node)[::-1])
                if isinstance(node, Static):
                    self.builtins.add("static")
                if isinstance(node, (Items, Span)):
                    continue
            elif isinstance(node, Word):
                self._named(node)
                continue
            elif not isinstance(node, Name):
                continue
            self._types.add(node.type)

    def _named(self, node: Word) -> None:
        """Count a builtin that is an argument, as those are that map and reduce tiles."""
        name = node.text.removeprefix("wp.")
        if node.text != name and name.isidentifier() and name != "adjoint" and node.text != node.type.text:
            self.builtins.add(name)
            self.pairs.add((name, dtype_name(node.type)))

    def aliases(self) -> list[Vec | Mat]:
        """Return the types that need a name of their own in the source, by name."""
        program = self.program
        params = [*program.args, *(arg for function in program.functions for arg in function.params)]
        types = self._types.union(arg.type for arg in params)
        types.update(field for struct in program.structs for _, field in struct.fields)
        found = {
            inner.name: inner
            for type_ in types
            for inner in _inner(type_)
            if isinstance(inner, (Vec, Mat)) and inner.alias
        }
        return [found[name] for name in sorted(found)]


def stored_array(stmt: Put) -> str:
    """Return the array into whose element a statement writes a field or a component; nothing for a local."""
    node: Expr = stmt.target
    while isinstance(node, (Part, Field)):
        node = node.base
    return node.array if isinstance(node, Load) and not isinstance(stmt.target, Load) else ""


def _told(node: Apply) -> str:
    """Return the type that tells an overload from another: the first argument's, else the result's."""
    types = [arg.type for arg in node.args[:1]] or [node.type]
    return dtype_name(types[0])


def dtype_name(type_: Value) -> str:
    """Return the name of a type, or of the elements of an array or a tile."""
    while isinstance(type_, (Array, Tile)):
        type_ = type_.dtype
    return "struct" if isinstance(type_, Struct) else type_.name


def _inner(type_: Value) -> Iterator[Value]:
    yield type_
    if isinstance(type_, (Array, Tile)):
        yield from _inner(type_.dtype)
    elif isinstance(type_, Struct):
        for _, field in type_.fields:
            yield from _inner(field)
    elif isinstance(type_, Several):
        for item in type_.items:
            yield from _inner(item)
