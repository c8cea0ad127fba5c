"""Matrix products: dense, batched, banded, Kronecker; updates of rank one."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import local, setting, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import TermOf, sweep, total
from ...terms import Term, number, where, wp
from ...types import INT, Scalar


def gemv(k: Author) -> None:
    """A matrix-vector product: by rows, columns, transposed, symmetric, triangular, with alpha and beta."""
    c, T = k.c, k.real()
    k.name("gemv|matvec|mat_vec|row_dot|apply_matrix|symv")
    part = c.pick(("full", "full", "lower", "upper", "band"))
    rows = Rows(k, "i|row|r", "cols|n|width", ("ragged",) if part != "full" else ())
    a = rows.input("a|mat|matrix|m_in", T)
    x = k.input("x|vec_in|v|p", T)
    change = transform(k, "scaled|entry|prepare", T, 1)
    band = c.between(1, 6)

    def term(j: Term) -> Term:
        product = change(a[j]) * x[j]
        if part == "full":
            return product
        inside = {"lower": j <= rows.row, "upper": j >= rows.row}.get(part)
        inside = inside if inside is not None else wp.abs(j - rows.row) <= band
        return where(inside, product, number(0, T))

    value = total(k, "acc|s|dot|y_i", rows.count, term, T)
    if c.chance(1, 2):
        value = setting(k, "alpha|scale", 1.5, T) * value
    if c.chance(1, 2):
        before = rows.per_row("y_in|b|rhs", T)
        value = value + setting(k, "beta|keep", 0.5, T) * before if c.chance(1, 2) else before - value
    value = settled(k, value, 0, 2)
    rows.result("y|out|result", T)[rows.place] = value
    statistic(k, value)
    shape = {"full": "a", "band": "the banded part of a"}.get(part, f"the {part} triangle of a")
    k.summary(f"Multiplies {shape} matrix of {change.words}{T.name} entries with a vector.")


def gemm(k: Author) -> None:
    """A matrix product: transposes, batches, one entry or several per thread, an epilogue."""
    c, T = k.c, k.real()
    k.name("gemm|matmul|mat_mul|dense_product|batched_gemm|sgemm_naive")
    batch, ta, tb = c.chance(1, 3), c.chance(1, 4), c.chance(1, 4)
    block = 1 if batch else c.pick((1, 1, 2))
    tid = k.tid("b|batch|mat_id", "i|row|m0", "j|col|n0") if batch else k.tid("i|row|m0", "j|col|n0")
    i, j = tid[-2], tid[-1]
    dims = len(tid)
    a, b = k.input("a|lhs|left_mat", T, dims), k.input("b|rhs|right_mat", T, dims)
    lead = tid[:-2]
    inner = a.shape(dims - 2 if ta else dims - 1)
    inner = local(k, "inner|depth|kk", inner) if c.chance(1, 2) else inner
    if c.chance(1, 3):
        with k.if_(j >= b.shape(dims - 2 if tb else dims - 1)):
            k.leave()
    change = transform(k, "prepare|dequant|load_a", T, 1)

    def entry(row: Term, col: Term, m: Term) -> Term:
        left = a[(*lead, m, row) if ta else (*lead, row, m)]
        right = b[(*lead, col, m) if tb else (*lead, m, col)]
        return change(left) * right

    out = k.output("c_out|out|product", T, dims)
    if block == 2:
        _two_columns(k, i, j, inner, entry, out, T)
    else:
        value = total(k, "acc|s|c_ij", inner, lambda m: entry(i, j, m), T)
        value = settled(k, _epilogue(k, value, tid, T), 0, 2)
        out[tid] = value
        statistic(k, value)
    sides = f"{'transposed ' if ta else ''}left and {'transposed ' if tb else ''}right"
    share = "one entry" if block == 1 else "two entries"
    k.summary(f"Multiplies {sides} {T.name} matrices{' of a batch' if batch else ''}, {share} a thread.")


def _epilogue(k: Author, value: Term, tid: tuple[Term, ...], T: Scalar) -> Term:
    c = k.c
    if c.chance(1, 2):
        value = value * coefficient(k, T)
    if c.chance(1, 2):
        value = value + k.input("bias|c_bias|offsets", T)[tid[-1] if c.chance(2, 3) else tid[-2]]
    if c.chance(1, 3):
        value = value + setting(k, "beta|keep", 0.5, T) * k.input("c_in|addend|residual", T, len(tid))[tid]
    return value


def _two_columns(
    k: Author, i: Term, j: Term, inner: Term, entry: Callable[[Term, Term, Term], Term], out: Arr, T: Scalar
) -> None:
    first, second = local(k, "j0|col0|left_j", 2 * j), local(k, "j1|col1|right_j", 2 * j + 1)
    with k.if_(second >= out.shape(1)):
        k.leave()
    a, b = k.var("acc0|s0|lo_acc", number(0, T)), k.var("acc1|s1|hi_acc", number(0, T))
    with sweep(k, wp.min(inner, out.shape(1)), "m|p|depth_i") as m:
        a += entry(i, first, m)
        b += entry(i, second, m)
    x = settled(k, Term(a.e), 0, 2)
    out[i, first] = x
    out[i, second] = varied(k, Term(b.e), 0, 2)
    statistic(k, x)


def rank_one(k: Author) -> None:
    """An update of each entry of a matrix: rank one or two, Kronecker, Hadamard, shifted, congruent."""
    c, T = k.c, k.real()
    kind = c.pick(("ger", "syr2", "kron", "hadamard", "deflate", "cauchy", "toeplitz", "householder"))
    k.name(f"{kind}|{kind}_update|{kind}_matrix|apply_{kind}")
    i, j = k.tid("i|row|r", "j|col|q")
    a = k.inout("a|mat|matrix", T, 2) if kind not in ("kron", "cauchy", "toeplitz") else None
    out = a if a is not None else k.output("out|result|dense", T, 2)
    u, v = k.input("u|x|left_v", T), k.input("v|y|right_v", T)
    if c.chance(1, 2):
        test = i >= out.shape(0) if c.chance(1, 2) else j > i
        with k.if_(test):
            k.leave()
    change = transform(k, "weight|entry|prepare", T, 1)
    value = _entry(k, kind, i, j, a, u, v, change, T)
    value = settled(k, value, 0, 3)
    out[i, j] = value
    if c.chance(1, 3) and kind not in ("kron", "toeplitz"):
        k.output("diag_out|trace_parts|norms", T).add_at(i, value)
    statistic(k, value)
    k.summary(f"Computes each entry of a {kind.replace('_', ' ')} update of a {T.name} matrix from two vectors.")


def _entry(k: Author, kind: str, i: Term, j: Term, a: Arr | None, u: Arr, v: Arr, change: TermOf, T: Scalar) -> Term:
    c = k.c
    if kind == "toeplitz":
        apart = local(k, "apart|lag|d", wp.abs(i - j))
        return where(i >= j, change(u[wp.min(apart, u.shape(0) - 1)]), v[wp.min(apart, v.shape(0) - 1)])
    if kind == "cauchy":
        return change(u[i]) / (wp.abs(u[i] - v[j]) + coefficient(k, T, 10, 100))
    if kind == "kron":
        size = k.scalar("size|block|n_inner", INT) if c.chance(1, 2) else number(c.between(2, 8), INT)
        size = local(k, "nb|step_b|inner_n", wp.max(size, 1))
        b = k.input("b|second|inner_mat", T, 2)
        return change(u[i // size]) * v[j // size] * b[i % size % b.shape(0), j % size % b.shape(1)]
    assert a is not None
    product = change(u[i]) * v[j]
    if kind == "ger":
        return a[i, j] + coefficient(k, T) * product
    if kind == "syr2":
        return a[i, j] + coefficient(k, T) * (product + change(u[j]) * v[i])
    if kind == "hadamard":
        return a[i, j] * product + coefficient(k, T)
    if kind == "deflate":
        return a[i, j] - k.input("eigen|lams|sigma_in", T)[0] * product
    twice = setting(k, "tau|two_over|factor", 1.9, T)
    return a[i, j] - twice * product + where(i == j, coefficient(k, T, 1, 40), number(0, T))
