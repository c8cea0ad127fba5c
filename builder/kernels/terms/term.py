"""A term and its operators; values of Python lifted to expressions."""

from __future__ import annotations

from typing import Any

from ..ops import op
from ..ops.tile_math import tile_negation, tile_operator
from ..program import Apply, Expr, Field, Items, Literal, Part, Span, Word
from ..types import BOOL, INT, Mat, Opaque, Quat, Scalar, Struct, Tile, Transform, Value, Vec, mat, quat, scalar_of, vec

Like = Any  # a Term, a number, a truth value or a tuple of those


class Term:
    """An expression with operators. Numbers beside it take its scalar type; nothing else is converted."""

    __slots__ = ("e",)
    e: Expr

    def __init__(self, e: Expr) -> None:
        self.e = e

    @property
    def type(self) -> Value:
        """The expression's type."""
        return self.e.type

    def __repr__(self) -> str:
        return f"Term({self.e!r})"

    def __bool__(self) -> bool:
        raise TypeError("a term is known only when the kernel runs; use where(), both(), either() or if_()")

    def __add__(self, other: Like) -> Term:
        return _infix("+", self, other)

    def __radd__(self, other: Like) -> Term:
        return _infix("+", other, self)

    def __sub__(self, other: Like) -> Term:
        return _infix("-", self, other)

    def __rsub__(self, other: Like) -> Term:
        return _infix("-", other, self)

    def __mul__(self, other: Like) -> Term:
        return _infix("*", self, other)

    def __rmul__(self, other: Like) -> Term:
        return _infix("*", other, self)

    def __truediv__(self, other: Like) -> Term:
        return _infix("/", self, other)

    def __rtruediv__(self, other: Like) -> Term:
        return _infix("/", other, self)

    def __floordiv__(self, other: Like) -> Term:
        return _infix("//", self, other)

    def __mod__(self, other: Like) -> Term:
        return _infix("%", self, other)

    def __and__(self, other: Like) -> Term:
        return _infix("&", self, other)

    def __or__(self, other: Like) -> Term:
        return _infix("|", self, other)

    def __xor__(self, other: Like) -> Term:
        return _infix("^", self, other)

    def __lshift__(self, other: Like) -> Term:
        return _infix("<<", self, other)

    def __rshift__(self, other: Like) -> Term:
        return _infix(">>", self, other)

    def __lt__(self, other: Like) -> Term:
        return _infix("<", self, other)

    def __le__(self, other: Like) -> Term:
        return _infix("<=", self, other)

    def __gt__(self, other: Like) -> Term:
        return _infix(">", self, other)

    def __ge__(self, other: Like) -> Term:
        return _infix(">=", self, other)

    def __eq__(self, other: Like) -> Term:  # type: ignore[override]
        return _infix("==", self, other)

    def __ne__(self, other: Like) -> Term:  # type: ignore[override]
        return _infix("!=", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Term:
        if isinstance(self.type, Tile):
            return Term(Apply(tile_negation(self.type), (self.e,)))
        return Term(Apply(op("neg", self.type), (self.e,)))

    def __invert__(self) -> Term:
        return Term(Apply(op("~", self.type), (self.e,)))

    def __getitem__(self, index: Like) -> Term:
        """Return a component of a vector, quaternion, transform or matrix, a row of a matrix (one index), a slice.

        Slices have constant ends: ``v[0:2]`` is a shorter vector, ``m[:, 0]`` a column.
        """
        places = index if isinstance(index, tuple) else (index,)
        if any(isinstance(k, slice) for k in places):
            return Term(Part(self.e, tuple(lift(k, INT) for k in places), _sliced(self.type, places)))
        places = tuple(k if isinstance(k, int) else lift(k, INT) for k in places)
        type_ = self.type
        if isinstance(type_, Mat) and len(places) == 1:
            return Term(Part(self.e, places, vec(type_.cols, type_.dtype)))
        if isinstance(type_, (Vec, Quat, Transform, Mat)):
            return Term(Part(self.e, places, type_.dtype))
        raise TypeError(f"a {type_.name} has no components; let() it first if it is an array or a tile")

    def __getattr__(self, name: str) -> Term:
        """Return a field of a struct or of a query's result; x, y, z, w of a vector; p and q of a transform."""
        if not name.startswith("__") and (found := _attribute(self.type, name)) is not None:
            return Term(Field(self.e, name, found))
        if name.startswith("__") or not isinstance(self.type, (Struct, Opaque)):
            raise AttributeError(f"{self.e!r} has no attribute {name!r}")
        try:
            return Term(Field(self.e, name, self.type.field(name)))
        except KeyError:
            raise AttributeError(f"{self.type.name} has no field {name!r}") from None


def _attribute(type_: Value, name: str) -> Value | None:
    """Return the type of what Warp gives by name of a vector, quaternion or transform; None if it gives none."""
    if isinstance(type_, Transform):
        parts: dict[str, Value] = {"p": vec(3, type_.dtype), "q": quat(type_.dtype)}
        return parts.get(name)
    if isinstance(type_, (Vec, Quat)) and name in tuple("xyzw"[: type_.n if isinstance(type_, Vec) else 4]):
        return type_.dtype
    return None


def _sliced(type_: Value, places: tuple[Like, ...]) -> Value:
    if isinstance(type_, Vec) and len(places) == 1:
        return vec(len(range(*places[0].indices(type_.n))), type_.dtype)
    if isinstance(type_, Mat) and len(places) <= 2:
        axes = zip((*places, slice(None))[:2], (type_.rows, type_.cols), strict=True)
        sizes = [len(range(*k.indices(n))) for k, n in axes if isinstance(k, slice)]
        return vec(sizes[0], type_.dtype) if len(sizes) == 1 else mat(sizes[0], sizes[1], type_.dtype)
    raise TypeError(f"a {type_.name} has no slices of {len(places)} dimensions")


def lift(value: Like, like: Value = INT) -> Expr:
    """Return a value as an expression; numbers take the scalar type of ``like``.

    Raises:
        TypeError: a fraction beside an integer, or nothing that can stand in a kernel.
    """
    if isinstance(value, Term):
        return value.e
    if isinstance(value, bool):
        return Literal(value, BOOL)
    if isinstance(value, (int, float)):
        return literal(value, like)
    if isinstance(value, tuple):
        return Items(tuple(lift(item, INT) for item in value))
    if isinstance(value, slice):
        ends = [None if end is None else lift(end, INT) for end in (value.start, value.stop)]
        return Span(ends[0], ends[1], value.step)
    if isinstance(value, str):
        return Word(value)
    if isinstance(value, (Scalar, Vec, Mat, Quat, Transform, Struct)):
        return Word(value.text, value)
    raise TypeError(f"{value!r} cannot stand in a kernel")


def literal(value: float, like: Value) -> Literal:
    """Return a number as a literal of the scalar type of ``like``.

    Raises:
        TypeError: a fraction beside an integer.
    """
    scalar = scalar_of(like)
    if scalar.is_float:
        return Literal(float(value), scalar)
    if isinstance(value, float):
        raise TypeError(f"the fraction {value} beside a {like.name}; cast one of them")
    return Literal(value, scalar if scalar.is_int else INT)


def _infix(symbol: str, left: Like, right: Like) -> Term:
    like = left.type if isinstance(left, Term) else right.type
    if isinstance(left, Term) and isinstance(right, Term):
        a, b = left.e, right.e
    else:
        a, b = lift(left, like), lift(right, like)
    if isinstance(a.type, Tile) or isinstance(b.type, Tile):
        return Term(Apply(tile_operator(symbol, a.type, b.type), (a, b)))
    return Term(Apply(op(symbol, a.type, b.type), (a, b)))
