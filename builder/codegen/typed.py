"""What Warp knows of a kernel's syntax tree once it is built: the type of each expression, what each call calls.

Warp resolves names, overloads and constants while it builds a kernel. This notes its answers beside the nodes of
the tree, so that another translator has types without inferring them a second time.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from . import warp_adapter
from .arguments import Kind, Record, kind_of
from .kernel_source import parse
from .objects import Function, Struct, is_composite_type, is_scalar_type, is_tile
from .warp_internals import INTERNALS

wcontext, wcodegen, wtypes = INTERNALS


@dataclass(frozen=True, slots=True)
class Called:
    """One call, of a builtin or of a function, as Warp resolved it.

    Attributes:
        name: the function's name.
        kinds: what it takes, by parameter; None where that is no value (a type, a function, a tuple).
        values: the constants among them, types as their kinds, and what is mapped over tiles: a function, or the
            name of a builtin.
        function: the function, or None for a builtin.
        nodes: the syntax node of each parameter that was given as an expression.
    """

    name: str
    kinds: Mapping[str, Kind | None]
    values: Mapping[str, Any]
    function: TypedFunction | None
    nodes: Mapping[str, ast.expr]


@dataclass(slots=True)
class TypedFunction:
    """A kernel or device function with the types of what is in it.

    Attributes:
        name: its name.
        args: ``(name, kind)`` of each argument.
        node: its syntax tree.
        kinds: the kind of each expression that has a value.
        constants: the value of each expression that is one constant.
        calls: what each node calls, in the order of calling.
        returns: what it returns.
        snippet: CUDA text instead of a body, or None.
        nodes: all nodes of the tree.
    """

    name: str
    args: tuple[tuple[str, Kind], ...]
    node: ast.FunctionDef
    kinds: dict[ast.AST, Kind] = field(default_factory=dict)
    constants: dict[ast.AST, Any] = field(default_factory=dict)
    calls: dict[ast.AST, list[Called]] = field(default_factory=dict)
    returns: tuple[Kind, ...] = ()
    snippet: str | None = None
    nodes: tuple[ast.AST, ...] = ()

    def __post_init__(self) -> None:
        self.nodes = tuple(ast.walk(self.node))


@dataclass(frozen=True, slots=True)
class TypedKernel:
    """A kernel with its device functions, those that are called before their callers.

    Attributes:
        kernel: the kernel.
        functions: the device functions.
        structs: the structs, those that are held before their holders.
        launch_dim: 1 to 4.
        grid_stride: whether its threads go through the grid in strides.
    """

    kernel: TypedFunction
    functions: tuple[TypedFunction, ...]
    structs: tuple[Record, ...]
    launch_dim: int
    grid_stride: bool


_DIFFERS = object()


class _Notes:
    """Notes types while Warp builds one kernel and its functions."""

    def __init__(self) -> None:
        self.functions: dict[int, TypedFunction] = {}
        self._kinds: dict[int, tuple[Any, Kind]] = {}

    def kind(self, type_: Any) -> Kind:
        """Return the kind of one of Warp's types; of what a reference refers to."""
        found = self._kinds.get(id(type_))
        if found is None:
            value = type_.value_type if wtypes.is_reference(type_) else type_
            found = self._kinds[id(type_)] = (type_, kind_of(value))
        return found[1]

    def of(self, adj: Any, name: str) -> TypedFunction:
        """Return the notes on one function, which may have none yet."""
        found = self.functions.get(id(adj))
        if found is None:
            found = self.functions[id(adj)] = TypedFunction(name, (), adj.tree.body[0])
        return found

    def watch(self, adj: Any, name: str, snippet: str | None = None) -> None:
        """Note all that Warp makes of one function from now on."""
        typed = self.of(adj, name)
        typed.snippet = snippet
        stack: list[ast.AST] = []
        adj.eval = partial(self._eval, type(adj).eval, adj, typed, stack)
        adj.resolve_call = partial(self._resolve_call, adj.resolve_call, typed, stack)

    def finish(self, adj: Any) -> TypedFunction:
        """Return the notes on one function that is built."""
        typed = self.functions[id(adj)]
        typed.args = tuple((arg.label, self.kind(arg.type)) for arg in adj.args)
        typed.returns = tuple(self.kind(var.type) for var in adj.return_var or ())
        typed.constants = {node: value for node, value in typed.constants.items() if value is not _DIFFERS}
        for node in [node for node in typed.calls if isinstance(node, ast.Expr)]:
            typed.calls[node.value] = typed.calls.pop(node)
        self._resolve_statics(adj, typed)
        return typed

    def _resolve_statics(self, adj: Any, typed: TypedFunction) -> None:
        """Note the constants that Warp has looked up without evaluating the node, as in ``range(N)``."""
        for loop in typed.nodes:
            if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call)):
                continue
            for node in loop.iter.args:
                if node in typed.kinds:
                    continue
                if isinstance(node, ast.Constant):
                    value = node.value
                elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
                    value = ast.literal_eval(node)
                else:
                    value = adj.resolve_static_expression(node)[0]
                    if value is None and isinstance(node, ast.Name):
                        value = adj.func.__globals__.get(node.id)  # a plain number of the module
                if type(value) is int:
                    typed.constants[node], typed.kinds[node] = value, self.kind(int)

    def _eval(self, warps: Any, adj: Any, typed: TypedFunction, stack: list[ast.AST], node: Any) -> Any:
        stack.append(node)
        try:
            result = warps(adj, node)
        finally:
            stack.pop()
        if isinstance(result, wcodegen.Var):
            typed.kinds[node] = self.kind(result.type)
            value = result.constant
            old = typed.constants.setdefault(node, value)
            if old is not value and not _equal(old, value):
                typed.constants[node] = _DIFFERS
        return result

    def _resolve_call(
        self, warps: Any, typed: TypedFunction, stack: list[ast.AST], func: Any, args: Any, *more: Any, **others: Any
    ) -> Any:
        answer = warps(func, args, *more, **others)
        if stack:
            typed.calls.setdefault(stack[-1], []).append(self._called(*answer))
        return answer

    def _called(self, found: Any, bound: Mapping[str, Any], nodes: Mapping[str, Any]) -> Called:
        kinds = {name: self.kind(arg.type) if isinstance(arg, wcodegen.Var) else None for name, arg in bound.items()}
        values: dict[str, Any] = {}
        for name, arg in bound.items():
            value = arg.constant if isinstance(arg, wcodegen.Var) else arg
            if value is not None:
                values[name] = self._mapped(value, bound) if isinstance(value, Function) else self._plain(value)
        given = {name: node for name, node in nodes.items() if isinstance(node, ast.expr)}
        function = None if found.is_builtin() else self.of(found.adj, found.key)
        return Called(found.key, kinds, values, function, given)

    def _mapped(self, op: Any, bound: Mapping[str, Any]) -> Any:
        """Return what is mapped over the tiles, or folds the tile, among the arguments of a call."""
        if op.is_builtin():
            return op.key
        given = [bound[name] for name in ("a", "b") if name in bound] + list(bound.get("args", ()))
        types = [one.type.dtype if is_tile(one.type) else one.type for one in given]
        found = op.get_overload(types if len(types) == len(op.input_types) else types[:1] * 2, {})
        return self.of(found.adj, found.key) if found is not None else op

    def _plain(self, value: Any) -> Any:
        if is_scalar_type(value) or is_composite_type(value) or isinstance(value, Struct):
            return self.kind(value)
        if isinstance(value, (tuple, list)):
            return tuple(self._plain(one.constant if isinstance(one, wcodegen.Var) else one) for one in value)
        return value


