"""What was measured over all rows, as lines of figures: what the card, the report and the terminal all show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..spec import SPLITS
from .lengths import Column
from .measured import ZSTD_LEVEL, ZSTD_ROWS
from .similarity import CLUSTER, Similarity
from .stats import Stats
from .totals import percent

BETWEEN_HEADS = ["pairs compared", "largest Jaccard similarity"]
NEAREST = (50, 95, 100)
NEAREST_HEADS = ["rows", *("max" if p == 100 else f"p{p}" for p in NEAREST)]
CLUSTER_HEADS = ["pairs", "clusters", "rows in clusters", "rows of the largest", "its share of all rows"]
ZSTD_HEADS = ["rows", "bytes", "compressed", "ratio"]


def between_lines(stats: Stats) -> Iterator[list[str]]:
    """Yield for each two splits their names, the most similar candidates, :data:`BETWEEN_HEADS`."""
    similarity = stats.measured.similarity
    for pair, closest in similarity.in_order():
        compared = similarity.pairs[pair]
        first, second = (stats.splits[split].rows for split in pair.split("-"))
        said = f"all {compared:,}" if compared == first * second else f"{compared:,} of {first * second:,}"
        yield [pair, ", ".join(map(str, closest.candidates)), said, f"{closest.jaccard:.3f}"]


def nearest_lines(stats: Stats) -> Iterator[list[str]]:
    """Yield for validation and test their names and, of the nearest train row's similarity, :data:`NEAREST_HEADS`."""
    nearest = stats.measured.similarity.nearest
    for split in (name for name in SPLITS if name in nearest):
        values = Column(0, nearest[split])
        yield [split, f"{values.count:,}", *(f"{values.percentile(p) / 100:.2f}" for p in NEAREST)]


def cluster_line(similarity: Similarity) -> list[str]:
    """Return :data:`CLUSTER_HEADS` of the near-duplicates in all splits."""
    largest = similarity.largest_cluster
    counts = (similarity.near_pairs, similarity.clusters.total(), similarity.clustered, largest)
    return [*(f"{count:,}" for count in counts), percent(largest / similarity.rows, decimals=3)]


def zstd_lines(stats: Stats) -> Iterator[list[str]]:
    """Yield for each column of code its name and :data:`ZSTD_HEADS`."""
    for name, one in sorted(stats.measured.zstd.items()):
        yield [name, f"{one.rows:,}", f"{one.bytes:,}", f"{one.compressed:,}", f"{one.ratio:.2f}"]


# What a template needs to show all this.
IN_TEMPLATES: dict[str, Any] = {
    "cluster_limit": f"{CLUSTER[0] / CLUSTER[1]:g}",
    "zstd_level": ZSTD_LEVEL,
    "zstd_rows": ZSTD_ROWS,
    "between_lines": between_lines,
    "nearest_lines": nearest_lines,
    "cluster_line": cluster_line,
    "zstd_lines": zstd_lines,
    "heads": {
        "between": ["splits", "index of the two", *BETWEEN_HEADS],
        "nearest": ["split", *NEAREST_HEADS],
        "clusters": CLUSTER_HEADS,
        "zstd": ["text", *ZSTD_HEADS],
    },
}
