"""Functions with derivatives of their own: ``wp.func_grad``, ``wp.func_replay``, ``wp.grad``."""

from __future__ import annotations

from ...author import Arr, Author, FunctionScope, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...ops import Op
from ...program import Apply
from ...terms import Term, number, where, wp
from ...types import DOUBLE, FLOAT, HALF, INT, VEC3, Array, Scalar, Value
from .calls import REALS


def _forward(s: Scope, x: Term, more: tuple[Term, ...], T: Scalar, way: int) -> Term:
    """Return the value of a function whose gradient is written by hand."""
    V = x.type
    y: Term
    if V is VEC3:
        y = varied(s, x, 0, 2)
    elif way == 0:
        y = varied(s, wp.round(x * coefficient(s, T, 100, 900)), 0, 1)
    elif way == 2:
        y = wp.sqrt(wp.max(varied(s, x, 0, 1), 0.0))
    elif way == 3:
        y = where(varied(s, x, 0, 1) > coefficient(s, T), number(1.0, T), number(0.0, T))
    else:
        y = varied(s, x, 1, 2)
    return y * more[0] if more else y


def _backward(s: FunctionScope, x: Term, more: tuple[Term, ...], T: Scalar, way: int) -> None:
    """Write that gradient."""
    V = x.type
    adj, weights = more[-1], more[:-1]
    scaled = adj * weights[0] if weights else adj
    if V is VEC3:
        limit = coefficient(s, T)
        change = scaled / (1.0 + wp.length(x) * limit) if way == 1 else -scaled * limit
    elif way == 0:
        change = varied(s, scaled, 0, 1) * where(wp.abs(x) < coefficient(s, T), number(1.0, T), number(0.0, T))
    elif way == 1:
        change = wp.clamp(scaled + 0.0 * x, -coefficient(s, T), coefficient(s, T))
    elif way == 2:
        change = scaled * 0.5 / wp.sqrt(wp.max(x, coefficient(s, T, 1, 20)))
    elif way == 3:
        q = s.let("q|width|z", 1.0 + wp.abs(x) * coefficient(s, T))
        change = scaled / (q * q)
    else:
        change = -scaled * coefficient(s, T) * wp.exp(-wp.min(x * x, 20.0))
    s.add_adjoint(x, change)
    if weights:
        grown = wp.dot(adj, x) if V is VEC3 else adj * x
        s.add_adjoint(weights[0], grown)


def custom_gradient(k: Author) -> None:
    """Functions whose gradient is written by hand: straight-through, clipped, safe roots, surrogate steps."""
    c, T = k.c, k.c.weighted(REALS)
    way, vector = c.below(5), c.chance(1, 4)
    words = (
        "straight_through|quantised_pass",
        "clipped_gradient|clip_grad",
        "safe_sqrt|safe_root",
        "surrogate_step|spike",
    )
    k.name((*words, "reversed_gradient|flip_grad")[way])
    V: Value = VEC3 if vector and way in (1, 4) else T
    T = FLOAT if V is VEC3 else T
    two = c.chance(1, 2)

    def forward(s: Scope, x: Term, *more: Term) -> Term:
        return _forward(s, x, more, T, way)

    def backward(s: FunctionScope, x: Term, *more: Term) -> None:
        _backward(s, x, more, T, way)

    params: dict[str, Value] = {"x|v|u": V} | ({"g|w|gain": T} if two else {})
    f = k.function("act|pass_through|soft|shaped", params, forward, gradient=backward)
    xs = k.input("x|src|values", V)
    i = gate(k, k.tid("i|tid|idx"), xs.shape(0))
    given = varied(k, xs[i], 0, 2)
    called = f(given, coefficient(k, T)) if two else f(given)
    value = k.let("y|r|res", varied(k, called, 0, 2))
    k.output("out|y_out|dst", V)[i] = value
    statistic(k, value)
    what = ("a straight-through gradient", "a bounded gradient", "a gradient safe at zero", "a surrogate gradient",
            "a reversed gradient")[way]  # fmt: skip
    k.summary(f"Applies a function with {what} written by hand to {V.name} elements.")


