"""The text of statements."""

from __future__ import annotations

from ..program import (
    Assign,
    Atomic,
    Body,
    Do,
    Each,
    For,
    Give,
    If,
    Items,
    Leave,
    Let,
    LetMany,
    Literal,
    Put,
    Stmt,
    Store,
    While,
)
from ..types import BOOL, FLOAT, INT
from .expressions import expr

INDENT = "    "


def _let(s: Let) -> str:
    value = expr(s.value)
    if s.mutable and isinstance(s.value, Literal) and s.value.type in (FLOAT, INT, BOOL):
        # Warp treats a bare literal as a constant, which a dynamic loop may not change.
        value = f"{s.value.type.text}({value})"
    return f"{s.name} = {value}"


def _atomic(s: Atomic) -> str:
    index = ", ".join(expr(i) for i in s.index)
    if s.augmented:
        return f"{s.array}[{index}] {'+' if s.kind == 'add' else '-'}= {expr(s.value)}"
    return f"wp.atomic_{s.kind}({s.array}, {index}, {expr(s.value)})"


def _range(s: For) -> str:
    if s.step != 1:
        return f"range({expr(s.start or Literal(0, INT))}, {expr(s.stop)}, {s.step})"
    return f"range({expr(s.stop)})" if s.start is None else f"range({expr(s.start)}, {expr(s.stop)})"


def _give(s: Give) -> str:
    if isinstance(s.value, Items):
        return f"return {', '.join(expr(item) for item in s.value.items)}"
    return f"return {expr(s.value)}"


def _simple(s: Stmt) -> str:
    if isinstance(s, Let):
        return _let(s)
    if isinstance(s, Assign):
        return f"{s.name} {s.op}= {expr(s.value)}"
    if isinstance(s, Store):
        return f"{s.array}[{', '.join(expr(i) for i in s.index)}] = {expr(s.value)}"
    if isinstance(s, Atomic):
        return _atomic(s)
    if isinstance(s, LetMany):
        return f"{', '.join(s.names)} = {expr(s.value)}"
    if isinstance(s, Put):
        return f"{expr(s.target)} {s.op}= {expr(s.value)}"
    if isinstance(s, Do):
        return expr(s.value)
    if isinstance(s, Give):
        return _give(s)
    assert isinstance(s, Leave)
    return s.word


def _stmt(s: Stmt, indent: str, lines: list[str]) -> None:
    if isinstance(s, If):
        for position, (condition, body) in enumerate(s.arms):
            lines.append(f"{indent}{'elif' if position else 'if'} {expr(condition)}:")
            write_body(body, indent + INDENT, lines)
        if s.otherwise:
            lines.append(f"{indent}else:")
            write_body(s.otherwise, indent + INDENT, lines)
    elif isinstance(s, For):
        lines.append(f"{indent}for {s.name} in {_range(s)}:")
        write_body(s.body, indent + INDENT, lines)
    elif isinstance(s, Each):
        lines.append(f"{indent}for {s.name} in {expr(s.over)}:")
        write_body(s.body, indent + INDENT, lines)
    elif isinstance(s, While):
        lines.append(f"{indent}while {expr(s.test)}:")
        write_body(s.body, indent + INDENT, lines)
    else:
        lines.append(indent + _simple(s))


def write_body(body: Body, indent: str, lines: list[str]) -> None:
    """Append the lines of a body, each after ``indent``."""
    for stmt in body:
        _stmt(stmt, indent, lines)
