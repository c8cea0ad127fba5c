"""Taking away what a family declared and did not use: locals, arguments, constants, functions.

A family that draws one of several ready-made terms leaves the others' locals and arguments behind.
"""

from __future__ import annotations

from dataclasses import replace

from .program import Apply, Body, Call, Each, Expr, For, Function, If, Let, Name, Program, Stmt, While
from .reading import bodies, children, expressions, statements

_EFFECTS = ("rand", "atomic", "sample_", "poisson", "tile", "load", "store")


def _effect(value: Expr) -> bool:
    """Say whether working a value out changes anything, such as a random state."""
    if isinstance(value, Call) or (isinstance(value, Apply) and (value.op.builtin or "").startswith(_EFFECTS)):
        return True
    return any(_effect(child) for child in children(value))


def _names(program: Program) -> set[str]:
    names: set[str] = set()
    for node in expressions(program):
        if isinstance(node, Name):
            names.add(node.name)
        names.add(getattr(node, "array", ""))
    for body in bodies(program):
        for stmt in statements(body):
            names.add(getattr(stmt, "array", ""))
            if not isinstance(stmt, (Let, For, Each)):
                names.add(getattr(stmt, "name", ""))
    return names


def _kept(body: Body, names: set[str]) -> Body:
    """Return a body without locals that nothing reads; a body is never left empty."""
    made: list[Stmt] = []
    for stmt in body:
        if isinstance(stmt, Let) and stmt.name not in names and not _effect(stmt.value):
            continue
        if isinstance(stmt, (For, Each, While)):
            made.append(replace(stmt, body=_kept(stmt.body, names)))
        elif isinstance(stmt, If):
            arms = tuple((test, _kept(inner, names)) for test, inner in stmt.arms)
            made.append(replace(stmt, arms=arms, otherwise=_kept(stmt.otherwise, names)))
        else:
            made.append(stmt)
    return tuple(made) or body


def _function(function: Function, names: set[str]) -> Function:
    if function.snippet is not None:
        return function
    parts = (function.body, function.gradient, function.replay)
    body, gradient, replay = (_kept(part, names) for part in parts)
    return replace(function, body=body, gradient=gradient, replay=replay)


def pruned(program: Program) -> Program:
    """Return a program without what nothing in it uses; the same object where everything is used."""
    while True:
        names = _names(program)
        calls = [node.function for node in expressions(program) if isinstance(node, Call)]
        called = {call.removeprefix("wp.grad(").removesuffix(")") for call in calls}
        words = {getattr(node, "text", "") for node in expressions(program)}
        natives = " ".join(f.snippet.forward for f in program.functions if f.snippet is not None)
        used = [f for f in program.functions if f.name in called or f.name in words or f.name in natives]
        made = replace(
            program,
            args=tuple(arg for arg in program.args if arg.name in names),
            body=_kept(program.body, names),
            constants=tuple(one for one in program.constants if one.name in names or one.name in natives),
            functions=tuple(_function(f, names) for f in used),
        )
        if made == program:
            return program
        program = made
