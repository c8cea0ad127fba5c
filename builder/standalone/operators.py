"""Operators: what Python's mean to Warp, in C++."""

from __future__ import annotations

import ast

from ..codegen.arguments import Block, Kind, Number
from ..errors import StandaloneRejection
from .code import Code, binary, call, unary
from .helpers import Helpers
from .scalars import fitted, math_call, negative, power
from .types import BOOL, is_float, is_int, is_matrix, is_narrow, name_of

PLAIN = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "bit_and": "&", "bit_or": "|", "bit_xor": "^", "lshift": "<<",
    "rshift": ">>",
}  # fmt: skip
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def binary_op(h: Helpers, name: str, left: Code, right: Code, kind: Kind) -> Code:
    """Return Warp's builtin of an operator, applied."""
    if isinstance(left.kind, Number) and isinstance(right.kind, Number):
        return _numbers(h, name, left, right, kind)
    return _blocks(h, name, left, right, kind)


def _numbers(h: Helpers, name: str, left: Code, right: Code, kind: Kind) -> Code:
    if not isinstance(kind, Number):
        raise StandaloneRejection(f"operator {name}")
    if name == "mod":
        return math_call("mod", kind, left, right) if is_float(kind) else fitted(binary("%", left, right, kind), kind)
    if name == "floordiv":
        if is_int(kind) and kind.name.startswith("u"):
            return fitted(binary("/", left, right, kind), kind)
        return call(h.need("floordiv", kind), kind, left, right)
    if name == "pow":
        return power(kind, left, right)
    if name not in PLAIN:
        raise StandaloneRejection(f"operator {name}")
    return fitted(binary(PLAIN[name], left, right, kind), kind)


def _blocks(h: Helpers, name: str, left: Code, right: Code, kind: Kind) -> Code:
    a, b = left.kind, right.kind
    if name in ("mul", "matmul"):
        if isinstance(a, Block) and isinstance(b, Block):
            return _product(h, left, right, kind)
        if isinstance(kind, Block):
            h.need("operator", "mul", kind, a, b)
            return binary("*", left, right, kind)
    if name == "mod" and isinstance(kind, Block):
        return call(h.need("mod", kind), kind, left, right)
    if name in PLAIN and isinstance(kind, Block):
        h.need("operator", name, kind, a, b)
        return binary(PLAIN[name], left, right, kind)
    raise StandaloneRejection(f"operator {name} of {name_of(a)} and {name_of(b)}")


def _product(h: Helpers, left: Code, right: Code, kind: Kind) -> Code:
    a, b = left.kind, right.kind
    assert isinstance(a, Block)
    if a.family == "quaternion":
        h.need("quat_mul", a)
    elif a.family == "transformation":
        return call(h.need("transform_multiply", a), kind, left, right)
    elif is_matrix(a) or is_matrix(b):
        h.need("matmul", a, b)
    else:
        raise StandaloneRejection(f"operator mul of {name_of(a)} and {name_of(b)}")
    return binary("*", left, right, kind)


def unary_op(h: Helpers, operator: type[ast.unaryop], operand: Code, kind: Kind) -> Code:
    """Return a unary operator, applied."""
    if operator is ast.UAdd:
        return operand
    if operator is ast.Not:
        if isinstance(operand.kind, Number) and is_narrow(operand.kind):
            raise StandaloneRejection("not of a narrow float")
        return unary("!", operand, BOOL)
    source = operand.kind
    if operator is ast.USub:
        if isinstance(source, Number):
            return negative(operand, source)
        if isinstance(source, Block):
            h.need("negative", source)
            return unary("-", operand, source)
    if operator is ast.Invert:
        if isinstance(source, Number):
            return fitted(unary("~", operand, source), source)
        if isinstance(source, Block):
            h.need("invert", source)
            return unary("~", operand, source)
    raise StandaloneRejection(f"operator {operator.__name__} of {name_of(source)}")


def compared(h: Helpers, operator: ast.cmpop, left: Code, right: Code) -> Code:
    """Return a comparison."""
    symbol = _COMPARE.get(type(operator))
    if symbol is None:
        raise StandaloneRejection(f"operator {type(operator).__name__}")
    if isinstance(left.kind, Block):
        if symbol not in ("==", "!="):
            raise StandaloneRejection(f"operator {symbol} of {name_of(left.kind)}")
        same = call(h.need("equal", left.kind), BOOL, left, right)
        return same if symbol == "==" else unary("!", same, BOOL)
    return binary(symbol, left, right, BOOL)


def updates_in_place(name: str, target: Kind, value: Kind) -> str:
    """Return the symbol of an operator that C++ has as an assignment of its own (``+=``), or nothing."""
    if name not in PLAIN or target != value or not isinstance(target, Number):
        return ""
    fits = is_float(target) or target.name in ("int32", "uint32", "int64", "uint64")
    return f"{PLAIN[name]}=" if fits else ""


def in_place(h: Helpers, name: str, target: Code, value: Code) -> str:
    """Return the statement that changes a place by an operator."""
    symbol = updates_in_place(name, target.kind, value.kind)
    if not symbol and _changes_block(name, target.kind, value.kind):
        h.need("operator_in_place", name, target.kind, value.kind)
        symbol = f"{PLAIN[name]}="
    if symbol:
        return f"{target.text} {symbol} {value.text};"
    return f"{target.text} = {binary_op(h, name, target, value, target.kind).text};"


def _changes_block(name: str, target: Kind, value: Kind) -> bool:
    if not isinstance(target, Block) or target.family not in ("vector", "matrix"):
        return False
    return value == (target if name in ("add", "sub") else target.number) and name in ("add", "sub", "mul", "div")
