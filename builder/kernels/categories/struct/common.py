"""Reading and building values of structs by the place of a field."""

from __future__ import annotations

from ...author import Scope
from ...terms import Term, make
from ...types import Struct


def at(value: Term, n: int) -> Term:
    """Return field ``n`` of a struct's value."""
    type_ = value.type
    assert isinstance(type_, Struct)
    return getattr(value, type_.fields[n][0])  # type: ignore[no-any-return]


def fill(k: Scope, words: str, struct: Struct, *values: Term) -> Term:
    """Return a new struct with these fields, by one of the two ways to write it."""
    if k.c.chance(1, 2):
        return k.let(words, make(struct, *values))  # type: ignore[no-any-return]
    made = k.new(words, struct)
    for n, value in enumerate(values):
        k.put(at(made, n), value)
    return made
