"""The text of expressions, with the parentheses they need."""

from __future__ import annotations

from ..ops.row import PRECEDENCE, PREFIXES, TIGHTEST
from ..program import Apply, Call, Expr, Extent, Field, Items, Literal, Load, Name, Part, Span, Static, Word
from ..types import BOOL, FLOAT, INT


def _apply(e: Apply, outer: int) -> str:
    op = e.op
    if op.infix:
        prec = PRECEDENCE[op.symbol]
        # The right operand of a chain needs parentheses unless the operator associates.
        right = prec if op.symbol in ("and", "or") else prec + 1
        # Python chains comparisons: `a < b == c` means something else.
        left = prec + 1 if prec == PRECEDENCE["<"] else prec
        text = f"{expr(e.args[0], left)} {op.symbol} {expr(e.args[1], right)}"
        return f"({text})" if prec < outer else text
    if op.prefix:
        prec = PRECEDENCE[op.symbol]
        text = PREFIXES[op.symbol] + expr(e.args[0], prec + (op.symbol == "neg"))
        return f"({text})" if prec < outer else text
    keywords = [f"{name}={expr(value)}" for name, value in e.keywords]
    args = ", ".join([*(expr(arg) for arg in e.args), *keywords, *([op.extra] if op.extra else [])])
    return f"{op.symbol}({args})"


def _literal(e: Literal) -> str:
    if e.type in (FLOAT, INT, BOOL):
        return repr(e.value)
    return f"{e.type.text}({e.value!r})"


def _span(e: Span) -> str:
    ends = [expr(end) if end is not None else "" for end in (e.start, e.stop)]
    return ":".join([*ends, *([str(e.step)] if e.step is not None else [])])


def _part(e: Part) -> str:
    index = ", ".join(str(k) if isinstance(k, int) else expr(k) for k in e.index)
    return f"{expr(e.base, TIGHTEST)}[{index}]"


def expr(e: Expr, outer: int = 0) -> str:
    """Return an expression's text, in parentheses if it binds looser than ``outer``."""
    if isinstance(e, Name):
        return e.name
    if isinstance(e, Apply):
        return _apply(e, outer)
    if isinstance(e, Literal):
        text = _literal(e)
        return f"({text})" if text.startswith("-") and outer else text
    if isinstance(e, Load):
        return f"{e.array}[{', '.join(expr(i) for i in e.index)}]"
    if isinstance(e, Part):
        return _part(e)
    if isinstance(e, Call):
        return f"{e.function}({', '.join(expr(arg) for arg in e.args)})"
    if isinstance(e, Field):
        return f"{expr(e.base, TIGHTEST)}.{e.name}"
    if isinstance(e, Extent):
        return f"{e.array}.shape[{e.axis}]"
    if isinstance(e, Span):
        return _span(e)
    if isinstance(e, Static):
        return f"wp.static({expr(e.value)})"
    if isinstance(e, Items):
        items = ", ".join(expr(item) for item in e.items)
        return f"({items},)" if len(e.items) == 1 else f"({items})"
    assert isinstance(e, Word)
    return e.text
