"""Typed expressions in Python's own notation.

A :class:`Term` holds an expression; its operators and the functions of :data:`wp` look the operation up in the ops
table, so what does not type-check cannot be written down.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from .ops import Op, op
from .ops.special import SPECIALS, special_op
from .ops.tile_math import tile_negation, tile_operator
from .program import Apply, Expr, Field, Items, Literal, Name, Part, Span, Word
from .types import (
    BOOL,
    FLOAT,
    INT,
    Array,
    Mat,
    Opaque,
    Quat,
    Scalar,
    Struct,
    Tile,
    Transform,
    Value,
    Vec,
    mat,
    quat,
    scalar_of,
    vec,
)

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
        return _literal(value, like)
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


def _literal(value: float, like: Value) -> Literal:
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


def both(*terms: Term) -> Term:
    """Return ``a and b and ...``."""
    return _joined("and", terms)


def either(*terms: Term) -> Term:
    """Return ``a or b or ...``."""
    return _joined("or", terms)


def no(term: Term) -> Term:
    """Return ``not a``."""
    return Term(Apply(op("not", BOOL), (term.e,)))


def _joined(symbol: str, terms: tuple[Term, ...]) -> Term:
    whole = terms[0]
    for term in terms[1:]:
        whole = Term(Apply(op(symbol, BOOL, BOOL), (whole.e, term.e)))
    return whole


def number(value: float, type_: Scalar = FLOAT) -> Term:
    """Return a literal of a scalar type."""
    return Term(_literal(value, type_))


def cast(value: Term, type_: Scalar) -> Term:
    """Return a value converted to another scalar type; the value itself where it has that type."""
    if value.type is type_:
        return value
    if isinstance(value.e, Literal) and type_ is not BOOL:
        return number(value.e.value, type_)
    return Term(Apply(op(type_.text, value.type, result=type_), (value.e,)))


@cache
def _constructor(type_: Value, params: tuple[Value, ...]) -> Op:
    return Op(type_.text, params, type_, "make", f"{type_.name} construction")


def make(type_: Value, *parts: Like) -> Term:
    """Return ``type_(parts...)``: a vector, matrix, quaternion, transform or struct (by fields); zero without parts."""
    if isinstance(type_, Struct):
        likes = [kind for _, kind in type_.fields][: len(parts)]
        args = tuple(lift(part, like) for part, like in zip(parts, likes, strict=True))
    else:
        args = tuple(lift(part, scalar_of(type_)) for part in parts)
    params = tuple(arg.type for arg in args)
    try:
        return Term(Apply(op(type_.text, *params, result=type_), args))
    except KeyError:
        _check_parts(type_, params)
        return Term(Apply(_constructor(type_, params), args))


def _check_parts(type_: Value, params: tuple[Value, ...]) -> None:
    sizes = {0, 1}
    if isinstance(type_, Vec):
        sizes = {0, type_.n} if type_.n == 6 and not type_.alias else {0, 1, type_.n}  # spatial vectors: not of one
    elif isinstance(type_, Mat):
        sizes.add(type_.rows * type_.cols)
    elif isinstance(type_, Struct):
        if params and params != tuple(kind for _, kind in type_.fields):
            raise TypeError(f"{type_.name}() takes nothing or its fields in order")
        return
    if len(params) not in sizes or any(param is not scalar_of(type_) for param in params):
        raise TypeError(f"no {type_.name} of {', '.join(p.name for p in params)}")


def zero(type_: Value) -> Term:
    """Return the zero of a type."""
    return number(0, type_) if isinstance(type_, Scalar) else make(type_)


def identity(type_: Mat | Quat | Transform) -> Term:
    """Return the identity of a square matrix type, a quaternion or a transform."""
    name = {Mat: "identity", Quat: "quat_identity", Transform: "transform_identity"}[type(type_)]
    return Term(Apply(op(f"wp.{name}", result=type_), ()))


def quoted(text: str) -> Term:
    """Return a string as an argument."""
    return Term(Word(f'"{text}"'))


def builtin(name: str, *params: Value) -> Term:
    """Return ``wp.<name>`` as an argument that is a function; its type is what it gives on these types.

    Raises:
        KeyError: the table has no such function on these types.
    """
    return Term(Word(f"wp.{name}", op(f"wp.{name}", *params).result))


def where(test: Term, yes: Like, otherwise: Like) -> Term:
    """Return ``wp.where(test, yes, otherwise)``."""
    like = yes.type if isinstance(yes, Term) else otherwise.type
    a, b = lift(yes, like), lift(otherwise, like)
    return Term(Apply(op("wp.where", BOOL, a.type, b.type), (test.e, a, b)))


def _builtin(name: str, *args: Like, **keywords: Like) -> Term:
    """Return a call of ``wp.<name>``."""
    like = next((arg.type for arg in args if isinstance(arg, Term) and _has_scalar(arg.type)), INT)
    if name in SPECIALS:
        given = tuple(lift(arg, like) for arg in args)
        named = tuple((key, lift(value, INT)) for key, value in keywords.items())
        return Term(Apply(special_op(name, given, dict(named)), given, named))
    exprs = _fitting(f"wp.{name}", args, like)
    return Term(Apply(op(f"wp.{name}", *(arg.type for arg in exprs)), exprs))


def _fitting(symbol: str, args: tuple[Like, ...], like: Value) -> tuple[Expr, ...]:
    """Return the arguments, their numbers of the type of the others, or else float and int."""
    failure: Exception | None = None
    for scalar in (like, None):
        try:
            exprs = tuple(lift(arg, scalar or (FLOAT if isinstance(arg, float) else INT)) for arg in args)
            op(symbol, *(arg.type for arg in exprs))
        except (KeyError, TypeError) as error:
            failure = failure or error
        else:
            return exprs
    assert failure is not None
    raise failure


def _has_scalar(type_: Value) -> bool:
    return isinstance(type_, (Scalar, Vec, Mat, Quat, Transform, Tile, Array)) and (
        not isinstance(type_, (Tile, Array)) or _has_scalar(type_.dtype)
    )


class _Builtins:
    """``wp.<builtin>(...)`` as a term."""

    def __getattr__(self, name: str) -> Callable[..., Term]:
        return partial(_builtin, name)


wp = _Builtins()


def constant_value(term: Expr) -> int:
    """Return the value of an expression that must be known when the program is drawn: a literal, a constant.

    Raises:
        ValueError: it is not known.
    """
    if isinstance(term, Literal):
        return int(term.value)
    if isinstance(term, Name) and term.value is not None:
        return int(term.value)
    raise ValueError(f"{term!r} must be a literal or a constant of the module")
