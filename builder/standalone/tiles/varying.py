"""Which names of a kernel on tiles mean something else to each thread of a block."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_OWN_VALUES = frozenset(["untile", "tile_stack_push", "tile_stack_pop", "randf", "randi", "randu", "randn"])


def varying_names(function: ast.FunctionDef) -> set[str]:
    """Return the names that depend on a thread's place in its block, which is the last of the kernel's indices."""
    found: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[*_, ast.Name(id=last)])], value=ast.Call() as call):
                found |= {last} if ast.unparse(call) == "wp.tid()" else set()
    for _ in range(1 + sum(isinstance(node, ast.Name) for node in ast.walk(function))):
        more = set(_assigned(function.body, found, inside=False)) - found
        if not more:
            break
        found |= more
    return found


def varies(node: ast.AST, names: set[str]) -> bool:
    """Say whether an expression depends on some names, or is another value to each thread by itself."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in names:
            return True
        if isinstance(inner, ast.Attribute) and inner.attr in _OWN_VALUES:
            return True
    return False


def _assigned(statements: Sequence[ast.stmt], names: set[str], *, inside: bool) -> Iterator[str]:
    """Yield the names that are given something that varies, or are given something where that varies."""
    for statement in statements:
        match statement:
            case ast.Assign(targets=[target], value=value) | ast.AugAssign(target=target, value=value):
                if (inside or varies(value, names)) and not _makes_tile(value):
                    yield from (
                        one.id
                        for one in ast.walk(target)
                        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
                    )
            case ast.If(test=head) | ast.While(test=head) | ast.For(iter=head):
                within = inside or varies(head, names)
                if isinstance(statement, ast.For) and within and isinstance(statement.target, ast.Name):
                    yield statement.target.id
                yield from _assigned([*statement.body, *statement.orelse], names, inside=within)


def _makes_tile(value: ast.expr) -> bool:
    """Say whether a value is a tile, which is the same to all threads."""
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr.startswith("tile")
