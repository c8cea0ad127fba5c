"""Leaving out what a program does not need: locals that nothing reads, and then arguments, constants, functions.

A family may name every neighbour of a cell and read some; what it does not read goes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .choices import Choices
from .program import (
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
    LetMany,
    Load,
    Name,
    Program,
    Put,
    Stmt,
    Store,
    While,
)
from .reading import children, roots, statements

Build = Callable[[Choices], Program]


def tidied(build: Build) -> Build:
    """Return a category's ``build`` whose programs hold nothing dead."""

    def tidy_build(choices: Choices) -> Program:
        return tidy(build(choices))

    tidy_build.families = build.families  # type: ignore[attr-defined]
    return tidy_build


def tidy(program: Program) -> Program:
    """Return the program without locals, arguments, constants and functions that have no use."""
    functions = tuple(
        replace(f, body=_alive(f.body)) if f.snippet is None else f for f in program.functions
    )  # fmt: skip
    body = _alive(program.body)
    functions = tuple(f for f in functions if f.name in _called(body, [g.body for g in functions]))
    used = _used(body)
    everywhere = set(used).union(*(_used(f.body) for f in functions))
    constants = tuple(c for c in program.constants if c.name in everywhere)
    args = tuple(arg for arg in program.args if arg.name in used)
    return replace(program, body=body, functions=functions, constants=constants, args=args)


def _expressions(body: Body) -> Iterator[Expr]:
    pending = [root for stmt in statements(body) for root, _ in roots(stmt)]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(children(node))


def _called(body: Body, others: list[Body]) -> set[str]:
    return {e.function for part in (body, *others) for e in _expressions(part) if isinstance(e, Call)}


def _used(body: Body) -> set[str]:
    """Return the names that a body reads or writes, those of arrays included."""
    names: set[str] = set()
    for e in _expressions(body):
        if isinstance(e, Name):
            names.add(e.name)
        elif isinstance(e, (Load, Extent)):
            names.add(e.array)
    for stmt in statements(body):
        if isinstance(stmt, (Store, Atomic)):
            names.add(stmt.array)
        elif isinstance(stmt, Do):
            names.update(stmt.writes)
        elif isinstance(stmt, Put):
            names.update(e.name for e in (stmt.target, *children(stmt.target)) if isinstance(e, Name))
    return names


def _alive(body: Body) -> Body:
    """Return a body without first assignments of locals that nothing uses, and without bodies left empty."""
    while True:
        kept = _without(body, _used(body))
        if kept == body:
            return body
        body = kept


def _without(body: Body, used: set[str]) -> Body:
    return tuple(left for stmt in body for left in _reduced(stmt, used))


def _reduced(stmt: Stmt, used: set[str]) -> tuple[Stmt, ...]:
    if isinstance(stmt, (Let, Assign)):
        return (stmt,) if stmt.name in used else ()
    if isinstance(stmt, LetMany):
        return (stmt,) if used.intersection(stmt.names) else ()
    if isinstance(stmt, (For, Each, While)):
        inner = _without(stmt.body, used)
        return (replace(stmt, body=inner),) if inner else ()
    if isinstance(stmt, If):
        arms = tuple((test, _without(arm, used)) for test, arm in stmt.arms)
        otherwise = _without(stmt.otherwise, used)
        return (replace(stmt, arms=arms, otherwise=otherwise),) if all(arm for _, arm in arms) else ()
    return (stmt,)
