"""Packs rows into training sequences of a fixed length, and says how full they become."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Mapping
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


def best_fit(lengths: Iterable[int], limit: int) -> Iterator[int]:
    """Yield, for each length in turn, the number of the sequence it is put into, counted from 0.

    That is the one with the least room that holds it (of several, the one which came to that room last), or a
    new one. Lengths that come longest first make this best-fit decreasing (Johnson, 1973).

    Args:
        lengths: at least 0 and at most ``limit`` each.
        limit: tokens of a sequence.
    """
    rooms: list[int] = []  # distinct room left in sequences, ascending
    having: dict[int, list[int]] = {}  # the sequences with that much room
    sequences = 0
    for length in lengths:
        place = bisect.bisect_left(rooms, length)
        if place == len(rooms):
            room, sequence, sequences = limit, sequences, sequences + 1
        else:
            room = rooms[place]
            sequence = having[room].pop()
            if not having[room]:
                del rooms[place], having[room]
        left = room - length
        if left not in having:
            bisect.insort(rooms, left)
            having[left] = []
        having[left].append(sequence)
        yield sequence


def pack(lengths: Mapping[int, int], limit: int, *, ends: int = 0) -> Packing:
    """Pack rows by best fit, longest first; rows longer than ``limit`` are left out.

    Args:
        lengths: how many rows have a given number of tokens.
        limit: tokens of a sequence.
        ends: tokens that each row has beside, for the end of the sequence and its beginning.
    """
    fitting = {length + ends: rows for length, rows in lengths.items() if length + ends <= limit}
    longest_first = (length for length in sorted(fitting, reverse=True) for _ in range(fitting[length]))
    sequences = 1 + max(best_fit(longest_first, limit), default=-1)
    tokens = sum(length * rows for length, rows in fitting.items())
    return Packing(limit, sequences, sum(fitting.values()), tokens)
