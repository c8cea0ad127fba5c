"""Exact Jaccard similarities between the rows of two groups: every pair is compared, in bounded blocks.

The number of shingles that two rows share is a sum of two parts. Shingles that many rows have are columns of a
matrix of zeros and ones, and a matrix product counts them (whole numbers in float32, so exact in any order). The
others are counted from an inverted index, which is short because they are rare.

Pairs above a limit need no comparing of all: of two sets that are that similar, the rarest shingles of the one and
of the other have one in common (prefix filtering: Chaudhuri, Ganti and Kaushik, 2006; Bayardo, Ma and Srikant, 2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..curate.keys import U32
from ..curate.near import I64

F32 = npt.NDArray[np.float32]

_COMMON = 256  # shingles counted by the matrix product: those that most rows have
_QUERIES = 128  # rows compared at a time
_BLOCK = 512  # rows whose pairs that may be near are looked for at a time
_PAIRS = 4096  # of them compared at a time
_HALF = 32  # bits of a row's number, and of a shingle's
_SIZE = 22  # bits of the size of a set, and of a quarter more


@dataclass(frozen=True, eq=False)
class Mapped:
    """The sets of a group, its shingles as numbers of a :class:`Vocabulary`.

    Attributes:
        sets: sorted sets, each of at least one shingle and fewer than 2**21, so that no count is rounded.
        sizes: of the sets.
        rows: the row of each shingle, one row after the other.
        numbers: of the shingles.
    """

    sets: Sequence[U32]
    sizes: I64
    rows: I64
    numbers: I64


class Vocabulary:
    """The shingles of a group of rows, numbered: the commonest first, among equals the smaller hash.

    Attributes:
        size: how many there are; also the number of a shingle that is none of them.
    """

    def __init__(self, sets: Sequence[U32]) -> None:
        self._known, rows = np.unique(np.concatenate([np.empty(0, np.uint32), *sets]), return_counts=True)
        self.size = len(self._known)
        self._number = np.empty(self.size, dtype=np.int64)
        self._number[np.lexsort((self._known, -rows))] = np.arange(self.size)

    def mapped(self, sets: Sequence[U32]) -> Mapped:
        """Return the sets of any group in this vocabulary's numbers."""
        flat = np.concatenate([np.empty(0, np.uint32), *sets])
        place = np.minimum(np.searchsorted(self._known, flat), max(self.size - 1, 0))
        numbers = np.where(self._known[place] == flat, self._number[place], self.size)
        sizes = np.array([len(one) for one in sets], dtype=np.int64)
        return Mapped(sets, sizes, np.repeat(np.arange(len(sets)), sizes), numbers)


class Targets:
    """Some rows of a group, prepared to be compared with any others in the same numbers."""

    def __init__(self, group: Mapped, chosen: I64, size: int) -> None:
        self.chosen = chosen
        place = np.full(len(group.sets), -1, dtype=np.int64)
        place[chosen] = np.arange(len(chosen))
        at = place[group.rows]
        wanted = (at >= 0) & (group.numbers < size)
        rows, numbers = at[wanted], group.numbers[wanted]
        self._sizes = group.sizes[chosen]
        self._common = np.zeros((len(chosen), _COMMON), dtype=np.float32)
        few = numbers < _COMMON
        self._common[rows[few], numbers[few]] = 1
        rows, numbers = rows[~few], numbers[~few]
        self._where = rows[np.argsort(numbers, kind="stable")]
        self._starts: I64 = np.concatenate(([0], np.cumsum(np.bincount(numbers, minlength=size + 1))))

    def nearest(self, group: Mapped, queries: I64) -> Iterator[tuple[int, int, int]]:
        """Yield for each query its most similar target (of equals the first), the shingles shared, and the union.

        Args:
            group: whose rows the queries are; of the group that the vocabulary is of.
            queries: numbers of rows, shape (q,).
        """
        ends = np.cumsum(group.sizes)
        for begin in range(0, len(queries), _QUERIES):
            block = queries[begin : begin + _QUERIES].tolist()
            numbers = [group.numbers[ends[row] - group.sizes[row] : ends[row]] for row in block]
            for row, mine, shared_common in zip(block, numbers, self._shared_common(numbers), strict=True):
                shared = shared_common.astype(np.int64) + self._shared_rare(mine)
                union = self._sizes + group.sizes[row] - shared
                # Two different fractions below 2**21 differ by more than float64 rounds.
                best = int(np.argmax(shared / union))
                yield int(self.chosen[best]), int(shared[best]), int(union[best])

    def _shared_common(self, numbers: list[I64]) -> F32:
        mine = np.zeros((len(numbers), _COMMON), dtype=np.float32)
        for row, one in enumerate(numbers):
            mine[row, one[one < _COMMON]] = 1
        shared: F32 = mine @ self._common.T
        return shared

    def _shared_rare(self, numbers: I64) -> I64:
        rare = numbers[numbers >= _COMMON].tolist()
        found = [self._where[self._starts[number] : self._starts[number + 1]] for number in rare]
        return np.bincount(np.concatenate([np.empty(0, np.int64), *found]), minlength=len(self.chosen))


