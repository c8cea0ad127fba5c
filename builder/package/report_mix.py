"""What a dataset is made of, for the report page: categories, features, skeletons and rejections as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .report_charts import shares
from .stats import Stats

FEATURES_SHOWN = 12


@dataclass(frozen=True)
class MixRow:
    """A category or a feature: rows in each split and in all, and the bar that shows them."""

    name: str
    counts: tuple[int, ...]
    total: int
    bar: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Family:
    """Features with one prefix: the commonest, and the rest."""

    name: str
    shown: tuple[MixRow, ...]
    rest: tuple[MixRow, ...]


@dataclass(frozen=True)
class Mix:
    """What configs with the same kernels have in common.

    Attributes:
        configs: their names.
        stats: of one of them; all are the same in what a mix shows.
    """

    configs: tuple[str, ...]
    stats: Stats
    categories: tuple[MixRow, ...]
    families: tuple[Family, ...]


def mixes(stats: Mapping[str, Stats]) -> list[Mix]:
    """Return one mix for each set of configs whose kernels are the same."""
    groups: list[tuple[list[str], Stats]] = []
    for name, one in stats.items():
        for names, other in groups:
            if _same(one, other):
                names.append(name)
                break
        else:
            groups.append(([name], one))
    return [Mix(tuple(names), one, _rows(one, "categories"), _families(one)) for names, one in groups]


def _same(one: Stats, other: Stats) -> bool:
    def view(stats: Stats) -> object:
        parts = {name: (s.rows, s.categories, s.features, s.skeletons) for name, s in stats.splits.items()}
        return parts, stats.rejections, stats.measured

    return view(one) == view(other)


def _rows(stats: Stats, what: str) -> tuple[MixRow, ...]:
    counts: list[Counter[str]] = [getattr(split, what) for split in stats.splits.values()]
    totals: Counter[str] = sum(counts, Counter())
    names = sorted(totals, key=lambda name: (-totals[name], name))
    largest = max(totals.values(), default=1)
    return tuple(_row(name, [count[name] for count in counts], largest) for name in names)


def _row(name: str, counts: Sequence[int], largest: int) -> MixRow:
    return MixRow(name, tuple(counts), sum(counts), tuple(shares(counts, largest)))


def _families(stats: Stats) -> tuple[Family, ...]:
    families: dict[str, list[MixRow]] = {}
    for row in _rows(stats, "features"):
        family = row.name.split(":")[0] if ":" in row.name else "other"
        families.setdefault(family, []).append(row)
    return tuple(
        Family(name, tuple(rows[:FEATURES_SHOWN]), tuple(rows[FEATURES_SHOWN:]))
        for name, rows in sorted(families.items(), key=lambda item: (-len(item[1]), item[0]))
    )
