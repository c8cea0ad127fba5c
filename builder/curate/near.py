"""Finds the kept rows that are near-duplicates of a new one: LSH for candidates, exact Jaccard to judge."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .keys import U32

I64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]

# Near is a Jaccard similarity of at least NEAR[0] / NEAR[1]: whole numbers, so that no rounding decides.
NEAR = (3, 4)

_BLOCK = 1 << 20
_HALF = np.uint64(32)
_ROW_MASK = np.uint64(0xFFFFFFFF)


class ShingleStore:
    """Shingle sets of kept rows: 4 bytes a shingle and 16 a row. Rows are numbered from 0."""

    def __init__(self) -> None:
        self._blocks: list[U32] = []
        self._used = _BLOCK
        self._starts = array("q")  # over all blocks, each counted as _BLOCK long
        self._sizes = array("q")

    def append(self, shingles: U32) -> None:
        """Store the set of the next row.

        Raises:
            ValueError: more than :data:`_BLOCK` shingles.
        """
        size = len(shingles)
        if size > _BLOCK:
            raise ValueError(f"a kernel source of {size} shingles; the most that can be compared is {_BLOCK}")
        if self._used + size > _BLOCK:
            self._blocks.append(np.empty(_BLOCK, dtype=np.uint32))
            self._used = 0
        self._blocks[-1][self._used : self._used + size] = shingles
        self._starts.append((len(self._blocks) - 1) * _BLOCK + self._used)
        self._sizes.append(size)
        self._used += size

    def __getitem__(self, row: int) -> U32:
        block, start = divmod(self._starts[row], _BLOCK)
        return self._blocks[block][start : start + self._sizes[row]]


class BandIndex:
    """Which rows share an LSH band: sorted runs of ``band hash << 32 | row``, 8 bytes a band and row.

    Runs double in size as in a log-structured merge tree, so adding n rows one by one costs O(n log n).
    """

    def __init__(self) -> None:
        self._runs: list[U64] = []

    def add(self, rows: Sequence[int], bands: U32) -> None:
        """Add rows (numbers below 2**32) with their bands, shape (len(rows), BANDS)."""
        numbers = np.asarray(rows, dtype=np.uint64)[:, None]
        run = np.sort(((bands.astype(np.uint64) << _HALF) | numbers).ravel())
        while self._runs and len(self._runs[-1]) <= 2 * len(run):
            # Stable sorting merges two sorted runs in linear time.
            run = np.sort(np.concatenate((self._runs.pop(), run)), kind="stable")
        self._runs.append(run)

    def find(self, bands: U32) -> tuple[I64, I64]:
        """Return all (query, row) that share a band, distinct and sorted; ``bands`` as in :meth:`add`."""
        width = bands.shape[1]
        low = (bands.astype(np.uint64) << _HALF).ravel()
        pairs = [np.empty(0, dtype=np.uint64)]
        for run in self._runs:
            first = np.searchsorted(run, low, side="left")
            count = np.searchsorted(run, low | _ROW_MASK, side="right") - first
            hit = np.flatnonzero(count)
            if len(hit):
                pairs.append(_expand(run, first[hit], count[hit], (hit // width).astype(np.uint64)))
        found = np.unique(np.concatenate(pairs))
        return (found >> _HALF).astype(np.int64), (found & _ROW_MASK).astype(np.int64)


def _expand(run: U64, first: I64, count: I64, query: U64) -> U64:
    # Positions first[k], first[k] + 1, ... first[k] + count[k] - 1 for every k, without a Python loop.
    before = np.cumsum(count) - count
    place = np.arange(int(count.sum())) + np.repeat(first - before, count)
    packed: U64 = (np.repeat(query, count) << _HALF) | (run[place] & _ROW_MASK)
    return packed


def first_near(shingles: U32, others: Sequence[U32]) -> tuple[int, float] | None:
    """Return the place in ``others`` and the Jaccard similarity of the first near-duplicate, or None.

    Args:
        shingles: a sorted set, shape (n,), n >= 1.
        others: sorted sets, each of at least one shingle.
    """
    if not others:
        return None
    shared, union = overlaps(shingles, others)
    near = np.flatnonzero(shared * NEAR[1] >= union * NEAR[0])
    return (int(near[0]), float(shared[near[0]] / union[near[0]])) if len(near) else None


def overlaps(shingles: U32, others: Sequence[U32]) -> tuple[I64, I64]:
    """Return how many shingles a set shares with each of others, and the sizes of the unions, shape (len(others),).

    Args:
        shingles: a sorted set, shape (n,), n >= 1.
        others: one or more sorted sets, each of at least one shingle.
    """
    sizes = np.array([len(other) for other in others])
    whole = np.concatenate(others)
    place = np.minimum(np.searchsorted(shingles, whole), len(shingles) - 1)
    shared: I64 = np.add.reduceat(shingles[place] == whole, np.cumsum(sizes) - sizes, dtype=np.int64)
    return shared, sizes + len(shingles) - shared
