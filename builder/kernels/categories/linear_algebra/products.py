"""Matrix products: dense, batched, banded, Kronecker; sparse in their usual formats; updates of rank one."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author
from ...fusion import coefficient, gate, statistic, varied
from ...fusion.cells import local, precise, setting, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import TermOf, sweep, total
from ...terms import Term, both, make, number, where, wp
from ...types import INT, Scalar, mat, vec


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


_FORMATS = ("csr", "ell", "coo", "dia", "bsr", "csc")


def spmv(k: Author) -> None:
    """A sparse matrix-vector product in CSR, ELL, COO, DIA, block CSR or CSC; residual, scaling, diagonal."""
    c, T = k.c, precise(k)
    kind = c.pick(_FORMATS)
    k.name(f"spmv_{kind}|{kind}_spmv|{kind}_matvec|sparse_{kind}")
    if kind == "bsr":
        _block_rows(k, T)
    elif kind in ("coo", "csc"):
        _scattered(k, kind, T)
    else:
        _gathered(k, kind, T)
    k.summary(f"Multiplies a sparse matrix in {kind.upper()} format with a vector of {T.name} numbers.")


def _gathered(k: Author, kind: str, T: Scalar) -> None:
    c = k.c
    i = k.tid("i|row|r|tid")
    x, values = k.input("x|vec_in|p", T), k.input("values|vals|a_vals", T, 1 if kind == "csr" else 2)
    y = k.output("y|out|ap", T)
    change = transform(k, "coeff|entry|prepare", T, 1)
    if c.chance(1, 2):
        with k.if_(i >= y.shape(0)):
            k.leave()
    if kind == "csr":
        ptr, col = k.input("row_ptr|indptr|offsets", INT), k.input("col_idx|indices|cols", INT)
        first = local(k, "first|begin|lo", wp.max(ptr[i], 0))
        last = local(k, "last|end|hi", wp.min(ptr[wp.min(i + 1, ptr.shape(0) - 1)], values.shape(0)))

        def term(m: Term) -> Term:
            return change(values[first + m]) * x[wp.clamp(col[first + m], 0, x.shape(0) - 1)]

        count = last - first
    elif kind == "ell":
        col = k.input("col_idx|indices|cols", INT, 2)
        flip = c.chance(1, 3)

        def term(m: Term) -> Term:
            at = (m, i) if flip else (i, m)
            q = local(k, "q|col|src", col[at])
            return where(q >= 0, change(values[at]) * x[wp.clamp(q, 0, x.shape(0) - 1)], number(0, T))

        count = values.shape(0 if flip else 1)
    else:
        shifts = k.input("shifts|diag_offsets|bands", INT)

        def term(m: Term) -> Term:
            q = local(k, "q|col|src", i + shifts[m])
            inside = both(q >= 0, q < x.shape(0))
            return where(inside, change(values[m, i]) * x[wp.clamp(q, 0, x.shape(0) - 1)], number(0, T))

        count = shifts.shape(0)
    value = total(k, "acc|s|dot", count, term, T)
    value = settled(k, _finished(k, value, i, T), 0, 2)
    y[i] = value
    statistic(k, value)


def _finished(k: Author, value: Term, i: Term, T: Scalar) -> Term:
    way = k.c.below(4)
    if way == 1:
        return k.input("b|rhs|target", T)[i] - value
    if way == 2:
        return value + coefficient(k, T) * k.input("diag|shift_d|mass", T)[i]
    return value * setting(k, "alpha|scale", 1.5, T) if way == 3 else value


def _scattered(k: Author, kind: str, T: Scalar) -> None:
    c = k.c
    e = k.tid("e|entry|nz|tid")
    values, x, y = k.input("values|vals|a_vals", T), k.input("x|vec_in|p", T), k.output("y|out|ap", T)
    e = gate(k, e, values.shape(0))
    change = transform(k, "coeff|entry|prepare", T, 2)
    if kind == "coo":
        rows, cols = k.input("rows|row_idx|ii", INT), k.input("cols|col_idx|jj", INT)
        r = local(k, "r|row|dst", wp.clamp(rows[e], 0, y.shape(0) - 1))
        q = local(k, "q|col|src", wp.clamp(cols[e], 0, x.shape(0) - 1))
        value = settled(k, change(values[e]) * x[q], 0, 2)
        k.atomic("add", y, r, value, augmented=c.chance(1, 2))
        if c.chance(1, 3):
            with k.if_(r != q):
                k.atomic("add", y, q, change(values[e]) * x[r])
        if c.chance(1, 3):
            k.atomic("max", k.output("row_max|peaks|bounds", T), r, wp.abs(value))
        statistic(k, value)
        return
    ptr, rows = k.input("col_ptr|indptr|offsets", INT), k.input("row_idx|indices|rows", INT)
    factor = local(k, "xj|factor|s", varied(k, x[e], 0, 2))
    if c.chance(1, 3):
        with k.if_(factor == 0.0):
            k.leave()
    first = local(k, "first|begin|lo", wp.max(ptr[e], 0))
    last = local(k, "last|end|hi", wp.min(ptr[wp.min(e + 1, ptr.shape(0) - 1)], values.shape(0)))
    with sweep(k, last - first, "m|nz_i|p") as m:
        r = wp.clamp(rows[first + m], 0, y.shape(0) - 1)
        k.atomic("add", y, r, change(values[first + m]) * factor, augmented=c.chance(1, 2))
    statistic(k, factor)


def _block_rows(k: Author, T: Scalar) -> None:
    c = k.c
    n = c.between(2, 4)
    V, M = vec(n, T), mat(n, n, T)
    i = k.tid("i|block_row|r|tid")
    ptr, col = k.input("row_ptr|indptr|offsets", INT), k.input("col_idx|indices|cols", INT)
    blocks, x = k.input("blocks|values|mats", M), k.input("x|vec_in|p", V)
    first = local(k, "first|begin|lo", wp.max(ptr[i], 0))
    last = local(k, "last|end|hi", wp.min(ptr[wp.min(i + 1, ptr.shape(0) - 1)], blocks.shape(0)))
    acc = k.var("acc|s|sum_v", make(V))
    flip = c.chance(1, 3)
    with k.for_("e|nz|p", first, last) as e:
        q = local(k, "q|col|src", wp.clamp(col[e], 0, x.shape(0) - 1))
        if c.chance(1, 3):
            with k.if_(q == i):
                k.leave("continue")
        acc += x[q] * blocks[e] if flip else blocks[e] * x[q]
    value = Term(acc.e)
    if c.chance(1, 2):
        value = k.input("b|rhs|target", V)[i] - value
    if c.chance(1, 2):
        value = k.input("inv_diag|precond|diag_blocks", M)[i] * value
    if c.chance(1, 2):
        value = value * coefficient(k, T)
    value = local(k, "yv|res|out_v", value)
    k.output("y|out|ap", V)[i] = value
    figure = settled(k, wp.dot(value, x[i]) if c.chance(1, 2) else wp.length_sq(value), 0, 3)
    if c.chance(1, 2):
        k.output("figures|energy_i|quad", T)[i] = figure
    else:
        k.atomic("add", k.output("total|energy|quad_sum", T), 0, figure)


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
