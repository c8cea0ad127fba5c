"""Dead code left out: locals and arguments that nothing reads, as no programmer would keep them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .ops import Op, op
from .ops.special import SPECIALS
from .program import (
    Apply,
    Assign,
    Atomic,
    Body,
    Call,
    Do,
    Each,
    Expr,
    Extent,
    For,
    If,
    Let,
    Load,
    Name,
    Program,
    Stmt,
    Store,
    While,
    Word,
)
from .reading import bodies, nodes, roots, statements
from .types import BOOL


def without_dead(program: Program) -> Program:
    """Return the program without locals that nothing reads, and then without unused arguments, functions, constants.

    A local stays where its value is more than a value: a call of a function, an atomic, a query.
    """
    while True:
        alive = _read(program)
        everywhere = [stmt for body in bodies(program) for stmt in statements(body)]
        dead = {stmt.name for stmt in everywhere if isinstance(stmt, Let)} - alive
        dead -= {s.name for s in everywhere if isinstance(s, (Let, Assign)) and _acts(s.value)}
        natives = " ".join(f.snippet.forward for f in program.functions if f.snippet is not None)
        functions = tuple(f for f in program.functions if f.name in alive or f.name in natives)
        if not dead and len(functions) == len(program.functions):
            break
        functions = tuple(replace(f, body=_without(f.body, dead)) for f in functions)
        program = replace(program, body=_without(program.body, dead), functions=functions)
    used = alive | _written(program)
    constants = tuple(constant for constant in program.constants if constant.name in alive)
    return replace(program, args=tuple(arg for arg in program.args if arg.name in used), constants=constants)


def _read(program: Program) -> set[str]:
    """Return the names that are read or called; what a local's own assignments read of it does not count."""
    found: set[str] = set()
    for body in bodies(program):
        for stmt in statements(body):
            own = stmt.name if isinstance(stmt, Assign) else ""
            names = {name for root, _ in roots(stmt) for node in nodes(root) for name in _names(node)}
            found |= names - {own}
    return found | {name for constant in program.constants for name in _constant_names(constant.value)}


def _written(program: Program) -> set[str]:
    """Return the arrays that the kernel writes."""
    found: set[str] = set()
    for stmt in statements(program.body):
        if isinstance(stmt, (Store, Atomic)):
            found.add(stmt.array)
        elif isinstance(stmt, Do):
            found.update(stmt.writes)
    return found


def _constant_names(value: Expr) -> Iterator[str]:
    for node in nodes(value):
        yield from _names(node)


def _names(node: Expr) -> tuple[str, ...]:
    if isinstance(node, Name):
        return (node.name,)
    if isinstance(node, Call):
        return (node.function.removeprefix("wp.grad(").removesuffix(")"),)
    if isinstance(node, Word):
        return (node.text,)
    return (node.array,) if isinstance(node, (Load, Extent)) else ()


def _acts(value: Expr) -> bool:
    """Say whether working an expression out may change more than its value."""
    return any(isinstance(node, Call) or (isinstance(node, Apply) and _effect(node.op)) for node in nodes(value))


def _effect(op: Op) -> bool:
    # A draw moves its random state on.
    return (op.builtin or "") in SPECIALS or op.family.startswith("rand")


def _without(body: Body, dead: set[str]) -> Body:
    """Return a body without the assignments of dead names, and without what that leaves empty."""
    kept: list[Stmt] = []
    for stmt in body:
        if isinstance(stmt, (Let, Assign)) and stmt.name in dead:
            continue
        if isinstance(stmt, If):
            kept += _branch(stmt, dead)
        elif isinstance(stmt, (For, Each, While)):
            inner = _without(stmt.body, dead)
            kept += [replace(stmt, body=inner)] if inner else []
        else:
            kept.append(stmt)
    return tuple(kept)


def _branch(stmt: If, dead: set[str]) -> list[Stmt]:
    arms = tuple((test, _without(inner, dead)) for test, inner in stmt.arms)
    return list(_chain(arms, _without(stmt.otherwise, dead)))


def _chain(arms: tuple[tuple[Expr, Body], ...], otherwise: Body) -> Body:
    """Return a chain of conditions of which some bodies may be empty."""
    if not arms or all(body for _, body in arms):
        return (If(arms, otherwise),) if arms else otherwise
    test, body = arms[0]
    after = _chain(arms[1:], otherwise)
    if body:
        return (If(((test, body),), after),)
    return (If(((_not(test), after),)),) if after else ()


def _not(test: Expr) -> Expr:
    return Apply(op("not", BOOL), (test,))
