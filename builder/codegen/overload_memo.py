"""Remembers which overload of a Warp builtin a call resolves to.

Warp tries the overloads of a builtin one after the other, binding a signature for each; that is a third
of the time it takes to build a kernel. The answer depends only on the builtin, on the types of the
arguments and on the number of outputs, so it is looked up once per combination.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
