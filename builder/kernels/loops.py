"""Loops over a range of whole numbers in the forms programmers write; values that bound a type; types drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from .author import Scope
from .program import Literal
from .terms import Like, Term, lift, number
from .types import INT, Scalar, Value


@contextmanager
def over(k: Scope, words: str, first: Like, stop: Term, *, back: bool = True) -> Iterator[Term]:
    """Write a loop over ``first <= j < stop`` in one of several forms; gives the counter.

    Args:
        k: the scope.
        words: alternatives for the counter's name.
        first: the first value.
        stop: the value behind the last.
        back: whether the order may be reversed.
    """
    way = k.c.weighted({"for": 6, "while": 2, "back": 1 if back else 0})
    start = lift(first, INT)
    if way == "while":
        j = k.var(words, Term(start))
        with k.while_(j < stop):
            yield Term(j.e)
            j += 1
    elif way == "back":
        with k.for_(words, stop - 1, Term(start) - 1 if not _is(start, 0) else number(-1, INT), step=-1) as counter:
            yield counter
    elif _is(start, 0):
        with k.for_(words, stop) as counter:
            yield counter
    else:
        with k.for_(words, Term(start), stop) as counter:
            yield counter


def _is(start: object, value: int) -> bool:
    return isinstance(start, Literal) and start.value == value


def huge(type_: Scalar) -> Term:
    """Return a number above all that kernels work with, of a numeric type."""
    if type_.is_float:
        return number(6.0e4 if type_.bits == 16 else 1.0e30, type_)
    return number(min((1 << (type_.bits - 1)) - 1, 2**31 - 1), type_)


def lowest(type_: Scalar) -> Term:
    """Return a number below all that kernels work with, of a numeric type; 0 for an unsigned one."""
    if type_.is_float:
        return number(-6.0e4 if type_.bits == 16 else -1.0e30, type_)
    return number(max(-(1 << (type_.bits - 1)), -(2**31) + 1) if type_.signed else 0, type_)


def one_type(k: Scope, *types: Value) -> Value:
    """Return one of some types, each as likely, the first being the simplest."""
    return k.c.pick(types)


def weighted_type(k: Scope, weights: Mapping[Value, int]) -> Value:
    """Return one of some types with likelihood in proportion to its weight."""
    return k.c.weighted(weights)
