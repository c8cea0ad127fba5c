"""Sums and products of narrow elements in wider or compensated arithmetic."""

from __future__ import annotations

from ...author import Arr, Author, Scope, Var
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Like, Term, cast, number, where, wp
from ...types import BFLOAT, DOUBLE, FLOAT, HALF, INT8, INT64, UINT8, Scalar

NARROW = {HALF: 4, BFLOAT: 2, FLOAT: 3, INT8: 1, UINT8: 1}


def wider(k: Author, T: Scalar) -> Scalar:
    """Return a float type wider than ``T``."""
    return DOUBLE if T is FLOAT or k.c.chance(1, 5) else FLOAT


def narrowed(k: Scope, value: Term, T: Scalar) -> Term:
    """Return a wide value as a narrow type; integers are rounded and clamped."""
    if T.is_float:
        return cast(value, T)
    low, high = (-128.0, 127.0) if T is INT8 else (0.0, 255.0)
    return cast(wp.clamp(wp.round(value), low, high), T)


def accumulate(k: Author) -> None:
    """Rows reduced in a wider type: sums, dot products, means, variances, norms."""
    c = k.c
    T = c.weighted(NARROW)
    W = wider(k, T)
    way = c.below(4)
    k.name(("row_sums|sum_wide", "row_dot|dot_wide", "row_norm|norm_wide", "row_variance|spread_wide")[way])
    a = k.input("a|x|rows", T, 2)
    b = k.input("b|y|weights", c.pick((T, T, W)), c.pick((1, 2))) if way == 1 else None
    i = gate(k, k.tid("i|tid|row"), a.shape(0))
    acc = k.var("acc|total|sum_", number(0.0, W))
    second = k.var("sq|acc2|m2", number(0.0, W)) if way == 3 else None
    with k.for_("j|n|col", a.shape(1)) as j:
        v = k.let("v|aj|x0", varied(k, cast(a[i, j], W), 0, 2))
        if b is not None:
            other = b[j % b.shape(0)] if b.type.ndim == 1 else b[i % b.shape(0), j % b.shape(1)]  # type: ignore[union-attr]
            acc += v * varied(k, cast(other, W), 0, 1)
        elif way == 2:
            acc += v * v if c.chance(1, 2) else wp.abs(v)
        else:
            acc += v
        if second is not None:
            second += v * v
    n = cast(a.shape(1), W) if W is FLOAT else cast(cast(a.shape(1), INT64), W)
    if second is not None:
        mean = k.let("mean|mu|avg", Term(acc.e) / n)
        made = Term(second.e) / n - mean * mean
    elif way == 2:
        made = wp.sqrt(wp.abs(Term(acc.e)) + coefficient(k, W, 1, 20))
    else:
        made = Term(acc.e) / n if c.chance(1, 2) else Term(acc.e)
    value = k.let("value|r|res", varied(k, made, 0, 2))
    stored = c.pick((W, T, W))
    k.output("out|result|sums", stored)[i] = value if stored is W else narrowed(k, value, T)
    statistic(k, value)
    what = ("Sums", "Takes dot products of", "Takes norms of", "Takes variances of")[way]
    k.summary(f"{what} rows of {T.name} in {W.name}.")


def _add_exactly(k: Scope, s: Term, x: Term, swap: bool) -> tuple[Term, Term]:
    """Return ``s + x`` and its rounding error (Knuth's two-sum, or Dekker's where ``swap`` compares)."""
    t = k.let("t|sum1|high", s + x)
    if swap:
        return t, where(wp.abs(s) >= wp.abs(x), (s - t) + x, (x - t) + s)
    bb = k.let("bb|virt|part", t - s)
    return t, (s - (t - bb)) + (x - bb)


