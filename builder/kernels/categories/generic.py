"""generic: functions and kernels whose types are ``Any``, given by the call or by ``wp.overload``."""

from __future__ import annotations

from dataclasses import replace

from ..author import Author, Scope
from ..families import one_of
from ..fusion import gate, statistic, varied
from ..program import Call
from ..terms import Term, number, where, wp
from ..types import (
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    INT64,
    QUAT,
    TRANSFORM,
    UINT,
    VEC2,
    VEC3,
    VEC4,
    Mat,
    Scalar,
    Transform,
    Value,
    Vec,
    mat,
    vec,
)

_SCALARS = (FLOAT, DOUBLE, HALF, INT, UINT, INT64)
_VECTORS = (VEC3, VEC2, VEC4, vec(3, DOUBLE), vec(3, HALF), vec(5), vec(2, DOUBLE), vec(4, INT), vec(6))
_MATRICES = (mat(3, 3), mat(2, 2), mat(4, 4), mat(3, 3, DOUBLE), mat(2, 3), mat(3, 4))
_ROTATIONS = (QUAT, TRANSFORM)


def _element(k: Author, *kinds: tuple[Value, ...]) -> Value:
    """Return a type to give a generic parameter."""
    return k.c.pick(k.c.pick(kinds))


def _scale(T: Value) -> Scalar:
    return T if isinstance(T, Scalar) else T.dtype  # type: ignore[union-attr,return-value]


def _times(k: Scope, v: Term, w: Term) -> Term:
    """Return the product of a value and a scalar, in either order where Warp knows both."""
    return v * w if k.c.chance(2, 3) or v.type is w.type else w * v


def _axpy(k: Author) -> None:
    """Generic vector updates: a x + y, blends, of whatever elements."""
    c = k.c
    T = _element(k, _SCALARS, _VECTORS, _MATRICES)
    S = _scale(T)
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
            return _times(f, a, w) + b
        return a - _times(f, b - a, w) if way == 1 else _times(f, a + b, w)

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


def _reduce(k: Author) -> None:
    """Generic reductions of rows: sums, extremes, products, of whatever scalars or vectors."""
    c = k.c
    T = _element(k, _SCALARS, _VECTORS)
    k.name("generic_rows|any_reduce|row_fold|fold_any|reduce_any")
    x = k.input("x|rows|a", T, 2)
    out = k.output("out|result|folded", T)
    k.generic(x, out)
    start = k.scalar("start|init|base", T) if c.chance(1, 2) else None
    if start is not None:
        k.generic(start)
    i = gate(k, k.tid("i|tid|row"), x.shape(0))
    way = c.below(4 if not isinstance(T, Mat) else 2)

    def fold(f: Scope, a: Term, b: Term) -> Term:
        if way == 0:
            return a + b
        if way == 1:
            return a - b if isinstance(T, Vec) else a * b
        return (wp.max if way == 2 else wp.min)(a, b)

    words = {"a|u|acc": T, "b|v|x": T}
    f = k.function("fold|join|merge", words, fold, generic=tuple(words)) if c.chance(2, 3) else None
    acc = k.var("acc|total|s", start if start is not None else x[i, 0])
    with k.for_("j|n|col", *((0 if start is not None else 1, x.shape(1)) if c.chance(1, 2) else (x.shape(1),))) as j:
        v = k.let("v|e|xj", varied(k, x[i, j], 0, 2))
        if c.chance(1, 3) and isinstance(T, Scalar):
            with k.if_(v < number(c.between(1, 9), T)):
                k.leave("continue")
        acc.set(f(Term(acc.e), v) if f is not None else fold(k, Term(acc.e), v))
        if c.chance(1, 4):
            acc.set(varied(k, Term(acc.e), 1, 1))
    made = k.let("r|value|res", varied(k, Term(acc.e), 0, 2))
    out[i] = made
    statistic(k, made)
    what = ("sums", "differences" if isinstance(T, Vec) else "products", "largest elements", "smallest elements")[way]
    k.summary(f"Folds rows of any element, here {T.name}, into their {what} by a generic kernel.")


def _functions(k: Author) -> None:
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
    more = None
    if c.chance(1, 2):

        def second(s: Scope, x: Term) -> Term:
            return f(x, x + x) if s.c.chance(1, 2) else f(x + x, -x)

        more = k.function("twice|self_join|with_itself", {"x|v|z": types[0]}, second, generic=("x|v|z",))
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


