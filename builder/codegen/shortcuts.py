"""Work that Warp repeats for every kernel, done once. The text stays Warp's own, which the golden test proves.

Each is given to the objects of one kernel, never to Warp's classes: a user's own kernels do not notice. Only what
Warp asks of every argument are functions of its module; theirs are put back when the kernel is built.

- Warp tries the overloads of a builtin one after the other, binding a signature for each; that is a third of the
  time it takes to build a kernel. The answer depends only on the builtin, on the types of the arguments and on the
  number of outputs, so it is looked up once per combination.
- Warp binds the arguments of a call to the builtin's signature, and their syntax nodes again. Where all are given
  by position, that is pairing names with them.
- Warp works out the C++ type of each variable six times.
- Warp asks of each argument of a call what kinds of thing it may be, several times, and nearly all are variables.
- Warp looks up which modules a kernel's depends on, to reload it with them; no module of ours is ever reloaded.
- Warp asks for a line directive for every line, and without line information there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from inspect import Parameter
from typing import Any

import warp as wp

from .known_types import Types

Resolve = Callable[[Any, Any, tuple[Any, ...], Mapping[str, Any], Any], Any]

_LIMIT = 20_000


@contextmanager
def asking_quickly(codegen: Any, known: Types) -> Iterator[None]:
    """Have Warp's code generator ask of arguments by the methods of ``known``, which give the same answers."""
    quick = {"get_arg_type": known.of, "get_arg_value": known.value, "strip_reference": known.unreferenced}
    warps = {name: getattr(codegen, name) for name in quick}
    codegen.__dict__.update(quick)
    try:
        yield
    finally:
        codegen.__dict__.update(warps)


def remembering(resolve: Resolve, known: Types) -> Callable[..., Any]:
    """Return a replacement for the bound form of ``Adjoint.resolve_func`` with the same results.

    Args:
        resolve: Warp's method; its first argument, the adjoint, is not used by it and given as ``None``.
        known: the types for which an answer is remembered.

    Calls of user functions, and calls with an argument of any other kind (structs, functions, tuples), go to
    Warp every time. So do constructors of structs, which Warp counts as builtins: they would stay with their structs.
    """
    memo: dict[tuple[Any, ...], Any] = {}
    token = known.token

    def resolve_func(func: Any, types: tuple[Any, ...], keywords: Mapping[str, Any], min_outputs: Any) -> Any:
        if keywords or not _is_lasting(func):
            return resolve(None, func, types, keywords, min_outputs)
        tokens = [token(kind) for kind in types]
        if None in tokens:
            return resolve(None, func, types, keywords, min_outputs)
        key = (func, min_outputs, *tokens)
        found = memo.get(key)
        if found is None:
            found = resolve(None, func, types, keywords, min_outputs)
            if len(memo) >= _LIMIT:
                memo.clear()
            memo[key] = found
        return found

    return resolve_func


def pairing(adj: Any, known: Types) -> Callable[..., Any]:
    """Return a replacement for an adjoint's bound ``resolve_call`` with the same results.

    Calls of user functions, constructors of structs, and calls with an argument by keyword or left to its default,
    go to Warp.
    """
    warps, of = partial(type(adj).resolve_call, adj), known.of

    def resolve_call(
        func: Any,
        args: Any,
        kwargs: Mapping[str, Any],
        type_args: Mapping[str, Any] | None = None,
        min_outputs: Any = None,
        arg_nodes: Any = None,
        kwarg_nodes: Mapping[str, Any] | None = None,
    ) -> Any:
        if not (kwargs or type_args or kwarg_nodes) and _is_lasting(func):
            found = adj.resolve_func(func, tuple([of(arg) for arg in args]), {}, min_outputs)
            names = _positions(found)
            nodes = args if arg_nodes is None else arg_nodes
            if names is not None and len(names) == len(args) == len(nodes):
                pairs = dict(zip(names, args, strict=True))
                return found, pairs, {} if arg_nodes is None else dict(zip(names, nodes, strict=True))
        return warps(func, args, kwargs, type_args, min_outputs, arg_nodes, kwarg_nodes)

    return resolve_call