_BUMP = Op("wp.atomic_add", (Array(INT, 1), INT, INT), INT, "atomic", "atomic addition", smooth=False)


def _bumped(counter: Arr) -> Term:
    """Return ``wp.atomic_add(counter, 0, 1)``: what the counter held."""
    return Term(Apply(_BUMP, (counter.e, number(0, INT).e, number(1, INT).e)))


def replayed(k: Author) -> None:
    """Functions that are replaced in the backward pass: counters that are bumped once, values that are read back."""
    c = k.c
    T = c.weighted(REALS)
    k.name("append_above|compact|stream_out|claim_slots|record_hits")
    x = k.input("x|src|values", T)
    counter, slots = k.inout("counter|cursor|top", INT), k.inout("slots|claimed|places", INT)
    out = k.output("out|packed|kept", T)

    def claim(s: Scope, n: Arr, where_: Arr, i: Term) -> Term:
        at = s.let("at|old|slot", _bumped(n))
        where_[i] = at
        return at  # type: ignore[no-any-return]

    def again(s: Scope, n: Arr, where_: Arr, i: Term) -> Term:
        return where_[i]

    arrays = {"n|cnt|tip": Array(INT, 1), "where_|seen|memo": Array(INT, 1)}
    f = k.function("claim|next_slot|reserve", arrays | {"i|me|who": INT}, claim, replay=again)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    v = k.let("v|val|xi", varied(k, x[i], 0, 2))
    with k.if_(v > coefficient(k, T) if c.chance(1, 2) else wp.abs(v) < coefficient(k, T)):
        slot = k.let("slot|at|place", f(counter, slots, i))
        guard = c.below(3)
        made = varied(k, v, 0, 2)
        if guard == 0:
            with k.if_(slot < out.shape(0)):
                out[slot] = made
        else:
            out[slot % out.shape(0) if guard == 1 else wp.min(slot, out.shape(0) - 1)] = made
    k.summary(f"Keeps the {T.name} elements that pass a test, by a counter whose bump is not repeated backwards.")


def slopes(k: Author) -> None:
    """Derivatives of functions within the kernel: ``wp.grad``, Newton steps, error propagation."""
    # Not float32: Warp seeds its adjoint with ``float(1)``, which its own macro turns into what is not declared.
    c, T = k.c, k.c.weighted({DOUBLE: 4, HALF: 1})
    k.name("slope_at|newton_by_grad|propagate_error|descend|tangent_line")
    f = k.function("f|curve|energy|model", {"x|u|r": T}, lambda s, x: varied(s, x, 2, 4), returns=True)
    df = f.gradient()
    x = k.input("x|points|u0", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    p = k.var("p|cur|at", varied(k, x[i], 0, 1))
    way = c.below(4)
    if way == 0:
        value = df(Term(p.e)) * coefficient(k, T)
    elif way == 1:
        with k.for_("it|step|n", c.between(2, 6)):
            slope = k.let("slope|g|d", df(Term(p.e)))
            p.set(Term(p.e) - f(Term(p.e)) * slope / (slope * slope + coefficient(k, T)))
        value = Term(p.e)
    elif way == 2:
        sigma = k.input("sigma|err|noise", T)
        value = wp.abs(df(Term(p.e))) * varied(k, sigma[i], 0, 1)
    else:
        rate = coefficient(k, T, 1, 30)
        with k.for_("it|step|n", k.scalar("steps|iters|count", INT)):
            p.set(Term(p.e) - wp.clamp(df(Term(p.e)), -1.0, 1.0) * rate)
        value = f(Term(p.e))
    made = k.let("value|res|y", varied(k, value, 0, 2))
    k.output("out|y_out|result", T)[i] = made
    statistic(k, made)
    what = ("the slope of a function", "a root by Newton steps", "an error carried through a function", "descent")[way]
    k.summary(f"Computes {what} in {T.name} with wp.grad of the function.")
