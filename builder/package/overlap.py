"""Exact Jaccard similarities of many sets of shingles: every pair is compared, in bounded blocks.

The number of shingles that two rows share is a sum of two parts. Shingles that many rows have are columns of a
matrix of zeros and ones, and a matrix product counts them (whole numbers in float32, so exact in any order). The
others are counted from an inverted index, which is short because they are rare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..curate.keys import U32
from ..curate.near import I64, overlaps

F32 = npt.NDArray[np.float32]

_COMMON = 256  # shingles counted by the matrix product: those that most rows have
_QUERIES = 128  # rows compared at a time
_TILE = 8192  # rows they are compared with at a time


class ShingleSets:
    """The shingle sets of the rows of a dataset, numbered from 0.

    Takes 4 bytes for each shingle of a row, and :data:`_COMMON` bytes a row, beside what ``sets`` holds.

    Args:
        sets: sorted sets, each of at least one shingle and fewer than 2**21, so that no count is rounded.
    """

    def __init__(self, sets: Sequence[U32]) -> None:
        self._sets = sets
        self.sizes: I64 = np.array([len(one) for one in sets], dtype=np.int64)
        known, rows = _vocabulary(sets)
        # The commonest first; among equals the smaller hash, so that nothing depends on the order of rows.
        order = np.lexsort((known, -rows))
        rank = np.empty(len(known), dtype=np.int32)
        rank[order] = np.arange(len(known), dtype=np.int32)
        self._ranks = [rank[np.searchsorted(known, one)] for one in sets]
        self._common = np.zeros((len(sets), _COMMON), dtype=np.uint8)
        for row, ranks in enumerate(self._ranks):
            self._common[row, ranks[ranks < _COMMON]] = 1
        self._rare: I64 = self.sizes - self._common.sum(axis=1, dtype=np.int64)

    def nearest(self, queries: I64, targets: I64) -> Iterator[tuple[int, int, int]]:
        """Yield for each query its most similar target (of equals the first), the shingles shared, and the union.

        Args:
            queries: numbers of rows, shape (q,).
            targets: numbers of other rows, shape (t,), t >= 1.
        """
        starts, where = self._inverted(targets)
        sizes = self.sizes[targets]
        for begin in range(0, len(queries), _QUERIES):
            block = queries[begin : begin + _QUERIES]
            for query, counts in zip(block.tolist(), self._shared_common(block, targets), strict=True):
                shared = counts.astype(np.int64) + self._shared_rare(query, starts, where, len(targets))
                union = sizes + self.sizes[query] - shared
                # Two different fractions below 2**21 differ by more than float64 rounds.
                best = int(np.argmax(shared / union))
                yield int(targets[best]), int(shared[best]), int(union[best])

    def near_pairs(self, limit: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Yield each pair of rows whose Jaccard similarity is at least ``limit``, a fraction above 0.

        Rows are compared in order of size, as far as sizes allow the limit; the exact sets are looked at where the
        common shingles and the number of others do.
        """
        above, below = limit
        order = np.argsort(self.sizes, kind="stable")
        sizes = self.sizes[order]
        for begin in range(0, len(order), _QUERIES):
            block = order[begin : begin + _QUERIES]
            # J >= limit needs size / other size >= limit.
            end = int(np.searchsorted(sizes * above, self.sizes[block[-1]] * below, side="right"))
            for tile in range(begin, end, _TILE):
                others = order[tile : min(tile + _TILE, end)]
                bound = self._shared_common(block, others).astype(np.int64)
                bound += np.minimum(self._rare[block][:, None], self._rare[others][None, :])
                total = self.sizes[block][:, None] + self.sizes[others][None, :]
                later = np.arange(tile, tile + len(others))[None, :] > np.arange(begin, begin + len(block))[:, None]
                hits = (bound * (above + below) >= total * above) & later
                for place in np.flatnonzero(hits.any(axis=1)).tolist():
                    row = int(block[place])
                    yield from self._verified(row, others[hits[place]], limit)

    def _verified(self, row: int, others: I64, limit: tuple[int, int]) -> Iterator[tuple[int, int]]:
        shared, union = overlaps(self._sets[row], [self._sets[other] for other in others.tolist()])
        for other in others[shared * limit[1] >= union * limit[0]].tolist():
            yield min(row, other), max(row, other)

    def _shared_common(self, rows: I64, others: I64) -> F32:
        """Return how many common shingles each row shares with each other, shape (rows, others)."""
        mine = self._common[rows].astype(np.float32)
        tiles = [others[at : at + _TILE] for at in range(0, len(others), _TILE)]
        return np.concatenate([mine @ self._common[tile].astype(np.float32).T for tile in tiles], axis=1)

    def _inverted(self, targets: I64) -> tuple[I64, I64]:
        """Return the places in ``targets`` that have each rare shingle, one after the other, and where each starts."""
        rare = [ranks[ranks >= _COMMON] for ranks in (self._ranks[row] for row in targets.tolist())]
        ranks = np.concatenate([np.empty(0, dtype=np.int32), *rare])
        place = np.repeat(np.arange(len(targets)), [len(one) for one in rare])
        size = max((int(one.max()) for one in self._ranks), default=0) + 2
        starts: I64 = np.concatenate(([0], np.cumsum(np.bincount(ranks, minlength=size))))
        return starts, place[np.argsort(ranks, kind="stable")]

    def _shared_rare(self, query: int, starts: I64, where: I64, count: int) -> I64:
        ranks = self._ranks[query]
        found = [where[starts[rank] : starts[rank + 1]] for rank in ranks[ranks >= _COMMON].tolist()]
        return np.bincount(np.concatenate([np.empty(0, dtype=np.int64), *found]), minlength=count)


def _vocabulary(sets: Sequence[U32]) -> tuple[U32, I64]:
    """Return the distinct shingles, sorted, and how many rows have each."""
    known, rows = np.unique(np.concatenate([np.empty(0, dtype=np.uint32), *sets]), return_counts=True)
    return known, rows.astype(np.int64)
