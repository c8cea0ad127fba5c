"""A piece of C++ with its type, and how tightly it binds."""

from __future__ import annotations

from dataclasses import dataclass

from ..codegen.arguments import Kind

# Precedence of C++ operators, the tighter the higher.
COMMA, TERNARY, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, LESS, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(14)
PRECEDENCE = {
    "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT, "&": BIT_AND, "|": BIT_OR, "^": BIT_XOR,
    "<<": SHIFT, ">>": SHIFT, "<": LESS, ">": LESS, "<=": LESS, ">=": LESS, "==": EQUAL, "!=": EQUAL,
    "&&": AND, "||": OR,
}  # fmt: skip
# Where compilers warn of missing parentheses, or readers want them.
_MIXED = {BIT_AND, BIT_OR, BIT_XOR, SHIFT}


@dataclass(frozen=True, slots=True)
class Code:
    """An expression.

    Attributes:
        text: C++.
        kind: its type; arrays have no code.
        binds: one of the precedences above.
    """

    text: str
    kind: Kind
    binds: int = ATOM

    def inside(self, least: int) -> str:
        """Return the text, in parentheses if it binds less tightly than that."""
        return self.text if self.binds >= least else f"({self.text})"


def binary(operator: str, left: Code, right: Code, kind: Kind) -> Code:
    """Return two expressions with an operator between them."""
    own = PRECEDENCE[operator]
    return Code(f"{_operand(left, own, own)} {operator} {_operand(right, own, own + 1)}", kind, own)


def _operand(code: Code, own: int, least: int) -> str:
    mixed = own in _MIXED or code.binds in _MIXED
    clear = (own == OR and code.binds == AND) or (own <= EQUAL and own >= BIT_OR and code.binds <= LESS)
    if code.binds != own and code.binds < ATOM and (mixed or clear) and code.binds != UNARY:
        return f"({code.text})"
    return code.inside(least)


def unary(operator: str, operand: Code, kind: Kind) -> Code:
    """Return an expression with an operator before it; two minus signs never touch."""
    text = operand.inside(UNARY)
    if text.startswith(operator):
        text = f"({text})"
    return Code(operator + text, kind, UNARY)


def call(name: str, kind: Kind, *args: Code | str) -> Code:
    """Return a call."""
    return Code(f"{name}({', '.join(arg if isinstance(arg, str) else arg.text for arg in args)})", kind)


def cast(type_: str, operand: Code, kind: Kind) -> Code:
    """Return a conversion in C's notation."""
    return Code(f"({type_}){operand.inside(UNARY)}", kind, UNARY)


__all__ = ["ATOM", "LESS", "PRECEDENCE", "TERNARY", "UNARY", "Code", "binary", "call", "cast", "unary"]
