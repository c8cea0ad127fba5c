"""The bits of a number of one type as a number of another."""

from __future__ import annotations

import ast

from ..codegen.arguments import Block, Kind
from ..codegen.typed import Called
from .builtins import builtin
from .code import UNARY, Code
from .expressions import Expressions
from .types import number_of

_BITS = {
    ("float32", "int32"): "__float_as_int({})",
    ("float32", "uint32"): "(unsigned int)__float_as_int({})",
    ("int32", "float32"): "__int_as_float({})",
    ("uint32", "float32"): "__int_as_float((int){})",
    ("float64", "int64"): "__double_as_longlong({})",
    ("float64", "uint64"): "(unsigned long long)__double_as_longlong({})",
    ("int64", "float64"): "__longlong_as_double({})",
    ("uint64", "float64"): "__longlong_as_double((long long){})",
}


@builtin("cast")
def _same_bits(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    value = p.argument(called, next(iter(called.kinds)))
    source, number = number_of(value.kind), number_of(kind)
    if source == number:
        return value
    text = _BITS.get((source.name, number.name), "")
    if not text or isinstance(kind, Block) or isinstance(value.kind, Block):
        raise p.rejection("bits of one type as another", node)
    return Code(text.format(value.inside(UNARY)), kind, UNARY)
