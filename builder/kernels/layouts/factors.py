"""Named numbers of an algorithm's domain: arguments, constants of the module, literals."""

from __future__ import annotations

from collections.abc import Sequence

from ..author import Author, Scope
from ..program import Name
from ..terms import Like, Term, no, number, where, wp
from ..types import DOUBLE, FLOAT, INT, Scalar

_MAX_SCALARS = 9


def precise(k: Author) -> Scalar:
    """Return float32, or now and then float64."""
    return k.c.weighted({FLOAT: 4, DOUBLE: 1})


def factor(k: Scope, words: str, type_: Scalar, low: int = 5, high: int = 300) -> Term:
    """Return a positive number known by ``words``: an argument, a constant of the module or a literal of hundredths."""
    c = k.c
    way = c.weighted({"argument": 4, "constant": 2, "literal": 2})
    value = c.between(low, high) / 100
    if way == "argument" and isinstance(k, Author) and k.scalar_count < _MAX_SCALARS:
        return k.scalar(words, type_)
    if way == "constant":
        return k.constant(words.upper(), value, type_)
    return number(value, type_)


def divisor(k: Scope, words: str, type_: Scalar, low: int = 20, high: int = 300) -> Term:
    """Return a positive number that may divide: as :func:`factor`, an argument held away from zero."""
    value = factor(k, words, type_, low, high)
    if isinstance(value.e, Name) and value.e.value is None:
        name = value.e.name
        return let(k, f"{name}_safe|safe_{name}", wp.max(value, 1.0e-2))
    return value


def kept(k: Scope, words: str, value: Term) -> Term:
    """Return a term that may be repeated: a name as it is, anything else in a local."""
    return value if isinstance(value.e, Name) else let(k, words, value)


def random_state(k: Author, i: Term) -> Term:
    """Return the state of the random numbers of thread ``i``, by one of two ways to seed it."""
    seed = k.scalar("seed|rng_seed|key", INT)
    if k.c.chance(1, 3):
        return let(k, "state|rng|rand_state", wp.rand_init(seed + i * k.c.pick((17, 7919, 101))))
    return let(k, "state|rng|rand_state", wp.rand_init(seed, i))


def switch(k: Scope, words: str, test: Term, yes: Term, otherwise: Term) -> Term:
    """Return ``yes`` where a test holds and else ``otherwise``: selected, or assigned in branches."""
    way = k.c.below(3)
    if way == 0:
        return where(test, yes, otherwise)
    if way == 1:
        x = k.var(words, otherwise)
        with k.if_(test):
            x.set(yes)
        return Term(x.e)
    x = k.var(words, yes)
    with k.if_(no(test)):
        x.set(otherwise)
    return Term(x.e)


def chain_of(k: Scope, words: str, terms: Sequence[Term]) -> Term:
    """Return the sum of some terms: one expression, or added to a local one by one, in either order."""
    ordered = list(terms)
    if k.c.chance(1, 3):
        ordered.reverse()
    if k.c.chance(1, 2):
        whole = ordered[0]
        for term in ordered[1:]:
            whole = whole + term
        return whole
    acc = k.var(words, ordered[0])
    for term in ordered[1:]:
        acc += term
    return Term(acc.e)


def let(k: Scope, words: str, value: Like) -> Term:
    """Emit ``name = value``; return the local, known to be a term."""
    made = k.let(words, value)
    assert isinstance(made, Term)
    return made
