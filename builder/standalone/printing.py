"""Builtins that print, or print if something is not as expected."""

from __future__ import annotations

import ast

from ..codegen.arguments import Block, Kind, Number
from ..codegen.typed import Called
from .builtins import builtin
from .code import Code, call
from .expressions import Expressions
from .helpers import Helpers, helper, plain
from .scalars import absolute, to_float
from .types import BOOL, INT, count, is_float, number_of, part

_FORMATS = {"int64": "%lld", "uint64": "%llu", "uint8": "%u", "uint16": "%u", "uint32": "%u"}


@builtin("print")
def _print(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    if isinstance(x.kind, Block) and x.kind.family in ("vector", "quaternion") and x.text.isidentifier():
        parts = [to_float(Code(part(x.kind, x.text, i), x.kind.number)).text for i in range(count(x.kind))]
        return Code(f'printf("{"%g " * len(parts)}\\n", {", ".join(f"(double){one}" for one in parts)})', INT)
    if not isinstance(x.kind, Number):
        raise p.rejection("wp.print of a struct or a matrix", node)
    if x.kind == BOOL:
        return Code(f'printf({x.inside(2)} ? "True\\n" : "False\\n")', INT)
    number = to_float(x)
    form = "%g" if is_float(x.kind) else _FORMATS.get(x.kind.name, "%d")
    return Code(f'printf("{form}\\n", {number.text})', INT)


@builtin("expect_eq", "expect_neq", "expect_near")
def _expect(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    args = p.arguments(called)
    if called.name == "expect_near" and not isinstance(args[0].kind, Number):
        raise p.rejection("wp.expect_near of a block", node)
    return call(p.helpers.need(called.name, args[0].kind), BOOL, *args)


def _expecting(name: str, wrong: str) -> None:
    def write(h: Helpers, kind: Kind) -> str:
        test = wrong
        if isinstance(kind, Block):
            h.need("equal", kind)
            test = "!equal(a, b)" if name == "expect_eq" else "equal(a, b)"
        params = f"{h.parameter(kind, 'a')}, {h.parameter(kind, 'b')}"
        if name == "expect_near":
            number = number_of(kind)
            params += f", {h.type(number)} tolerance"
            test = f"{absolute(number, plain(number, 'a - b')).text} > tolerance"
        body = f'  if ({test}) {{\n    printf("{name} failed\\n");\n  }}\n'
        return f"__device__ inline void {name}({params}) {{\n{body}}}\n"

    write.__name__ = name
    helper(write)


_expecting("expect_eq", "!(a == b)")
_expecting("expect_neq", "a == b")
_expecting("expect_near", "")
