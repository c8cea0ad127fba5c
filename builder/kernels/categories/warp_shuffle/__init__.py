"""warp_shuffle: warps that exchange registers: reductions, scans, votes, matches, butterflies.

Launched with whole warps (every block a multiple of 32 threads), as the intrinsics ask for.
"""

from __future__ import annotations

from ...families import one_of
from .exchange import butterfly, exchange, smoothing
from .folds import lane_fold, lane_scan
from .statistics import lane_statistics, paired_fold
from .votes import matched, ranked, segmented, vote

build = one_of(
    "warp_shuffle",
    lane_fold,
    lane_scan,
    lane_statistics,
    paired_fold,
    exchange,
    butterfly,
    smoothing,
    vote,
    ranked,
    matched,
    segmented,
)
