"""Expressions: from a typed syntax tree to C++."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..codegen.arguments import ArrayOf, Block, Kind, Number, Record
from ..codegen.objects import components, is_composite_value, operator_name
from ..codegen.typed import Called, TypedFunction
from ..errors import StandaloneRejection
from .arrays import Array, whole
from .code import ATOM, TERNARY, Code, binary
from .operators import binary_op, compared, unary_op
from .scalars import truth
from .signatures import Signature
from .types import BOOL, INT, count, is_int, is_matrix, is_vector, literal, make, number_of, part, vector, zero
from .unit import Unit

Builtin = Callable[["Expressions", ast.Call, Called, list[Code], Kind], Code]
# Filled by ``builtins``, which needs the class below.
BUILTINS: dict[str, Builtin] = {}


class Expressions:
    """Prints the expressions of one function.

    Args:
        unit: the program that the function is in.
        typed: the function.
        signature: how the function is called, and what is found out about its arrays.
    """

    def __init__(self, unit: Unit, typed: TypedFunction, signature: Signature) -> None:
        self.unit, self.typed, self.signature = unit, typed, signature
        self.helpers = unit.helpers
        self.arrays: dict[str, Array] = {}
        self.lines: list[str] = []
        self.indent = "  "
        self.sequenced = False  # whether what has an effect is pulled out of the statement
        self.conditional = 0  # inside how many expressions that may not be evaluated
        self.eager = 0  # inside how many that Warp evaluates and C++ may not
        self.temporaries = 0
        self.effects = self._with_effect()
        self.alone: ast.AST | None = None  # the call that a statement consists of

    # --- what is known of a node ------------------------------------------------------------------------

    def kind(self, node: ast.expr) -> Kind:
        """Return the type of an expression, or of a place that is stored to."""
        known = self.typed.kinds.get(node)
        if known is not None:
            return known
        if isinstance(node, ast.Subscript):
            return self._behind(self.kind(node.value), len(_indices(node)), node)
        if isinstance(node, ast.Attribute):
            return self._field(self.kind(node.value), node)
        if isinstance(node, ast.Name):
            for other, kind in self.typed.kinds.items():
                if isinstance(other, ast.Name) and other.id == node.id:
                    return kind
            if node.id in self.signature.kinds:
                return self.signature.kinds[node.id]
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return INT
        raise self.rejection(f"an expression without a type, {ast.unparse(node)}", node)

    def _behind(self, kind: Kind, indices: int, node: ast.expr) -> Kind:
        if isinstance(kind, ArrayOf):
            if indices < kind.ndim:
                return ArrayOf(kind.family, kind.element, kind.ndim - indices)
            return kind.element if indices == kind.ndim else self._behind(kind.element, indices - kind.ndim, node)
        if isinstance(kind, Block):
            if is_matrix(kind) and indices == 1:
                return vector(kind.shape[1], kind.number)
            return kind.number
        raise self.rejection("a subscript of no array", node)

    def _field(self, kind: Kind, node: ast.Attribute) -> Kind:
        if isinstance(kind, Record):
            return dict(kind.fields)[node.attr]
        if isinstance(kind, Block) and kind.family == "transformation":
            return vector(3, kind.number) if node.attr == "p" else Block("quaternion", (4,), kind.number)
        return number_of(kind)

    def rejection(self, construct: str, node: ast.AST) -> StandaloneRejection:
        """Return a rejection that says where."""
        return StandaloneRejection(construct, getattr(node, "lineno", 0))

    def constant(self, node: ast.AST) -> Any:
        """Return the value of an expression that is constant, or None."""
        return self.typed.constants.get(node)

    def is_local(self, name: str) -> bool:
        """Say whether a name is the function's own."""
        return name in self.signature.locals

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
                return self._name(node)
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

    def value(self, value: Any, kind: Kind) -> Code:
        """Return a constant."""
        if isinstance(kind, Number) and value is not None:
            return literal(kind, value)
        if isinstance(kind, Block) and is_composite_value(value):
            return self.made(kind, [literal(kind.number, one).text for one in components(value)])
        raise StandaloneRejection(f"a constant of type {type(value).__name__}")

    def _name(self, node: ast.Name) -> Code:
        kind = self.kind(node)
        if self.is_local(node.id):
            return Code(self.signature.rename(node.id), kind)
        value = self.constant(node)
        if value is None:
            raise self.rejection("a name without a value", node)
        code = self.value(value, kind)
        if isinstance(kind, Number):
            return Code(self.unit.constant(node.id, kind, code.text), kind)
        return code

    def _binary(self, node: ast.BinOp) -> Code:
        if self.calls_function(node):
            raise self.rejection("an operator of the kernel's own", node)
        left, right = self.expr(node.left), self.expr(node.right)
        return binary_op(self.helpers, operator_name(node.op), left, right, self.kind(node))

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

    def varies(self, node: ast.expr | None) -> bool:
        """Say whether an expression has the function's own names in it."""
        return node is not None and any(isinstance(n, ast.Name) and self.is_local(n.id) for n in ast.walk(node))

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
            if (self.unit.signature(called.function).has_effect if called.function else _changes(called.name))
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

    def made(self, kind: Block, parts: list[str]) -> Code:
        """Return a block of its components."""
        self.helpers.type(kind)
        return Code(make(kind, parts), kind)

    def line(self, text: str) -> None:
        """Add a line of C++."""
        self.lines.append(self.indent + text)

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

    # --- arrays and places ------------------------------------------------------------------------------

    def array(self, node: ast.expr) -> Array:
        """Return the array that an expression is."""
        if isinstance(node, ast.Name):
            if node.id in self.arrays:
                return self.arrays[node.id]
            kind = self.signature.kinds.get(node.id)
            if isinstance(kind, ArrayOf):
                if kind.family != "array":
                    raise self.rejection(f"an {kind.family}", node)
                return whole(self.signature.rename(node.id), kind, node.id)
        if isinstance(node, ast.Subscript):
            base, indices = self.array(node.value), _indices(node)
            if len(indices) < base.kind.ndim:
                codes = [self._index(one) for one in indices]
                self.use_dims(base)
                return base.rest(f"{base.pointer} + {base.offset(codes).text}", len(codes))
        if isinstance(node, ast.Attribute):
            holder, kind = self.kind(node.value), self.kind(node)
            if isinstance(holder, Record) and isinstance(kind, ArrayOf) and kind.family == "array":
                return whole(f"{self.expr(node.value).text}.{node.attr}", kind, "")
        raise self.rejection("an array that is no argument and no part of one", node)

    def use_dims(self, array: Array) -> None:
        """Note that an element of an array is looked up."""
        for axis in range(1, array.kind.ndim):
            self.signature.use_dim(array.root, array.skipped + axis)

    def _index(self, node: ast.expr) -> Code:
        if isinstance(node, ast.Slice):
            raise self.rejection("a slice", node)
        code = self.expr(node)
        if not is_int(code.kind):
            raise self.rejection("an index that is no whole number", node)
        return code

    def _read(self, node: ast.Subscript | ast.Attribute) -> Code:
        value = self.constant(node)
        if value is not None and not self.varies(node):
            code = self.value(value, self.kind(node))
            if isinstance(node, ast.Attribute) and isinstance(code.kind, Number):
                return code
            return code
        return self.place(node)

    def place(self, node: ast.expr, stores: bool = False) -> Code:
        """Return a place: a name, an element, a component, a field.

        Args:
            stores: whether it is changed, so that the array it lies in is not constant.
        """
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, stores)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, stores)
        return self.expr(node)

    def _attribute(self, node: ast.Attribute, stores: bool) -> Code:
        kind = self.kind(node.value)
        if isinstance(kind, ArrayOf):
            return self._array_attribute(node)
        base = self.place(node.value, stores)
        field = f"{base.inside(ATOM)}.{node.attr}"
        if isinstance(kind, Record) and node.attr in dict(kind.fields):
            return Code(field, dict(kind.fields)[node.attr])
        if isinstance(kind, Block):
            if kind.family == "transformation" and node.attr in ("p", "q"):
                return Code(field, self._field(kind, node))
            if node.attr in "xyzw":
                return Code(part(kind, base.inside(ATOM), "xyzw".index(node.attr)), kind.number)
        raise self.rejection(f"attribute {node.attr}", node)

    def _array_attribute(self, node: ast.Attribute) -> Code:
        array = self.array(node.value)
        if node.attr == "size":
            for axis in range(array.kind.ndim):
                self.signature.use_dim(array.root, array.skipped + axis)
            return Code(" * ".join(array.dims), INT, 11 if array.kind.ndim > 1 else ATOM)
        if node.attr == "ndim":
            return literal(INT, array.kind.ndim)
        raise self.rejection(f"attribute {node.attr} of an array", node)

    def _subscript(self, node: ast.Subscript, stores: bool) -> Code:
        indices = _indices(node)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return self._length(node, indices)
        base_kind = self.kind(node.value)
        if isinstance(base_kind, ArrayOf):
            array = self.array(node.value)
            if len(indices) < array.kind.ndim:
                raise self.rejection("an array as a value", node)
            codes = [self._index(one) for one in indices]
            self.use_dims(array)
            if stores:
                self.signature.write(array.root)
            element = array.element(codes[: array.kind.ndim])
            rest = codes[array.kind.ndim :]
            return self.component(element, rest, node) if rest else element
        # a[i][j] of a matrix is one entry
        if isinstance(node.value, ast.Subscript) and is_vector(base_kind):
            outer = self.kind(node.value.value)
            if is_matrix(outer):
                row = [self._index(one) for one in _indices(node.value)]
                return self.component(self.place(node.value.value, stores), [*row, self._index(indices[0])], node)
        base = self.place(node.value, stores)
        if any(isinstance(one, ast.Slice) for one in indices) and not stores:
            return self._slice(base, indices, node)
        return self.component(base, [self._index(one) for one in indices], node)

    def _slice(self, base: Code, indices: list[ast.expr], node: ast.Subscript) -> Code:
        """Return some components of a vector, or a column of a matrix."""
        kind, first = base.kind, indices[0]
        assert isinstance(kind, Block)
        if is_matrix(kind) and len(indices) == 2 and _is_all(first) and not isinstance(indices[1], ast.Slice):
            name = self.helpers.need("column", kind)
            index = self.wrapped(self._index(indices[1]), kind.shape[1])
            return Code(f"{name}({base.text}, {index})", vector(kind.shape[0], kind.number))
        if kind.family == "vector" and len(indices) == 1 and isinstance(first, ast.Slice) and base.binds == ATOM:
            limits = [self._limit(one) for one in (first.lower, first.upper, first.step)]
            chosen = range(count(kind))[slice(*limits)]
            if len(chosen) > 1:
                return self.made(vector(len(chosen), kind.number), [part(kind, base.text, place) for place in chosen])
        raise self.rejection("a slice", node)

    def _limit(self, node: ast.expr | None) -> int | None:
        if node is None:
            return None
        code = _known(self._index(node))
        if code is None:
            raise self.rejection("a slice whose limits are not known before", node)
        return code

    def _length(self, node: ast.Subscript, indices: list[ast.expr]) -> Code:
        assert isinstance(node.value, ast.Attribute)
        array = self.array(node.value.value)
        axis = self.constant(indices[0])
        if not isinstance(axis, int) or not 0 <= axis < array.kind.ndim:
            raise self.rejection("the length of a dimension that is not known before", node)
        self.signature.use_dim(array.root, array.skipped + axis)
        return Code(array.dims[axis], INT)

    def component(self, base: Code, indices: list[Code], node: ast.AST) -> Code:
        """Return a component of a block."""
        kind = base.kind
        if not isinstance(kind, Block):
            raise self.rejection("a subscript of no block", node)
        text = base.inside(ATOM)
        known = [_known(code) for code in indices]
        if is_matrix(kind):
            if len(indices) == 1:
                self.helpers.need("row", kind)
                index = self.wrapped(indices[0], kind.shape[0])
                return Code(f"row({base.text}, {index})", vector(kind.shape[1], kind.number))
            i, j = (self.wrapped(code, n) for code, n in zip(indices, kind.shape, strict=True))
            return Code(f"{text}.m[{i}][{j}]", kind.number)
        index_known = known[0]
        if index_known is not None:
            place = index_known + count(kind) if index_known < 0 else index_known
            if not 0 <= place < count(kind):
                raise self.rejection("a component that is not there", node)
            return Code(part(kind, text, place), kind.number)
        if kind.family in ("vector", "quaternion") and count(kind) <= 4:
            self.helpers.need("at", kind)
            return Code(f"at({base.text}, {indices[0].text})", kind.number)
        if kind.family == "vector":
            return Code(f"{text}.c[{self.wrapped(indices[0], count(kind))}]", kind.number)
        raise self.rejection(f"an index into a {kind.family} that is not known before", node)

    def wrapped(self, index: Code, length: int) -> str:
        """Return an index into a block, counted from the end if it is negative."""
        known = _known(index)
        if known is not None:
            return str(known + length if known < 0 else known)
        if index.text in self.signature.counters:
            return index.text
        self.helpers.need("wrapped")
        return f"wrapped({index.text}, {length})"


def _is_all(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is None and node.upper is None and node.step is None


def _changes(builtin: str) -> bool:
    return builtin.startswith(("rand", "sample_", "poisson", "atomic_")) and builtin != "rand_init"


def _known(code: Code) -> int | None:
    text = code.text
    return int(text) if text.lstrip("-").isdigit() else None


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
