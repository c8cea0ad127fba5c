"""tile_matmul: matrix products, factorisations, triangular solves and Fourier transforms on tiles.

Without a target architecture Warp generates its own cooperative loops for these, the code it uses where
MathDx is off; no code to link is needed, and the text is complete.
"""

from __future__ import annotations

from ...families import one_of
from .fourier import filtered, spectrum
from .layers import attention, layer
from .products import chain, gemm, gram, matvec, quadratic, small_batch
from .solves import factor, least_squares, linear_system, triangular

build = one_of(
    "tile_matmul",
    gemm,
    gram,
    chain,
    small_batch,
    matvec,
    layer,
    attention,
    quadratic,
    factor,
    linear_system,
    least_squares,
    triangular,
    spectrum,
    filtered,
)
