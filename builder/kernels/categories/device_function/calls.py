"""Functions that call others, overloads, early returns."""

from __future__ import annotations

from ...author import Author, Callee, FunctionScope, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, both, cast, number, wp
from ...types import DOUBLE, FLOAT, INT, QUAT, VEC2, VEC3, VEC4, Scalar, Value, Vec

REALS = {FLOAT: 4, DOUBLE: 1}


def chain(k: Author) -> None:
    """Functions that call functions, two to four deep."""
    c, T = k.c, k.real()
    k.name("call_chain|pipeline|compose|layered|stages")
    made: list[tuple[Callee, int]] = []
    for n in range(c.between(2, 4)):
        two = c.chance(1, 2)
        inner = tuple(made)

        def body(s: Scope, x: Term, *more: Term, inner: tuple[tuple[Callee, int], ...] = inner) -> Term:
            v: Term = varied(s, x, 0 if inner else 1, 2)
            for f, count in inner[-1 - s.c.below(2) :] if inner else ():
                v = f(v) if count == 1 else f(v, coefficient(s, T))
                if s.c.chance(1, 2):
                    v = varied(s, v, 1, 1)
            return v * more[0] if more else v

        names = ("shape|base|stage0", "apply|stage1|mid", "around|stage2|wrap", "full|stage3|model")[n]
        params: dict[str, Value] = dict.fromkeys(("x|v|t", "g|w|amount")[: 1 + two], T)
        made.append((k.function(names, params, body, returns=c.chance(1, 3)), 1 + two))
    x = k.input("x|src|signal", T)
    out = k.output("out|dst|y", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    f, count = made[-1]
    given = varied(k, x[i], 0, 1)
    value = k.let("value|r|res", varied(k, f(given) if count == 1 else f(given, coefficient(k, T)), 0, 1))
    out[i] = value
    statistic(k, value)
    k.summary(f"Puts {T.name} elements through a chain of {len(made)} functions.")


def overloads(k: Author) -> None:
    """One name for several types: scalars, vectors, integers, quaternions."""
    c = k.c
    k.name("use_overloads|dispatch|by_type|polymorphic|mixed_types")
    types: list[Value] = c.sample((FLOAT, VEC3, INT, VEC2, DOUBLE, VEC4, QUAT), c.between(2, 3))
    size = c.chance(1, 3)

    def body(s: Scope, x: Term) -> Term:
        v = varied(s, x, 1, 3)
        if not size:
            return v  # type: ignore[no-any-return]
        return _size(s, v)

    first = k.function("shape|apply|remap|soften|measure", {"x|v|a": types[0]}, body)
    made = [first] + [k.function("", {"x|v|a": t}, body, overloads=first) for t in types[1:]]
    words = ("xs|first_in|src", "ys|second_in|aux", "zs|third_in|more")
    arrays = [k.input(word, t) for word, t in zip(words, types, strict=False)]
    i = gate(k, k.tid("i|tid|idx"), arrays[0].shape(0))
    if size:
        total = made[0](arrays[0][i])
        for f, a in zip(made[1:], arrays[1:], strict=True):
            total = total + f(varied(k, a[i], 0, 1)) if c.chance(1, 2) else wp.max(total, f(a[i]))
        value = k.let("total|r|sum_", varied(k, total, 0, 1))
        k.output("out|result|norms", FLOAT)[i] = value
        statistic(k, value)
    else:
        for n, (f, a) in enumerate(zip(made, arrays, strict=True)):
            place = k.let("v|w|u", f(varied(k, a[i], 0, 1)))
            k.output(("out_x|ra|first_out", "out_y|rb|second_out", "out_z|rc|third_out")[n], a.type.dtype)[i] = place  # type: ignore[union-attr]
    k.summary(f"Calls one function name with {', '.join(t.name for t in types[:-1])} and {types[-1].name}.")


def _size(s: Scope, v: Term) -> Term:
    """Return the size of a value as float32."""
    type_ = v.type
    if isinstance(type_, Vec):
        return wp.length(v)
    if isinstance(type_, Scalar):
        return cast(wp.abs(v), FLOAT)
    return wp.length(v)


def early(k: Author) -> None:
    """Functions that return early, by several tests."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("piecewise|classify|early_return|region_value|profile")
    count = c.between(2, 4)

    def body(s: FunctionScope, x: Term) -> None:
        v = varied(s, x, 0, 1)
        v = v if c.chance(1, 2) else s.let("v|y|s", wp.abs(v))
        if not hasattr(v.e, "name"):
            v = s.let("u|z|p", v)
        for n in range(count):
            edge = number((n - 1) * c.between(20, 90) / 50, T) if c.chance(2, 3) else coefficient(s, T)
            with s.if_(v < edge if c.chance(1, 2) else both(v >= edge, v < edge + coefficient(s, T))):
                s.give(varied(s, v, 1, 2))
        s.give(varied(s, v, 1, 2))

    f = k.function("value_of|piece|region|profile_at", {"x|t|r": T}, body, returns=c.chance(1, 3))
    x = k.input("x|src|radii", T)
    out = k.output("out|dst|y", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    first = k.let("a|r0|first_value", f(varied(k, x[i], 0, 2)))
    value = varied(k, first if c.chance(1, 2) else first - f(x[i] * coefficient(k, T)), 0, 2)
    out[i] = value
    statistic(k, first)
    k.summary(f"Evaluates a {T.name} function of {count + 1} pieces that returns from each.")
