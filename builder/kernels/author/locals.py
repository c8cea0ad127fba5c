"""Locals, arrays and tiles as terms that can be assigned to, and functions as what can be called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..program import (
    Assign,
    Call,
    Expr,
    Extent,
    Load,
    Name,
    Put,
    Store,
    Word,
)
from ..terms import Like, Term, lift
from ..types import FLOAT, INT, Array, Scalar, Tile, Value, scalar_of

if TYPE_CHECKING:
    from .statements import Statements


class Var(Term):
    """A local that changes: ``acc += x`` and ``acc.set(x)`` are statements of its scope."""

    __slots__ = ("_scope", "name")

    def __init__(self, scope: Statements, name: str, type_: Value) -> None:
        super().__init__(Name(name, type_))
        self._scope = scope
        self.name = name

    def set(self, value: Like) -> None:
        """Emit ``name = value``."""
        self._assign("", value)

    def _assign(self, symbol: str, value: Like) -> Var:
        self._scope.draft.emit(Assign(self.name, lift(value, self.type), symbol))
        return self

    def __iadd__(self, value: Like) -> Var:
        return self._assign("+", value)

    def __isub__(self, value: Like) -> Var:
        return self._assign("-", value)

    def __imul__(self, value: Like) -> Var:
        return self._assign("*", value)

    def __itruediv__(self, value: Like) -> Var:
        return self._assign("/", value)

    def __ixor__(self, value: Like) -> Var:
        return self._assign("^", value)

    def __ior__(self, value: Like) -> Var:
        return self._assign("|", value)

    def __iand__(self, value: Like) -> Var:
        return self._assign("&", value)


class Arr(Term):
    """An array or a tile by name: ``a[i, j]`` reads an element, ``a[i, j] = v`` stores one, ``a[i]`` may be a view."""

    __slots__ = ("_scope", "name")

    def __init__(self, scope: Statements, name: str, type_: Array | Tile) -> None:
        super().__init__(Name(name, type_))
        self._scope = scope
        self.name = name

    def shape(self, axis: int) -> Term:
        """Return ``name.shape[axis]``."""
        return Term(Extent(self.name, axis))

    def __getitem__(self, index: Like) -> Term:
        places, type_ = places_of(index), self.type
        assert isinstance(type_, (Array, Tile))
        ndim = type_.ndim if isinstance(type_, Array) else len(type_.shape)
        kept = ndim - len(places) + sum(isinstance(k, slice) for k in as_tuple(index))
        if kept < 0:
            raise TypeError(f"{self.name} has {ndim} dimensions, not {len(places)}")
        if kept and isinstance(type_, Tile):
            raise TypeError(f"give one index for each dimension of the tile {self.name}")
        element = Array(type_.dtype, kept) if kept else type_.dtype
        return Term(Load(self.name, places, element))

    def __setitem__(self, index: Like, value: Like) -> None:
        places, type_ = places_of(index), self.type
        assert isinstance(type_, (Array, Tile))
        stored = lift(value, type_.dtype) if not isinstance(value, Term) else value.e
        if stored.type != type_.dtype:
            raise TypeError(f"{self.name} holds {type_.dtype.name}, not {stored.type.name}")
        if isinstance(type_, Tile):
            self._scope.draft.emit(Put(Load(self.name, places, type_.dtype), stored))
        else:
            self._scope.draft.emit(Store(self.name, places, stored))

    def add_at(self, index: Like, value: Like) -> None:
        """Emit ``name[index] += value``, which Warp makes atomic for an array."""
        self._scope.atomic("add", self, index, value, augmented=True)


class Tiled(Arr):
    """A tile by name: elements and slices as of :class:`Arr`, and ``t += u`` are statements of its scope."""

    __slots__ = ()

    def __getitem__(self, index: Like) -> Term:
        type_, given = self.type, as_tuple(index)
        assert isinstance(type_, Tile)
        if len(given) > len(type_.shape):
            raise TypeError(f"{self.name} has {len(type_.shape)} dimensions, not {len(given)}")
        lengths = [len(range(n)[k]) for n, k in zip(type_.shape, given, strict=False) if isinstance(k, slice)]
        shape = (*lengths, *type_.shape[len(given) :])
        return Term(Load(self.name, places_of(index), Tile(type_.dtype, shape) if shape else type_.dtype))

    def _assign(self, symbol: str, value: Like) -> Tiled:
        given = lift(value, self.type)
        if given.type != self.type:
            raise TypeError(f"{self.name} is {self.type.text}, not {given.type.text}")
        self._scope.draft.emit(Assign(self.name, given, symbol))
        return self

    def set(self, value: Like) -> None:
        """Emit ``name = value``."""
        self._assign("", value)

    def __iadd__(self, value: Like) -> Tiled:
        return self._assign("+", value)

    def __isub__(self, value: Like) -> Tiled:
        return self._assign("-", value)

    def __iand__(self, value: Like) -> Tiled:
        return self._assign("&", value)

    def __ior__(self, value: Like) -> Tiled:
        return self._assign("|", value)

    def __ixor__(self, value: Like) -> Tiled:
        return self._assign("^", value)


def as_tuple(index: Like) -> tuple[Like, ...]:
    """Return an index of one or several parts as a tuple."""
    return index if isinstance(index, tuple) else (index,)


def places_of(index: Like) -> tuple[Expr, ...]:
    """Return an index as expressions."""
    return tuple(lift(k, INT) for k in as_tuple(index))


class Callee:
    """One of the program's own functions: called, it gives a term."""

    def __init__(self, name: str, result: Value | None, count: int, optional: int = 0) -> None:
        self.name, self.result, self._count, self._optional = name, result, count, optional

    def gradient(self) -> Callee:
        """Return ``wp.grad(name)``: the derivative of a function of one parameter and one result."""
        return Callee(f"wp.grad({self.name})", self.result, self._count)

    @property
    def word(self) -> Term:
        """The function itself as an argument; its type is what it gives."""
        assert self.result is not None
        return Term(Word(self.name, self.result))

    def __call__(self, *args: Like) -> Term:
        if not self._count - self._optional <= len(args) <= self._count:
            raise TypeError(f"{self.name} takes {self._count} arguments, not {len(args)}")
        like = next((scalar_of(a.type) for a in args if isinstance(a, Term) and isinstance(a.type, Scalar)), FLOAT)
        given = tuple(lift(arg, like) for arg in args)
        return Term(Call(self.name, given, self.result if self.result is not None else INT))
