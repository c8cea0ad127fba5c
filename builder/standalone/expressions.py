"""Expressions: from a typed syntax tree to C++."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..codegen.arguments import ArrayOf, Kind, Number, Record
from ..codegen.objects import operator_name
from ..codegen.typed import Called, TypedFunction
from ..errors import StandaloneRejection
from .code import TERNARY, Code, binary
from .known import changes
from .operators import binary_op, compared, unary_op
from .places import Places
from .scalars import truth
from .signatures import Signature
from .types import BOOL, literal, zero
from .unit import Unit

Builtin = Callable[["Expressions", ast.Call, Called, list[Code], Kind], Code]
# Filled by ``builtins``, which needs the class below.
BUILTINS: dict[str, Builtin] = {}


class Expressions(Places):
    """Prints the expressions of one function."""

    def __init__(self, unit: Unit, typed: TypedFunction, signature: Signature) -> None:
        super().__init__(unit, typed, signature)
        self.lines: list[str] = []
        self.indent = "  "
        self.sequenced = False  # whether what has an effect is pulled out of the statement
        self.conditional = 0  # inside how many expressions that may not be evaluated
        self.eager = 0  # inside how many that Warp evaluates and C++ may not
        self.temporaries = 0
        self.effects = self._with_effect()
        self.threads: tuple[str, ...] = ()  # the names of the thread's indices
        self.alone: ast.AST | None = None  # the call that a statement consists of

    def line(self, text: str) -> None:
        """Add a line of C++."""
        self.lines.append(self.indent + text)

    # --- expressions ----------------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> Code:
        """Return the C++ of an expression.

        Raises:
            StandaloneRejection: it has none; names the construct and the line.
        """
        try:
            return self._expr(node)
        except StandaloneRejection as rejection:
            if rejection.line:
                raise
            raise StandaloneRejection(rejection.construct, getattr(node, "lineno", 0)) from None

    def _expr(self, node: ast.expr) -> Code:
        match node:
            case ast.Constant():
                return self.value(node.value, self.kind(node))
            case ast.Name():
                return self.name(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp():
                return self._bool(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self._call(node)
            case ast.Subscript() | ast.Attribute():
                return self._read(node)
        raise self.rejection(f"ast.{type(node).__name__}", node)

    def _binary(self, node: ast.BinOp) -> Code:
        if self.calls_function(node):
            raise self.rejection("an operator of the kernel's own", node)
        left, right = self.expr(node.left), self.expr(node.right)
        name = operator_name(node.op)
        name = "div" if name == "floordiv" and self.counts(node.left) and self.is_positive(node.right) else name
        return binary_op(self.helpers, name, left, right, self.kind(node))

    def calls_function(self, node: ast.AST) -> bool:
        """Say whether a node calls a function of the kernel source."""
        return any(one.function is not None for one in self.typed.calls.get(node, ()))

    def _unary(self, node: ast.UnaryOp) -> Code:
        value = self.constant(node)
        if isinstance(value, (int, float)) and not self.varies(node):
            return self.value(value, self.kind(node))
        return unary_op(self.helpers, type(node.op), self.expr(node.operand), self.kind(node))

    def _compare(self, node: ast.Compare) -> Code:
        codes = [self.expr(one) for one in (node.left, *node.comparators)]
        if len(codes) > 2 and self.has_effect(node):
            raise self.rejection("a chain of comparisons with an effect", node)
        tests = [
            compared(self.helpers, operator, a, b) for operator, a, b in zip(node.ops, codes, codes[1:], strict=False)
        ]
        result = tests[0]
        for test in tests[1:]:
            result = binary("&&", result, test, BOOL)
        return result

    def _bool(self, node: ast.BoolOp) -> Code:
        first = truth(self.expr(node.values[0]))
        self.conditional += 1
        rest = [truth(self.expr(value)) for value in node.values[1:]]
        self.conditional -= 1
        for one in rest:
            first = binary("&&" if isinstance(node.op, ast.And) else "||", first, one, BOOL)
        return first

    def _choice(self, node: ast.IfExp) -> Code:
        value = self.constant(node.test)
        if value is not None and not self.varies(node.test):
            return self.expr(node.body if value else node.orelse)
        test = truth(self.expr(node.test))
        self.conditional += 1
        yes, no = self.expr(node.body), self.expr(node.orelse)
        self.conditional -= 1
        return self.choice(test, yes, no, self.kind(node))

    def choice(self, test: Code, yes: Code, no: Code, kind: Kind) -> Code:
        """Return one of two values by a condition."""
        text = f"{test.inside(TERNARY + 1)} ? {yes.inside(TERNARY + 1)} : {no.inside(TERNARY + 1)}"
        return Code(text, kind, TERNARY)

    def has_effect(self, node: ast.AST) -> bool:
        """Say whether an expression changes something: draws a random number, or an array atomically."""
        return bool(self.effects) and any(inner in self.effects for inner in ast.walk(node))

    def _with_effect(self) -> set[ast.AST]:
        """Return the calls that change something, their arguments left out."""
        return {
            node
            for node, calls in self.typed.calls.items()
            if isinstance(node, ast.Call)
            for called in calls
            if (self.unit.signature(called.function).has_effect if called.function else changes(called.name))
        }

    def effect(self, code: Code, node: ast.AST) -> Code:
        """Return what has an effect, at its place in order."""
        if self.eager:
            raise self.rejection("an effect inside wp.where", node)
        if not self.sequenced or node is self.alone:
            return code
        if self.conditional:
            raise self.rejection("several effects inside a condition", node)
        self.temporaries += 1
        name = self.signature.fresh(f"drawn{self.temporaries}")
        self.line(f"const {self.helpers.type(code.kind)} {name} = {code.text};")
        return Code(name, code.kind)

    def is_statement(self, node: ast.AST) -> bool:
        """Say whether nothing is made of a call's value."""
        return node is self.alone

    # --- calls ------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Code:
        value = self.constant(node)
        calls = self.typed.calls.get(node, [])
        if isinstance(node.func, ast.Call) and "grad" in ast.unparse(node.func.func):
            raise self.rejection("wp.grad", node)
        if not calls and value is not None:  # wp.static
            return self.value(value, self.kind(node))
        if not calls:
            raise self.rejection(f"a call of {ast.unparse(node.func)[:40]}", node)
        called = calls[-1] if calls[-1].function is not None else calls[0]
        for one in calls:
            if one.name not in ("load", "copy"):
                called = one
        if called.function is not None:
            return self.function_call(node, called)
        kind = self.typed.kinds.get(node, BOOL)
        if isinstance(kind, Record) and called.name.startswith(f"{kind.name}_"):
            return self._construct(called, kind)
        handler = BUILTINS.get(called.name)
        if handler is None:
            raise self.rejection(f"wp.{called.name}", node)
        return handler(self, node, called, [], kind)

    def arguments(self, called: Called) -> list[Code]:
        """Return the arguments of a call, in the order of its parameters; constants where it has defaults."""
        return [self.argument(called, name) for name in called.kinds]

    def argument(self, called: Called, name: str) -> Code:
        """Return one argument of a call."""
        node, kind = called.nodes.get(name), called.kinds[name]
        if node is not None:
            code = self.expr(node)
            value = called.values.get(name)
            if isinstance(node, ast.Constant) and isinstance(kind, Number) and isinstance(value, (int, float)):
                return literal(kind, value)
            return code
        if kind is None:
            raise StandaloneRejection(f"argument {name} of wp.{called.name}")
        return self.value(called.values.get(name), kind)

    def _construct(self, called: Called, kind: Record) -> Code:
        self.helpers.type(kind)
        if not called.kinds:
            return Code(f"{kind.name}{{}}", kind)
        if any(isinstance(inner, ArrayOf) for _, inner in kind.fields):
            raise StandaloneRejection("a struct of arrays that is made in the kernel")
        given = [
            self.argument(called, name).text if name in called.kinds else zero(inner) for name, inner in kind.fields
        ]
        return Code(f"{kind.name}{{{', '.join(given)}}}", kind)

    def function_call(self, node: ast.Call, called: Called, outputs: tuple[str, ...] = ()) -> Code:
        """Return the call of a device function; the names that take its results, if it has several."""
        assert called.function is not None
        signature = self.unit.signature(called.function)
        texts: list[str] = []
        for name, kind in signature.kinds.items():
            if isinstance(kind, ArrayOf):
                texts += self._array_argument(called, name, signature)
            else:
                texts.append(self.argument(called, name).text)
        returns = called.function.returns
        if len(returns) > 1 and not outputs:
            raise self.rejection("a call with several results inside an expression", node)
        kind = returns[0] if returns else self.typed.kinds.get(node, BOOL)
        if signature.has_effect:
            return self.effect(Code(f"{signature.name}({', '.join([*texts, *outputs])})", kind), node)
        return Code(f"{signature.name}({', '.join([*texts, *outputs])})", kind)

    def _array_argument(self, called: Called, name: str, signature: Signature) -> list[str]:
        node = called.nodes.get(name)
        if node is None:
            raise StandaloneRejection(f"argument {name} without an expression")
        array = self.array(node)
        if name in signature.written:
            self.signature.write(array.root)
        texts = [array.pointer]
        for axis in signature.used_dims(name):
            self.signature.use_dim(array.root, array.skipped + axis)
            texts.append(array.dims[axis])
        return texts
