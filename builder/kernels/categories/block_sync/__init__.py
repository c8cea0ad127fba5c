"""block_sync: the threads of a block in step: tree reductions, scans, double buffers, votes, sorts.

Launched with whole blocks of 256 threads; no thread leaves before the last ``__syncthreads()``.
"""

from __future__ import annotations

from ...families import one_of
from .reductions import block_statistics, block_total, block_vote
from .scans import block_scan, double_buffer
from .sorts import block_sort, rank_count
from .steps import handover, phases

build = one_of(
    "block_sync",
    block_total,
    block_scan,
    double_buffer,
    block_statistics,
    block_vote,
    block_sort,
    rank_count,
    handover,
    phases,
)
