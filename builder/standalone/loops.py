"""Loops over ranges."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .code import SUM, Code
from .types import INT, literal

if TYPE_CHECKING:
    from .statements import Statements


def counts_up(node: ast.For) -> bool:
    """Say whether a loop counts from a number that is not negative, upwards."""
    assert isinstance(node.iter, ast.Call)
    args = node.iter.args
    start = args[0] if len(args) > 1 else None
    from_zero = start is None or (isinstance(start, ast.Constant) and isinstance(start.value, int) and start.value >= 0)
    return from_zero and (len(args) < 3 or isinstance(args[2], ast.Constant))


def loop_head(p: Statements, node: ast.For, counter: str) -> str:
    """Return the head of a C++ loop, its limits evaluated once before it where the body could change them."""
    assert isinstance(node.iter, ast.Call)
    args = node.iter.args
    start = p.expr(args[0]) if len(args) > 1 else literal(INT, 0)
    end = _steady(p, node, args[0] if len(args) == 1 else args[1], f"{counter}_end")
    if len(args) < 3:
        return f"for (int {counter} = {start.text}; {counter} < {end.inside(SUM)}; ++{counter})"
    step = _steady(p, node, args[2], f"{counter}_step")
    known = _number(p, args[2])
    if known is None:
        test = f"{step.inside(SUM)} > 0 ? {counter} < {end.inside(SUM)} : {counter} > {end.inside(SUM)}"
        return f"for (int {counter} = {start.text}; {test}; {counter} += {step.text})"
    symbol = "<" if known > 0 else ">"
    change = {1: f"++{counter}", -1: f"--{counter}"}.get(known)
    change = change or (f"{counter} += {known}" if known > 0 else f"{counter} -= {-known}")
    return f"for (int {counter} = {start.text}; {counter} {symbol} {end.inside(SUM)}; {change})"


def _number(p: Statements, node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -int(node.operand.value)  # type: ignore[arg-type]
    value = node.value if isinstance(node, ast.Constant) else p.constant(node)
    return value if isinstance(value, int) and not p.varies(node) else None


def _steady(p: Statements, loop: ast.For, node: ast.expr, name: str) -> Code:
    """Return a limit of a loop: as it is if nothing in the body changes it, or else a name for it."""
    code = p.expr(node)
    changed = {
        n.id for one in loop.body for n in ast.walk(one) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    looks_up = any(isinstance(n, ast.Subscript) and not _is_shape(n) for n in ast.walk(node))
    calls = any(isinstance(n, ast.Call) and p.calls_function(n) for n in ast.walk(node))
    if not (changed & read or looks_up or calls):
        return code
    fresh = p.signature.fresh(name)
    p.line(f"const int {fresh} = {code.text};")
    return Code(fresh, INT)


def _is_shape(node: ast.Subscript) -> bool:
    return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
