"""Program -> kernel source text."""

from __future__ import annotations

from .ops import PRECEDENCE, TIGHTEST
from .program import (
    Apply,
    Assign,
    Atomic,
    Body,
    Expr,
    For,
    If,
    Leave,
    Let,
    Literal,
    Load,
    Name,
    Part,
    Program,
    Stmt,
    Store,
)

_INDENT = "    "


def _apply(e: Apply, outer: int) -> str:
    op = e.op
    if op.infix:
        prec = PRECEDENCE[op.symbol]
        # The right operand of a chain needs parentheses unless the operator associates.
        right = prec if op.symbol in ("and", "or") else prec + 1
        text = f"{expr(e.args[0], prec)} {op.symbol} {expr(e.args[1], right)}"
        return f"({text})" if prec < outer else text
    if op.prefix:
        prec = PRECEDENCE[op.symbol]
        text = ("-" if op.symbol == "neg" else "not ") + expr(e.args[0], prec + (op.symbol == "neg"))
        return f"({text})" if prec < outer else text
    args = ", ".join([*(expr(arg) for arg in e.args), *([op.extra] if op.extra else [])])
    return f"{op.symbol}({args})"


def expr(e: Expr, outer: int = 0) -> str:
    """Return an expression's text, in parentheses if it binds looser than ``outer``."""
    if isinstance(e, Name):
        return e.name
    if isinstance(e, Literal):
        return repr(e.value)
    if isinstance(e, Apply):
        return _apply(e, outer)
    if isinstance(e, Load):
        return f"{e.array}[{', '.join(expr(i) for i in e.index)}]"
    if isinstance(e, Part):
        return f"{expr(e.base, TIGHTEST)}[{', '.join(map(str, e.index))}]"
    return f"{e.array}.shape[{e.axis}]"


def _let(s: Let) -> str:
    value = expr(s.value)
    if s.mutable and isinstance(s.value, Literal):
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
        return f"range({expr(s.start or Literal(0, s.stop.type))}, {expr(s.stop)}, {s.step})"
    return f"range({expr(s.stop)})" if s.start is None else f"range({expr(s.start)}, {expr(s.stop)})"


def _stmt(s: Stmt, indent: str, lines: list[str]) -> None:
    if isinstance(s, Let):
        lines.append(indent + _let(s))
    elif isinstance(s, Assign):
        lines.append(f"{indent}{s.name} {s.op}= {expr(s.value)}")
    elif isinstance(s, Store):
        lines.append(f"{indent}{s.array}[{', '.join(expr(i) for i in s.index)}] = {expr(s.value)}")
    elif isinstance(s, Atomic):
        lines.append(indent + _atomic(s))
    elif isinstance(s, If):
        for position, (condition, body) in enumerate(s.arms):
            lines.append(f"{indent}{'elif' if position else 'if'} {expr(condition)}:")
            _body(body, indent + _INDENT, lines)
        if s.otherwise:
            lines.append(f"{indent}else:")
            _body(s.otherwise, indent + _INDENT, lines)
    elif isinstance(s, For):
        lines.append(f"{indent}for {s.name} in {_range(s)}:")
        _body(s.body, indent + _INDENT, lines)
    else:
        assert isinstance(s, Leave)
        lines.append(indent + s.word)


def _body(body: Body, indent: str, lines: list[str]) -> None:
    for stmt in body:
        _stmt(stmt, indent, lines)


def _signature(program: Program) -> str:
    args = [f"{arg.name}: {arg.type.text}" for arg in program.args]
    line = f"def {program.name}({', '.join(args)}):"
    if len(line) <= 100:
        return line
    return f"def {program.name}(\n" + "".join(f"{_INDENT}{arg},\n" for arg in args) + "):"


def render(program: Program) -> str:
    """Return the canonical kernel source of a program: one import, one kernel, one newline at the end."""
    options = ", ".join(f"{name}={value}" for name, value in program.options)
    lines = [
        "import warp as wp",
        "",
        "",
        f"@wp.kernel{f'({options})' if options else ''}",
        _signature(program),
    ]
    lines.append(f"{_INDENT}{', '.join(program.tid)} = wp.tid()")
    _body(program.body, _INDENT, lines)
    return "\n".join(lines) + "\n"