def _equal(a: Any, b: Any) -> bool:
    try:
        return type(a) is type(b) and (bool(a == b) or (a != a and b != b))
    except (TypeError, ValueError):
        return False


def _builder_with(notes: _Notes) -> type[warp_adapter.Builder]:
    """Return Warp's builder, which has each function watched before it is built."""

    class Watching(warp_adapter.Builder):
        def build_kernel(self, kernel: Any) -> None:
            notes.watch(kernel.adj, kernel.key)
            super().build_kernel(kernel)

        def build_function(self, func: Any) -> None:
            if func not in self.functions:
                notes.watch(func.adj, func.key, func.native_snippet)
            super().build_function(func)

    return Watching


def typed_kernel(source: str, tree: ast.Module | None = None) -> TypedKernel:
    """Return the kernel of a source with the types of all its expressions.

    Args:
        source: Python text that defines exactly one ``@wp.kernel`` when run in an empty namespace.
        tree: ``ast.parse(source)``, if the caller has it; read only.

    Raises:
        CodegenRejection: as :func:`~builder.codegen.generate`.
    """
    notes = _Notes()
    with warp_adapter.built(parse(source, tree), _builder_with(notes)) as (kernel, builder):
        functions = tuple(notes.finish(function.adj) for function in builder.functions)
        by_hash = {struct.hash: struct for struct in builder.structs}
        structs = tuple(notes.kind(struct) for struct in by_hash.values())
        return TypedKernel(
            kernel=notes.finish(kernel.adj),
            functions=functions,
            structs=tuple(struct for struct in structs if isinstance(struct, Record)),
            launch_dim=kernel.adj.kernel_dim,
            grid_stride=bool(kernel.grid_stride),
        )
