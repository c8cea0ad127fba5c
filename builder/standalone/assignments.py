"""Assignments: to names, to several at once, to places, in place."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..codegen.arguments import ArrayOf, Block, Kind, Number
from ..codegen.objects import operator_name
from ..codegen.typed import Called, TypedFunction
from .arrays import Array
from .atomics import atomic
from .code import Code
from .expressions import Expressions
from .operators import binary_op, in_place
from .scope import Scope
from .signatures import Signature
from .slices import store_slice
from .types import INT, is_matrix, number_of, vector, zero
from .unit import Unit

_ATOMIC = {ast.Add: "add", ast.Sub: "sub", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
_ATOMIC_FLOATS = ("float16", "bfloat16", "float32", "float64")
_ATOMIC_INTS = ("int32", "uint32", "int64", "uint64")


class Assignments(Expressions):
    """Prints the assignments of one function."""

    def __init__(self, unit: Unit, typed: TypedFunction, signature: Signature) -> None:
        super().__init__(unit, typed, signature)
        self.scope = Scope()
        self.tid: ast.stmt | None = None  # the assignment that names the thread's indices

    def count_effects(self, node: ast.AST) -> int:
        """Return how many effects an expression has whose order C++ leaves open."""
        if not self.effects:
            return 0
        inner = [self.count_effects(child) for child in ast.iter_child_nodes(node)]
        if isinstance(node, (ast.BoolOp, ast.IfExp)):
            return max(inner, default=0)
        return sum(inner) + (node in self.effects)

    def declare_empty(self, name: str, node: ast.stmt) -> None:
        """Declare a name that is assigned later."""
        kind = self.kind_of_name(name, node)
        if isinstance(kind, ArrayOf):
            raise self.rejection("an array that is chosen at run time", node)
        self.line(f"{self.helpers.type(kind)} {self.signature.rename(name)} = {zero(kind)};")

    def kind_of_name(self, name: str, node: ast.stmt) -> Kind:
        """Return the type of a local name, from any of its uses or assignments."""
        for inner in self.typed.nodes:
            if isinstance(inner, ast.Name) and inner.id == name and inner in self.typed.kinds:
                return self.typed.kinds[inner]
        for inner in self.typed.nodes:
            if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name) and inner.targets[0].id == name:
                return self.kind(inner.value)
        raise self.rejection(f"a name without a type, {name}", node)

    def assign(self, node: ast.Assign) -> None:
        """Print an assignment."""
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            self._unpack(node, target)
        elif isinstance(target, ast.Name):
            self._assign_name(node, target)
        else:
            value = self.expr(node.value)
            self._store(target, value, node)

    def _assign_name(self, node: ast.Assign, target: ast.Name) -> None:
        name = target.id
        if node is self.tid:
            return
        if isinstance(node.value, (ast.Tuple, ast.List)):
            raise self.rejection("a tuple as a value", node)
        kind = self.kind(node.value)
        if isinstance(kind, ArrayOf):
            self._assign_array(node, name)
            return
        unused = name not in self.scope.loaded
        if unused and not self.has_effect(node.value):
            return
        self.alone = node.value if unused else None
        self.sequenced = self.count_effects(node) > 1
        value = self.expr(node.value)
        self.line(f"{value.text};" if unused else f"{self._target(name, value.kind, node)} = {value.text};")

    def _target(self, name: str, kind: Kind, node: ast.stmt) -> str:
        """Return the left side of an assignment to a name, its declaration if this is it."""
        own = self.signature.rename(name)
        if name not in self.scope.declared_at.get(node, ()):
            return own
        const = "const " if name in self.scope.constant else ""
        return f"{const}{self.helpers.type(kind)} {own}"

    def _make_array(self, node: ast.Assign, name: str, called: Called) -> None:
        """Declare an array of the thread's own."""
        kind, given = self.kind(node.value), called.nodes.get("shape")
        nodes = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]
        shape = [self.constant(one) if one is not None else None for one in nodes]
        if not isinstance(kind, ArrayOf) or not all(isinstance(length, int) for length in shape):
            raise self.rejection("wp.zeros", node)
        if name not in self.scope.constant or name not in self.scope.declared_at.get(node, ()):
            raise self.rejection("an array that is assigned more than once", node)
        own = self.signature.rename(name)
        size = " * ".join(map(str, shape))
        self.line(f"{self.helpers.type(kind.element)} {own}[{size}] = {{}};")
        self.arrays[name] = Array(kind, own, tuple(map(str, shape)), "")

    def _assign_array(self, node: ast.Assign, name: str) -> None:
        made = next((one for one in self.typed.calls.get(node.value, ()) if one.name == "zeros"), None)
        if made is not None:
            self._make_array(node, name, made)
            return
        array = self.array(node.value)
        if name not in self.scope.constant or name not in self.scope.declared_at.get(node, ()):
            raise self.rejection("an array that is assigned more than once", node)
        if isinstance(node.value, (ast.Name, ast.Attribute)):
            self.arrays[name] = array
            return
        const = "const " if array.root and array.root not in self.signature.written else ""
        own = self.signature.rename(name)
        self.line(f"{const}{self.helpers.type(array.kind.element)} *{own} = {array.pointer};")
        self.arrays[name] = Array(array.kind, own, array.dims, array.root, array.skipped)

    def _unpack(self, node: ast.Assign, target: ast.Tuple) -> None:
        if node is self.tid:
            return
        names = [one.id for one in target.elts if isinstance(one, ast.Name)]
        if len(names) < len(target.elts):
            raise self.rejection("a tuple of other than names", node)
        if isinstance(node.value, ast.Tuple):
            self._assign_together(node, names, node.value)
        elif isinstance(node.value, ast.Call):
            self._take_results(node, names, node.value)
        else:
            raise self.rejection("a tuple as a value", node)

    def _assign_together(self, node: ast.Assign, names: Sequence[str], values: ast.Tuple) -> None:
        codes = [self.expr(value) for value in values.elts]
        read = [{n.id for n in ast.walk(value) if isinstance(n, ast.Name)} for value in values.elts]
        for place, name in enumerate(names):
            if any(name in later for later in read[place + 1 :]):
                fresh = self.signature.fresh(f"old_{name}")
                self.line(f"const {self.helpers.type(codes[place].kind)} {fresh} = {codes[place].text};")
                codes[place] = Code(fresh, codes[place].kind)
        for name, code in zip(names, codes, strict=True):
            if name in self.scope.loaded:
                self.line(f"{self._target(name, code.kind, node)} = {code.text};")

    def _take_results(self, node: ast.Assign, names: Sequence[str], value: ast.Call) -> None:
        called = next((one for one in self.typed.calls.get(value, ()) if one.name not in ("load", "copy")), None)
        if called is not None and called.name == "quat_to_axis_angle":
            self._axis_angle(node, names, called)
            return
        if called is not None and called.name == "tid" and len(names) == len(self.threads):
            for name, thread in zip(names, self.threads, strict=True):
                if name in self.scope.loaded:
                    self.line(f"{self._target(name, INT, node)} = {thread};")
            return
        if called is None or called.function is None or len(called.function.returns) != len(names):
            raise self.rejection(f"several results of wp.{called.name if called else '?'}", node)
        self._declare_results(node, names, called.function.returns)
        outputs = tuple(map(self.signature.rename, names))
        self.alone = value
        self.line(f"{self.function_call(value, called, outputs).text};")

    def _declare_results(self, node: ast.Assign, names: Sequence[str], kinds: Sequence[Kind]) -> None:
        for name, kind in zip(names, kinds, strict=True):
            if name in self.scope.declared_at.get(node, ()):
                self.line(f"{self.helpers.type(kind)} {self.signature.rename(name)};")

    def _axis_angle(self, node: ast.Assign, names: Sequence[str], called: Called) -> None:
        (q,) = self.arguments(called)
        number = number_of(q.kind)
        self._declare_results(node, names, (vector(3, number), number))
        self.helpers.need("quat_to_axis_angle", q.kind)
        self.line(f"quat_to_axis_angle({q.text}, {', '.join(map(self.signature.rename, names))});")

    def _store(self, target: ast.expr, value: Code, node: ast.stmt) -> None:
        if isinstance(target, ast.Subscript) and self._is_row(target):
            base = self.place(target.value, stores=True)
            assert isinstance(base.kind, Block)
            self.helpers.need("set_row", base.kind)
            index = self.wrapped(self.expr(target.slice), base.kind.shape[0])
            self.line(f"set_row({base.text}, {index}, {value.text});")
            return
        if isinstance(target, ast.Subscript) and store_slice(self, target, value):
            return
        kind = self.kind(target)
        if isinstance(kind, ArrayOf):
            raise self.rejection("an array that is stored", node)
        if isinstance(kind, Number) and isinstance(value.kind, Block):
            raise self.rejection("a slice", node)
        self.line(f"{self.place(target, stores=True).text} = {value.text};")

    def _is_row(self, target: ast.Subscript) -> bool:
        kind = self.kind(target.value)
        return is_matrix(kind) and not isinstance(target.slice, (ast.Tuple, ast.Slice))

    # --- augmented assignments --------------------------------------------------------------------------

    def augmented(self, node: ast.AugAssign) -> None:
        """Print an assignment in place."""
        if self.calls_function(node):
            raise self.rejection("an operator of the kernel's own", node)
        name = operator_name(node.op)
        if isinstance(node.target, ast.Name):
            target = self.expr(node.target)
        elif isinstance(node.target, ast.Subscript) and self._is_row(node.target):
            value = binary_op(self.helpers, name, self.expr(node.target), self.expr(node.value), self.kind(node.target))
            self._store(node.target, value, node)
            return
        else:
            target = self.place(node.target, stores=True)
            if self._in_array(node.target) and self._atomic_word(node.op, target.kind):
                word = self._atomic_word(node.op, target.kind)
                self.line(f"{atomic(self.helpers, word, target, self.expr(node.value)).text};")
                return
        value = self.expr(node.value)
        self.line(in_place(self.helpers, name, target, value))

    def _in_array(self, node: ast.expr) -> bool:
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            if isinstance(node, ast.Subscript) and isinstance(self.kind(node.value), ArrayOf):
                return True
            node = node.value
        return False

    def _atomic_word(self, operator: ast.operator, kind: Kind) -> str:
        word = _ATOMIC.get(type(operator), "")
        number = number_of(kind).name
        fits = number in _ATOMIC_INTS or (number in _ATOMIC_FLOATS and word in ("add", "sub"))
        return word if fits else ""
