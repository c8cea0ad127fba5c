"""One function's source with every name that is not its own replaced by a definition of the new source."""

from __future__ import annotations

import ast
import builtins
import types
from typing import TYPE_CHECKING, Any

import warp as wp

from ..codegen import objects
from .items import Item, Text
from .scopes import MISSING, Scope, Source, chain
from .values import Unwritable, expression, public_name, type_expression

if TYPE_CHECKING:
    from .closure import Closure


class Rewriter:
    """Collects the edits of one function or class, and the names it leaves alone.

    Args:
        source: its text.
        scope: where its names are looked up.
        closure: what it needs is defined there.
        by_value: write the value of every ``wp.static`` and the type of every annotation, whatever the author wrote.
    """

    def __init__(self, source: Source, scope: Scope, closure: Closure, *, by_value: bool = False) -> None:
        self._source = source
        self._scope = scope
        self._closure = closure
        self._by_value = by_value
        self._edits: list[tuple[int, int, tuple[Any, ...]]] = []
        self._free: set[str] = set()
        self._implied: list[Item] = []
        self._arguments: set[ast.expr] = set()

    def replace(self, node: Any, parts: tuple[Any, ...]) -> None:
        """Put ``parts`` in the place of a node."""
        self.replace_span(*self._source.span(node), parts)

    def append(self, node: Any, parts: tuple[Any, ...]) -> None:
        """Put ``parts`` behind a node."""
        end = self._source.span(node)[1]
        self.replace_span(end, end, parts)

    def replace_span(self, start: int, end: int, parts: tuple[Any, ...]) -> None:
        """Put ``parts`` in the place of a span of the text."""
        if parts != (self._source.text[start:end],):
            self._edits.append((start, end, parts))

    def text(self, start: int, end: int) -> Text:
        """Return the text between two offsets with all edits made."""
        parts: list[Any] = []
        at = start
        for first, last, new in sorted(self._edits, key=lambda edit: edit[:2]):
            if start <= first and last <= end:
                parts += [self._source.text[at:first], *new]
                at = last
        parts.append(self._source.text[at:end])
        return Text(tuple(parts), self._scope.bound, frozenset(self._free), tuple(self._implied))

    def visit(self, node: ast.AST, static: bool = False) -> None:
        """Edit the names below a node.

        Args:
            node: a statement or an expression.
            static: it is evaluated by Python (an annotation, a default, ``wp.static``), not translated by Warp.

        Raises:
            Unwritable: a name stands for something that cannot be defined in a source.
        """
        if isinstance(node, ast.Call) and not static:
            self._arguments.update((*node.args, *(keyword.value for keyword in node.keywords)))
        if isinstance(node, ast.UnaryOp):
            self._arguments.add(node.operand)
        if isinstance(node, ast.Call) and objects.is_static(self._object(node.func)):
            self.visit(node.func)
            self._static(node)
        elif isinstance(node, (ast.Name, ast.Attribute)) and (found := chain(node)) is not None:
            if isinstance(found[0].ctx, ast.Load):
                self._chain(*found, static)
        else:
            if isinstance(node, (ast.BinOp, ast.AugAssign)) and not static:
                self._operator(objects.operator_name(node.op))
            for child in ast.iter_child_nodes(node):
                self.visit(child, static)

    def _operator(self, name: str) -> None:
        """Warp calls a function of the module that is named like an operator instead of its own."""
        found = self._scope.get(name)
        if isinstance(found, objects.Function) and not found.is_builtin():
            self._implied.append(self._closure.define(found))
        else:
            self._free.add(name)

    def _object(self, node: ast.expr) -> Any:
        """Return what a dotted name stands for, or :data:`MISSING`."""
        found = chain(node)
        if found is None or found[0].id in self._scope.bound:
            return MISSING
        obj = self._scope.get(found[0].id)
        for attribute in found[1]:
            obj = getattr(obj, attribute.attr, MISSING)
        return obj

    def _chain(self, root: ast.Name, attributes: list[ast.Attribute], static: bool) -> None:
        if root.id in self._scope.bound:
            return
        obj = self._scope.get(root.id)
        if obj is MISSING or (obj is None and not static):
            self._free.add(root.id)
            return
        owners: list[Any] = []
        while len(owners) < len(attributes) and _is_namespace(obj):
            owners.append(obj)
            obj = getattr(obj, attributes[len(owners) - 1].attr, MISSING)
        last = attributes[len(owners) - 1] if owners else root
        names = [root.id, *(attribute.attr for attribute in attributes[: len(owners)])]
        argument = bool(owners) and (self._by_value or attributes[-1] in self._arguments)
        start, end = self._source.span(last)
        self.replace_span(start, end, self._leaf(names, owners, obj, static, argument))

    def _leaf(self, names: list[str], owners: list[Any], obj: Any, static: bool, argument: bool) -> tuple[Any, ...]:
        """Return what stands for ``obj``, which ``names`` reach through ``owners``."""
        public = _public(names, owners, obj)
        if public is not None:
            return (public,)
        if obj is MISSING:
            raise Unwritable(f"{'.'.join(names)} does not exist")
        if isinstance(obj, objects.Function):
            return type_expression(obj, self._closure.define)
        if not owners or not objects.is_value(obj):
            return (self._closure.constant(names[-1], obj, static),)
        # Warp evaluates an attribute that is an argument twice, and a literal once; it folds the sign of a literal.
        # There it stays an attribute.
        if isinstance(owners[-1], type) or (argument and isinstance(owners[-1], types.ModuleType)):
            return (self._closure.member(owners[-1], names[-2:], obj), f".{names[-1]}")
        parts = expression(obj, self._closure.define)
        # A literal is what Warp makes of an attribute; it has no sign, because a sign would be an operation.
        plain = type(obj) in (bool, int, float) and parts[0][0] not in "-f"
        return parts if plain else ("(", *parts, ")") if static else ("wp.static(", *parts, ")")

    def _static(self, node: ast.Call) -> None:
        argument = node.args[0] if node.args else node.keywords[0].value
        edits, free = list(self._edits), set(self._free)
        names = {inner.id for inner in ast.walk(argument) if isinstance(inner, ast.Name)}
        try:
            if self._by_value and not names & self._scope.bound:
                raise Unwritable("its value is asked for")
            self.visit(argument, static=True)
        except Unwritable:
            self._edits, self._free = edits, free
            if names & self._scope.bound - _inner(argument):
                raise
            self.replace(argument, self._closure.value(self._evaluate(argument), static=True))

    def _evaluate(self, node: ast.expr) -> Any:
        text = self._source.segment(node)
        try:
            return self._scope.evaluate(f"({text}\n)")
        except Exception as error:  # noqa: BLE001 (it runs the package's own code)
            raise Unwritable(f"evaluating {text!r} raises {type(error).__name__}"[:120]) from None

    def annotation(self, node: ast.expr, actual: Any) -> None:
        """Keep an annotation that means ``actual`` where it will stand, or write that type instead.

        Raises:
            Unwritable: neither can be done.
        """
        if not self._by_value and not isinstance(node, ast.Constant):
            edits, free = list(self._edits), set(self._free)
            try:
                if objects.same_type(self._evaluate(node), actual):
                    self.visit(node, static=True)
                    return
            except Unwritable:
                self._edits, self._free = edits, free
        try:
            self.replace(node, type_expression(actual, self._closure.define))
        except Unwritable:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                raise
            self.visit(node, static=True)  # a generic annotation: only its text says it

    def default(self, node: ast.expr, actual: Any) -> None:
        """Keep a default value that is still the value, or write that value instead."""
        edits, free = list(self._edits), set(self._free)
        try:
            same = self._evaluate(node)
            # The representation tells 0.0 from -0.0 and knows vectors, whose equality is no boolean.
            if type(same) is type(actual) and repr(same) == repr(actual):
                self.visit(node, static=True)
                return
        except Unwritable:
            self._edits, self._free = edits, free
        self.replace(node, self._closure.value(actual, static=True))


