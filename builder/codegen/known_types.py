"""Types and arguments of which Warp's answers are known without asking Warp."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Types:
    """Warp's types that may be taken for themselves, and the classes that hold them.

    Attributes:
        plain: scalar types and other classes that live as long as the process.
        arrays: classes of array annotations, which overloads tell apart by class, dtype and ndim only.
        tile: the class of tiles, which overloads tell apart by dtype only.
        variable, reference: the classes of variables and of references to values.
        of_argument, value_of, plainly: Warp's functions that give the type of an argument, its value, and what a
            reference refers to.
    """

    plain: frozenset[type]
    arrays: frozenset[type]
    tile: type[Any]
    variable: type[Any]
    reference: type[Any]
    of_argument: Callable[[Any], Any]
    value_of: Callable[[Any], Any]
    plainly: Callable[[Any], Any]

    def of(self, argument: Any) -> Any:
        """Return what ``of_argument`` does, which asks nine questions of a variable of a common type."""
        if type(argument) is self.variable:
            kind = argument.type
            if type(kind) is self.reference:
                kind = kind.value_type
            if type(kind) in self.arrays or self._is_common(kind):
                return kind
        return self.of_argument(argument)

    def value(self, argument: Any) -> Any:
        """Return what ``value_of`` does: of a variable, its constant or itself."""
        if type(argument) is self.variable:
            kind = argument.type
            if type(kind) in self.arrays or self._is_common(kind):
                return argument if argument.constant is None else argument.constant
        return self.value_of(argument)

    def unreferenced(self, argument: Any) -> Any:
        """Return what ``plainly`` does: nearly all that it is asked of are variables and types."""
        kind = type(argument)
        if kind is self.variable or isinstance(argument, type) or kind in self.arrays:
            return argument
        return argument.value_type if kind is self.reference else self.plainly(argument)

    def token(self, kind: Any) -> Any:
        """Return a hashable that two types share only if no overload tells them apart, or None."""
        if self._is_common(kind):
            return kind
        if type(kind) in self.arrays:
            dtype = self.token(kind.dtype)
            return dtype and (type(kind), dtype, kind.ndim)
        if type(kind) is self.tile:
            dtype = self.token(kind.dtype)
            return dtype and (self.tile, dtype)
        return None

    def _is_common(self, kind: Any) -> bool:
        return isinstance(kind, type) and (kind in self.plain or getattr(kind, "_wp_scalar_type_", None) in self.plain)
