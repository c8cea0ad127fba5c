"""Quantisation to bytes and back, stochastic rounding, vectors of several precisions."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, cast, make, number, where, wp
from ...types import BFLOAT, DOUBLE, FLOAT, HALF, INT, INT8, INT16, UINT8, UINT16, Scalar, Value, mat, vec


def _limits(T: Scalar) -> tuple[float, float]:
    return (-(1 << (T.bits - 1)) + 0.0, (1 << (T.bits - 1)) - 1.0) if T.signed else (0.0, (1 << T.bits) - 1.0)


def _rounded(k: Scope, v: Term) -> Term:
    way = k.c.below(3)
    return wp.round(v) if way == 0 else wp.rint(v) if way == 1 else wp.floor(v + 0.5)


def bytes_out(k: Author) -> None:
    """Floats to integers by scale and zero point: per tensor, per row, per channel; symmetric or not."""
    c = k.c
    S, T = c.pick((FLOAT, HALF, FLOAT, BFLOAT)), c.pick((INT8, UINT8, INT16, UINT16))
    W = FLOAT
    k.name("quantize|to_int8|quantise_rows|encode_bytes|fake_quant")
    ndim = c.pick((2, 1))
    x = k.input("x|src|weights", S, ndim)
    index = k.tid(*("row|i|r", "col|j|q")[:ndim])
    first = index[0] if isinstance(index, tuple) else index
    way = c.below(3)
    if way == 0:
        scale = k.scalar("scale|step_size|s", W)
    elif way == 1:
        scales = k.input("scales|row_scale|steps", c.pick((W, S)))
        scale = cast(scales[first % scales.shape(0)], W)
    else:
        scale = coefficient(k, W, 1, 30)
    zero = None if T.signed and c.chance(1, 2) else k.scalar("zero_point|zp|offset", INT)
    v = k.let("v|xv|real", varied(k, cast(x[index], W), 0, 2))
    step = k.let(
        "step|inv|rate", 1.0 / wp.max(wp.abs(scale), 1.0e-3) if c.chance(1, 2) else wp.max(wp.abs(scale), 1.0e-3)
    )
    q = _rounded(k, v * step) if c.chance(1, 2) else _rounded(k, v / (0.001 + wp.abs(step)))
    if zero is not None:
        q = q + cast(zero, W)
    low, high = _limits(T)
    code = k.let("code|qv|level", wp.clamp(q, low, high))
    if c.chance(1, 3):
        back = (code - cast(zero, W) if zero is not None else code) * step
        k.output("error|residual|loss", W, ndim)[index] = varied(k, v - back, 0, 2)
    if c.chance(1, 3):
        hits = k.output("clipped|overflow|hits", INT)
        with k.if_(wp.abs(q) > number(high, W)):
            k.atomic("add", hits, 0, 1)
    k.output("codes|q_out|packed", T, ndim)[index] = cast(cast(code, INT), T) if c.chance(1, 2) else cast(code, T)
    kind = ("one scale", "a scale for each row", "a fixed scale")[way]
    k.summary(f"Quantises {S.name} elements to {T.name} by {kind}{' and a zero point' if zero is not None else ''}.")


def _integer_dot(k: Author, codes: Arr, i: Term, s: Term, T: Value) -> Term:
    """Return the scaled integer dot product of a row and a vector."""
    c = k.c
    other = k.input("vec_q|x|act", T)
    acc = k.var("acc|total|isum", number(0, INT))
    with k.for_("j|n|col", wp.min(codes.shape(1), other.shape(0))) as j:
        left = cast(codes[i, j], INT)
        right = cast(other[j], INT)
        if c.chance(1, 2):
            right = k.let("xj|r|b", right - c.between(1, 128))
        acc += left * right
    return cast(varied(k, Term(acc.e), 0, 1), FLOAT) * s


def bytes_in(k: Author) -> None:
    """Integers back to floats: dequantised rows, integer dot products, lookup tables of levels, packed nibbles."""
    c = k.c
    T = c.pick((INT8, UINT8, INT16))
    W = c.pick((FLOAT, HALF, FLOAT, BFLOAT))
    way = c.below(3)
    k.name(
        (
            "dequantize|from_int8|decode_bytes",
            "int_dot|qdot_rows|integer_matvec",
            "lookup_levels|codebook|decode_nibbles",
        )[way]
    )
    codes = k.input("codes|q|packed", T, 2 if way == 1 else 1)
    scale = k.input("scales|steps|s", FLOAT)
    i = gate(k, k.tid("i|tid|idx"), codes.shape(0))
    s = k.let("s0|step|rate", scale[i % scale.shape(0)])
    if way == 0:
        q = k.let("qv|code|n", cast(codes[i], INT))
        shifted = q - k.scalar("zero_point|zp|offset", INT) if c.chance(1, 2) else q
        made = cast(shifted, FLOAT) * s
    elif way == 1:
        made = _integer_dot(k, codes, i, s, T)
    else:
        levels = k.input("levels|codebook|table", FLOAT)
        b = k.let("b|byte0|pair", cast(codes[i], INT))
        low, high = k.let("low|lo4|first", b & 15), k.let("high|hi4|second", (b >> 4) & 15)
        made = levels[low % levels.shape(0)] * s + levels[high % levels.shape(0)] * coefficient(k, FLOAT)
    value = k.let("value|r|real", varied(k, made, 0, 3))
    k.output("out|result|real_out", W)[i] = cast(value, W)
    statistic(k, value)
    what = ("Dequantises", "Takes integer dot products of", "Looks up the levels of packed")[way]
    k.summary(f"{what} {T.name} codes and stores {W.name}.")


def stochastic(k: Author) -> None:
    """Stochastic rounding of wide values to a narrow grid, and updates of narrow weights."""
    c = k.c
    T = c.pick((HALF, BFLOAT, INT8, HALF))
    k.name("stochastic_round|sr_update|random_rounding|narrow_update")
    update = c.chance(1, 2)
    w = k.inout("w|weights|params", T) if update else k.input("x|src|values", FLOAT)
    i = gate(k, k.tid("i|tid|idx"), w.shape(0))
    state = k.let("state|rng|s0", wp.rand_init(k.scalar("seed|key|step_id", INT), i))
    v = cast(w[i], FLOAT)
    if update:
        grads = k.input("grads|g|delta", c.pick((FLOAT, HALF)))
        g = varied(k, cast(grads[i % grads.shape(0)], FLOAT), 0, 2)
        v = v - g * k.scalar("lr|rate|eta", FLOAT)
        if c.chance(1, 2):
            v = v * coefficient(k, FLOAT, 90, 99)
    v = k.let("v|wide|exact", varied(k, v, 0, 2))
    grid = number(c.pick((16.0, 64.0, 256.0, 1024.0)) if T.is_float else 1.0)

    def rounded(s: Scope, x: Term, u: Term) -> Term:
        scaled = s.let("scaled|y|sx", x * grid)
        low = s.let("low|base|fl", wp.floor(scaled))
        if s.c.chance(1, 2):
            up = where(u < scaled - low, number(1.0), number(0.0))
        else:
            up = wp.step(u - (scaled - low)) if s.c.chance(1, 3) else wp.floor(scaled - low + u)
        return Term(((low + up) / grid).e)

    f = k.helper("round_to_grid|rounded|sr", {"x|value": FLOAT, "u|noise": FLOAT}, rounded)
    made = k.let("r|res|near", f(v, wp.randf(state)))
    kept = cast(made, T) if T.is_float else cast(wp.clamp(made, -128.0, 127.0), T)
    out = w if update else k.output("out|rounded_out|dst", T)
    out[i] = kept
    if c.chance(1, 2):
        k.output("errors|residual|bias", FLOAT)[i] = varied(k, made - v, 0, 2)
    statistic(k, made)
    k.summary(f"Rounds {'updated weights' if update else 'values'} to a grid at random and keeps them as {T.name}.")


def vectors(k: Author) -> None:
    """Vectors, matrices and scalars of half, single and double precision in one computation."""
    c = k.c
    n = c.pick((3, 2, 4))
    A, B = c.pick(((HALF, FLOAT), (FLOAT, DOUBLE), (HALF, DOUBLE)))
    k.name("mixed_vectors|half_storage|wide_geometry|promote_vectors|precise_transform")
    x = k.input("x|points|dirs", vec(n, A))
    y = k.input("y|others|normals", vec(n, c.pick((A, B))))
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    V = vec(n, B)

    def wide(t: Term) -> Term:
        return t if t.type is V else make(V, t)

    p, q = (
        k.let("p|wide_x|a", varied(k, wide(x[i]), 0, 2)),
        k.let("q|wide_y|b", varied(k, wide(y[i % y.shape(0)]), 0, 1)),
    )
    way = c.below(4)
    if way == 0:
        M = k.input("mats|m|basis", mat(n, n, A))
        made = make(mat(n, n, B), M[i % M.shape(0)]) * p + q
    elif way == 1:
        made = p * wp.dot(p, q) - q * (coefficient(k, B) + wp.length_sq(p))
    elif way == 2:
        made = wp.normalize(p + q) * wp.length(q)
    else:
        s = k.input("scales|w|factors", A)
        made = wp.lerp(p, q, wp.clamp(cast(s[i % s.shape(0)], B), 0.0, 1.0))
    value = k.let("value|r|mixed", varied(k, made, 0, 2))
    stored = c.below(3)
    if stored == 0:
        k.output("out|result|narrow_out", vec(n, A))[i] = make(vec(n, A), value)
    elif stored == 1:
        k.output("out|result|wide_out", V)[i] = value
    else:
        size = varied(k, wp.length(value), 0, 2)
        k.output("out|result|lengths", A)[i] = cast(size, A)
    statistic(k, wp.dot(value, q))
    k.summary(f"Computes with {n}-vectors of {A.name} in {B.name}.")
