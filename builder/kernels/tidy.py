"""Removing what a drawn program does not need: locals never read, arguments, constants and functions never used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .ops.special import SPECIALS
from .program import (
    Apply,
    Assign,
    Atomic,
    Body,
    Call,
    Do,
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
from .reading import bodies, children, roots, statements


def tidied(program: Program) -> Program:
    """Return the program without dead code; what it computes stays the same.

    A local goes where nothing reads it and its value has no effect of its own, together with its later assignments;
    then branches and loops left empty, and the arguments, constants and functions that nothing names.
    """
    while True:
        names = set(_names(program))
        body = tuple(_kept(program.body, names, _writers(program)))
        smaller = replace(program, body=body)
        names = set(_names(smaller))
        smaller = replace(
            smaller,
            args=tuple(arg for arg in program.args if arg.name in names),
            constants=tuple(one for one in program.constants if one.name in names),
            functions=tuple(one for one in program.functions if one.name in names),
        )
        if smaller == program:
            return program
        program = smaller


def _expressions(root: Expr) -> Iterator[Expr]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(children(node))


def _names(program: Program) -> Iterator[str]:
    """Yield the names that are read, called or written through as arrays."""
    for body in bodies(program):
        for stmt in statements(body):
            if isinstance(stmt, (Store, Atomic)):
                yield stmt.array
            elif isinstance(stmt, Do):
                yield from stmt.writes
            for root, _ in roots(stmt):
                yield from _named(root)
    for constant in program.constants:
        yield from _named(constant.value)


def _named(root: Expr) -> Iterator[str]:
    for node in _expressions(root):
        if isinstance(node, Name):
            yield node.name
        elif isinstance(node, (Load, Extent)):
            yield node.array
        elif isinstance(node, Call):
            yield node.function
        elif isinstance(node, Word):
            yield node.text


def _writers(program: Program) -> set[str]:
    """Return the names of the functions that may have an effect."""
    return {
        function.name
        for function in program.functions
        if function.snippet is not None
        or any(isinstance(stmt, (Store, Atomic, Do)) for stmt in statements(function.body))
    }


def _pure(value: Expr, writers: set[str]) -> bool:
    for node in _expressions(value):
        if isinstance(node, Apply) and node.op.builtin in SPECIALS:
            return False
        if isinstance(node, Call) and node.function in writers:
            return False
    return True


def _kept(body: Body, names: set[str], writers: set[str]) -> Iterator[Stmt]:
    for stmt in body:
        if isinstance(stmt, (Let, Assign)) and stmt.name not in names and _pure(stmt.value, writers):
            continue
        if isinstance(stmt, If):
            arms = tuple((test, tuple(_kept(inner, names, writers))) for test, inner in stmt.arms)
            otherwise = tuple(_kept(stmt.otherwise, names, writers))
            while arms and not arms[-1][1] and not otherwise:
                arms = arms[:-1]
            if arms and all(inner for _, inner in arms):
                yield If(arms, otherwise)
            elif arms:
                yield stmt
        elif isinstance(stmt, (For, While)):
            inner = tuple(_kept(stmt.body, names, writers))
            if inner or isinstance(stmt, While):
                yield replace(stmt, body=inner or stmt.body)
        else:
            yield stmt
