"""Tridiagonal systems."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import statistic, varied
from ...fusion.cells import local, precise, setting, settled, transform
from ...fusion.rows import RowArray, Rows
from ...fusion.sweeps import sweep
from ...terms import Term, number, where, wp
from ...types import INT, Scalar


def tridiagonal(k: Author) -> None:
    """Tridiagonal systems, one per thread, by Thomas' algorithm with scratch; or a step of cyclic reduction."""
    c, T = k.c, precise(k)
    reduction = c.chance(1, 3)
    k.name("cyclic_reduction|pcr_step|reduce_tridiagonal" if reduction else "thomas|tridiagonal_solve|tdma|solve_bands")
    if reduction:
        _reduced(k, T)
        return
    rows = Rows(k, "s|system|line", "n|size|length", ("ragged", "flat", "batched"))
    diag, rhs = rows.input("diag|b|main", T), rows.input("rhs|d|right", T)
    lower = rows.input("lower|a|sub", T) if c.chance(2, 3) else None
    upper = rows.input("upper|c_in|sup", T) if c.chance(2, 3) else None
    off = setting(k, "off|coupling|r_off", -0.4, T) if lower is None or upper is None else None
    cp, x = rows.output("cp|scratch|gam", T), rows.output("x|sol|u_out", T)
    change = transform(k, "source|prepare|load_rhs", T, 1)
    last_c, last_x = k.var("c_prev|g0|last_c", number(0, T)), k.var("x_prev|y0|last_x", number(0, T))

    load = transform(k, "diagonal|band_of|load_band", T, 1)

    def side(table: RowArray | None, j: Term) -> Term:
        if table is not None:
            return load(table[j])
        assert off is not None
        return off

    with sweep(k, rows.count, "j|i|e", ordered=True) as j:
        a = local(k, "aj|low_j|left", side(lower, j))
        m = local(k, "m|den|pivot", load(diag[j]) - a * last_c)
        inv = local(k, "inv|w|recip", 1.0 / where(wp.abs(m) < 1.0e-3, number(1, T), m))
        last_c.set(side(upper, j) * inv)
        last_x.set((change(rhs[j]) - a * last_x) * inv)
        cp[j] = last_c
        x[j] = last_x
    after = _substituted(k, rows, cp, x, T)
    value = settled(k, Term(after.e), 0, 2)
    rows.result("firsts|ends|boundary", T)[rows.place] = value
    statistic(k, value)
    k.summary(f"Solves one tridiagonal system of {change.words}right-hand sides per thread by Thomas' algorithm.")


def _substituted(k: Author, rows: Rows, cp: RowArray, x: RowArray, T: Scalar) -> Var:
    """Substitute backwards, and return the last value found."""
    c = k.c
    after = k.var("after|x_next|u_up", number(0, T))
    with k.for_("back|rev|turn", rows.count) as back:
        j = local(k, "jb|at|e1", rows.count - 1 - back)
        after.set(x[j] - cp[j] * after)
        x[j] = varied(k, Term(after.e), 0, 1) if c.chance(1, 2) else after
    return after


def _reduced(k: Author, T: Scalar) -> None:
    c = k.c
    i = k.tid("i|eq|row|tid")
    a, b, d = k.input("a|lower|sub", T), k.input("b|diag|main", T), k.input("d|rhs|right", T)
    up = k.input("c_in|upper|sup", T) if c.chance(1, 2) else a
    n = local(k, "n|size|order", b.shape(0))
    h = local(k, "h|stride|reach", wp.max(k.scalar("stride_in|dist|level", INT), 1))
    low, high = local(k, "im|left|below", wp.max(i - h, 0)), local(k, "ip|right|above", wp.min(i + h, n - 1))

    def over(top: Term, place: Term, inside: Term) -> Term:
        q = local(k, "q|piv|bq", b[place])
        return where(inside, -top / where(wp.abs(q) < 1.0e-3, number(1, T), q), number(0, T))

    alpha = local(k, "alpha|k1|fl", over(a[i], low, i >= h))
    beta = local(k, "beta|k2|fr", over(up[i], high, i + h < n))
    new_d = settled(k, d[i] + alpha * d[low] + beta * d[high], 0, 2)
    k.output("a_out|lower_out|sub_out", T)[i] = alpha * a[low]
    k.output("c_out|upper_out|sup_out", T)[i] = beta * up[high]
    k.output("b_out|diag_out|main_out", T)[i] = b[i] + alpha * up[low] + beta * a[high]
    k.output("d_out|rhs_out|right_out", T)[i] = new_d
    statistic(k, new_d)
    k.summary("Makes one step of parallel cyclic reduction of a tridiagonal system.")