def _is_lasting(func: Any) -> bool:
    """Say whether a function is a builtin that stays; the constructor of a struct, which goes, is in no namespace."""
    return bool(func.namespace) and func.is_builtin()


@cache
def _positions(builtin: Any) -> tuple[str, ...] | None:
    """Return the names of a builtin's parameters, or None if one is not given by position."""
    params = builtin.signature.parameters
    if any(param.kind is not Parameter.POSITIONAL_OR_KEYWORD for param in params.values()):
        return None
    return tuple(params)


def recording(resolve: Callable[..., Any], calls: set[tuple[str, str]]) -> Callable[..., Any]:
    """Return ``resolve`` (as :func:`remembering` gives it), adding each builtin called to ``calls``.

    An entry is the builtin's name and the type of its first argument that is no truth value, ``""`` where it has none.
    """

    def resolve_func(func: Any, types: tuple[Any, ...], keywords: Mapping[str, Any], min_outputs: Any) -> Any:
        if func.is_builtin():
            first = types[1] if len(types) > 1 and types[0] in _TRUTH else types[0] if types else None
            calls.add((func.key, _word(first)))
        return resolve(func, types, keywords, min_outputs)

    return resolve_func


def _word(kind: Any) -> str:
    """Return a type's name: of an array or a tile its elements', of a reference its value's, or nothing."""
    for name in ("value_type", "dtype"):
        while not isinstance(kind, type) and hasattr(kind, name):
            kind = getattr(kind, name)
    scalar = getattr(kind, "_wp_scalar_type_", None)
    if scalar is None:
        return str(getattr(kind, "__name__", "")) if isinstance(kind, type) else ""
    generic = getattr(kind, "_wp_generic_type_str_", "")
    shape = "".join(map(str, kind._shape_))
    return f"{generic.removesuffix('_t')}{shape}{_SUFFIXES.get(scalar.__name__, '_' + scalar.__name__)}"


_TRUTH = (bool, wp.bool)
# As in Warp's short names.
_SUFFIXES = {
    "float16": "h", "float32": "", "float64": "d", "int8": "b", "uint8": "ub", "int16": "s", "uint16": "us",
    "int32": "i", "uint32": "ui", "int64": "l", "uint64": "ul",
}  # fmt: skip


def formatting(adj: Any, variable: type[Any]) -> Callable[[str, Iterable[Any]], list[str]]:
    """Return a replacement for an adjoint's bound ``format_args`` with the same results, fast for variables."""
    warps = partial(type(adj).format_args, adj)

    def format_args(prefix: str, args: Iterable[Any]) -> list[str]:
        texts = []
        for arg in args:
            if type(arg) is not variable:
                return list(warps(prefix, args))
            texts.append(arg.emit(prefix))
        return texts

    return format_args


def native_value(registered: Collection[type], warps: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a replacement for ``Adjoint.type_contains_native_value``, fast while no native type is registered."""
    return lambda var_type: bool(registered) and warps(var_type)


def no_references(adj: Any) -> None:
    """Stand in for ``Module._find_references`` of a module that goes when its one kernel is generated."""


def no_line_directive(statement: str, line: int | None = None) -> None:
    """Stand in for ``Adjoint.get_line_directive`` when there is no line information."""


def name_types_once(adjoints: Iterable[Any]) -> None:
    """Give the variables of the adjoints of built functions their C++ types."""
    names: dict[int, Callable[..., str]] = {}
    for adj in adjoints:
        for var in (*adj.args, *adj.variables):
            ctype = names.get(id(var.type))
            if ctype is None:
                ctype = names[id(var.type)] = _either(var.ctype(), var.ctype(value_type=True))
            var.ctype = ctype


def _either(plain: str, value: str) -> Callable[..., str]:
    return lambda value_type=False: value if value_type else plain