def _stencil(k: Author) -> None:
    """Generic stencils and copies in one to three dimensions."""
    c = k.c
    T = _element(k, _SCALARS, _VECTORS, _MATRICES)
    S = _scale(T)
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
        made = u[index] + _times(k, made - u[index], w) if c.chance(1, 2) else _times(k, made, w)
    value = k.let("value|r|res", varied(k, made, 0, 2))
    out[index] = value
    statistic(k, value)
    k.summary(f"Applies a {ndim}-D stencil to a grid of any element, here {T.name}, by a generic kernel.")


def _rotations(k: Author) -> None:
    """Generic products of what has a product: numbers, matrices, quaternions, transforms."""
    c = k.c
    T = _element(k, _ROTATIONS, _MATRICES[:4], (FLOAT, DOUBLE))
    k.name("generic_product|compose_any|running_product|chain_any")
    items = k.input("items|a|factors", T, c.pick((1, 2)))
    out = k.output("out|result|products", T)
    k.generic(items, out)
    i = gate(k, k.tid("i|tid|idx"), items.shape(0))
    words = {"a|p|u": T, "b|q|v": T}
    swapped = c.chance(1, 2)
    f = k.function("product|compose|after", words, lambda s, a, b: b * a if swapped else a * b, generic=tuple(words))
    two = items.type.ndim == 2  # type: ignore[union-attr]
    acc = k.var("acc|total|run", items[i, 0] if two else items[i])
    with k.for_("j|n|step", items.shape(1) if two else c.between(2, 8)) as j:
        nxt = items[i, j] if two else items[(i + j) % items.shape(0)]
        if c.chance(1, 3):
            nxt = f(nxt, items[0, j % items.shape(1)] if two else items[j % items.shape(0)])
        acc.set(f(Term(acc.e), varied(k, nxt, 0, 2)) if c.chance(2, 3) else f(varied(k, nxt, 0, 2), Term(acc.e)))
        if c.chance(1, 3):
            with k.if_(j % c.between(2, 4) == 0):
                acc.set(
                    varied(k, Term(acc.e), 1, 1) if not isinstance(T, Transform) else wp.transform_inverse(Term(acc.e))
                )
    value = k.let("value|r|res", varied(k, Term(acc.e), 0, 2))
    out[i] = value if c.chance(1, 2) else f(value, items[i, 0] if two else items[i])
    k.summary(f"Multiplies elements of any type that has a product, here {T.name}, by a generic kernel.")


def _compare(k: Author) -> None:
    """Generic searches and selections of scalars: extremes with places, clamps, counts, sorting networks of few."""
    c = k.c
    T = _element(k, _SCALARS)
    way = c.below(3)
    k.name(("argmax_any|best_of", "clamp_any|limit_any", "count_any|above_any")[way])
    x = k.input("x|rows|a", T, 2)
    limit = k.scalar("limit|bound|threshold", T)
    k.generic(x, limit)
    i = gate(k, k.tid("i|tid|row"), x.shape(0))
    words = {"a|u|p": T, "b|v|q": T}

    def upper(s: Scope, a: Term, b: Term) -> Term:
        return where(a > b, a, b) if s.c.chance(1, 2) else wp.max(a, b)

    larger = k.function("larger|pick|upper", words, upper, generic=tuple(words))
    best, place = k.var("best|top|acc", x[i, 0]), k.var("place|at|n", number(0, INT))
    with k.for_("j|col|m", x.shape(1)) as j:
        v = k.let("v|e|xj", varied(k, x[i, j], 0, 2))
        if way == 0:
            with k.if_(v > Term(best.e)):
                best.set(v)
                place.set(j)
        elif way == 1:
            best.set(larger(Term(best.e), wp.min(v, limit)))
            place.set(Term(place.e) + 1)
        else:
            with k.if_(v > limit):
                place.set(Term(place.e) + 1)
                best.set(larger(Term(best.e), v))
    value = varied(k, larger(Term(best.e), limit), 0, 2)
    out = k.output("out|tops|extremes", T)
    k.generic(out)
    out[i] = value
    k.output("places|counts|indices", INT)[i] = varied(k, Term(place.e), 0, 1)
    what = ("the largest element and its place", "the largest clamped element", "how many elements pass a limit")[way]
    k.summary(f"Finds in each row of any scalar, here {T.name}, {what} by a generic kernel.")


build = one_of("generic", _axpy, _reduce, _functions, _stencil, _rotations, _compare)
