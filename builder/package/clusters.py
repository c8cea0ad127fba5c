"""Clusters: what pairs join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def cluster_sizes(pairs: Iterable[tuple[int, int]]) -> Counter[int]:
    """Return how many connected components of the pairs there are by their number of members."""
    parent: dict[int, int] = {}

    def root(row: int) -> int:
        while parent.setdefault(row, row) != row:
            parent[row] = row = parent[parent[row]]
        return row

    for one, other in pairs:
        parent[root(one)] = root(other)
    return Counter(Counter(root(row) for row in list(parent)).values())
