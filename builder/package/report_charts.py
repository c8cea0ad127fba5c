"""Geometry of the report page's charts: numbers only, which the template turns into SVG."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from .lengths import LIMITS, Column

# Histogram, in the SVG's own units.
WIDTH, HEIGHT = 360, 120
_STEPS = 4  # bins for each doubling of the length


@dataclass(frozen=True)
class Bar:
    """One bar: its place, and the lengths ``low <= n < high`` of its ``rows`` rows."""

    x: float
    y: float
    width: float
    height: float
    low: int
    high: int
    rows: int


@dataclass(frozen=True)
class Tick:
    """A length on the horizontal axis."""

    x: float
    tokens: int


@dataclass(frozen=True)
class Histogram:
    """A column's token lengths over a logarithmic axis; ``top`` is the tallest bar's rows."""

    name: str
    column: Column
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    top: int


def histograms(columns: dict[str, Column]) -> list[Histogram]:
    """Return one histogram for each column that has rows, all over the same axis."""
    lengths = [length for column in columns.values() for length in column.lengths]
    if not lengths:
        return []
    edges = _edges(max(1, min(lengths)), max(1, *lengths))
    return [_histogram(name, column, edges) for name, column in columns.items() if column.count]


def _edges(least: int, longest: int) -> list[int]:
    """Return rising whole numbers, about :data:`_STEPS` for each doubling, from ``least`` to above ``longest``."""
    low = math.floor(math.log2(least) * _STEPS)
    high = math.floor(math.log2(longest) * _STEPS) + 1
    edges = {math.ceil(round(2 ** (step / _STEPS), 6)) for step in range(low, high + 1)}
    return sorted(edges | {longest + 1} if max(edges) <= longest else edges)


def _histogram(name: str, column: Column, edges: list[int]) -> Histogram:
    counts = [0] * (len(edges) - 1)
    for length, rows in column.lengths.items():
        counts[max(0, bisect_right(edges, length) - 1)] += rows
    start, stop = math.log2(edges[0]), math.log2(edges[-1])

    def place(tokens: int) -> float:
        return round((math.log2(tokens) - start) / (stop - start) * WIDTH, 1)

    top = max(counts)
    bars = []
    for low, high, rows in zip(edges, edges[1:], counts, strict=False):
        if rows:
            left, height = place(low), round(rows / top * HEIGHT, 1)
            bars.append(
                Bar(left, round(HEIGHT - height, 1), round(place(high) - left, 1), height, low, high, rows),
            )
    ticks = tuple(Tick(place(limit), limit) for limit in (*LIMITS, 64, 128, 256) if edges[0] < limit < edges[-1])
    return Histogram(name, column, tuple(bars), tuple(sorted(ticks, key=lambda tick: tick.x)), top)


def percent(share: float) -> str:
    """Return a share in whole per cent, where only all is 100 % and only nothing 0 %."""
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def shares(values: Iterable[int], largest: int) -> list[tuple[float, float]]:
    """Return (start, length) in per cent of ``largest`` for values laid end to end."""
    pieces, start = [], 0
    for value in values:
        pieces.append((round(100 * start / largest, 2), round(100 * value / largest, 2)))
        start += value
    return pieces
