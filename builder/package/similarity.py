"""How alike the rows of a dataset are: the largest similarity between splits, and near-duplicates anywhere.

Similarity is the Jaccard similarity of the same shingles by which the decision drops near-duplicates (design/0003), and
every pair is compared. What is measured adds up: sums of counts, the larger of two maxima. No pair of rows from
two parts is in a sum, and the number of pairs compared tells so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..curate.keys import GRAM, U32
from ..spec import SPLITS
from .clusters import cluster_sizes
from .overlap import Prefixes, Targets, Vocabulary

# Rows are in one cluster when a chain of rows joins them, each this similar to the next: a fraction.
CLUSTER = (4, 5)
BETWEEN = tuple(combinations(SPLITS, 2))
# A line says of a candidate which other is its nearest in an earlier split, with the number of BETWEEN, or is a pair of
# near-duplicates.
COMPARED = pa.schema(
    [
        ("what", pa.int8()),
        ("candidate", pa.int64()),
        ("other", pa.int64()),
        ("shared", pa.int32()),
        ("union", pa.int32()),
    ]
)
_NEAR = len(BETWEEN)


@dataclass(frozen=True, slots=True)
class Closest:
    """Two rows of different splits: how many shingles they share, how many they have together, their candidates."""

    shared: int
    union: int
    candidates: tuple[int, int]

    @property
    def jaccard(self) -> float:
        """Their similarity."""
        return self.shared / self.union

    def order(self) -> tuple[Fraction, int, int]:
        """Return what the closer pair has more of; of equals the earlier candidates."""
        return Fraction(self.shared, self.union), -self.candidates[0], -self.candidates[1]


@dataclass
class Similarity:
    """What was measured.

    Attributes:
        rows: how many rows.
        pairs: for each two splits, ``"train-test"``, how many pairs of rows were compared.
        largest: for each two splits, the most similar pair.
        nearest: for validation and test, rows by the similarity of their nearest train row in hundredths,
            rounded down.
        near_pairs: pairs of rows anywhere with a similarity of :data:`CLUSTER` or more.
        clusters: number of clusters by their rows, of two rows or more.
    """

    rows: int = 0
    pairs: Counter[str] = field(default_factory=Counter)
    largest: dict[str, Closest] = field(default_factory=dict)
    nearest: dict[str, Counter[int]] = field(default_factory=dict)
    near_pairs: int = 0
    clusters: Counter[int] = field(default_factory=Counter)

    def add(self, other: Similarity) -> None:
        """Add what was measured of other rows."""
        self.rows += other.rows
        self.pairs.update(other.pairs)
        self.near_pairs += other.near_pairs
        self.clusters.update(other.clusters)
        for split, counts in other.nearest.items():
            self.nearest.setdefault(split, Counter()).update(counts)
        for name, pair in other.largest.items():
            self.largest[name] = max(self.largest.get(name, pair), pair, key=Closest.order)

    def in_order(self) -> Iterator[tuple[str, Closest]]:
        """Yield the names of two splits and their most similar pair, in the order of the splits."""
        for first, second in BETWEEN:
            if (name := f"{first}-{second}") in self.largest:
                yield name, self.largest[name]

    @property
    def clustered(self) -> int:
        """How many rows lie in clusters."""
        return sum(size * count for size, count in self.clusters.items())

    @property
    def largest_cluster(self) -> int:
        """Rows of the largest cluster; 1 where no row has a near-duplicate, 0 where there is no row."""
        return max(self.clusters, default=min(self.rows, 1))

    def to_json(self) -> dict[str, Any]:
        """Return what :meth:`from_json` reads, of JSON's types."""
        return {
            "shingle_tokens": GRAM,
            "rows": self.rows,
            "between_splits": {
                name: {"pairs_compared": self.pairs[name], **_closest_to_json(self.largest[name])}
                for name in sorted(self.largest)
            },
            "nearest_train_row_in_hundredths": {
                split: {str(value): counts[value] for value in sorted(counts)}
                for split, counts in sorted(self.nearest.items())
            },
            "near_duplicates": {
                "jaccard_at_least": CLUSTER[0] / CLUSTER[1],
                "pairs": self.near_pairs,
                "clusters_by_rows": {str(size): self.clusters[size] for size in sorted(self.clusters)},
                "rows_in_clusters": self.clustered,
                "rows_of_the_largest": self.largest_cluster,
            },
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Similarity:
        """Return what :meth:`to_json` wrote.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: ``data`` is not that.
        """
        between, near = data["between_splits"], data["near_duplicates"]
        return cls(
            data["rows"],
            Counter({name: one["pairs_compared"] for name, one in between.items()}),
            {name: Closest(one["shared"], one["union"], tuple(one["candidates"])) for name, one in between.items()},
            {split: _numbers(counts) for split, counts in data["nearest_train_row_in_hundredths"].items()},
            near["pairs"],
            _numbers(near["clusters_by_rows"]),
        )


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a dataset, in candidate order.

    Attributes:
        sets: the shingles of each, sorted, at least one.
        splits: position in :data:`builder.spec.SPLITS` of each, shape (len(sets),).
        index: the candidate each was, shape (len(sets),).
    """

    sets: Sequence[U32]
    splits: npt.NDArray[np.int8]
    index: npt.NDArray[np.int64]

    def of(self, split: str) -> npt.NDArray[np.int64]:
        """Return the places of a split's rows."""
        return np.flatnonzero(self.splits == SPLITS.index(split))


def compare(rows: Rows, groups: Iterable[tuple[Rows, int]]) -> pa.Table:
    """Compare some rows with those of all groups; return what :func:`merged` takes, schema :data:`COMPARED`.

    For each row and each earlier split there is its most similar row there (of equals the first). Near-duplicates are
    given as often as they are, each with the later row first.

    Args:
        rows: a group.
        groups: all groups of the dataset in order, each with -1, 0 or 1: it is before ``rows``, the same, or after.
    """
    words = Vocabulary(rows.sets)
    mine = words.mapped(rows.sets)
    prefixes = Prefixes(mine, words.size, CLUSTER)
    best: dict[tuple[int, int], tuple[int, int, int]] = {}
    near: list[tuple[int, int]] = []
    for others, side in groups:
        theirs = mine if side == 0 else words.mapped(others.sets)
        for number, (first, second) in enumerate(BETWEEN):
            queries, chosen = rows.of(second), others.of(first)
            if not len(queries) or not len(chosen):
                continue
            found = Targets(theirs, chosen, words.size).nearest(mine, queries)
            for query, (target, shared, union) in zip(queries.tolist(), found, strict=True):
                known = best.get((number, query))
                if known is None or shared * known[2] > known[1] * union:
                    best[number, query] = int(others.index[target]), shared, union
        if side <= 0:
            there = prefixes if side == 0 else Prefixes(theirs, words.size, CLUSTER)
            pairs = prefixes.near_pairs(there, same=side == 0)
            near += [(int(rows.index[one]), int(others.index[other])) for one, other in pairs]
    nearest = [(number, int(rows.index[query]), *best[number, query]) for number, query in sorted(best)]
    lines = nearest + [(_NEAR, *pair, 0, 0) for pair in sorted(near)]
    columns = list(zip(*lines, strict=True)) or [()] * len(COMPARED)
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, COMPARED, strict=True)], COMPARED)


