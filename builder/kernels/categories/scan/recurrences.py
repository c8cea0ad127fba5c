"""Recurrences along a line: filters, state spaces, elimination sweeps, decoding, dynamic programming."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, varied
from ...terms import Term, cast, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, UINT, Scalar
from .line import Line

_LINE = "t|j|n0|pos"


def _iir(k: Author) -> None:
    """A recursive filter: first order, biquad in direct form I or transposed form II, leaky integrator, cascade."""
    c, T = k.c, k.real()
    k.name("iir_filter|biquad|one_pole|smooth_signal|recursive_filter")
    line = Line(k, "x|signal|audio|samples", T)
    out = line.output("y|filtered|out", T)
    way = c.below(4)
    z1, z2 = k.var("z1|y1|s1", zero(T)), k.var("z2|y2|s2", zero(T))
    x1 = k.var("x1|prev_in|u1", zero(T)) if way == 0 else None
    a1, a2, b0, b1 = (coefficient(k, T, 2, 45) for _ in range(4))
    with line.walk(_LINE, back=c.chance(1, 6)) as t:
        x = k.let("x0|u|sample", varied(k, line.first[line.at(t)], 0, 2))
        if x1 is not None:
            y = k.let("y0|w|fresh", b0 * x + b1 * x1 - a1 * z1 + a2 * z2)
            x1.set(x)
            z2.set(z1)
            z1.set(y)
        elif way == 1:
            y = k.let("y0|w|fresh", b0 * x + z1)
            z1.set(b1 * x - a1 * y + z2)
            z2.set(b0 * x - a2 * y)
        elif way == 2:
            z1 += a1 * (x - z1)
            z2 += varied(k, a2 * (z1 - z2), 0, 1)
            y = k.let("y0|w|fresh", b0 * z2 + b1 * (x - z1))
        else:
            z1.set(a1 * z1 + (1.0 - a1) * x)
            z2.set(wp.max(wp.abs(x), a2 * z2))
            y = k.let("y0|w|fresh", b0 * z1 + b1 * z2)
        out[line.at(t)] = varied(k, y, 0, 2)
    what = ("a biquad in direct form I", "a biquad in transposed form II", "two poles in a row", "an envelope follower")
    k.summary(f"Filters {T.name} samples along {line.what} by {what[way]}.")


def _state_space(k: Author) -> None:
    """A linear state with coefficients that change over time, gated or not; a recurrent cell."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE, FLOAT))
    k.name("linear_recurrence|gated_state|ssm_scan|recurrent_cell|selective_scan")
    line = Line(k, "x|inputs|tokens", T)
    decay = line.input("decay|gates|forget", T)
    out = line.output("y|states|hidden_out", T)
    h = k.var("h|hidden|state", zero(T))
    way = c.below(4)
    skip = coefficient(k, T)
    with line.walk(_LINE, back=c.chance(1, 5)) as t:
        a = k.let("a|keep|g", _fraction(k, decay[line.at(t)]))
        x = k.let("x0|u|drive", varied(k, line.first[line.at(t)], 0, 2))
        if way == 0:
            h.set(a * h + x)
        elif way == 1:
            h.set(a * h + (1.0 - a) * x)
        elif way == 2:
            h.set(wp.tanh(a * h + x * skip))
        else:
            candidate = k.let("cand|proposal|fresh", wp.tanh(x + skip * h))
            h += a * (candidate - h)
        out[line.at(t)] = varied(k, h + skip * x if c.chance(1, 3) else h, 0, 2)
    what = ("a linear state", "a leaky state", "a saturating state", "a gated cell")
    k.summary(f"Advances {what[way]} of {T.name} along {line.what}.")


def _fraction(k: Author, value: Term) -> Term:
    way = k.c.below(3)
    if way == 0:
        return wp.clamp(value, 0.0, 0.99)
    if way == 1:
        return 1.0 / (1.0 + wp.exp(-wp.clamp(value, -10.0, 10.0)))
    return wp.exp(-wp.abs(value))


