"""Rectangular matrices, assembly by rows and entries."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, identity, make, number, where, wp
from ...types import mat, scalar_of, vec
from .vectors import REALS


def entry(m: Var | Term, *place: Term | int) -> Term:
    """Return an entry or a row of a local."""
    return Term(m.e)[place if len(place) > 1 else place[0]]


def camera(k: Author) -> None:
    """Projections by rectangular matrices: cameras, affine maps, homographies, embeddings."""
    c, T = k.c, k.c.weighted(REALS)
    rows, cols = c.pick(((3, 4), (2, 3), (2, 4), (4, 3), (3, 2), (5, 3), (2, 6)))
    P, V, W = mat(rows, cols, T), vec(cols, T), vec(rows, T)
    k.name("project_points|camera_matrix|affine_map|embed|linear_layer")
    mats = k.input("mats|cameras|weights", P)
    points = k.input("points|pts|x", vec(cols - 1, T) if cols in (3, 4) and c.chance(1, 2) else V)
    i = gate(k, k.tid("i|tid|idx"), points.shape(0))
    M = k.let("M|P|A", mats[i % mats.shape(0)])
    p = k.let("p|v|h", varied(k, points[i], 0, 1))
    x = p if p.type is V else k.let("xh|hom|h1", make(V, *(p[m] for m in range(cols - 1)), 1.0))
    way = c.below(3)
    if way == 0:
        y = k.let("y|q|proj", M * x)
    elif way == 1:
        y = k.let("y|q|proj", x * wp.transpose(M))
    else:
        acc = k.var("y|q|proj", make(W))
        with k.for_("r|row|a", rows) as r:
            k.put(Term(acc.e)[r], wp.dot(M[r], x) if c.chance(1, 2) else varied(k, wp.dot(M[r], x), 1, 1))
        y = Term(acc.e)
    if c.chance(1, 2):
        y = k.let("z|shifted|yb", y + make(W, *(number(c.between(-100, 100) / 100, T) for _ in range(rows))))
    end = c.below(3)
    if end == 0 and rows > 2:
        depth = where(wp.abs(y[rows - 1]) < 0.01, number(0.01, T), y[rows - 1])
        k.output("out|pixels|uv", vec(rows - 1, T))[i] = make(
            vec(rows - 1, T), *(y[m] / depth for m in range(rows - 1))
        )
    elif end == 1:
        back = k.let("back|g|xt", wp.transpose(M) * y if c.chance(1, 2) else y * M)
        k.output("out|grads|back_out", V)[i] = varied(k, back - x, 0, 2)
    else:
        k.output("out|mapped|codes", W)[i] = varied(k, y, 0, 2)
    statistic(k, wp.dot(y, y))
    k.summary(f"Applies {rows} by {cols} {T.name} matrices to points.")


def _edit(k: Author, m: Var, u: Term, v: Term, i: Term, n: int) -> None:
    """Change a row, a column or some entries of a matrix."""
    c, T = k.c, scalar_of(u.type)
    kind, place = c.below(6), c.below(n)
    if kind == 0:
        k.put(entry(m, place), varied(k, u, 0, 1))
    elif kind == 1:
        k.put(Term(m.e)[:, place], v * coefficient(k, T))
    elif kind == 2:
        k.put(entry(m, place, (place + 1) % n), wp.dot(u, v), c.pick(("+", "-")))
    elif kind == 3:
        with k.for_("r|d|e", n) as r:
            k.put(entry(m, r, r), varied(k, u[r], 0, 1), c.pick(("", "+")))
    elif kind == 4:
        with k.for_("r|row|e", n) as r, k.for_("s0|col|f", n) as s, k.if_(r > s if c.chance(1, 2) else r < s):
            k.put(entry(m, r, s), number(0.0, T))
    else:
        k.put(entry(m, i % n, place), coefficient(k, T), "+")


def assembly(k: Author) -> None:
    """Matrices put together: from rows, columns, entries by index; rows and columns replaced; blocks read."""
    c, T = k.c, k.c.weighted(REALS)
    n = c.pick((3, 2, 4))
    V, M = vec(n, T), mat(n, n, T)
    k.name("assemble_matrix|frame_from_axes|fill_entries|edit_rows|build_basis")
    a, b = k.input("a|tangents|first", V), k.input("b|normals|second", V)
    i = gate(k, k.tid("i|tid|idx"), a.shape(0))
    u, v = k.let("u|t|p", varied(k, a[i], 0, 1)), k.let("v|s|q", varied(k, b[i % b.shape(0)], 0, 1))
    way = c.below(4)
    if way == 0:
        lines = [u, v, *(u + v * coefficient(k, T), u - v)][:n]
        built = (wp.matrix_from_rows if c.chance(1, 2) else wp.matrix_from_cols)(*lines)
    elif way == 1:
        built = wp.outer(u, v) + wp.diag(v) * coefficient(k, T)
    elif way == 2 and n == 3:
        built = wp.skew(u) * coefficient(k, T) + identity(M)
    else:
        built = make(M, *(u[m % n] * v[m // n] if m % 2 else u[m // n] - v[m % n] for m in range(n * n)))
    m = k.var("m|A|basis", built)
    for _ in range(c.between(1, 3)):
        _edit(k, m, u, v, i, n)
    end = c.below(4)
    made = Term(m.e)
    if end == 0:
        k.output("out|frames|mats_out", M)[i] = varied(k, made, 0, 2)
    elif end == 1:
        k.output("out|rows_out|picked", V)[i] = varied(k, made[c.below(n)] + made[:, c.below(n)], 0, 2)
    elif end == 2:
        k.output("out|dets|measure", T)[i] = varied(k, wp.determinant(made) + wp.trace(made), 0, 2)
    else:
        k.output("out|diag_out|result", V)[i] = varied(k, wp.get_diag(made) - made * u, 0, 2)
    statistic(k, wp.ddot(made, made))
    k.summary(f"Assembles {n} by {n} {T.name} matrices from vectors and changes some of their entries.")
