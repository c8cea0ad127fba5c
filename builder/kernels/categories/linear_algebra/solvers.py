"""Solvers: relaxation sweeps, conjugate-gradient updates, triangular solves."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, setting, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import sweep, total
from ...terms import Like, Term, number, where, wp
from ...types import INT, Scalar


def relaxation(k: Author) -> None:
    """One sweep of Jacobi, Gauss-Seidel by colour, SOR or Richardson, on dense rows or a stencil."""
    c, T = k.c, precise(k)
    kind = c.pick(("jacobi", "sor", "red_black", "richardson", "momentum"))
    k.name(f"{kind}_sweep|{kind}|{kind}_iteration|{kind}_step")
    what = (_stencil_sweep if c.chance(1, 2) else _row_sweep)(k, kind, T)
    k.summary(f"Makes one {kind.replace('_', '-')} sweep on {what}.")


def _blend(k: Author, kind: str, old: Term, new: Term, residual: Term, older: Callable[[], Term], T: Scalar) -> Term:
    """Return the next value of an unknown: from its own row's solution, or from the residual."""
    c = k.c
    if kind in ("jacobi", "red_black"):
        return new if c.chance(1, 2) else old + (new - old) * coefficient(k, T, 40, 100)
    omega = setting(k, "omega|relax|w_sor", 0.9, T)
    if kind == "sor":
        return (1.0 - omega) * old + omega * new if c.chance(1, 2) else wp.lerp(old, new, omega)
    if kind == "richardson":
        return old + omega * residual
    return old + omega * residual + coefficient(k, T, 1, 60) * (old - older())


def _stencil_sweep(k: Author, kind: str, T: Scalar) -> str:
    c = k.c
    dims = c.pick((1, 2, 2, 3))
    tid = k.tid(*("i|row|y", "j|col|x", "l|layer|z")[:dims])
    place = tid if dims > 1 else (tid,)
    x, b = k.input("x|u|field", T, dims), k.input("b|rhs|source", T, dims)
    rule = c.pick(("clamp", "skip", "wrap"))
    names = ("h|n0|rows", "w|n1|cols", "dd|n2|depth")[:dims]
    shape = [local(k, words, x.shape(axis)) for axis, words in enumerate(names)]
    if rule == "skip":
        for index, size in zip(place, shape, strict=True):
            with k.if_((index < 1) if c.chance(1, 4) else (index == 0)):
                k.leave()
            with k.if_(index >= size - 1):
                k.leave()
    if kind == "red_black":
        whole = place[0]
        for index in place[1:]:
            whole = whole + index
        with k.if_((whole + k.scalar("color|parity|phase", INT)) % 2 == 0):
            k.leave()
    around = _sum_around(x, place, shape, rule)
    around = local(k, "around|nb_sum|s", around)
    old, rhs = local(k, "old|u0|here", x[place]), local(k, "f|rhs_i|src", varied(k, b[place], 0, 1))
    diagonal = number(2.0 * dims, T) if c.chance(1, 2) else 2.0 * dims + k.scalar("shift|mass|helm", T)
    h2 = setting(k, "h2|dx2|spacing_sq", 0.1, T)
    new = (around + h2 * rhs) / diagonal if c.chance(1, 2) else (around - h2 * rhs) * (1.0 / diagonal)
    new, residual = local(k, "new|u1|solved", new), h2 * rhs + around - diagonal * old
    value = _blend(k, kind, old, new, residual, lambda: k.input("x_before|older|prev_x", T, dims)[place], T)
    value = settled(k, value, 0, 2)
    k.output("x_out|u_next|field_out", T, dims)[place] = value
    statistic(k, local(k, "change|moved|step_i", wp.abs(value - old)))
    edges = {"clamp": "mirrored edges", "skip": "fixed edges", "wrap": "periodic edges"}[rule]
    return f"a {dims}-D Laplace stencil with {edges}"


