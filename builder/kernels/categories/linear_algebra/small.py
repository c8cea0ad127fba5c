"""Small systems in registers, rotations of rows."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author, Var
from ...fusion import coefficient, gate, statistic, varied
from ...fusion.cells import local, precise, setting, settled
from ...fusion.sweeps import TermOf, sweep
from ...terms import Term, number, where, wp
from ...types import INT, Scalar, mat, vec

At = Callable[[Term], tuple[Term, ...]]


def factorise(k: Author) -> None:
    """Cholesky, LU, LDL, Gauss-Jordan or Gram-Schmidt of a small matrix per thread, and the solve with it."""
    c, T = k.c, precise(k)
    kind = c.pick(("cholesky", "lu", "ldl", "gauss_jordan", "gram_schmidt"))
    n = c.between(2, 4 if kind == "gram_schmidt" else 6)
    k.name(f"{kind}{n}|batched_{kind}|small_{kind}|{kind}_registers|{kind}_solve")
    M, V = mat(n, n, T), vec(n, T)
    i = k.tid("i|system|tid|s0")
    mats, rhs = k.input("mats|a|blocks", M), k.input("rhs|b|vecs", V)
    i = gate(k, i, mats.shape(0))
    m = k.var("m|a_i|work", mats[i] * coefficient(k, T) if c.chance(1, 3) else mats[i])
    y = k.var("y|b_i|x", rhs[i] * coefficient(k, T) if c.chance(1, 3) else rhs[i])
    if kind == "gram_schmidt":
        x = _gram_schmidt(k, Term(m.e), Term(y.e), n, T)
    else:
        size = k.var("n|order|size", number(n, INT))
        if c.chance(1, 2):
            ridge = coefficient(k, T)
            with sweep(k, size, "q|d|r") as q:
                k.put(m[q, q], m[q, q] + ridge)
        _FACTORS[kind](k, m, y, size, T)
        x = Term(y.e)
    if c.chance(2, 3):
        k.output("x_out|sol|solutions", V)[i] = x
    figure = settled(k, wp.dot(x, rhs[i]) if c.chance(1, 2) else wp.length_sq(x), 0, 3)
    k.output("figures|energy|norms", T)[i] = figure
    if c.chance(1, 3) and kind != "gram_schmidt":
        k.output("factors|m_out|mats_out", M)[i] = Term(m.e)
    statistic(k, figure)
    k.summary(f"Solves a system of {n} unknowns per thread by {kind.replace('_', '-')} in registers.")


def _safe(k: Author, value: Term, T: Scalar) -> Term:
    """Return a pivot held away from zero."""
    value = local(k, "piv|d0|pivot", value)
    return local(k, "safe|div|p0", where(wp.abs(value) < 1.0e-3, number(1, T), value))


def _less(k: Author, start: Term, count: Term, term: TermOf) -> Term:
    """Return ``start`` less the sum of ``term(q)`` over ``q`` below ``count``."""
    acc = k.var("t|acc|s", start)
    with sweep(k, count, "q|p|l") as q:
        acc -= term(q)
    return Term(acc.e)


def _substitute(k: Author, m: Var, y: Var, n: Term, unit: bool, T: Scalar) -> None:
    with k.for_("r|row|i0", n) as r:
        t = _less(k, y[r], r, lambda q: m[r, q] * y[q])
        k.put(y[r], t if unit else t / m[r, r])


def _cholesky(k: Author, m: Var, y: Var, n: Term, T: Scalar) -> None:
    with k.for_("j|col|c0", n) as j:
        d = _less(k, m[j, j], j, lambda q: m[j, q] * m[j, q])
        d = local(k, "root|ljj|diag", wp.sqrt(wp.max(d, 1.0e-4)))
        k.put(m[j, j], d)
        with k.for_("i1|below|r1", j + 1, n) as i:
            k.put(m[i, j], _less(k, m[i, j], j, lambda q: m[i, q] * m[j, q]) / d)
    _substitute(k, m, y, n, False, T)
    with k.for_("back|rev|turn", n) as back:
        r = local(k, "rb|up|at", n - 1 - back)
        acc = k.var("t2|acc2|rest", y[r])
        with k.for_("q2|p2|l2", r + 1, n) as q:
            acc -= m[q, r] * y[q]
        k.put(y[r], acc / m[r, r])


def _eliminated(k: Author, m: Var, n: Term, T: Scalar) -> None:
    with k.for_("j|col|c0", n) as j:
        p = _safe(k, m[j, j], T)
        k.put(m[j, j], p)
        with k.for_("i1|below|r1", j + 1, n) as i:
            f = local(k, "f|factor|l_ij", m[i, j] / p)
            k.put(m[i, j], f)
            with k.for_("q2|p2|l2", j + 1, n) as q:
                k.put(m[i, q], m[i, q] - f * m[j, q])


def _lu(k: Author, m: Var, y: Var, n: Term, T: Scalar) -> None:
    _eliminated(k, m, n, T)
    _substitute(k, m, y, n, True, T)
    with k.for_("back|rev|turn", n) as back:
        r = local(k, "rb|up|at", n - 1 - back)
        acc = k.var("t2|acc2|rest", y[r])
        with k.for_("q3|p3|l3", r + 1, n) as q:
            acc -= m[r, q] * y[q]
        k.put(y[r], acc / m[r, r])


def _ldl(k: Author, m: Var, y: Var, n: Term, T: Scalar) -> None:
    with k.for_("j|col|c0", n) as j:
        d = _less(k, m[j, j], j, lambda q: m[j, q] * m[j, q] * m[q, q])
        p = _safe(k, d, T)
        k.put(m[j, j], p)
        with k.for_("i1|below|r1", j + 1, n) as i:
            k.put(m[i, j], _less(k, m[i, j], j, lambda q: m[i, q] * m[j, q] * m[q, q]) / p)
    _substitute(k, m, y, n, True, T)
    with sweep(k, n, "dd|mid|e") as e:
        k.put(y[e], y[e] / m[e, e])
    with k.for_("back|rev|turn", n) as back:
        r = local(k, "rb|up|at", n - 1 - back)
        acc = k.var("t2|acc2|rest", y[r])
        with k.for_("q3|p3|l3", r + 1, n) as q:
            acc -= m[q, r] * y[q]
        k.put(y[r], acc)


def _gauss_jordan(k: Author, m: Var, y: Var, n: Term, T: Scalar) -> None:
    with k.for_("j|col|c0", n) as j:
        p = _safe(k, m[j, j], T)
        with sweep(k, n, "i1|row|r1") as i, k.if_(i != j):
            f = local(k, "f|factor|l_ij", m[i, j] / p)
            with k.for_("q2|p2|l2", n) as q:
                k.put(m[i, q], m[i, q] - f * m[j, q])
            k.put(y[i], y[i] - f * y[j])
        k.put(y[j], y[j] / p)
        with k.for_("q3|p3|l3", n) as q:
            k.put(m[j, q], m[j, q] / p)


_FACTORS = {"cholesky": _cholesky, "lu": _lu, "ldl": _ldl, "gauss_jordan": _gauss_jordan}


def _gram_schmidt(k: Author, m: Term, y: Term, n: int, T: Scalar) -> Term:
    """Solve with the orthonormal rows of the matrix: the rows' combination with the coefficients found on the way."""
    found: list[Term] = []
    coefficients: list[Term] = []
    for r in range(n):
        row, right = local(k, f"row{r}|v{r}|w{r}", m[r]), y[r]
        for q, part in zip(found, coefficients, strict=True):
            along = local(k, "along|proj|h", wp.dot(row, q))
            row, right = local(k, f"rest{r}|u{r}", row - q * along), right - along * part
        size = local(k, f"size{r}|len{r}", wp.max(wp.length(row), 1.0e-2))
        found.append(local(k, f"q{r}|e{r}", row / size))
        coefficients.append(local(k, f"z{r}|g{r}", right / size))
    whole = found[0] * coefficients[0]
    for q, part in zip(found[1:], coefficients[1:], strict=True):
        whole = whole + q * part
    return local(k, "x_sol|whole|comb", whole)


