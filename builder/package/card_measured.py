"""The parts of the dataset card that tell what was measured over all rows: leakage, near-duplicates, repetition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..curate.keys import BANDS, GRAM, ROWS
from ..curate.near import NEAR
from .card_text import table
from .measured import ZSTD_LEVEL, ZSTD_ROWS
from .measured_lines import (
    BETWEEN_HEADS,
    CLUSTER_HEADS,
    NEAREST_HEADS,
    ZSTD_HEADS,
    between_lines,
    cluster_line,
    nearest_lines,
    zstd_lines,
)
from .similarity import CLUSTER
from .stats import Stats


def of_measured(stats: Mapping[str, Stats]) -> dict[str, str]:
    """Return the parts of the card that tell of the near-duplicates, by their names in the template."""
    overlooked = (1 - (NEAR[0] / NEAR[1]) ** ROWS) ** BANDS
    rule = {
        "near": f"{NEAR[0] / NEAR[1]:.2f}",
        "gram": str(GRAM),
        "bands": str(BANDS),
        "band_rows": str(ROWS),
        "overlooked": f"{100 * overlooked:.3f} %",
    }
    groups = dict(_groups(stats))
    if not all(one.measured.similarity.rows for one in groups.values()):
        return {**rule, "similarity": "How alike the rows are was not measured when this folder was built.", "zstd": ""}
    return {**rule, "similarity": "\n\n".join(_similarity(groups)), "zstd": _zstd(groups)}


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
        "Measured on the rows of this dataset, with the same runs of tokens, every pair compared exactly. The most "
        "similar rows of two different splits:"
    )
    between = [[name, *line] for name, one in groups.items() for line in between_lines(one)]
    yield table(["config", "splits", "`index` of the two", *BETWEEN_HEADS], between, words=3)
    yield "How similar the nearest train row is, for each row of the other splits (rounded down):"
    nearest = [[name, *line] for name, one in groups.items() for line in nearest_lines(one)]
    yield table(["config", "split", *NEAREST_HEADS], nearest, words=2)
    yield (
        "Near-duplicates in the whole dataset, within splits too: pairs with a similarity of "
        f"{CLUSTER[0] / CLUSTER[1]:g} or more (exactly: none is missed), and the clusters that chains of them make:"
    )
    clusters = [[name, *cluster_line(one.measured.similarity)] for name, one in groups.items()]
    yield table(["config", *CLUSTER_HEADS], clusters)


def _zstd(groups: Mapping[str, Stats]) -> str:
    said = (
        f"How repetitive the text is: the code of the first {ZSTD_ROWS:,} rows in order of `index`, one after the "
        f"other, compressed by `zstd -{ZSTD_LEVEL}`:"
    )
    lines = [[name, f"`{column}`", *line] for name, one in groups.items() for column, *line in zstd_lines(one)]
    return said + "\n\n" + table(["config", "text", *ZSTD_HEADS], lines, words=2)
