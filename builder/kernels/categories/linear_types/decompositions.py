"""Normal equations, decompositions, main directions."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, cast, identity, make, number, wp
from ...types import DOUBLE, FLOAT, HALF, INT, Mat, Vec, mat, vec
from .matrices import entry


def _solved(k: Author, A: Term, g: Var, V: Vec, way: int) -> Term:
    """Return the solution of ``A x = g`` by one of three ways."""
    c, T = k.c, V.dtype
    if way == 0:
        return wp.inverse(A) * Term(g.e)
    if way == 1:
        return wp.inverse_approx(A) * Term(g.e) if T is FLOAT else wp.inverse(A) * Term(g.e)
    cur = k.var("x|sol|dx", make(V))
    with k.for_("it|sweep|t", c.between(3, 10)):
        cur.set(Term(cur.e) + (Term(g.e) - A * Term(cur.e)) / (wp.trace(A) + 0.1))
    return Term(cur.e)


def normal_equations(k: Author) -> None:
    """Normal equations of small least-squares problems: sums of J^T J and J^T r, damped and solved."""
    c, T = k.c, k.c.weighted({FLOAT: 3, DOUBLE: 1})
    n = c.pick((3, 2, 4))
    rows = c.pick([r for r in (2, 3, 4) if r != n])
    J, V, M = mat(rows, n, T), vec(n, T), mat(n, n, T)
    k.name("normal_equations|gauss_newton|least_squares|fit_step|solve_normal")
    jac, res = k.input("jac|J|designs", J, 2), k.input("res|r|errors", vec(rows, T), 2)
    i = gate(k, k.tid("i|tid|row"), jac.shape(0))
    H, g = k.var("H|JtJ|A", make(M)), k.var("g|Jtr|b", make(V))
    with k.for_("j|n|obs", jac.shape(1)) as j:
        a = k.let("a|Jj|blk", jac[i, j])
        r = k.let("r0|e|rj", varied(k, res[i, j % res.shape(1)], 0, 2))
        w = number(1.0, T)
        if c.chance(1, 2):
            w = k.let("w|weight|s", 1.0 / (1.0 + wp.dot(r, r) * coefficient(k, T)))
        H.set(Term(H.e) + wp.transpose(a) * a * w)
        g.set(Term(g.e) + wp.transpose(a) * r * w if c.chance(1, 2) else Term(g.e) + (r * a) * w)
    damping = k.scalar("damping|mu|lam", T) if c.chance(1, 2) else coefficient(k, T)
    if c.chance(1, 2):
        with k.for_("d|q|m", n) as d:
            k.put(entry(H, d, d), wp.abs(damping) + 0.1, "+")
        A = Term(H.e)
    else:
        A = k.let("A0|damped|Hd", Term(H.e) + identity(M) * (wp.abs(damping) + 0.1))
    way = c.below(3)
    x = _solved(k, A, g, V, way)
    value = k.let("value|step|upd", varied(k, -x if c.chance(1, 2) else x, 0, 2))
    k.output("out|steps|solution", V)[i] = value
    if c.chance(1, 3):
        k.output("hess|normal|lhs", M)[i] = A
    statistic(k, wp.dot(value, Term(g.e)))
    how = ("an inverse", "an approximate inverse" if T is FLOAT else "an inverse", "relaxation")[way]
    k.summary(f"Sums {T.name} normal equations of {rows} by {n} Jacobians and solves them by {how}.")


def _taken_apart(k: Author, A: Term, M: Mat, V: Vec, way: int) -> tuple[Term, Term]:
    """Return a matrix made of the parts of another, and the vector of the decomposition."""
    c, T = k.c, M.dtype
    if way < 2:
        f = wp.svd3 if way == 0 else wp.svd2
        if c.chance(1, 2):
            U, s, W = k.many(("U|left|u0", "s|sigma|sv", "W|V|right"), f(A))
        else:
            U, s, W = k.let("U|left|u0", make(M)), k.let("s|sigma|sv", make(V)), k.let("W|V|right", make(M))
            k.do(f(A, U, s, W))
        kept = k.let("kept|stretch|lim", varied(k, wp.max(wp.min(s, make(V, 2.0)), make(V, 0.1)), 0, 1))
        made = (
            U * wp.diag(kept) * wp.transpose(W)
            if c.chance(1, 2)
            else U * wp.transpose(W) + wp.diag(kept) * coefficient(k, T)
        )
    elif way == 2:
        if c.chance(1, 2):
            Q, R = k.many(("Q|orth|q0", "R|upper|r0"), wp.qr3(A))
        else:
            Q, R = k.let("Q|orth|q0", make(M)), k.let("R|upper|r0", make(M))
            k.do(wp.qr3(A, Q, R))
        s, made = wp.get_diag(R), Q * coefficient(k, T) + R
    else:
        S = k.let("S|sym|cov", (A + wp.transpose(A)) * number(0.5, T))
        if c.chance(1, 2):
            Q, d = k.many(("Q|axes|e0", "d|lam|ev"), wp.eig3(S))
        else:
            Q, d = k.let("Q|axes|e0", make(M)), k.let("d|lam|ev", make(V))
            k.do(wp.eig3(S, Q, d))
        s, made = d, Q * wp.diag(varied(k, d, 0, 1)) * wp.transpose(Q)
    return made, s


def decomposed(k: Author) -> None:
    """Decompositions of 3 by 3 and 2 by 2 matrices: polar rotations, clamped stretches, principal axes, solves."""
    c = k.c
    way = c.below(4)
    T = c.weighted({FLOAT: 4, DOUBLE: 1, HALF: 1})
    n = 2 if way == 1 else 3
    M, V = mat(n, n, T), vec(n, T)
    k.name(
        (
            "svd_polar|clamp_stretch|corotate",
            "svd_plane|polar_2d",
            "qr_solve|orthonormal",
            "principal_axes|eigen_frames",
        )[way]
    )
    mats = k.input("mats|F|deform", M)
    i = gate(k, k.tid("i|tid|idx"), mats.shape(0))
    A = k.let("A|F0|m", varied(k, mats[i], 0, 1))
    made, s = _taken_apart(k, A, M, V, way)
    end = c.below(3)
    if end == 0:
        k.output("out|result|mats_out", M)[i] = varied(k, made, 0, 2)
    elif end == 1:
        k.output("out|axes_out|dirs", V)[i] = varied(k, made[c.below(n)] + s, 0, 2)
    else:
        energy = wp.ddot(A - made, A - made) + wp.dot(s, s) * coefficient(k, T)
        k.output("out|energy|cost", T)[i] = varied(k, energy, 0, 2)
    statistic(k, wp.trace(made))
    what = (
        "singular value decomposition",
        "2 by 2 singular value decomposition",
        "QR decomposition",
        "eigendecomposition",
    )[way]
    k.summary(f"Takes the {what} of {T.name} matrices and puts them together again, changed.")


def whitening(k: Author) -> None:
    """Covariances of rows of points; their main directions by power iteration or eigenvectors; projections."""
    c, T = k.c, k.c.weighted({FLOAT: 3, DOUBLE: 1})
    n = c.pick((3, 2, 4))
    V, M = vec(n, T), mat(n, n, T)
    k.name("row_covariance|main_direction|pca_rows|power_iteration|scatter_matrix")
    points = k.input("points|x|samples", V, 2)
    i = gate(k, k.tid("i|tid|row"), points.shape(0))
    mean = k.var("mean|mu|center", make(V))
    with k.for_("j|n|p", points.shape(1)) as j:
        mean.set(Term(mean.e) + points[i, j] * coefficient(k, T, 1, 20))
    cov = k.var("cov|C|scatter", identity(M) * coefficient(k, T, 1, 40) if c.chance(1, 2) else make(M))
    with k.for_("q|m|e", points.shape(1)) as q:
        d = k.let("d|rel|gap", varied(k, points[i, q] - Term(mean.e), 0, 1))
        if c.chance(2, 3):
            cov.set(Term(cov.e) + wp.outer(d, d) * (coefficient(k, T) if c.chance(1, 2) else 1.0))
        else:
            with k.for_("r|row|a", n) as r:
                k.put(entry(cov, r), d * d[r], "+")
    axis = k.var("axis|v|dir", make(V, *(number(c.between(10, 100) / 100, T) for _ in range(n))))
    if n == 3 and c.chance(1, 3):
        Q, s = k.many(("Q|axes|e0", "s|lam|ev"), wp.eig3(Term(cov.e)))
        axis.set(Q[cast(wp.argmax(s), INT)])
        how = "an eigendecomposition"
    else:
        steps = c.between(3, 10) if c.chance(1, 2) else k.scalar("iters|steps|sweeps", INT)
        with k.for_("it|sweep|t", steps):
            nxt = k.let("nxt|w|grown", Term(cov.e) * Term(axis.e) + Term(axis.e) * number(0.01, T))
            axis.set(wp.normalize(nxt) if c.chance(1, 2) else nxt / (wp.length(nxt) + 0.001))
        how = "power iteration"
    if c.chance(1, 2):
        k.output("out|axes_out|dirs", V)[i] = varied(k, Term(axis.e), 0, 2)
    else:
        spread = wp.dot(Term(axis.e), Term(cov.e) * Term(axis.e))
        k.output("out|spread|variance", T)[i] = varied(k, spread, 0, 2)
    statistic(k, wp.trace(Term(cov.e)))
    k.summary(f"Finds the main direction of each row of {n}-D {T.name} points by {how}.")