def compensated(k: Author) -> None:
    """Kahan's, Neumaier's and two-sum summation over rows; pairwise halves."""
    c = k.c
    T = c.weighted({FLOAT: 4, HALF: 1, DOUBLE: 1})
    way = c.below(3)
    k.name(("kahan_sum|kahan_rows", "neumaier_sum|robust_sum", "two_sum_rows|exact_sum")[way])
    x = k.input("x|rows|values", T, 2)
    w = k.input("w|weights|y", T) if c.chance(1, 2) else None
    i = gate(k, k.tid("i|tid|row"), x.shape(0))
    s, comp = k.var("s|acc|total", number(0.0, T)), k.var("comp|c0|err", number(0.0, T))
    with k.for_("j|n|col", x.shape(1)) as j:
        v = varied(k, x[i, j], 0, 2)
        if w is not None:
            v = v * varied(k, w[j % w.shape(0)], 0, 1)
        v = k.let("v|term|xj", v)
        if c.chance(1, 4):
            with k.if_(wp.abs(v) > coefficient(k, T, 500, 3000)):
                k.leave("continue")
        if way == 0:
            y = k.let("y|fixed|adj", v - Term(comp.e))
            t = k.let("t|next_s|high", Term(s.e) + y)
            comp.set((t - Term(s.e)) - y)
            s.set(t)
        else:
            t, error = _add_exactly(k, Term(s.e), v, way == 1)
            comp.set(Term(comp.e) + error)
            s.set(t)
    final = Term(s.e) if way == 0 else Term(s.e) + Term(comp.e)
    value = k.let("value|res|r0", varied(k, final, 0, 2))
    k.output("out|sums|result", T)[i] = value
    if c.chance(1, 2):
        k.output("errors|residue|lost", T)[i] = varied(k, Term(comp.e), 0, 1)
    statistic(k, value)
    rule = ("Kahan's", "Neumaier's", "Knuth's exact")[way]
    k.summary(f"Sums {T.name} rows by {rule} summation.")