def rotation(k: Author) -> None:
    """Givens or Jacobi rotations and Householder reflections of the rows or columns of a matrix."""
    c, T = k.c, precise(k)
    kind = c.pick(("givens", "jacobi", "householder", "fast_givens", "hyperbolic"))
    k.name(f"{kind}_rotate|apply_{kind}|{kind}_rows|{kind}_update")
    dims = c.pick((1, 1, 2))
    tid = k.tid("j|col|lane") if dims == 1 else k.tid("b|mat_id|batch", "j|col|lane")
    j = tid if dims == 1 else tid[1]
    a = k.inout("a|mat|matrix", T, dims + 1)
    side = c.chance(1, 2)
    rows = a.shape(dims if side else dims - 1)
    if c.chance(1, 3):
        with k.if_(j >= a.shape(dims - 1 if side else dims)):
            k.leave()

    def at(r: Term) -> tuple[Term, ...]:
        place = (j, r) if side else (r, j)
        return place if dims == 1 else (tid[0], *place)

    figure = _reflected(k, a, at, rows, T) if kind == "householder" else _rotated(k, kind, a, at, rows, T)
    figure = settled(k, figure, 0, 2)
    if c.chance(1, 2):
        k.atomic("add", k.output("energy|norm_out|checksum", T), 0, figure)
    else:
        k.output("figures|col_norms|traces", T, dims)[tid] = figure
    statistic(k, figure)
    what = "reflection" if kind == "householder" else "rotation"
    lines = "columns" if side else "rows"
    k.summary(f"Applies a {kind.replace('_', ' ')} {what} to two or more {lines} of each matrix.")


