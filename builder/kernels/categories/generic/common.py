"""The elements of generic kernels."""

from __future__ import annotations

from ...author import Author, Scope
from ...terms import Term
from ...types import DOUBLE, FLOAT, HALF, INT, INT64, QUAT, TRANSFORM, UINT, VEC2, VEC3, VEC4, Scalar, Value, mat, vec

SCALARS = (FLOAT, DOUBLE, HALF, INT, UINT, INT64)
VECTORS = (VEC3, VEC2, VEC4, vec(3, DOUBLE), vec(3, HALF), vec(5), vec(2, DOUBLE), vec(4, INT), vec(6))
MATRICES = (mat(3, 3), mat(2, 2), mat(4, 4), mat(3, 3, DOUBLE), mat(2, 3), mat(3, 4))
ROTATIONS = (QUAT, TRANSFORM)


def element(k: Author, *kinds: tuple[Value, ...]) -> Value:
    """Return a type to give a generic parameter."""
    return k.c.pick(k.c.pick(kinds))


def scale(T: Value) -> Scalar:
    """Return the scalar type of an element."""
    return T if isinstance(T, Scalar) else T.dtype  # type: ignore[union-attr,return-value]


def times(k: Scope, v: Term, w: Term) -> Term:
    """Return the product of a value and a scalar, in either order where Warp knows both."""
    return v * w if k.c.chance(2, 3) or v.type is w.type else w * v
