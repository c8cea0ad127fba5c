"""Loops over numbers: Collatz, greatest common divisors, powers, bisection, Newton, series."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, number, where, wp
from ...types import DOUBLE, FLOAT, INT, INT64, UINT, UINT64, Scalar
from .common import until


def cap(k: Author, low: int, high: int) -> Term:
    """Return the cap of a loop: a literal, an argument, a constant."""
    way = k.c.below(3)
    if way == 0:
        return number(k.c.between(low, high), INT)
    return (
        k.scalar("max_iter|limit|max_steps", INT)
        if way == 1
        else k.constant("MAX_ITER|CAP|LIMIT", k.c.between(low, high))
    )


def collatz(k: Author) -> None:
    """Lengths and peaks of Collatz sequences."""
    c = k.c
    T = c.pick((INT, INT64, UINT, UINT64))
    k.name("collatz|hailstone|three_n_plus_one|sequence_length|orbit_length")
    start = k.input("start|seeds|numbers", T)
    peaks = c.chance(1, 2)
    i = gate(k, k.tid("i|tid|idx"), start.shape(0))
    first = varied(k, start[i], 0, 1)
    n0 = k.let("n0|begin|base", (first & number(c.pick((1023, 4095, 255)), T)) + number(1, T))
    x = k.var("x|cur|m", n0)
    peak = k.var("peak|top|highest", n0) if peaks else None
    factor, add = number(c.pick((3, 3, 5)), T), number(c.pick((1, 1, 3)), T)

    def step() -> None:
        even = (
            (Term(x.e) % number(2, T)) == number(0, T) if c.chance(1, 2) else (Term(x.e) & number(1, T)) == number(0, T)
        )
        half = Term(x.e) // number(2, T) if c.chance(1, 2) else Term(x.e) >> number(1, T)
        up = Term(x.e) * factor + add
        if c.chance(1, 3):
            x.set(where(even, half, up))
        else:
            with k.if_(even):
                x.set(half)
            with k.else_():
                x.set(up)
        if peak is not None:
            peak.set(wp.max(Term(peak.e), Term(x.e)))

    turns = until(k, cap(k, 50, 300), lambda: x > number(1, T), step, counted=True)
    lengths = k.output("lengths|turns_out|steps_out", INT)
    lengths[i] = varied(k, turns, 0, 2)
    if peak is not None:
        k.output("peaks|highest_out|tops", T)[i] = varied(k, Term(peak.e), 0, 1)
    if c.chance(1, 3):
        k.atomic("max", k.output("longest|record|best", INT), 0, turns)
    k.summary(
        f"Counts the turns of {T.name} sequences that halve even numbers{' and keeps their peaks' if peaks else ''}."
    )


def gcd(k: Author) -> None:
    """Greatest common divisors: Euclid's with remainders, by subtraction, the binary one; coprime pairs, fractions."""
    c = k.c
    T = c.pick((INT, INT64, UINT))
    k.name("gcd_pairs|common_divisor|reduce_fractions|euclid|coprime")
    a, b = k.input("a|num|left", T), k.input("b|den|right", T)
    i = gate(k, k.tid("i|tid|idx"), a.shape(0))
    mask = number(c.pick((1023, 4095, 255)), T)
    p, q = (
        k.let(word, (varied(k, arr[i], 0, 1) & mask) + number(1, T)) for word, arr in (("p|a0|m0", a), ("q|b0|n0", b))
    )
    way = c.below(3)

    def divisor(s: Scope, first: Term, second: Term) -> Term:
        x, y = s.var("x|u|hi", first), s.var("y|v|lo", second)

        def step() -> None:
            if way == 0:
                r = s.let("r|rest|t", Term(x.e) % Term(y.e))
                x.set(Term(y.e))
                y.set(r)
            elif way == 1:
                with s.if_(x > Term(y.e)):
                    x.set(Term(x.e) - Term(y.e))
                with s.else_():
                    y.set(Term(y.e) - Term(x.e))
            else:
                with s.while_((Term(y.e) & number(1, T)) == number(0, T)):
                    y.set(Term(y.e) >> number(1, T))
                big = s.let("big|larger", wp.max(Term(x.e), Term(y.e)))
                x.set(wp.min(Term(x.e), Term(y.e)))
                y.set(big - Term(x.e))

        limit = number(c.between(200, 400) if way == 1 else c.between(20, 60), INT)
        until(s, limit, lambda: y != number(0, T), step)
        return Term(x.e)

    made = k.let("g|d|common", k.helper("gcd|divisor|euclid_of", {"first|m|a1": T, "second|n|b1": T}, divisor)(p, q))
    kind = c.below(3)
    if kind == 0:
        k.output("out|gcds|result", T)[i] = varied(k, made, 0, 2)
    elif kind == 1:
        k.output("num_out|top|p_out", T)[i] = varied(k, p // wp.max(made, 1), 0, 1)
        k.output("den_out|bottom|q_out", T)[i] = varied(k, q // wp.max(made, 1), 0, 1)
    else:
        counter = k.output("counter|coprimes|hits", INT)
        with k.if_(made == number(1, T)):
            k.atomic("add", counter, 0, 1)
    if c.chance(1, 3):
        k.output("lcms|multiples|common_multiple", T)[i] = varied(k, (p // wp.max(made, 1)) * q, 0, 1)
    k.summary(f"Takes greatest common divisors of pairs of {T.name}.")


def power(k: Author) -> None:
    """Powers by squaring, perhaps modulo a number; of integers or floats."""
    c = k.c
    T = c.pick((INT64, UINT64, FLOAT, DOUBLE, UINT))
    k.name("int_power|pow_mod|fast_power|binary_power|power_rows")
    base, exponent = k.input("base|x|b", T), k.input("exponent|e|n", INT)
    i = gate(k, k.tid("i|tid|idx"), base.shape(0))
    modulus = number(c.pick((1000003, 65537, 9973)), T) if T.is_int else None
    e = k.var("e|left|k0", wp.abs(varied(k, exponent[i], 0, 1)) % c.between(8, 40))
    b0 = varied(k, base[i], 0, 1) if T.is_int else wp.clamp(varied(k, base[i], 0, 2), -1.5, 1.5)
    b, r = (
        k.var("b|sq|cur", b0 if modulus is None else b0 % modulus),
        k.var("r|acc|res", number(1 if T.is_int else 1.0, T)),
    )

    def reduced(value: Term) -> Term:
        return value % modulus if modulus is not None else value

    def step() -> None:
        odd = (Term(e.e) & 1) == 1 if c.chance(1, 2) else Term(e.e) % 2 == 1
        with k.if_(odd):
            r.set(reduced(Term(r.e) * Term(b.e)))
            if c.chance(1, 3):
                r.set(varied(k, Term(r.e), 1, 1))
        b.set(reduced(Term(b.e) * Term(b.e)))
        e.set(Term(e.e) // 2 if c.chance(1, 2) else Term(e.e) >> 1)

    until(k, cap(k, 20, 64), lambda: e > 0 if c.chance(1, 2) else e != 0, step)
    value = k.let("value|out_v|w", varied(k, Term(r.e), 0, 2))
    k.output("out|powers|result", T)[i] = value
    statistic(k, value)
    under = " under a modulus" if modulus is not None else ""
    k.summary(f"Raises {T.name} numbers to integer powers by repeated squaring{under}.")


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
