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
    yield row("/", "F V -> V", "vec2", "division of a scalar by a vector", None, "vec_nonzero")
    yield row("%", "V V -> V", "vec2", "component-wise remainder", None, "vec_nonzero", smooth=False)
    yield row("wp.div_approx", "V F -> V", "vec2", "approximate vector division by a scalar", None, "nonzero")
    yield row("wp.div_approx", "F V -> V", "vec2", "approximate division by a vector", None, "vec_nonzero")
    yield row("pos", "V -> V", "plus", "unary plus")
    yield row("wp.norm_l1", "V.f32 -> f32", "norm", "sum of absolute components")
    yield row("wp.norm_l2", "V.f32 -> f32", "norm", "Euclidean norm")
    yield row("wp.norm_huber", "V.f32 -> f32", "norm", "Huber norm")
    yield row("wp.norm_huber", "V.f32 f32 -> f32", "norm", "Huber norm", None, "positive")
    yield row("wp.norm_pseudo_huber", "V.f32 -> f32", "norm", "pseudo-Huber norm")
    yield row("wp.norm_pseudo_huber", "V.f32 f32 -> f32", "norm", "pseudo-Huber norm", None, "positive")
    yield row("wp.smooth_normalize", "V.f32 f32 -> V.f32", "norm", "smooth normalisation", None, "positive")


def _integer_vectors() -> Iterator[Row]:
    for symbol, phrase in (("+", "addition"), ("-", "subtraction")):
        yield row(symbol, "V.I V.I -> V.I", "ivec", f"integer vector {phrase}")
    yield row("*", "V.I I -> V.I", "ivec", "integer vector scaling", None, "int_small")
    yield row("wp.min", "V.I V.I -> V.I", "ivec", "component-wise integer minimum")
    yield row("wp.max", "V.I V.I -> V.I", "ivec", "component-wise integer maximum")
    yield row("wp.dot", "V.I V.I -> I", "ivec_reduce", "integer dot product")
    yield row("*", "I V.I -> V.I", "ivec", "integer vector scaling", "int_small")
    yield row("neg", "V.I -> V.I", "ivec", "integer vector negation")
    yield row("wp.abs", "V.I -> V.I", "ivec", "component-wise integer absolute value")
    yield row("wp.sign", "V.I -> V.I", "ivec", "component-wise integer sign")
    yield row("wp.cw_mul", "V.I V.I -> V.I", "ivec2", "component-wise integer product")
    yield row("wp.cw_div", "V.I V.I -> V.I", "ivec2", "component-wise integer quotient", None, "vec_nonzero")
    yield row("%", "V.I V.I -> V.I", "ivec2", "component-wise integer remainder", None, "vec_nonzero")
    for name, phrase in (("min", "smallest"), ("max", "largest")):
        yield row(f"wp.{name}", "V.I -> I", "ivec_reduce", f"{phrase} integer component")
        yield row(f"wp.arg{name}", "V.I -> u32", "ivec_index", f"index of the {phrase} component", smooth=False)
    for n in (2, 3, 4):
        yield row("{result}", f"I -> V{n}.I", "ivec_make", f"integer {n}-vector broadcast")
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
    yield row("wp.lerp", "M M F -> M", "mat_more", "matrix interpolation")
    yield row("/", "F M -> M", "mat_more", "division of a scalar by a matrix", None, "mat_nonzero")
    yield row("wp.div_approx", "M F -> M", "mat_more", "approximate matrix division by a scalar", None, "nonzero")
    yield row("wp.div_approx", "F M -> M", "mat_more", "approximate division by a matrix", None, "mat_nonzero")
    yield row("pos", "M -> M", "plus", "unary plus")
    for n in (2, 3, 4):
        yield row("wp.inverse_approx", f"M{n} -> M{n}", "mat_more", "approximate matrix inverse", "mat_regular")
    for n in (2, 3):
        numbers = "F " * (n * n)
        yield row("{result}", f"{numbers}-> M{n}", "mat_fill", f"{n} by {n} matrix construction")


def _rectangular() -> Iterator[Row]:
    yield row("+", "R R -> R", "rect", "matrix addition")
    yield row("-", "R R -> R", "rect", "matrix subtraction")
    yield row("*", "R F -> R", "rect", "matrix scaling")
    yield row("*", "F R -> R", "rect", "matrix scaling")
    yield row("wp.cw_mul", "R R -> R", "rect", "element-wise matrix product")
    yield row("wp.transpose", "R -> Rt", "rect", "transposition")
    yield row("*", "R Vc -> Vr", "rect_vec", "matrix-vector product")
    yield row("*", "Vr R -> Vc", "rect_vec", "vector-matrix product")
    yield row("wp.outer", "Vr Vc -> R", "rect_make", "outer product")
    yield row("*", "R Rt -> Mr", "rect_vec", "matrix product")
    yield row("wp.ddot", "R R -> F", "rect_vec", "double-dot product")
    yield row("/", "R F -> R", "rect", "matrix division by a scalar", None, "nonzero")
    yield row("neg", "R -> R", "rect", "matrix negation")
    yield row("*", "R Mc -> R", "rect_vec", "matrix product")
    yield row("*", "Mr R -> R", "rect_vec", "matrix product")


def _decompositions() -> Iterator[Row]:
    yield row("wp.svd3", "M3 -> M3 V3 M3", "decompose", "singular value decomposition")
    yield row("wp.svd2", "M2 -> M2 V2 M2", "decompose", "singular value decomposition")
    yield row("wp.qr3", "M3 -> M3 M3", "decompose", "QR decomposition")
    yield row("wp.eig3", "M3 -> M3 V3", "decompose", "eigendecomposition")
    yield row("wp.svd3", "M3 M3 V3 M3 ->", "decompose", "singular value decomposition")
    yield row("wp.svd2", "M2 M2 V2 M2 ->", "decompose", "singular value decomposition")
    yield row("wp.qr3", "M3 M3 M3 ->", "decompose", "QR decomposition")
    yield row("wp.eig3", "M3 M3 V3 ->", "decompose", "eigendecomposition")


def _conversions() -> Iterator[Row]:
    """Vectors and matrices of one scalar made of those of another."""
    for target in ("f32", "f64", "f16", "i32"):
        for n in (2, 3, 4):
            smooth = target != "i32"
            for source in ("F", "I"):
                phrase = f"conversion of a {n}-vector"
                yield row("{result}", f"V{n}.{source} -> V{n}.{target}", "vec_cast", phrase, smooth=smooth)
            if smooth:
                yield row("{result}", f"M{n} -> M{n}.{target}", "mat_cast", f"conversion of a {n} by {n} matrix")


def rows() -> Iterator[Row]:
    """Yield the rows in table order."""
    for part in (_vectors, _integer_vectors, _matrices, _rectangular, _decompositions, _conversions):
        yield from part()
