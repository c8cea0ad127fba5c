"""Generic updates and stencils, and concrete kernels that call generic functions."""

from __future__ import annotations

from dataclasses import replace

from ...author import Author, Callee, Scope
from ...fusion import gate, statistic, varied
from ...program import Call
from ...terms import Term, wp
from ...types import DOUBLE, FLOAT, HALF, VEC2, VEC3, VEC4, Value, vec
from .common import MATRICES, SCALARS, VECTORS, element, scale, times


def axpy(k: Author) -> None:
    """Generic vector updates: a x + y, blends, of whatever elements."""
    c = k.c
    T = element(k, SCALARS, VECTORS, MATRICES)
    S = scale(T)
    k.name("generic_axpy|any_update|scale_add|blend_any|combine_any")
    in_place = c.chance(1, 3)
    x = k.input("x|a|src", T)
    y = k.inout("y|b|dst", T) if in_place else k.input("y|b|other", T)
    out = y if in_place else k.output("out|result|z", T)
    s = k.scalar("alpha|s|scale", S)
    k.generic(x, y, out, s)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))

    def mix(f: Scope, a: Term, b: Term, w: Term) -> Term:
        way = f.c.below(3)
        if way == 0:
            return times(f, a, w) + b
        return a - times(f, b - a, w) if way == 1 else times(f, a + b, w)

    words = {"a|u|p": T, "b|v|q": T, "w|t|k0": S}
    if c.chance(1, 2):
        f = k.function("mix|lin|combine", words, mix, generic=tuple(words))
        made = f(x[i], y[i], s)
        for _ in range(c.below(3)):
            made = f(made, x[i] if c.chance(1, 2) else y[i], s)
    else:
        made = mix(k, x[i], y[i], s)
    p = k.let("r|value|res", varied(k, made, 0, 3))
    out[i] = p if c.chance(2, 3) else p + varied(k, x[i], 0, 1)
    statistic(k, p)
    k.summary(f"Updates arrays of any element, here {T.name}, by a generic kernel.")


def _doubled(k: Author, f: Callee, T: Value) -> Callee | None:
    """Add a generic function that calls another with one value twice, perhaps."""
    if not k.c.chance(1, 2):
        return None

    def second(s: Scope, x: Term) -> Term:
        return f(x, x + x) if s.c.chance(1, 2) else f(x + x, -x)

    return k.function("twice|self_join|with_itself", {"x|v|z": T}, second, generic=("x|v|z",))


def functions(k: Author) -> None:
    """Concrete kernels that call generic functions with several types."""
    c = k.c
    k.name("call_generic|mixed_calls|any_functions|reuse_generic|two_types")
    types: list[Value] = c.sample(
        (FLOAT, DOUBLE, VEC3, VEC2, vec(3, DOUBLE), VEC4, HALF, vec(4, DOUBLE)), c.between(2, 3)
    )
    way = c.below(5)

    def body(s: Scope, a: Term, b: Term) -> Term:
        if way == 0:
            return a + b
        if way == 1:
            return a - b
        if way == 2:
            return wp.max(wp.min(a, b), -a)
        return wp.abs(a) - wp.abs(b) if way == 3 else a + (b - a) + b

    words = ("a|u|lo", "b|v|hi")
    f = k.function("join|pair|both", dict.fromkeys(words, types[0]), body, generic=words)
    more = _doubled(k, f, types[0])
    made = []
    i: Term | None = None
    for n, T in enumerate(types):
        array = k.input(("xs|first|p", "ys|second|q", "zs|third|r")[n], T)
        i = i if i is not None else gate(k, k.tid("i|tid|idx"), array.shape(0))
        given = k.let("g|e|cur", varied(k, array[i], 0, 1))
        other = array[(i + c.between(1, 4)) % array.shape(0)]
        value = f(given, varied(k, other, 0, 1))
        value = _retyped(value, T)
        if more is not None and c.chance(1, 2):
            value = _retyped(more(value), T)
        made.append(k.let("w|res|made", varied(k, value, 1, 3)))
    for n, value in enumerate(made):
        k.output(("out_x|ra|first_out", "out_y|rb|second_out", "out_z|rc|third_out")[n], value.type)[i] = value
    statistic(k, made[0])
    k.summary(f"Calls generic functions with {', '.join(t.name for t in types[:-1])} and {types[-1].name}.")


def _retyped(value: Term, T: Value) -> Term:
    """Return the call of a generic function with the type it gives for these arguments."""
    assert isinstance(value.e, Call)
    return Term(replace(value.e, type=T))


def stencil(k: Author) -> None:
    """Generic stencils and copies in one to three dimensions."""
    c = k.c
    T = element(k, SCALARS, VECTORS, MATRICES)
    S = scale(T)
    ndim = c.pick((2, 1, 3))
    k.name("generic_stencil|any_smooth|box_any|shift_any|neighbours_any")
    u = k.input("u|grid|src", T, ndim)
    out = k.output("out|dst|next_u", T, ndim)
    k.generic(u, out)
    index = k.tid(*("i|row|x", "j|col|y", "k0|depth|z")[:ndim])
    places = index if isinstance(index, tuple) else (index,)
    wrap = c.below(3)

    def at(axis: int, offset: int) -> Term:
        n = u.shape(axis)
        if wrap == 0:
            moved = wp.min(places[axis] + offset, n - 1) if offset > 0 else wp.max(places[axis] + offset, 0)
        elif wrap == 1:
            moved = (places[axis] + offset + n) % n
        else:
            moved = wp.clamp(places[axis] + offset, 0, n - 1)
        return u[tuple(moved if m == axis else p for m, p in enumerate(places))]

    total = k.var("total|acc|s", u[index] if c.chance(1, 2) else at(0, 1))
    for axis in c.sample(range(ndim), c.between(1, ndim)):
        reach = c.between(1, 2)
        pair = at(axis, reach) + at(axis, -reach) if c.chance(2, 3) else at(axis, reach) - at(axis, -reach)
        total.set(Term(total.e) + varied(k, pair, 0, 1))
    made = Term(total.e)
    if c.chance(2, 3):
        w = k.scalar("w|rate|alpha", S)
        if c.chance(1, 2):
            k.generic(w)
        made = u[index] + times(k, made - u[index], w) if c.chance(1, 2) else times(k, made, w)
    value = k.let("value|r|res", varied(k, made, 0, 2))
    out[index] = value
    statistic(k, value)
    k.summary(f"Applies a {ndim}-D stencil to a grid of any element, here {T.name}, by a generic kernel.")
