"""tile: cooperative operations of a block on tiles: maps, reductions, scans, gathers, stencils, sorting."""

from __future__ import annotations

from ...families import one_of
from .maps import elementwise, outer, pooled, transposed
from .memory import assembled, gathered, histogram, scattered, shuffled
from .order import best, ordered, scanned
from .reductions import dot_product, normalised, row_reduction, softmax
from .stencils import moving_window, stencil, stencil_plane
from .threads import compacted, noise, per_thread, shared_value
from .whole import bits, integers, vectors

build = one_of(
    "tile",
    elementwise,
    row_reduction,
    softmax,
    normalised,
    dot_product,
    transposed,
    outer,
    pooled,
    stencil,
    stencil_plane,
    moving_window,
    scanned,
    best,
    ordered,
    gathered,
    scattered,
    shuffled,
    assembled,
    histogram,
    per_thread,
    shared_value,
    compacted,
    noise,
    bits,
    integers,
    vectors,
)
