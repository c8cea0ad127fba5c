"""How well rows fill training sequences of a fixed length."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Packing:
    """Rows packed into sequences of ``limit`` tokens; ``rows`` and ``tokens`` count those that fit."""

    limit: int
    sequences: int
    rows: int
    tokens: int

    @property
    def density(self) -> float:
        """Share of the sequences' tokens that are not padding; 0 where nothing fits."""
        return self.tokens / (self.sequences * self.limit) if self.sequences else 0.0


def pack(lengths: Mapping[int, int], limit: int) -> Packing:
    """Pack rows by best fit, longest first; rows longer than ``limit`` are left out.

    Args:
        lengths: how many rows have a given number of tokens.
        limit: tokens of a sequence.
    """
    rooms: list[int] = []  # distinct room left in sequences, ascending
    count: Counter[int] = Counter()  # sequences with that much room
    sequences = 0
    fitting = {length: rows for length, rows in lengths.items() if length <= limit}
    for length in sorted(fitting, reverse=True):
        for _ in range(fitting[length]):
            place = bisect.bisect_left(rooms, length)
            if place == len(rooms):
                room, sequences = limit, sequences + 1
            else:
                room = rooms[place]
                count[room] -= 1
                if not count[room]:
                    del rooms[place]
            if not count[room - length]:
                bisect.insort(rooms, room - length)
            count[room - length] += 1
    tokens = sum(length * rows for length, rows in fitting.items())
    return Packing(limit, sequences, sum(fitting.values()), tokens)
