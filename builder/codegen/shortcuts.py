"""Work that Warp repeats for every kernel, done once. The text stays Warp's own, which the golden test proves.

Each is given to the objects of one kernel, never to Warp's classes: a user's own kernels do not notice.

- Warp tries the overloads of a builtin one after the other, binding a signature for each; that is a third of the
  time it takes to build a kernel. The answer depends only on the builtin, on the types of the arguments and on the
  number of outputs, so it is looked up once per combination.
- Warp works out the C++ type of each variable six times.
- Warp asks for a line directive for every line, and without line information there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import warp as wp

Resolve = Callable[[Any, Any, tuple[Any, ...], Mapping[str, Any], Any], Any]

_LIMIT = 20_000


def remembering(resolve: Resolve, plain_types: frozenset[type], array_types: frozenset[type]) -> Callable[..., Any]:
    """Return a replacement for the bound form of ``Adjoint.resolve_func`` with the same results.

    Args:
        resolve: Warp's method; its first argument, the adjoint, is not used by it and given as ``None``.
        plain_types: scalar types and other classes that live as long as the process.
        array_types: classes of array annotations, which overloads tell apart by class, dtype and ndim only.

    Calls of user functions, and calls with an argument of any other kind (structs, functions, tiles,
    tuples), go to Warp every time.
    """
    memo: dict[tuple[Any, ...], Any] = {}

    def token(kind: Any) -> Any:
        """Return a hashable that two types share only if no overload tells them apart, or None."""
        if isinstance(kind, type):
            if kind in plain_types or (getattr(kind, "_wp_scalar_type_", None) in plain_types):
                return kind
        elif type(kind) in array_types:
            dtype = token(kind.dtype)
            return dtype and (type(kind), dtype, kind.ndim)
        return None

    def resolve_func(func: Any, types: tuple[Any, ...], keywords: Mapping[str, Any], min_outputs: Any) -> Any:
        if keywords or not func.is_builtin():
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
