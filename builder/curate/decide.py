"""The in-order rule: which candidates are kept, and in which split.

Candidate i is dropped if an earlier kept row is its exact duplicate, if its skeleton's cap is reached, or
if an earlier kept row of another split is its near-duplicate. The earlier row always wins, so a decision
never depends on later candidates: streaming and building agree, and a larger dataset begins with the
smaller one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..record import Reason, Rejection
from .edges import table_keys
from .keys import U32, Keys
from .near import BandIndex, ShingleStore, first_near
from .split import split_of


@dataclass(frozen=True, slots=True)
class Kept:
    """A candidate that became a row."""

    index: int
    split: str


class Decider:
    """Decides candidates one after the other until ``num_kernels`` are kept.

    Args:
        num_kernels: how many rows to keep over all splits, at least 1.
        splits: fraction of each split.
        max_per_skeleton: how many rows may share a skeleton, at least 1.

    Attributes:
        kept: (candidate index, split) of the kept rows, in order.
    """

    def __init__(self, num_kernels: int, splits: Mapping[str, float], max_per_skeleton: int) -> None:
        self._num_kernels = num_kernels
        self._splits = dict(splits)
        self._cap = max_per_skeleton
        self.kept: list[tuple[int, str]] = []
        self._last = -1
        self._exact: dict[int, int] = {}
        self._skeletons: dict[int, int] = {}
        self._shingles = ShingleStore()
        self._near = {name: BandIndex() for name in splits}
        self._counts: Counter[Reason] = Counter()

    @property
    def full(self) -> bool:
        """Whether ``num_kernels`` rows are kept; nothing more is taken then."""
        return len(self.kept) >= self._num_kernels

    @property
    def rows(self) -> dict[str, int]:
        """Return how many rows each split has."""
        counts = Counter(split for _, split in self.kept)
        return {name: counts[name] for name in self._splits}

    @property
    def rejections(self) -> dict[Reason, int]:
        """Return how many candidates were dropped, by reason; a reason that never came up is left out."""
        return {reason: self._counts[reason] for reason in Reason if self._counts[reason]}

    def offer(self, index: int, keys: Keys) -> Kept | Rejection:
        """Decide one candidate.

        Raises:
            ValueError: ``index`` is not above the last one, or the decider is full.
        """
        if self.full:
            raise ValueError(f"candidate {index} offered, but all {self._num_kernels} rows are decided")
        return self._offer([index], [keys])[0]

    def offer_all(self, indices: Sequence[int], keys: Sequence[Keys]) -> list[Kept | Rejection]:
        """Decide candidates in order until full; the result is as long as what was decided.

        The decisions are those of :meth:`offer` for each; many at once are quicker.

        Raises:
            ValueError: the indices do not rise.
        """
        return self._offer(indices, keys)

    def offer_table(self, table: pa.Table) -> list[Kept | Rejection]:
        """Decide the candidates of an edges table, as :meth:`offer_all` does."""
        return self._offer(*table_keys(table))

    def _offer(self, indices: Sequence[int], keys: Sequence[Keys]) -> list[Kept | Rejection]:
        if not keys or self.full:
            return []
        bands = np.stack([item.bands for item in keys])
        splits = [split_of(item.skeleton, self._splits) for item in keys]
        earlier = self._candidates(bands, splits)
        results: list[Kept | Rejection] = []
        fresh: list[int] = []  # positions, in this batch, of rows kept: the index does not know them yet
        first_row = len(self.kept)
        for place, (index, item, split) in enumerate(zip(indices, keys, splits, strict=True)):
            if self.full:
                break
            rejection = self._repeated(index, item)
            if rejection is None:
                same = (bands[fresh] == bands[place]).any(axis=1)
                recent = [
                    first_row + number for number, hit in enumerate(same) if hit and splits[fresh[number]] != split
                ]
                rejection = self._close(index, item, earlier[place] + recent)
            if rejection is None:
                self._keep(index, item, split)
                fresh.append(place)
                results.append(Kept(index, split))
            else:
                self._counts[rejection.reason] += 1
                results.append(rejection)
        for name, near in self._near.items():
            chosen = [number for number, place in enumerate(fresh) if splits[place] == name]
            if chosen:
                near.add([first_row + number for number in chosen], bands[[fresh[number] for number in chosen]])
        return results

    def _candidates(self, bands: U32, splits: Sequence[str]) -> list[list[int]]:
        """Return for each query the rows of other splits that share a band with it, rising."""
        found: list[list[int]] = [[] for _ in splits]
        for name, near in self._near.items():
            asking = [place for place, split in enumerate(splits) if split != name]
            for query, row in zip(*(side.tolist() for side in near.find(bands[asking])), strict=True):
                found[asking[query]].append(row)
        return [sorted(rows) for rows in found]

    def _repeated(self, index: int, keys: Keys) -> Rejection | None:
        if index <= self._last:
            raise ValueError(f"candidate {index} offered after candidate {self._last}; the order must rise")
        self._last = index
        twin = self._exact.get(int(keys.exact, 16))
        if twin is not None:
            return Rejection(index, Reason.DUPLICATE, f"equal to candidate {twin} after renaming")
        if self._skeletons.get(int(keys.skeleton, 16), 0) >= self._cap:
            return Rejection(index, Reason.SKELETON_CAP, f"skeleton {keys.skeleton} already has {self._cap} rows")
        return None

    def _close(self, index: int, keys: Keys, rows: Sequence[int]) -> Rejection | None:
        match = first_near(keys.shingles, [self._shingles[row] for row in rows])
        if match is None:
            return None
        row, similarity = rows[match[0]], match[1]
        other, split = self.kept[row]
        return Rejection(index, Reason.NEAR_DUPLICATE, f"Jaccard {similarity:.3f} with candidate {other} ({split})")

    def _keep(self, index: int, keys: Keys, split: str) -> None:
        skeleton = int(keys.skeleton, 16)
        self._exact[int(keys.exact, 16)] = index
        self._skeletons[skeleton] = self._skeletons.get(skeleton, 0) + 1
        self._shingles.append(keys.shingles)
        self.kept.append((index, split))
