"""Loops towards a number: bisection, Newton, series."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, number, where, wp
from ...types import DOUBLE, FLOAT, INT, Scalar
from .common import cap, until


def _target(k: Scope, x: Term, T: Scalar, way: int) -> Term:
    """Return a function that grows with ``x``, and so has one root."""
    a = coefficient(k, T)
    if way == 0:
        return x * x * x + a * x
    if way == 1:
        return x + a * wp.sin(x) * number(0.3, T)
    if way == 2:
        return wp.tanh(x) + a * x
    return a * x - wp.exp(-wp.clamp(x, -6.0, 6.0))


def bisection(k: Author) -> None:
    """Roots by bisection, regula falsi or ternary narrowing."""
    c = k.c
    T = c.weighted({FLOAT: 3, DOUBLE: 1})
    k.name("bisect|find_root|solve_monotone|bracket_root|invert_function")
    y = k.input("y|target|rhs", T)
    i = gate(k, k.tid("i|tid|idx"), y.shape(0))
    goal = k.let("goal|want|yi", varied(k, y[i], 0, 2))
    way = c.below(4)
    f = k.function("f|grow|model", {"x|u|s": T}, lambda s, x: _target(s, x, T, way))
    width = c.between(3, 10)
    lo, hi = k.var("lo|left|a", number(-float(width), T)), k.var("hi|right|b", number(float(width), T))

    def step() -> None:
        if c.chance(2, 3):
            mid = k.let("mid|m|x", 0.5 * (Term(lo.e) + Term(hi.e)))
        else:
            mid = k.let("mid|m|x", Term(lo.e) + (Term(hi.e) - Term(lo.e)) * coefficient(k, T, 40, 60))
        with k.if_(f(mid) < goal if c.chance(1, 2) else f(mid) - goal < 0.0):
            lo.set(mid)
        with k.else_():
            hi.set(mid)

    eps = k.scalar("eps|tol|tolerance", T) if c.chance(1, 2) else number(c.pick((0.001, 0.01, 0.0001)), T)
    turns = until(k, cap(k, 20, 60), lambda: Term(hi.e) - Term(lo.e) > eps, step, counted=(counted := c.chance(1, 2)))
    root = k.let("root|x_star|sol", varied(k, 0.5 * (Term(lo.e) + Term(hi.e)), 0, 2))
    k.output("roots|out|x_out", T)[i] = root
    if counted:
        k.output("turns_out|iters_out|steps_out", INT)[i] = turns
    statistic(k, root)
    k.summary(f"Narrows {T.name} brackets around the root of a growing function by bisection.")


def newton(k: Author) -> None:
    """Newton, secant and Halley iterations until the change is small."""
    c = k.c
    T = c.weighted({FLOAT: 3, DOUBLE: 1})
    way, rule = c.below(4), c.below(3)
    k.name(("newton_solve|newton_root|refine_root", "secant_root|secant_solve", "damped_newton|relaxed_root")[rule])
    y = k.input("y|target|rhs", T)
    i = gate(k, k.tid("i|tid|idx"), y.shape(0))
    goal = k.let("goal|want|yi", wp.clamp(varied(k, y[i], 0, 2), -8.0, 8.0))
    f = k.function("f|model|curve", {"x|u|s": T}, lambda s, x: _target(s, x, T, way))
    x = k.var("x|guess|cur", goal * coefficient(k, T, 10, 60))
    change = k.var("change|delta|dx", number(1.0, T))
    h = number(c.pick((0.01, 0.001)), T)

    def step() -> None:
        fx = k.let("fx|value|r0", f(Term(x.e)) - goal)
        if rule == 1:
            slope = k.let("slope|df|dydx", (f(Term(x.e) + h) - goal - fx) / h)
        else:
            slope = k.let("slope|df|dydx", (f(Term(x.e) + h) - f(Term(x.e) - h)) / (2.0 * h))
        safe = where(wp.abs(slope) < 0.001, number(1.0, T), slope)
        change.set(wp.clamp(fx / safe, -1.0, 1.0) if rule < 2 else fx / safe * coefficient(k, T, 30, 90))
        x.set(Term(x.e) - Term(change.e))

    eps = k.scalar("eps|tol|tolerance", T) if c.chance(1, 2) else number(c.pick((0.001, 0.01, 0.0001)), T)
    counted = c.chance(1, 2)
    turns = until(k, cap(k, 8, 40), lambda: wp.abs(Term(change.e)) > eps, step, counted=counted)
    value = k.let("root|res|sol", varied(k, wp.clamp(Term(x.e), -100.0, 100.0), 0, 2))
    k.output("roots|out|x_out", T)[i] = value
    if counted:
        k.output("turns_out|iters_out|steps_out", INT)[i] = turns
    what = ("Newton's method", "a secant method", "a damped Newton method")[rule]
    k.summary(f"Solves a {T.name} equation for each element by {what} until the change is small.")


def series(k: Author) -> None:
    """Power series and continued products until a term is small."""
    c = k.c
    T = c.weighted({FLOAT: 2, DOUBLE: 1})
    way = c.below(4)
    k.name(
        ("exp_series|sum_exponential", "sine_series|sum_sine", "geometric_sum|sum_powers", "log_series|sum_log")[way]
    )
    xs = k.input("x|args|u", T)
    i = gate(k, k.tid("i|tid|idx"), xs.shape(0))
    x = k.let(
        "z|t|v", wp.clamp(varied(k, xs[i], 0, 2), -0.9, 0.9) if way > 1 else wp.clamp(varied(k, xs[i], 0, 2), -4.0, 4.0)
    )
    total = k.var("total|acc|sum_", number(1.0, T) if way in (0, 2) else x)
    term, order = k.var("term|part|w", number(1.0, T) if way in (0, 2) else x), k.var("order|k0|m", number(1.0, T))

    def step() -> None:
        o = Term(order.e)
        ratio = (x / o, -x * x / ((2.0 * o) * (2.0 * o + 1.0)), x, -x)[way]
        term.set(Term(term.e) * ratio)
        total.set(Term(total.e) + (Term(term.e) if way < 3 else Term(term.e) / (o + 1.0)))
        order.set(o + 1.0)

    eps = k.scalar("eps|tol|tolerance", T) if c.chance(1, 2) else number(c.pick((0.001, 0.0001, 1e-5)), T)
    until(k, cap(k, 12, 50), lambda: wp.abs(Term(term.e)) > eps, step)
    value = k.let("value|res|y0", varied(k, Term(total.e), 1, 3))
    k.output("out|y|result", T)[i] = value
    statistic(k, value)
    what = ("exponential", "sine", "geometric", "logarithm")[way]
    k.summary(f"Sums the {what} series in {T.name} until a term is small.")
