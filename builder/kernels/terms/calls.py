"""Calls: of Warp's functions, and the logic of tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..ops import op
from ..ops.special import SPECIALS, special_op
from ..program import Apply, Expr, Word
from ..types import BOOL, FLOAT, INT, Array, Mat, Quat, Scalar, Tile, Transform, Value, Vec
from .term import Like, Term, lift


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
