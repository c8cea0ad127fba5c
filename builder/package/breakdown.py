"""What the rows of a split are, broken down: verdicts, origins, sizes, and tags against each other.

Like all stats these are counts that add up, so a breakdown of parts sums to that of the whole.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from ..record import VERDICTS

# Upper bounds of token bins, eight to an octave: fine enough for a picture, few enough to keep for each tag.
BINS = sorted({round(2 ** (step / 8)) for step in range(8 * 24)})
_SEPARATOR = " | "


def origin_of(key: str) -> tuple[str, ...]:
    """Return origin, its version and licence from a key of :attr:`Breakdown.origins`."""
    return tuple(key.split(_SEPARATOR))


Table = dict[str, Counter[str]]


@dataclass
class Breakdown:
    """Counts of rows.

    Attributes:
        verdicts: for each check, by what it said.
        origins: by origin, its version and licence, joined with ``" | "``.
        lines: by number of non-blank lines of the kernel source.
        features: for each category, by feature.
        calls: by Warp builtin and the type of its first argument, as a row's ``calls`` names them.
        difficulty: by difficulty, 1 to 5.
        tokens: for each category and feature, by the upper bound of the bin of prompt and completion's tokens.
    """

    verdicts: Table = field(default_factory=dict)
    origins: Counter[str] = field(default_factory=Counter)
    lines: Counter[int] = field(default_factory=Counter)
    features: Table = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    difficulty: Counter[int] = field(default_factory=Counter)
    tokens: dict[str, Counter[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: pa.Table) -> Breakdown:
        """Return the breakdown of a table of rows (:func:`builder.record.row_schema`)."""
        made = cls()
        names = ["category", "features", "calls", "difficulty", "origin", "origin_version", "license", "python_source"]
        names.append("verification")
        totals = table["prompt_tokens"].to_numpy() + table["completion_tokens"].to_numpy()
        for row, total in zip(table.select(names).to_pylist(), totals.tolist(), strict=True):
            made._add_row(row, total)
        return made

    def _add_row(self, row: Mapping[str, Any], total: int) -> None:
        for check in VERDICTS:
            self.verdicts.setdefault(check, Counter())[row["verification"][check]] += 1
        self.origins[_SEPARATOR.join(row[name] for name in ("origin", "origin_version", "license"))] += 1
        self.lines[sum(1 for line in row["python_source"].splitlines() if line.strip())] += 1
        self.features.setdefault(row["category"], Counter()).update(row["features"])
        self.calls.update(row["calls"])
        self.difficulty[row["difficulty"]] += 1
        upper = BINS[min(bisect.bisect_left(BINS, total), len(BINS) - 1)]
        for tag in (f"category:{row['category']}", *row["features"]):
            self.tokens.setdefault(tag, Counter())[upper] += 1

    def add(self, other: Breakdown) -> None:
        """Add the rows of ``other``."""
        self.origins.update(other.origins)
        self.lines.update(other.lines)
        self.calls.update(other.calls)
        self.difficulty.update(other.difficulty)
        for mine, theirs in ((self.verdicts, other.verdicts), (self.features, other.features)):
            for name, counts in theirs.items():
                mine.setdefault(name, Counter()).update(counts)
        for tag, bins in other.tokens.items():
            self.tokens.setdefault(tag, Counter()).update(bins)

    def to_json(self) -> dict[str, Any]:
        """Return what :meth:`from_json` reads, of JSON's types."""
        return {
            "verdicts": {check: _sorted(counts) for check, counts in sorted(self.verdicts.items())},
            "origins": _sorted(self.origins),
            "kernel_source_lines": _sorted(self.lines),
            "features_by_category": {name: _sorted(counts) for name, counts in sorted(self.features.items())},
            "calls": _sorted(self.calls),
            "difficulty": _sorted(self.difficulty),
            "token_bins_by_tag": {tag: _sorted(bins) for tag, bins in sorted(self.tokens.items())},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Breakdown:
        """Return the breakdown that :meth:`to_json` wrote.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: ``data`` is not what it wrote.
        """
        return cls(
            {check: Counter(counts) for check, counts in data["verdicts"].items()},
            Counter(data["origins"]),
            _numbers(data["kernel_source_lines"]),
            {name: Counter(counts) for name, counts in data["features_by_category"].items()},
            Counter(data["calls"]),
            _numbers(data["difficulty"]),
            {tag: _numbers(bins) for tag, bins in data["token_bins_by_tag"].items()},
        )


def _sorted(counts: Mapping[Any, int]) -> dict[str, int]:
    return {str(key): counts[key] for key in sorted(counts)}


def _numbers(counts: Mapping[str, int]) -> Counter[int]:
    return Counter({int(key): rows for key, rows in counts.items()})
