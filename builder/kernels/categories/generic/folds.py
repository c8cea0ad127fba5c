"""Generic reductions, products and searches of rows."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...terms import Term, number, where, wp
from ...types import DOUBLE, FLOAT, INT, Mat, Scalar, Transform, Vec
from .common import MATRICES, ROTATIONS, SCALARS, VECTORS, element


def reduce(k: Author) -> None:
    """Generic reductions of rows: sums, extremes, products, of whatever scalars or vectors."""
    c = k.c
    T = element(k, SCALARS, VECTORS)
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


def rotations(k: Author) -> None:
    """Generic products of what has a product: numbers, matrices, quaternions, transforms."""
    c = k.c
    T = element(k, ROTATIONS, MATRICES[:4], (FLOAT, DOUBLE))
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


def compare(k: Author) -> None:
    """Generic searches and selections of scalars: extremes with places, clamps, counts, sorting networks of few."""
    c = k.c
    T = element(k, SCALARS)
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
