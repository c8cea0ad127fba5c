"""Rows on vectors and matrices."""

from __future__ import annotations

from collections.abc import Iterator

from .row import Row, row


def _vectors() -> Iterator[Row]:
    yield row("+", "V V -> V", "vec", "vector addition")
    yield row("-", "V V -> V", "vec", "vector subtraction")
    yield row("*", "V F -> V", "vec", "vector scaling")
    yield row("*", "F V -> V", "vec", "vector scaling")
    yield row("/", "V F -> V", "vec", "vector division by a scalar", None, "nonzero")
    yield row("neg", "V -> V", "vec", "vector negation")
    yield row("wp.cw_mul", "V V -> V", "vec", "component-wise product")
    yield row("wp.cw_div", "V V -> V", "vec", "component-wise quotient", None, "vec_nonzero")
    yield row("wp.normalize", "V -> V", "vec", "normalisation")
    yield row("wp.min", "V V -> V", "vec", "component-wise minimum")
    yield row("wp.max", "V V -> V", "vec", "component-wise maximum")
    yield row("wp.abs", "V -> V", "vec", "component-wise absolute value")
    yield row("wp.sign", "V -> V", "vec", "component-wise sign", smooth=False)
    yield row("wp.lerp", "V V F -> V", "vec", "vector interpolation")
    for n in (2, 3, 4):
        yield row("{result}", f"{'F ' * n}-> V{n}", "vec_make", f"{n}-vector construction")
        yield row("{result}", f"F -> V{n}", "vec_make", f"{n}-vector broadcast")
    yield row("wp.dot", "V V -> F", "vec_reduce", "dot product")
    yield row("wp.length", "V -> F", "vec_reduce", "vector length")
    yield row("wp.length_sq", "V -> F", "vec_reduce", "squared vector length")
    yield row("wp.min", "V -> F", "vec_reduce", "smallest component")
    yield row("wp.max", "V -> F", "vec_reduce", "largest component")
    yield row("wp.cross", "V3 V3 -> V3", "vec", "cross product")
    yield row("wp.argmin", "V -> u32", "vec_index", "index of the smallest component", smooth=False)
    yield row("wp.argmax", "V -> u32", "vec_index", "index of the largest component", smooth=False)
    yield row("wp.norm_l1", "V -> F", "norm", "sum of absolute components")
    yield row("wp.norm_l2", "V -> F", "norm", "Euclidean norm")
    yield row("wp.norm_huber", "V -> F", "norm", "Huber norm")
    yield row("wp.norm_huber", "V F -> F", "norm", "Huber norm", None, "positive")
    yield row("wp.norm_pseudo_huber", "V -> F", "norm", "pseudo-Huber norm")
    yield row("wp.norm_pseudo_huber", "V F -> F", "norm", "pseudo-Huber norm", None, "positive")
    yield row("wp.smooth_normalize", "V F -> V", "norm", "smooth normalisation", None, "positive")
    for symbol, phrase in (("+", "addition"), ("-", "subtraction")):
        yield row(symbol, "V.I V.I -> V.I", "ivec", f"integer vector {phrase}")
    yield row("*", "V.I I -> V.I", "ivec", "integer vector scaling", None, "int_small")
    yield row("wp.min", "V.I V.I -> V.I", "ivec", "component-wise integer minimum")
    yield row("wp.max", "V.I V.I -> V.I", "ivec", "component-wise integer maximum")
    yield row("wp.dot", "V.I V.I -> I", "ivec_reduce", "integer dot product")
    for n in (2, 3, 4):
        yield row("{result}", f"{'I ' * n}-> V{n}.I", "ivec_make", f"integer {n}-vector construction")


def _matrices() -> Iterator[Row]:
    yield row("+", "M M -> M", "mat", "matrix addition")
    yield row("-", "M M -> M", "mat", "matrix subtraction")
    yield row("*", "M M -> M", "mat", "matrix product")
    yield row("*", "M F -> M", "mat", "matrix scaling")
    yield row("*", "F M -> M", "mat", "matrix scaling")
    yield row("/", "M F -> M", "mat", "matrix division by a scalar", None, "nonzero")
    yield row("neg", "M -> M", "mat", "matrix negation")
    yield row("wp.transpose", "M -> M", "mat", "transposition")
    yield row("wp.cw_mul", "M M -> M", "mat", "element-wise matrix product")
    yield row("wp.cw_div", "M M -> M", "mat", "element-wise matrix quotient", None, "mat_nonzero")
    for n in (2, 3, 4):
        yield row("wp.inverse", f"M{n} -> M{n}", "mat", "matrix inverse", "mat_regular")
    yield row("wp.outer", "V V -> M", "mat_make", "outer product")
    yield row("wp.diag", "V -> M", "mat_make", "diagonal matrix construction")
    yield row("wp.identity", "-> M", "constant", "identity matrix", extra="n={n}, dtype={F}")
    for n in (2, 3, 4):
        yield row("wp.matrix_from_rows", f"{f'V{n} ' * n}-> M{n}", "mat_make", "matrix construction from rows")
        yield row("wp.matrix_from_cols", f"{f'V{n} ' * n}-> M{n}", "mat_make", "matrix construction from columns")
    yield row("*", "M V -> V", "mat_vec", "matrix-vector product")
    yield row("*", "V M -> V", "mat_vec", "vector-matrix product")
    yield row("wp.get_diag", "M -> V", "mat_vec", "matrix diagonal")
    for n in (2, 3, 4):
        yield row("wp.determinant", f"M{n} -> F", "mat_reduce", "determinant")
    yield row("wp.trace", "M -> F", "mat_reduce", "trace")
    yield row("wp.ddot", "M M -> F", "mat_reduce", "double-dot product")
    yield row("wp.skew", "V3 -> M3", "mat_more", "cross-product matrix")
    for n in (2, 3, 4):
        yield row("wp.inverse_approx", f"M{n}.f32 -> M{n}.f32", "mat_more", "approximate matrix inverse", "mat_regular")
    for n in (2, 3):
        numbers = "F " * (n * n)
        yield row("{result}", f"{numbers}-> M{n}", "mat_fill", f"{n} by {n} matrix construction")


def _rectangular() -> Iterator[Row]:
    yield row("+", "R R -> R", "rect", "matrix addition")
    yield row("-", "R R -> R", "rect", "matrix subtraction")
    yield row("*", "R F -> R", "rect", "matrix scaling")
    yield row("wp.cw_mul", "R R -> R", "rect", "element-wise matrix product")
    yield row("wp.transpose", "R -> Rt", "rect", "transposition")
    yield row("*", "R Vc -> Vr", "rect_vec", "matrix-vector product")
    yield row("*", "Vr R -> Vc", "rect_vec", "vector-matrix product")
    yield row("wp.outer", "Vr Vc -> R", "rect_make", "outer product")
    yield row("*", "R Rt -> Mr", "rect_vec", "matrix product")
    yield row("wp.ddot", "R R -> F", "rect_vec", "double-dot product")


def _decompositions() -> Iterator[Row]:
    yield row("wp.svd3", "M3 -> M3 V3 M3", "decompose", "singular value decomposition")
    yield row("wp.svd2", "M2 -> M2 V2 M2", "decompose", "singular value decomposition")
    yield row("wp.qr3", "M3 -> M3 M3", "decompose", "QR decomposition")
    yield row("wp.eig3", "M3 -> M3 V3", "decompose", "eigendecomposition")


def rows() -> Iterator[Row]:
    """Yield the rows in table order."""
    for part in (_vectors, _matrices, _rectangular, _decompositions):
        yield from part()
