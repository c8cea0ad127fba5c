"""The families of operations that an expression may be drawn from, and the rows of them that a scope can fill."""

from __future__ import annotations

from functools import lru_cache

from .draft import Draft
from .ops import Op, ops_for
from .types import BOOL, FLOAT, INT, Mat, Quat, Transform, Value, Vec

ARITHMETIC = ("arith",)
NUMERIC = ("arith", "arith2")
INTEGER = ("int",)
BITS = ("int", "bits")
MATH = ("math", "arith", "math2")
VECTOR = ("vec", "vec_make", "vec_reduce", "arith")
INTEGER_MORE = ("int", "bits", "int2", "bits2")
ARITHMETIC_MORE = ("arith", "arith2", "arith3")
MATH_MORE = ("math", "arith", "math2", "math3")
VECTOR_MORE = ("vec", "vec_make", "vec_reduce", "arith", "vec2")
INTEGER_VECTOR = ("ivec", "ivec_make", "ivec_reduce", "ivec2", "bits_vec", "int")
MATRIX_MORE = ("mat", "mat_make", "mat_vec", "mat_reduce", "vec", "arith", "mat_more", "rect", "rect_vec", "rect_make")
BASIC = ("arith", "int", "vec", "mat")
MAKERS = ("vec_make", "mat_make")
MATRIX = ("mat", "mat_make", "mat_vec", "mat_reduce", "vec", "arith")


@lru_cache(maxsize=4096)
def _rows_within(type_: Value, families: tuple[str, ...], known: frozenset[Value]) -> tuple[Op, ...]:
    return tuple(row for row in ops_for(type_, families) if known.issuperset(row.params))


def fitting(draft: Draft, type_: Value, families: tuple[str, ...]) -> tuple[Op, ...]:
    """Return the rows whose vector and matrix parameters the scope can fill with what it has."""
    in_scope = [local.type for local in draft.locals]
    known = [type_, _scalar(type_), FLOAT, INT, BOOL, *in_scope, *(a.type.dtype for a in draft.inputs)]
    return _rows_within(type_, families, frozenset(known))


def _scalar(type_: Value) -> Value:
    return type_.dtype if isinstance(type_, (Vec, Mat, Quat, Transform)) else type_