class Prefixes:
    """The rarest shingles of each row, as many as it takes to find all rows similar above a limit, a fraction.

    Args:
        group: the rows, in the numbers of a vocabulary of ``size`` shingles.
        limit: numerator and denominator.
    """

    def __init__(self, group: Mapped, size: int, limit: tuple[int, int]) -> None:
        above, below = limit
        self._group, self._limit = group, limit
        # Rarest first; what the vocabulary does not know is rarer than all.
        packed = np.sort((group.rows << _HALF) | (size - group.numbers))
        rows = packed >> _HALF
        numbers = size - (packed & ((1 << _HALF) - 1))
        starts = np.cumsum(group.sizes) - group.sizes
        length = group.sizes - -(-group.sizes * above // below) + 1
        kept = (np.arange(len(packed)) - starts[rows] < length[rows]) & (numbers < size)
        self.rows, self.numbers = rows[kept], numbers[kept]
        self._rest = group.sizes - length
        self._last = numbers[starts + length - 1]

    def near_pairs(self, others: Prefixes, *, same: bool) -> Iterator[tuple[int, int]]:
        """Yield each (row here, row there) whose similarity is at least the limit, in no particular order.

        Args:
            others: of a group in the same numbers, with the same limit.
            same: it is this group; only pairs whose first row is the later one are given then.
        """
        above, below = self._limit
        keys = self.numbers << _SIZE | self._group.sizes[self.rows]
        order = np.argsort(keys, kind="stable")
        keys, rows = keys[order], self.rows[order]
        sizes = others._group.sizes[others.rows]
        # J >= limit needs size / other size >= limit.
        low = np.searchsorted(keys, others.numbers << _SIZE | -(-sizes * above // below), side="left")
        count = np.searchsorted(keys, others.numbers << _SIZE | sizes * below // above, side="right") - low
        cuts = np.searchsorted(others.rows, np.arange(0, len(others._group.sets) + _BLOCK, _BLOCK))
        for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            some = count[begin:end]
            place = np.arange(int(some.sum())) + np.repeat(low[begin:end] - np.cumsum(some) + some, some)
            found = rows[place] << _HALF | np.repeat(others.rows[begin:end], some)
            found, shared = np.unique(found, return_counts=True)
            mine, theirs = found >> _HALF, found & ((1 << _HALF) - 1)
            able = self._able(mine, theirs, shared, others)
            if same:
                able &= mine > theirs
            yield from self._verified(mine[able], theirs[able], others)

    def _able(self, mine: I64, theirs: I64, shared: I64, others: Prefixes) -> npt.NDArray[np.bool_]:
        """Say which pairs of rows can be similar enough, from their sizes and the shingles their prefixes share."""
        above, below = self._limit
        # The prefix that ends at the rarer shingle: what of that row is behind it is all that can be shared beside.
        rest = np.where(self._last[mine] >= others._last[theirs], self._rest[mine], others._rest[theirs])
        one, other = self._group.sizes[mine], others._group.sizes[theirs]
        able: npt.NDArray[np.bool_] = (shared + rest) * (above + below) >= (one + other) * above
        return able

    def _verified(self, mine: I64, theirs: I64, others: Prefixes) -> Iterator[tuple[int, int]]:
        above, below = self._limit
        for at in range(0, len(mine), _PAIRS):
            one, other = mine[at : at + _PAIRS], theirs[at : at + _PAIRS]
            shared = _shared([self._group.sets[row] for row in one], [others._group.sets[row] for row in other])
            union = self._group.sizes[one] + others._group.sizes[other] - shared
            near = shared * below >= union * above
            yield from zip(one[near].tolist(), other[near].tolist(), strict=True)


def _shared(ones: Sequence[U32], others: Sequence[U32]) -> I64:
    """Return how many elements each set shares with the other of its pair, shape (len(ones),)."""
    flat = []
    for sets in (ones, others):
        pairs = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
        flat.append(pairs << _HALF | np.concatenate([np.empty(0, np.uint32), *sets]))
    both = np.sort(np.concatenate(flat), kind="stable")  # which merges two sorted runs in linear time
    return np.bincount(both[1:][both[1:] == both[:-1]] >> _HALF, minlength=len(ones))
