"""What stands around a native function in a kernel: the value that goes in, and what is done with what comes out."""

from __future__ import annotations

from ..author import Author
from ..fusion.coefficients import coefficient
from ..fusion.steps import varied
from ..terms import Term, both, cast, number, where
from ..types import DOUBLE, FLOAT, INT, Scalar


def real(k: Author) -> Scalar:
    """Return float32 mostly, or float64."""
    return k.c.weighted({FLOAT: 4, DOUBLE: 1})


def index(k: Author) -> Term:
    """Return the thread's index."""
    return k.tid("i|tid|idx|gid")  # type: ignore[no-any-return]


def element(k: Author, words: str, T: Scalar, i: Term, low: int = 1, high: int = 3) -> Term:
    """Return a local with what a thread works out of its element of an array; zero for threads beyond the end.

    No thread leaves: the others of its block or warp wait for it.
    """
    c, x = k.c, k.input("x|a|values|src|data|samples", T)
    place = i
    way = c.below(4)
    if way == 0:
        place = i % x.shape(0)
    elif way == 1:
        last = k.let("last|end|limit", x.shape(0) - 1)
        place = where(i < last, i, last) if c.chance(1, 2) else k.let("at|place|e", where(i > last, last, i))
    elif way == 2:
        v = k.var("v|val|loaded|mine", number(0, T))
        with k.if_(i < x.shape(0) if c.chance(1, 2) else both(i >= 0, i < x.shape(0))):
            v.set(varied(k, x[i], 0, 1))
        return k.let(words, varied(k, Term(v.e), low, high))  # type: ignore[no-any-return]
    return k.let(words, varied(k, x[place], low, high))  # type: ignore[no-any-return]


def finish(k: Author, value: Term, i: Term, *, own: Term | None = None, low: int = 1, high: int = 3) -> None:
    """Store what came out, perhaps joined with what the thread had, by one thread or by all."""
    c, T = k.c, value.type
    assert isinstance(T, Scalar)
    if own is not None and own.type is T and c.chance(2, 3):
        value = _joined(k, value, own)
    out = k.output("out|result|dst|y|res", T)
    way = c.below(4)
    if way == 0:
        with k.if_(i < out.shape(0)):
            out[i] = varied(k, value, low, high)
    elif way == 1:
        every = c.pick((32, 256, 64))
        with k.if_(i % every == 0):
            k.atomic("add", out, i // every % out.shape(0), varied(k, value, low, high))
    elif way == 2:
        out[i % out.shape(0)] = varied(k, value, low, high)
    else:
        made = k.let("made|r0|final", varied(k, value, low, high))
        with k.if_(both(i >= 0, i < out.shape(0)) if c.chance(1, 2) else out.shape(0) > i):
            out[i] = made


def _joined(k: Author, value: Term, own: Term) -> Term:
    c, T = k.c, value.type
    assert isinstance(T, Scalar)
    if T is INT:
        return c.pick((value + own, value - own, value ^ own))
    way = c.below(4)
    if way == 0:
        return own - value * coefficient(k, T)
    if way == 1:
        return own * value
    if way == 2:
        return own / (value * value + coefficient(k, T))
    return value + own * cast(number(c.between(2, 9) / 4), T)
