"""Figures of a config over all its splits."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .lengths import Column
from .stats import Stats


def percent(share: float, decimals: int = 1) -> str:
    """Return a share as per cent, rounded down, so that 100.0 % means all."""
    unit = 10**decimals
    return f"{int(100 * unit * share + 1e-9) / unit:.{decimals}f} %"


def column_of(stats: Stats, name: str) -> Column:
    """Return a column's lengths over all splits."""
    whole = Column()
    for split in stats.splits.values():
        whole.add(split.columns[name])
    return whole


def merged(stats: Stats, what: str) -> dict[str, Counter[Any]]:
    """Return a table of the breakdown (``features``, ``tokens`` or ``verdicts``) over all splits."""
    whole: dict[str, Counter[Any]] = {}
    for split in stats.splits.values():
        for name, counts in getattr(split.breakdown, what).items():
            whole.setdefault(name, Counter()).update(counts)
    return whole


def counted(stats: Stats, what: str) -> Counter[Any]:
    """Return counts of the breakdown (``calls``, ``difficulty``, ``lines`` or ``origins``) over all splits."""
    whole: Counter[Any] = Counter()
    for split in stats.splits.values():
        whole.update(getattr(split.breakdown, what))
    return whole