def _rotated(k: Author, kind: str, a: Arr, at: At, rows: Term, T: Scalar) -> Term:
    c = k.c
    p = local(k, "p0|top|r_p", wp.clamp(k.scalar("p|first|row_p", INT), 0, rows - 1))
    q = local(k, "q0|bottom|r_q", wp.clamp(k.scalar("q|second|row_q", INT), 0, rows - 1))
    x, y = local(k, "x|ap|upper", a[at(p)]), local(k, "y|aq|lower", a[at(q)])
    way = c.below(3)
    if way == 0:
        angle = setting(k, "theta|angle|phi", 0.3, T)
        cos, sin = local(k, "cs|co|c_r", wp.cos(angle)), local(k, "sn|si|s_r", wp.sin(angle))
    elif way == 1:
        f, g = k.input("f|heads|pivot_a", T)[0], k.input("g|tails|pivot_b", T)[0]
        r = local(k, "r|hyp|norm_fg", wp.sqrt(f * f + g * g + 1.0e-6))
        cos, sin = local(k, "cs|co|c_r", f / r), local(k, "sn|si|s_r", g / r)
    else:
        t = local(k, "t|tan_r|slope", setting(k, "tau|tangent|t_in", 0.4, T) * coefficient(k, T, 20, 150))
        cos = local(k, "cs|co|c_r", 1.0 / wp.sqrt(1.0 + t * t))
        sin = local(k, "sn|si|s_r", t * cos)
    if kind == "hyperbolic":
        cos = local(k, "ch|cosh_r", wp.sqrt(1.0 + sin * sin))
        first, second = cos * x - sin * y, cos * y - sin * x
    elif kind == "fast_givens":
        tau = local(k, "tau_r|half_t|lift", sin / (1.0 + cos))
        first = local(k, "x1|new_x|up_v", x - sin * (y + tau * x))
        second = y + sin * (x - tau * y)
    elif c.chance(1, 2):
        first, second = cos * x + sin * y, cos * y - sin * x
    else:
        first, second = cos * x - sin * y, sin * x + cos * y
    first, second = local(k, "px|xr|rot_x", varied(k, first, 0, 1)), local(k, "py|yr|rot_y", varied(k, second, 0, 1))
    a[at(p)] = first
    a[at(q)] = second
    return first * first - second * second if c.chance(1, 2) else first * second


def _reflected(k: Author, a: Arr, at: At, rows: Term, T: Scalar) -> Term:
    c = k.c
    v = k.input("v|reflector|w", T)
    first = wp.clamp(k.scalar("start_row|pivot|k0", INT), 0, rows) if c.chance(1, 2) else number(0, INT)
    first = local(k, "first|begin|lo", first)
    dot = k.var("dot|proj|va", number(0, T))
    size = k.var("size|vv|norm2", number(1.0e-4, T)) if c.chance(1, 2) else None
    with k.for_("r|i|m", first, rows) as r:
        dot += v[r] * a[at(r)]
        if size is not None:
            size += v[r] * v[r]
    tau = 2.0 * dot / size if size is not None else setting(k, "tau|beta", 1.2, T) * dot
    tau = local(k, "scale|twice|f", varied(k, tau, 0, 1))
    with k.for_("r|i|m", first, rows) as r:
        a[at(r)] = a[at(r)] - tau * v[r]
    return tau * dot