def _sum_around(x: Arr, place: tuple[Term, ...], shape: list[Term], rule: str) -> Term:
    """Return the sum of the neighbours of a place along every axis."""
    around = None
    for axis, (index, size) in enumerate(zip(place, shape, strict=True)):
        for step in (-1, 1):
            moved = index + step
            if rule != "skip":
                moved = wp.clamp(moved, 0, size - 1) if rule == "clamp" else (moved + size) % size
            beside: Like = (*place[:axis], moved, *place[axis + 1 :])
            near = x[beside]
            around = near if around is None else around + near
    assert around is not None
    return around


def _row_sweep(k: Author, kind: str, T: Scalar) -> str:
    c = k.c
    rows = Rows(k, "i|row|r", "n|cols|width", ("ragged", "batched", "flat"))
    a = rows.input("a|mat|matrix", T)
    x, b = k.input("x|u|guess", T), k.input("b|rhs|source", T)
    i = rows.row
    if kind == "red_black":
        with k.if_(i % 2 == k.scalar("color|parity|phase", INT)):
            k.leave()
    change = transform(k, "entry|coeff|prepare", T, 1)
    diag = k.input("diag|d_in|pivots", T) if c.chance(1, 2) else None
    if diag is None and c.chance(1, 2):
        off = total(k, "acc|s|sigma", rows.count, lambda j: where(j == i, number(0, T), change(a[j]) * x[j]), T)
    else:
        acc = k.var("acc|s|sigma", number(0, T))
        with sweep(k, rows.count) as j, k.if_(j != i):
            acc += change(a[j]) * x[j]
        off = Term(acc.e)
    d = local(k, "d|pivot|a_ii", diag[i] if diag is not None else change(a[wp.min(i, wp.max(rows.count - 1, 0))]))
    safe = local(k, "safe|div|d0", where(wp.abs(d) < 1.0e-4, number(1, T), d))
    old, rhs = local(k, "old|xi|here", x[i]), local(k, "f|rhs_i|bi", varied(k, b[i], 0, 1))
    new = local(k, "new|x1|solved", (rhs - off) / safe)
    value = _blend(k, kind, old, new, rhs - off - d * old, lambda: k.input("x_before|older|prev_x", T)[i], T)
    value = settled(k, value, 0, 2)
    k.output("x_out|u_next|next_x", T)[i] = value
    statistic(k, local(k, "change|moved|step_i", wp.abs(value - old)))
    return f"the rows of a matrix of {change.words}entries"


def conjugate(k: Author) -> None:
    """The vector updates of conjugate gradients, BiCGStab, MINRES or gradient descent, with their dot products."""
    c, T = k.c, precise(k)
    kind = c.pick(("cg_xr", "cg_p", "bicgstab_s", "bicgstab_x", "descent", "precond", "gram_schmidt"))
    k.name(f"{kind}|{kind}_update|{kind}_step|{kind}_vectors")
    cells = Cells(k, 2)
    at: Like = None

    def read(words: str) -> Term:
        value = cells.input(words, T)[cells.place]
        return local(k, words.split("|")[-1] + "|v0|w0", value) if c.chance(1, 2) else value

    r = local(k, "r_i|res|r0", read("r|residual|r_in"))
    at = cells.place
    ratio = _ratio(k, T)
    p = local(k, "p_i|dir_i|p0", varied(k, read("p|direction|p_in"), 0, 1))
    if kind in ("cg_xr", "descent", "bicgstab_x"):
        x = cells.inout("x|solution|x_io", T)
        step = ratio * p if kind != "bicgstab_x" else ratio * p + setting(k, "omega|w", 0.7, T) * read("s|s_in|half_r")
        x[at] = x[at] + step
        value = r - ratio * read("ap|a_p|q") if kind != "descent" else r - ratio * r + step * coefficient(k, T, 1, 30)
    elif kind == "cg_p":
        z = r * read("inv_diag|jacobi|precond") if c.chance(1, 2) else r
        value = z + ratio * p
    elif kind == "bicgstab_s":
        value = r + ratio * (p - setting(k, "omega|w", 0.7, T) * read("v|a_p|v_in"))
    elif kind == "precond":
        d = local(k, "d|diag_i|pivot", read("diag|diag_in|d_in"))
        value = (r - ratio * p) / where(wp.abs(d) < 1.0e-4, number(1, T), d)
    else:
        value = p - ratio * r if c.chance(1, 2) else p - r * (ratio / wp.max(setting(k, "norm2|rr", 1.5, T), 0.01))
    value = settled(k, value, 0, 2)
    cells.output("out|next_r|updated", T)[at] = value
    for words in c.sample(("rr_out|rho_out|norm_out", "rp_out|dot_out|gamma_out"), c.below(3)):
        product = value * value if words.startswith("rr") else value * p
        k.atomic("add", k.output(words, T), 0, product, augmented=c.chance(1, 2))
    statistic(k, value)
    k.summary(f"Makes the {kind.replace('_', ' ')} vector update of a Krylov solver.")


