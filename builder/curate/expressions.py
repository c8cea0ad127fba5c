"""Code tokens of expressions: names, literals, operators. See :mod:`.syntax` for the whole."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .operators import (
    ATOM,
    BIT_OR,
    BY_NODE,
    BY_OPERATOR,
    HAVE_OPERATOR,
    LOOSE,
    OPERATORS,
    OR,
    POWER,
    SIGN,
    TEST,
)
from .snippets import Snippet

# Fixed here and not read from `builtins`, which grows with Python.
_BUILTINS = frozenset(
    ("abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "getattr",
     "hasattr", "hash", "hex", "id", "int", "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min",
     "next", "object", "pow", "print", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum",
     "super", "tuple", "type", "zip")
)  # fmt: skip
# Fields that say nothing of the program, or that not every Python has.
_IGNORED = frozenset(("ctx", "kind", "type_comment", "type_params"))

VISITORS: dict[type[ast.AST], Callable[[Any, Any], None]] = {}


class Expressions:
    """Emits the tokens of expressions and keeps the names; attributes as in :class:`.syntax.Walk`."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.names: dict[str, str] = {}
        self.numbers: list[int] = []
        self.signs: list[int] = []
        self._emit = self.tokens.append
        self._module: dict[str, str] = {}
        self._scope = self._module
        self._fields: dict[str, str] = {}
        self._parameters: dict[str, Mapping[str, str]] = {}
        self._snippets: Mapping[int, tuple[str, ...]] = {}
        self._places: list[int] = []  # where the tokens of snippets start
        self._count = 0

    def visit(self, node: ast.AST) -> None:
        """Emit the tokens of a node."""
        VISITORS.get(type(node), Expressions._other)(self, node)

    def bare(self, node: ast.expr) -> None:
        """Emit an expression that fills its place: a tuple needs no parentheses there."""
        if type(node) is ast.Tuple and node.elts:
            self._items(node)
        else:
            self.visit(node)

    def operand(self, node: ast.expr, least: int) -> None:
        """Emit an expression, in parentheses if it binds weaker than ``least``."""
        kind: type[ast.AST] = type(node)
        visitor = VISITORS.get(kind, Expressions._other)
        strength = BY_NODE.get(kind, ATOM)
        if isinstance(node, HAVE_OPERATOR):
            strength = BY_OPERATOR[type(node.op)]
        if strength < least:
            self._emit("(")
            visitor(self, node)
            self._emit(")")
        else:
            visitor(self, node)

    def new_code(self, name: str) -> str:
        """Return a fresh code for a name of the source's own."""
        code = f"${self._count}"
        self._count += 1
        self.names[code] = name
        return code

    def bind(self, name: str) -> str:
        """Return the code of a name that is bound in the current scope."""
        code = self._scope.get(name)
        if code is None:
            code = self._scope[name] = self.new_code(name)
        return code

    def _name(self, node: ast.Name) -> None:
        code = self._scope.get(node.id)
        if code is None:
            code = self.bind(node.id) if type(node.ctx) is ast.Store else self._outer(node.id)
        self._emit(code)

    def _outer(self, name: str) -> str:
        code = self._module.get(name)
        if code is None:
            code = self._module[name] = name if name in _BUILTINS else self.new_code(name)
        return code

    def _constant(self, node: ast.Constant) -> None:
        value = node.value
        if type(value) in (int, float, complex):
            self.numbers.append(len(self.tokens))
            self._emit(repr(value))
        elif isinstance(value, str) and id(node) in self._snippets:
            self._snippet(Snippet(value, self._snippets[id(node)], len(self._places)))
        else:
            self._emit("..." if value is ... else ascii(value))

    def _snippet(self, snippet: Snippet) -> None:
        start = len(self.tokens)
        self._places.append(start)
        self.tokens += snippet.tokens
        self.names |= snippet.names
        self.numbers += [start + place for place in snippet.numbers]
        self.signs += [start + place for place in snippet.signs]

    def _attribute(self, node: ast.Attribute) -> None:
        self.operand(node.value, ATOM)
        imported = type(node.value) is ast.Name and self.tokens[-1][0] == "@"
        self._emit(".")
        self._emit(node.attr if imported else self._fields.get(node.attr, node.attr))

    def _call(self, node: ast.Call) -> None:
        self.operand(node.func, ATOM)
        self._emit("(")
        own = self._parameters.get(node.func.id, self._fields) if type(node.func) is ast.Name else {}
        self.call_list(node.args, node.keywords, own)
        self._emit(")")

    def call_list(self, args: Sequence[ast.expr], keywords: Iterable[ast.keyword], own: Mapping[str, str]) -> None:
        """Emit arguments; ``own`` has the codes of the keywords that the source itself defines."""
        emit = self._emit
        for argument in args:
            self.operand(argument, TEST if type(argument) is not ast.Starred else LOOSE)
            emit(",")
        for keyword in keywords:
            if keyword.arg is None:
                emit("**")
            else:
                emit(own.get(keyword.arg, keyword.arg))
                emit("=")
            self.operand(keyword.value, TEST)
            emit(",")
        if self.tokens[-1] == ",":
            self.tokens.pop()

    def _subscript(self, node: ast.Subscript) -> None:
        self.operand(node.value, ATOM)
        self._emit("[")
        self.bare(node.slice)
        self._emit("]")

    def _slice(self, node: ast.Slice) -> None:
        if node.lower is not None:
            self.visit(node.lower)
        self._emit(":")
        if node.upper is not None:
            self.visit(node.upper)
        if node.step is not None:
            self._emit(":")
            self.visit(node.step)

    def _binary(self, node: ast.BinOp) -> None:
        strength = BY_OPERATOR[type(node.op)]
        right_to_left = strength == POWER
        self.operand(node.left, strength + right_to_left)
        self._emit(OPERATORS[type(node.op)])
        # The right side of ** may carry a sign without parentheses.
        self.operand(node.right, SIGN if right_to_left else strength + 1)

    def _unary(self, node: ast.UnaryOp) -> None:
        operand = node.operand
        if type(operand) is ast.Constant and type(operand.value) is not bool and type(node.op) is not ast.Not:
            self.signs.append(len(self.tokens))
        self._emit(OPERATORS[type(node.op)])
        self.operand(operand, BY_OPERATOR[type(node.op)])

    def _boolean(self, node: ast.BoolOp) -> None:
        strength = BY_OPERATOR[type(node.op)]
        for place, value in enumerate(node.values):
            if place:
                self._emit(OPERATORS[type(node.op)])
            self.operand(value, strength + 1)

    def _compare(self, node: ast.Compare) -> None:
        self.operand(node.left, BIT_OR)
        for operator, value in zip(node.ops, node.comparators, strict=True):
            self._emit(OPERATORS[type(operator)])
            self.operand(value, BIT_OR)

    def _choice(self, node: ast.IfExp) -> None:
        self.operand(node.body, OR)
        self._emit("if")
        self.operand(node.test, OR)
        self._emit("else")
        self.operand(node.orelse, TEST)

    def _items(self, node: ast.Tuple | ast.List) -> None:
        for item in node.elts:
            self.operand(item, LOOSE)
            self._emit(",")
        if node.elts and (len(node.elts) > 1 or type(node) is ast.List):
            self.tokens.pop()

    def _tuple(self, node: ast.Tuple) -> None:
        self._emit("(")
        self._items(node)
        self._emit(")")

    def _list(self, node: ast.List) -> None:
        self._emit("[")
        self._items(node)
        self._emit("]")

    def _dict(self, node: ast.Dict) -> None:
        self._emit("{")
        for place, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            if place:
                self._emit(",")
            if key is None:
                self._emit("**")
            else:
                self.operand(key, LOOSE)
                self._emit(":")
            self.operand(value, LOOSE)
        self._emit("}")

    def _other(self, node: ast.AST) -> None:
        # Syntax no kernel needs: its type and its fields, in brackets of its own.
        self._emit(f"<{type(node).__name__}")
        for field in node._fields:
            if field not in _IGNORED:
                self._emit("|")
                self._value(getattr(node, field, None))
        self._emit(">")

    def _value(self, value: object) -> None:
        if isinstance(value, ast.AST):
            self.visit(value)
        elif isinstance(value, list):
            for item in value:
                self._value(item)
                self._emit(";")
        elif value is not None:
            self._emit(value if isinstance(value, str) else repr(value))


VISITORS.update(
    {
        ast.Name: Expressions._name,
        ast.Constant: Expressions._constant,
        ast.Attribute: Expressions._attribute,
        ast.Call: Expressions._call,
        ast.Subscript: Expressions._subscript,
        ast.Slice: Expressions._slice,
        ast.BinOp: Expressions._binary,
        ast.UnaryOp: Expressions._unary,
        ast.BoolOp: Expressions._boolean,
        ast.Compare: Expressions._compare,
        ast.IfExp: Expressions._choice,
        ast.Tuple: Expressions._tuple,
        ast.List: Expressions._list,
        ast.Dict: Expressions._dict,
    }
)
