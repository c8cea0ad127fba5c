"""The parts of the dataset card that tell what was measured over all rows: leakage, near-duplicates, repetition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..curate.keys import GRAM
from ..spec import SPLITS
from .card_text import table
from .lengths import Column
from .measured import ZSTD_LEVEL, ZSTD_ROWS, Measured
from .similarity import CLUSTER, Similarity
from .stats import Stats
from .totals import percent

_NEAREST = (50, 95, 100)
_HEADS = ["p50", "p95", "max"]


def of_measured(stats: Mapping[str, Stats]) -> dict[str, str]:
    """Return the parts of the card that follow from what was measured, by their names in the template."""
    groups = dict(_groups(stats))
    if not all(one.measured.similarity.rows for one in groups.values()):
        return {"similarity": "How alike the rows are was not measured when this folder was built.", "zstd": ""}
    return {"similarity": "\n\n".join(_similarity(groups)), "zstd": _zstd({k: s.measured for k, s in groups.items()})}


def _groups(stats: Mapping[str, Stats]) -> Iterator[tuple[str, Stats]]:
    """Yield the names of configs that show the same rows, together, and the stats of one of them."""
    left = list(stats)
    while left:
        first = stats[left[0]]
        same = [name for name in left if stats[name].measured == first.measured]
        yield ", ".join(f"`{name}`" for name in same), first
        left = [name for name in left if name not in same]


def _similarity(groups: Mapping[str, Stats]) -> Iterator[str]:
    yield (
        f"Measured on the rows of this dataset, with the same runs of {GRAM} code tokens, every pair compared exactly. "
        "The most similar rows of two different splits:"
    )
    yield table(
        ["config", "splits", "candidates", "pairs compared", "largest Jaccard similarity"],
        [
            [name, pair, ", ".join(map(str, closest.candidates)), _compared(one, pair), f"{closest.jaccard:.3f}"]
            for name, one in groups.items()
            for pair, closest in one.measured.similarity.in_order()
        ],
        words=3,
    )
    yield "How similar the nearest train row is, for each row of the other splits (rounded down):"
    yield table(
        ["config", "split", "rows", *_HEADS],
        [[name, *line] for name, one in groups.items() for line in _nearest(one.measured.similarity)],
        words=2,
    )
    yield (
        "Near-duplicates in the whole dataset, within splits too: pairs with a similarity of "
        f"{CLUSTER[0] / CLUSTER[1]:g} or more (exactly: none is missed), and the clusters that chains of them make:"
    )
    yield table(
        ["config", "pairs", "clusters", "rows in clusters", "rows of the largest", "its share of all rows"],
        [[name, *_clusters(one.measured.similarity)] for name, one in groups.items()],
    )


def _compared(stats: Stats, pair: str) -> str:
    compared = stats.measured.similarity.pairs[pair]
    first, second = (stats.splits[split].rows for split in pair.split("-"))
    return f"all {compared:,}" if compared == first * second else f"{compared:,} of {first * second:,}"


def _nearest(similarity: Similarity) -> Iterator[list[str]]:
    for split in (name for name in SPLITS if name in similarity.nearest):
        values = Column(0, similarity.nearest[split])
        yield [split, f"{values.count:,}", *(f"{values.percentile(p) / 100:.2f}" for p in _NEAREST)]


def _clusters(similarity: Similarity) -> list[str]:
    largest, rows = similarity.largest_cluster, similarity.rows
    counts = (similarity.near_pairs, similarity.clusters.total(), similarity.clustered, largest)
    return [*(f"{count:,}" for count in counts), percent(largest / rows, decimals=3)]


def _zstd(groups: Mapping[str, Measured]) -> str:
    rows = [
        [name, f"`{column}`", f"{one.rows:,}", f"{one.bytes:,}", f"{one.compressed:,}", f"{one.ratio:.2f}"]
        for name, measured in groups.items()
        for column, one in sorted(measured.zstd.items())
    ]
    said = (
        f"How repetitive the text is: the code of the first {ZSTD_ROWS:,} rows in order of candidate, one after the "
        f"other, compressed by `zstd -{ZSTD_LEVEL}`:"
    )
    return said + "\n\n" + table(["config", "text", "rows", "bytes", "compressed", "ratio"], rows, words=2)
