"""Which threads work, on which element, and what figure is kept of it."""

from __future__ import annotations

from ..author import Author
from ..terms import Term, both, cast, number, where, wp
from ..types import FLOAT, INT, Scalar
from .coefficients import coefficient


def gate(k: Author, i: Term, length: Term) -> Term:
    """Return the element that thread ``i`` works on, after a drawn test of whether it works at all.

    Args:
        k: the kernel, right after its thread indices.
        i: a thread index.
        length: how many elements there are; what is returned is below it wherever ``i`` is.
    """
    c = k.c
    way = c.weighted({"all": 4, "bound": 2, "mask": 1, "list": 1, "every": 1, "window": 1, "reversed": 1, "offset": 1})
    if way == "bound":
        with k.if_(i >= (k.scalar("n|count|size", INT) if c.chance(1, 2) else length)):
            k.leave()
    elif way == "mask":
        mask = k.input("mask|active|enabled|flags", INT)
        with k.if_(mask[i] == c.below(2)):
            k.leave()
    elif way == "list":
        indices = k.input("indices|active_ids|order|perm", INT)
        return k.let("e|src|slot|item", wp.clamp(indices[i], 0, length - 1))  # type: ignore[no-any-return]
    elif way == "every":
        with k.if_(i % c.between(2, 5) == 0 if c.chance(1, 2) else (i & 1) == 1):
            k.leave()
    elif way == "window":
        first, last = k.scalar("first|start|lo", INT), k.scalar("last|stop|hi", INT)
        if c.chance(1, 2):
            with k.if_(i < first):
                k.leave()
            with k.if_(i >= last):
                k.leave()
        else:
            with k.if_(no_work(i, first, last)):
                k.leave()
    elif way == "reversed":
        return k.let("r|rev|mirror", length - 1 - i)  # type: ignore[no-any-return]
    elif way == "offset":
        return k.let("e|pos|slot", (i + k.scalar("offset|shift|base", INT)) % length)  # type: ignore[no-any-return]
    return i


def no_work(i: Term, first: Term, last: Term) -> Term:
    """Return whether ``i`` lies outside ``[first, last)``."""
    return where(both(i >= first, i < last), number(0, INT), number(1, INT)) == 1


def statistic(k: Author, value: Term) -> None:
    """Perhaps keep a figure of the value of every thread: a sum, an extreme, a count, a histogram."""
    c, type_ = k.c, value.type
    if not isinstance(type_, Scalar) or type_.bits < 32:
        return
    way = c.weighted({"none": 5, "sum": 1, "extreme": 1, "count": 1, "histogram": 1})
    if way == "sum":
        total = k.output("total|sum_out|energy|norm", type_)
        total.add_at(0, value) if c.chance(1, 2) else k.atomic("add", total, 0, value)
    elif way == "extreme":
        k.atomic(c.pick(("max", "min")), k.output("peak|bound|extreme", type_), 0, value)
    elif way == "count" and type_.is_float:
        counter = k.output("hits|count_out|events", INT)
        with k.if_(value > coefficient(k, type_)):
            k.atomic("add", counter, 0, 1)
    elif way == "histogram" and type_ is FLOAT:
        bins = k.output("hist|bins|buckets", INT)
        scaled = wp.clamp(value * number(c.pick((4.0, 10.0, 16.0))), 0.0, 1.0e6)
        place = k.let("b|bin|slot", wp.min(cast(scaled, INT), bins.shape(0) - 1))
        bins.add_at(place, 1)