def _sweep(k: Author) -> None:
    """A sweep of the elimination of a tridiagonal system, or of a recurrence of two terms, along each line."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    k.name("thomas_sweep|forward_elimination|back_substitution|tridiagonal|line_solve")
    line = Line(k, "rhs|d|b_in", T)
    lower = line.input("lower|a_sub|sub", T)
    diag = line.input("diag|b_diag|mid", T) if c.chance(1, 2) else None
    back = c.chance(1, 3)
    out = line.output("x_out|solution|reduced", T)
    ratios = line.output("ratios|c_prime|gamma_out", T) if not back else None
    prev, ratio = k.var("prev|last_x|carry", zero(T)), k.var("ratio|cp|factor", zero(T))
    with line.walk(_LINE, back=back) as t:
        a = k.let("a|sub_t|off", varied(k, lower[line.at(t)], 0, 1))
        d = k.let("d0|r|right", varied(k, line.first[line.at(t)], 0, 2))
        m = coefficient(k, T, 150, 600) if diag is None else wp.abs(diag[line.at(t)]) + coefficient(k, T, 100, 400)
        if back:
            prev.set((d - a * prev) / m)
            ratio.set(wp.max(ratio, wp.abs(prev)))
        else:
            pivot = k.let("pivot|den|w", wp.max(m - a * ratio, number(0.1, T)))
            ratio.set(a / pivot)
            prev.set((d - a * prev) / pivot)
        out[line.at(t)] = varied(k, prev, 0, 2)
        if ratios is not None:
            ratios[line.at(t)] = varied(k, ratio, 0, 1)
    if back:
        peak = k.output("peaks|sup_norm|largest", T)
        peak[line.threads[0]] = varied(k, ratio, 0, 2)
    step = "back substitution" if back else "forward elimination"
    k.summary(f"Sweeps along {line.what} of a tridiagonal {T.name} system: {step}.")


def _decode(k: Author) -> None:
    """Decoding along a line: deltas, zigzag, exclusive-or chains, linear congruences, checksums."""
    c = k.c
    T = c.pick((INT, UINT))
    k.name("delta_decode|xor_chain|rolling_hash|zigzag_decode|checksum")
    line = Line(k, "codes|deltas|words", T)
    out = line.output("out|decoded|hashes", T)
    state = k.var("state|acc|value", number(c.between(0, 9), T))
    way = c.below(5)
    mult = number(c.pick((31, 33, 131, 65599)), T)
    with line.walk(_LINE) as t:
        code = k.let("code|d|w", varied(k, line.first[line.at(t)], 0, 2))
        if way == 0:
            state += code
        elif way == 1:
            state ^= code
        elif way == 2:
            state.set((state * mult + code) & number(16777215, T))
        elif way == 3:
            state += (code >> number(1, T)) ^ (number(0, T) - (code & number(1, T)))
        else:
            state.set(((state << number(c.between(1, 7), T)) ^ (state >> number(c.between(2, 9), T))) + code)
        out[line.at(t)] = varied(k, state, 0, 2)
    what = ("running sums of deltas", "a chain of exclusive ors", "a polynomial rolling hash", "zigzag deltas",
            "a shift-and-xor checksum")[way]  # fmt: skip
    k.summary(f"Computes {what} of {T.name} codes along {line.what}.")


def _tables(k: Author) -> None:
    """Dynamic programming along a line: best run, steps with a cost, alignment with a gap, two states."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE, INT))
    k.name("viterbi_line|two_state_dp|min_cost_path|knapsack_row|dp_scan")
    line = Line(k, "costs|scores|emission", T)
    other = line.input("other|alt_scores|penalty_in", T)
    out = line.output("best_out|dp|table", T)
    a, b = k.var("a0|stay|low", zero(T)), k.var("b0|switch|high", zero(T))
    gap = coefficient(k, T) if T.is_float else number(c.between(1, 9), T)
    way = c.below(3)
    with line.walk(_LINE, back=c.chance(1, 4)) as t:
        u = k.let("u|cost_a|ea", varied(k, line.first[line.at(t)], 0, 2))
        v = k.let("v|cost_b|eb", varied(k, other[line.at(t)], 0, 1))
        _dp_step(k, way, a, b, (u, v, gap))
        out[line.at(t)] = varied(k, (wp.min if way != 1 else wp.max)(a, b), 0, 2)
    if c.chance(1, 2):
        choice = k.output("choice|final|pick_out", INT)
        choice[line.threads[0]] = where(a < b, number(0, INT), number(1, INT)) + varied(k, cast(line.length, INT), 0, 1)
    what = ("the cheapest of two states", "the best local alignment", "the cheapest path with a cost to switch")
    k.summary(f"Computes {what[way]} along {line.what} of {T.name} scores by dynamic programming.")


def _dp_step(k: Author, way: int, a: Var, b: Var, given: tuple[Term, Term, Term]) -> None:
    u, v, gap = given
    type_ = a.type
    assert isinstance(type_, Scalar)
    if way == 1:
        a.set(wp.max(a + u - gap, number(0, type_)))
        b.set(wp.max(b - gap, a + v))
        return
    stay = k.let("na|next_a|from_a", wp.min(a, b + gap) + u)
    if way == 0:
        b.set(wp.min(b, a + gap) + v)
    else:
        b.set(where(b < a, b + v, a + gap + v))
    a.set(stay)


FAMILIES = (_iir, _state_space, _sweep, _decode, _tables)
