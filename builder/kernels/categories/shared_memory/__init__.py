"""shared_memory: arrays staged in ``__shared__`` memory: stencils, tables, transposes, private histograms, products.

Launched with whole blocks of 256 threads; no thread leaves before the last ``__syncthreads()``.
"""

from __future__ import annotations

from ...families import one_of
from .private import private_histogram, private_sums
from .staged import lookup, stencil, unpacked
from .tiles import interactions, tile_product, transposed

build = one_of(
    "shared_memory",
    stencil,
    lookup,
    unpacked,
    transposed,
    interactions,
    tile_product,
    private_histogram,
    private_sums,
)
