"""Which split a skeleton belongs to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

# Changing the salt moves rows between splits.
_SALT = b"warp_cuda_pairs split\0"
_RANGE = 1 << 64


def split_of(skeleton: str, splits: Mapping[str, float]) -> str:
    """Return the split of a skeleton: a function of its hash and the fractions, and of no other row.

    Args:
        skeleton: 16 hex digits.
        splits: fraction of each split, each above 0; taken as the decimals they print as, scaled to sum to 1.
    """
    place = int.from_bytes(hashlib.sha256(_SALT + skeleton.encode()).digest()[:8], "big")
    for name, end in _ends(tuple(splits.items())):
        if place < end:
            return name
    raise AssertionError("the last split ends at the top of the range")


@lru_cache(maxsize=64)
def _ends(splits: tuple[tuple[str, float], ...]) -> tuple[tuple[str, int], ...]:
    fractions = [Fraction(repr(float(fraction))) for _, fraction in splits]
    total = sum(fractions)
    ends = [sum(fractions[: place + 1]) / total * _RANGE for place in range(len(fractions))]
    # Rounded up: `place < end` for whole `place` is the same for `end` and for its ceiling.
    return tuple((name, -int(-end // 1)) for (name, _), end in zip(splits, ends, strict=True))
