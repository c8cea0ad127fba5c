"""Token lengths of a column: an exact histogram, and the figures that follow from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

PERCENTILES = (5, 50, 90, 95, 99, 100)
LIMITS = (512, 1024, 2048, 4096, 8192, 16384, 32768)


@dataclass
class Column:
    """One column's texts, or with ``total`` prompt and completion together.

    Attributes:
        bytes: sum of their lengths in UTF-8.
        lengths: how many rows have a given number of tokens.
    """

    bytes: int = 0
    lengths: Counter[int] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.lengths.total()

    @property
    def tokens(self) -> int:
        """Number of tokens over all rows."""
        return sum(length * rows for length, rows in self.lengths.items())

    @property
    def bytes_per_token(self) -> float:
        """Bytes for each token; 0 where there is no token."""
        return self.bytes / self.tokens if self.tokens else 0.0

    def percentile(self, percent: int) -> int:
        """Return the nearest-rank percentile of the token length.

        It is the least length that at least ``percent`` % of the rows do not exceed (definition 1 of Hyndman
        and Fan, 1996; numpy's ``inverted_cdf``), always a length that occurs; 0 where there is no row.
        """
        wanted = max(1, -(-percent * self.count // 100))
        seen = 0
        for length in sorted(self.lengths):
            seen += self.lengths[length]
            if seen >= wanted:
                return length
        return 0

    def fits(self, limit: int) -> float:
        """Return the share of rows with at most ``limit`` tokens; 0 where there is no row."""
        fitting = sum(rows for length, rows in self.lengths.items() if length <= limit)
        return fitting / self.count if self.count else 0.0

    def add(self, other: Column) -> None:
        """Add the rows of ``other``."""
        self.bytes += other.bytes
        self.lengths.update(other.lengths)


def summary(column: Column) -> dict[str, Any]:
    """Return a column's figures: count, bytes, tokens, bytes per token, percentiles, share that fits."""
    return {
        "count": column.count,
        "bytes": column.bytes,
        "tokens": column.tokens,
        "bytes_per_token": round(column.bytes_per_token, 4),
        **{"max" if p == 100 else f"p{p}": column.percentile(p) for p in PERCENTILES},
        "fits": {str(limit): round(column.fits(limit), 6) for limit in LIMITS},
    }