def _public(names: list[str], owners: list[Any], obj: Any) -> str | None:
    """Return the text of a name that Warp itself exports, if it is one."""
    if obj is wp:
        return "wp"
    if isinstance(obj, (objects.Struct, types.ModuleType)) or not owners:
        return None
    if owners[0] is wp:
        user = isinstance(obj, objects.Function) and not obj.is_builtin()
        direct = len(owners) == 1 and not user
        through = not user and obj is not MISSING and not objects.is_value(obj)
        modules = all(isinstance(owner, types.ModuleType) for owner in owners)
        if direct or (through and modules and not any(name.startswith("_") for name in names)):
            return ".".join(["wp", *names[1:]])
    owner = public_name(owners[-1])
    return f"{owner}.{names[-1]}" if owner and isinstance(owners[-1], type) else None


def _inner(node: ast.expr) -> set[str]:
    """Return the names that comprehensions and lambdas inside an expression bind."""
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            names.add(inner.id)
        elif isinstance(inner, ast.Lambda):
            names.update(arg.arg for arg in inner.args.args)
    return names


def _is_namespace(obj: Any) -> bool:
    """Say whether only the attributes of an object mean something to Warp."""
    if obj is MISSING or obj is None or isinstance(obj, (objects.Function, objects.Struct, objects.StructInstance)):
        return False
    if isinstance(obj, type):
        return not (objects.is_scalar_type(obj) or objects.is_composite_type(obj) or obj.__module__ == "typing")
    if isinstance(obj, (str, tuple, list, dict, types.FunctionType, types.BuiltinFunctionType)):
        return False
    return not (objects.is_value(obj) or objects.is_array(obj) or hasattr(builtins, getattr(obj, "__name__", "-")))
