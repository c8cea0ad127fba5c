"""linear_algebra: vector updates, products, solvers, factorisations, transforms, element matrices."""

from __future__ import annotations

from ...families import one_of
from .bands import tridiagonal
from .elements import finite_elements
from .products import gemm, gemv, rank_one
from .series import polynomial, power_iteration
from .small import factorise, rotation
from .solvers import conjugate, relaxation, triangular
from .sparse import spmv
from .transforms import butterfly, spectrum, wavelet
from .vectors import axpy

build = one_of(
    "linear_algebra",
    axpy, gemv, gemm, spmv, rank_one, relaxation, conjugate, triangular, tridiagonal, factorise, rotation,
    finite_elements, polynomial, butterfly, spectrum, wavelet, power_iteration,
)  # fmt: skip
