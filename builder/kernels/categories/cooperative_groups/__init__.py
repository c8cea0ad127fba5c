"""cooperative_groups: the idioms of CUDA's cooperative groups, on groups a snippet makes for itself.

A native snippet is the body of a function, where ``<cooperative_groups.h>`` cannot be included, and the compiler
inside Warp does not have the header. So each snippet has its own small group types, with the members of CUDA's: a tile
of a warp, the whole block, the lanes that took one branch. Launched with whole blocks of 256 threads.
"""

from __future__ import annotations

from ...families import one_of
from .blocks import block_reduce, tile_hierarchy
from .coalesced import aggregated, labeled
from .tiles import tile_exchange, tile_reduce, tile_scan, tile_vote

build = one_of(
    "cooperative_groups",
    tile_reduce,
    tile_scan,
    tile_exchange,
    tile_vote,
    block_reduce,
    tile_hierarchy,
    aggregated,
    labeled,
)