def _product(k: Scope, a: Term, b: Term, T: Scalar) -> tuple[Term, Term]:
    """Return ``a * b`` and its rounding error by Dekker's splitting."""
    factor = number(4097.0 if T is FLOAT else 134217729.0, T)

    def split(s: Scope, v: Term) -> tuple[Term, Term]:
        big = s.let("big|scaled|vb", v * factor)
        high = s.let("vh|upper|hi0", big - (big - v))
        return high, v - high

    f = k.function("split|halves|parts_of", {"v|x|a": T}, split)
    (ah, al), (bh, bl) = (k.many(names, f(v)) for names, v in ((("ah", "al"), a), (("bh", "bl"), b)))
    p = k.let("p|prod|pq", a * b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def double_single(k: Author) -> None:
    """Numbers as unevaluated sums of two: products, sums, Horner's rule, carried low words."""
    c = k.c
    T = c.weighted({FLOAT: 4, DOUBLE: 1})
    way = c.below(3)
    k.name(("dd_dot|exact_dot", "dd_horner|compensated_horner", "dd_scale|extended_product")[way])
    a, b = k.input("a|x|left", T, 2 if way == 0 else 1), k.input("b|y|coeffs", T)
    i = gate(k, k.tid("i|tid|idx"), a.shape(0))
    hi, lo = k.var("hi|s|acc", number(0.0, T)), k.var("lo|c0|tail", number(0.0, T))
    swap = c.chance(1, 2)

    def push(x: Term, y: Term, add: Term | None = None) -> None:
        p, e1 = _product(k, x, y, T)
        t, e2 = _add_exactly(k, p if add is not None else Term(hi.e), add if add is not None else p, swap)
        lo.set((Term(lo.e) * y if add is not None else Term(lo.e)) + (e1 + e2))
        hi.set(t)

    if way == 0:
        with k.for_("j|n|col", a.shape(1)) as j:
            push(k.let("aj|u", varied(k, a[i, j], 0, 1)), k.let("bj|v", b[j % b.shape(0)]))
    else:
        x = k.let("xi|u|z", wp.clamp(varied(k, a[i], 0, 2), -2.0, 2.0))
        with k.for_("j|n|term", wp.min(b.shape(0), c.between(4, 12)) if way == 1 else c.between(2, 4)) as j:
            bj = k.let("bj|v|cj", varied(k, b[j if way == 1 else (i + j) % b.shape(0)], 0, 1))
            if way == 1:
                push(Term(hi.e), x, bj)
            else:
                push(bj, x)
    k.output("out|high_out|result", T)[i] = varied(k, Term(hi.e) + Term(lo.e), 0, 2)
    if c.chance(1, 2):
        k.output("low_out|tails|errors", T)[i] = varied(k, Term(lo.e), 0, 1)
    what = ("dot products", "polynomials by Horner's rule", "sums of products")[way]
    k.summary(f"Computes {what} of {T.name} with the rounding errors of sums and products kept in a second number.")


def _fuse(k: Author, acc: Var, W: Scalar, j: Term, bias: Like) -> Term:
    value = Term(acc.e) * coefficient(k, W) if k.c.chance(1, 2) else Term(acc.e)
    return value + cast(bias, W) if bias is not None else value + coefficient(k, W) * 0.1


def matmul(k: Author) -> None:
    """Matrix products of narrow elements with a wide accumulator, bias and activation."""
    c = k.c
    T = c.weighted(NARROW)
    W = wider(k, T)
    k.name("matmul_mixed|gemm_narrow|linear_layer|project_half|qgemm")
    a, b = k.input("a|x|left", T, 2), k.input("b|w|right", T, 2)
    bias = k.input("bias|b0|shift", c.pick((T, W))) if c.chance(1, 2) else None
    stored = c.pick((W, T))
    row, col = k.tid("row|i|m", "col|j|n0")
    if c.chance(1, 3):
        with k.if_(row >= a.shape(0)):
            k.leave()
    acc = k.var("acc|total|dot", number(0.0, W))
    turned, unroll = c.chance(1, 3), c.chance(1, 3)
    kk = wp.min(a.shape(1), b.shape(1 if turned else 0))
    with k.for_("k0|p|t", kk // 2 if unroll else kk) as p:
        steps = [p * 2, p * 2 + 1] if unroll else [p]
        for q in steps:
            other = b[col % b.shape(0), q] if turned else b[q, col % b.shape(1)]
            left = varied(k, cast(a[row, q], W), 0, 1)
            acc += left * varied(k, cast(other, W), 0, 1)
    fused = _fuse(k, acc, W, col, bias[col % bias.shape(0)] if bias is not None else None)
    value = k.let("value|r|act", varied(k, fused, 0, 2))
    k.output("out|c0|result", stored, 2)[row, col] = value if stored is W else narrowed(k, value, T)
    statistic(k, value)
    k.summary(
        f"Multiplies {T.name} matrices with a {W.name} accumulator{', the right one transposed' if turned else ''}."
    )


def _row_scale(k: Author, x: Arr, i: Term, acc: Var | None, sq: Var, W: Scalar, way: int) -> Term:
    """Return the factor that a row is normalised by."""
    scale: Term
    n = cast(x.shape(1), W)
    if acc is not None and way == 2:
        with k.for_("j2|n2|col2", x.shape(1)) as j:
            sq += wp.exp(cast(x[i, j], W) - wp.max(Term(acc.e), cast(x[i, j], W)))
        scale = k.let("scale|inv|z", 1.0 / wp.max(Term(sq.e), 1.0e-3))
    elif acc is None:
        scale = k.let("scale|inv|rms", 1.0 / wp.sqrt(Term(sq.e) / n + coefficient(k, W, 1, 5)))
    else:
        mean = k.let("mean|mu|avg", Term(acc.e) / n)
        var = k.let("var_|sigma2|spread", wp.max(Term(sq.e) / n - mean * mean, 0.0))
        scale = k.let("scale|inv|rstd", 1.0 / wp.sqrt(var + coefficient(k, W, 1, 5)))
    return scale


def normalise(k: Author) -> None:
    """Row normalisation of narrow elements: layer norm, RMS norm, softmax, in a wide type."""
    c = k.c
    T = c.pick((HALF, BFLOAT, HALF, FLOAT))
    W = wider(k, T)
    way = c.below(3)
    k.name(("layer_norm|norm_rows", "rms_norm|rms_rows", "softmax|softmax_rows")[way])
    x = k.input("x|rows|hidden", T, 2)
    gain = k.input("gain|gamma|weight", T) if c.chance(1, 2) else None
    out = k.output("out|y|normed", c.pick((T, T, W)), 2)
    stored = out.type.dtype  # type: ignore[union-attr]
    i = gate(k, k.tid("i|tid|row"), x.shape(0))
    acc = k.var("acc|total|s0", number(-1.0e4 if way == 2 else 0.0, W)) if way != 1 else None
    sq = k.var("sq|acc2|norm2", number(0.0, W))
    with k.for_("j|n|col", x.shape(1)) as j:
        v = k.let("v|xj|h", varied(k, cast(x[i, j], W), 0, 1))
        if acc is not None and way == 2:
            acc.set(wp.max(Term(acc.e), v))
        elif acc is not None:
            acc += v
        if way != 2:
            sq += v * v
    n = cast(x.shape(1), W)
    scale = _row_scale(k, x, i, acc, sq, W, way)
    with k.for_("p|q|m", x.shape(1)) as p:
        v = k.let("w|xp|cur", cast(x[i, p], W))
        if acc is None:
            y = v * scale
        else:
            y = wp.exp(v - wp.max(Term(acc.e), v)) * scale if way == 2 else (v - Term(acc.e) / n) * scale
        if gain is not None:
            y = y * varied(k, cast(gain[p % gain.shape(0)], W), 0, 1)
        y = varied(k, y, 0, 2)
        out[i, p] = y if stored is W else cast(y, T)
    rule = ("mean and variance", "root mean square", "softmax")[way]
    k.summary(f"Normalises {T.name} rows by their {rule} in {W.name}.")
