"""Loops over numbers: Collatz, greatest common divisors, powers."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...terms import Term, number, where, wp
from ...types import DOUBLE, FLOAT, INT, INT64, UINT, UINT64, Scalar
from .common import cap, until


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


def _divisor(s: Scope, first: Term, second: Term, T: Scalar, way: int) -> Term:
    """Write the loop of a greatest common divisor by one of three rules."""
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

    limit = number(s.c.between(200, 400) if way == 1 else s.c.between(20, 60), INT)
    until(s, limit, lambda: y != number(0, T), step)
    return Term(x.e)


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

    def body(s: Scope, first: Term, second: Term) -> Term:
        return _divisor(s, first, second, T, way)

    made = k.let("g|d|common", k.helper("gcd|divisor|euclid_of", {"first|m|a1": T, "second|n|b1": T}, body)(p, q))
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
