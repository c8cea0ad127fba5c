"""How hard a kernel is, 1 to 5, from what its source was measured to hold."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable

# What a tag adds to the score; a tag ending in ":" stands for all that begin with it.
_POINTS = {
    "control:elif": 0.3,
    "control:while": 0.7,
    "control:break": 0.3,
    "loop_depth:2": 0.6,
    "loop_depth:3": 1.1,
    "loop_depth:4": 1.5,
    "uses:function": 0.5,
    "uses:struct": 0.4,
    "uses:native": 1.2,
    "uses:custom_gradient": 1.0,
    "builtin:atomic_": 0.4,
    "builtin:tile_": 0.5,
    "builtin:mesh_": 0.5,
    "builtin:bvh_": 0.5,
    "builtin:hash_grid_": 0.5,
    "builtin:volume_": 0.5,
}
_PER_BUILTIN = 0.08
# Upper bounds of the scores of levels 1 to 4: one, three, seven and nine tenths of 2,500 rows of the default
# dataset lay below them when they were set.
_BOUNDS = (3.2, 3.85, 4.9, 5.95)


def difficulty(shingles: int, features: Iterable[str]) -> int:
    """Return the difficulty of a kernel, from 1 (a few statements in a row) to 5.

    Args:
        shingles: number of distinct runs of five code tokens of its source: its size, repetition not counted.
        features: its tags.

    The score is the size's logarithm, plus points for control flow, functions, structs, native code, atomics and
    queries, plus a little for each builtin.
    """
    tags = list(features)
    builtins = [tag for tag in tags if tag.startswith("builtin:")]
    score = math.log2(max(shingles, 16) / 16)
    score += sum(points for start, points in _POINTS.items() if any(tag.startswith(start) for tag in tags))
    score += _PER_BUILTIN * len(builtins)
    return 1 + bisect.bisect_right(_BOUNDS, score)