def merged(tables: Iterable[pa.Table], counts: Mapping[str, int]) -> Similarity:
    """Return what :func:`compare` found of all groups together.

    Args:
        tables: of the groups, in order.
        counts: rows of each split.
    """
    found = Similarity(sum(counts.values()))
    pairs: list[tuple[int, int]] = []
    for table in tables:
        for number, row, other, shared, union in zip(*(column.to_pylist() for column in table.columns), strict=True):
            if number == _NEAR:
                pairs.append((row, other))
                continue
            first, second = BETWEEN[number]
            name, pair = f"{first}-{second}", Closest(shared, union, (other, row))
            found.largest[name] = max(found.largest.get(name, pair), pair, key=Closest.order)
            if first == SPLITS[0]:
                found.nearest.setdefault(second, Counter())[100 * shared // union] += 1
    found.pairs = Counter({f"{one}-{two}": product for one, two in BETWEEN if (product := counts[one] * counts[two])})
    found.near_pairs, found.clusters = len(pairs), cluster_sizes(pairs)
    return found


def _closest_to_json(pair: Closest) -> dict[str, Any]:
    return {
        "shared": pair.shared,
        "union": pair.union,
        "jaccard": round(pair.jaccard, 6),
        "candidates": list(pair.candidates),
    }


def _numbers(counts: Mapping[str, int]) -> Counter[int]:
    return Counter({int(key): rows for key, rows in counts.items()})