def _ratio(k: Author, T: Scalar) -> Term:
    """Return the step length: an argument, or a quotient of two numbers that earlier kernels left behind."""
    c = k.c
    way = c.below(3)
    if way == 0:
        return k.scalar("alpha|beta|step", T)
    top, down = k.input("rho|num|rz", T)[0], k.input("pap|den|rz_old", T)[0]
    if way == 1:
        return local(k, "alpha|beta|step", top / (wp.abs(down) + 1.0e-6))
    down = local(k, "den_v|below|div", down)
    return local(k, "alpha|beta|step", where(wp.abs(down) > 1.0e-8, top / wp.max(wp.abs(down), 1.0e-8), number(0, T)))


def triangular(k: Author) -> None:
    """A triangular solve, one right-hand side or one system per thread: by rows or columns, unit, transposed."""
    c, T = k.c, precise(k)
    k.name("trsv|forward_substitution|back_substitution|triangular_solve|solve_lower")
    upper, unit, many = c.chance(1, 2), c.chance(1, 3), c.chance(1, 2)
    s = k.tid("s|rhs_id|system|col")
    a = k.input("a|tri|factor", T, 2 if many else 3)
    b, x = k.input("b|rhs|right", T, 2), k.inout("x|sol|work", T, 2)
    flip = c.chance(1, 3)
    n = local(k, "n|size|order", wp.min(a.shape(0 if many else 1), x.shape(1)))
    if c.chance(1, 3):
        with k.if_(s >= x.shape(0)):
            k.leave()
    change = transform(k, "entry|coeff|prepare", T, 1)

    def at(r: Term, q: Term) -> Term:
        place = (q, r) if flip else (r, q)
        return change(a[place] if many else a[s, place[0], place[1]])

    with k.for_("step|r0|turn", n) as turn:
        i = local(k, "i|row|r", n - 1 - turn) if upper else turn
        acc = k.var("acc|s0|rest", varied(k, b[s, i], 0, 1))
        bounds = (i + 1, n) if upper else (number(0, INT), i)
        with k.for_("j|col_j|q", *bounds) as j:
            acc -= at(i, j) * x[s, j]
        if unit:
            x[s, i] = acc
        else:
            d = local(k, "d|pivot|diag", at(i, i))
            safe = where(wp.abs(d) < 1.0e-3, number(1, T), d)
            x[s, i] = acc / safe if c.chance(1, 2) else varied(k, acc * (1.0 / safe), 0, 1)
    whole = total(k, "nrm|sq|ssum", n, lambda j: x[s, j] * x[s, j], T) if c.chance(1, 2) else x[s, wp.max(n - 1, 0)]
    value = settled(k, whole, 0, 2)
    k.output("norms|lasts|figures", T)[s] = value
    statistic(k, value)
    kind = f"{'upper' if upper else 'lower'} {'unit ' if unit else ''}triangular"
    what = f"one {kind} system for" if many else f"a {kind} system with"
    k.summary(f"Solves {what} one right-hand side per thread.")
