"""The decision: which candidates are kept, taken in one in-order pass over the units' edges."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..errors import SplitError
from ..record import Reason, Rejection
from ..spec import SPLITS, UNIT, BuildSpec
from .decide import Decider, Kept

# When this many units in a row bring no new row, the grammar has no more to give.
PATIENCE = 25


@dataclass(frozen=True)
class Decision:
    """Which candidates are kept, in order, and why the others are not.

    Attributes:
        index: kept candidates, ascending, shape (kept,), int64.
        split: position in :data:`builder.spec.SPLITS` of each, shape (kept,), int8.
        rejections: candidates up to the last kept one that were not kept, by reason.
    """

    index: npt.NDArray[np.int64]
    split: npt.NDArray[np.int8]
    rejections: dict[str, int]

    @cached_property
    def rows(self) -> dict[str, int]:
        """How many rows each split has."""
        return {name: int(np.count_nonzero(self.split == k)) for k, name in enumerate(SPLITS)}

    @property
    def units(self) -> int:
        """How many units hold the kept candidates."""
        return int(self.index[-1]) // UNIT + 1

    def of(self, split: str, rank: int) -> npt.NDArray[np.int64]:
        """Return the kept candidates of a split in a unit, ascending."""
        low, high = self._bounds(rank)
        chosen: npt.NDArray[np.int64] = self.index[low:high][self.split[low:high] == SPLITS.index(split)]
        return chosen

    def of_unit(self, rank: int) -> npt.NDArray[np.int64]:
        """Return the kept candidates of a unit, ascending."""
        low, high = self._bounds(rank)
        return self.index[low:high]

    def _bounds(self, rank: int) -> tuple[int, int]:
        low, high = np.searchsorted(self.index, (rank * UNIT, (rank + 1) * UNIT))
        return int(low), int(high)


class Deciding:
    """The in-order pass over edges files, one unit after the other."""

    def __init__(self, spec: BuildSpec) -> None:
        self._spec = spec
        self._decider = Decider(spec.num_kernels, spec.splits, spec.max_per_skeleton)
        self._kept: list[Kept] = []
        self._refused: Counter[Reason] = Counter()
        self._idle = 0
        self.units = 0

    @property
    def full(self) -> bool:
        """Whether all rows are decided."""
        return self._decider.full

    @property
    def kept(self) -> int:
        """How many rows are decided."""
        return len(self._kept)

    @property
    def rejected(self) -> int:
        """How many candidates so far were not kept."""
        return sum(self._decider.rejections.values()) + sum(self._refused.values())

    def offer(self, table: pa.Table, refused: list[Rejection]) -> list[Kept]:
        """Take the next unit's edges and rejections; return what was kept of it.

        Raises:
            SplitError: the last :data:`PATIENCE` units brought nothing new.
        """
        new = [verdict for verdict in self._decider.offer_table(table) if isinstance(verdict, Kept)]
        self._kept += new
        for rejection in refused:
            # Candidates behind the last row are nobody's rejections: another build may not look at them.
            if not self.full or rejection.index < self._kept[-1].index:
                self._refused[rejection.reason] += 1
        self.units += 1
        self._idle = 0 if new else self._idle + 1
        if self._idle >= PATIENCE and not self.full:
            raise SplitError(
                f"only {self.kept} of {self._spec.num_kernels} kernels: the last {PATIENCE * UNIT} candidates of "
                f"{', '.join(self._spec.categories)} brought nothing new; lower num_kernels, raise "
                "max_per_skeleton, add categories or sources"
            )
        return new

    def result(self) -> Decision:
        """Return the decision.

        Raises:
            SplitError: a split is empty.
        """
        counts = self._refused + Counter(self._decider.rejections)
        decision = Decision(
            np.array([row.index for row in self._kept], dtype=np.int64),
            np.array([SPLITS.index(row.split) for row in self._kept], dtype=np.int8),
            {reason.value: counts[reason] for reason in Reason if counts[reason]},
        )
        for name, count in decision.rows.items():
            if not count:
                raise SplitError(
                    f"split {name!r} would be empty: none of {self.kept} kernels fell into its "
                    f"{self._spec.splits[name]:g}; raise num_kernels or its fraction"
                )
        return decision
