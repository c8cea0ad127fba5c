"""Python's operators as text, and how strongly expressions bind."""

from __future__ import annotations

import ast

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&",
    ast.Invert: "~", ast.Not: "not", ast.UAdd: "+", ast.USub: "-", ast.And: "and", ast.Or: "or",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip

# How strongly an expression binds, from Python's grammar.
LOOSE, TEST, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT = range(10)
SUM, TERM, SIGN, POWER, ATOM = range(10, 15)
BY_OPERATOR: dict[type[ast.AST], int] = {
    ast.Or: OR, ast.And: AND, ast.Not: NOT, ast.BitOr: BIT_OR, ast.BitXor: BIT_XOR, ast.BitAnd: BIT_AND,
    ast.LShift: SHIFT, ast.RShift: SHIFT, ast.Add: SUM, ast.Sub: SUM, ast.Mult: TERM, ast.Div: TERM,
    ast.FloorDiv: TERM, ast.Mod: TERM, ast.MatMult: TERM, ast.UAdd: SIGN, ast.USub: SIGN,
    ast.Invert: SIGN, ast.Pow: POWER,
}  # fmt: skip
BY_NODE: dict[type[ast.AST], int] = {
    ast.NamedExpr: LOOSE, ast.Yield: LOOSE, ast.YieldFrom: LOOSE, ast.Starred: LOOSE,
    ast.Lambda: TEST, ast.IfExp: TEST, ast.Compare: COMPARE,
}  # fmt: skip
HAVE_OPERATOR = (ast.BinOp, ast.UnaryOp, ast.BoolOp)
