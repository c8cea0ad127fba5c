"""mixed_precision: narrow storage with wide arithmetic, compensated sums, quantisation."""

from __future__ import annotations

from ...families import one_of
from .quantise import bytes_in, bytes_out, stochastic, vectors
from .sums import accumulate, compensated, double_single, matmul, normalise

build = one_of(
    "mixed_precision", accumulate, compensated, double_single, matmul, normalise, bytes_out, bytes_in, stochastic,
    vectors,
)  # fmt: skip
