"""Stats as tables for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group
from rich.table import Table

from .lengths import LIMITS, PERCENTILES
from .measured import ZSTD_LEVEL, ZSTD_ROWS, Measured
from .similarity import CLUSTER, Similarity
from .stats import Stats

_FEATURES_SHOWN = 20


def render(stats: Stats, *, title: str = "") -> Group:
    """Return the stats as rich tables: token lengths, share that fits, categories, features, what was measured,
    rejections."""
    return Group(*_tables(stats, f"{title}: " if title else ""))


def _tables(stats: Stats, prefix: str) -> Iterator[Table]:
    counted = f"tokenizer {stats.tokenizer} (sha256 {stats.tokenizer_sha256[:12]})"
    yield _table(
        f"{prefix}tokens, {counted}",
        ["split", "column", "rows", "bytes", "bytes/token", *map(_percentile_name, PERCENTILES)],
        _length_rows(stats),
    )
    yield _table(
        f"{prefix}share of rows that fits",
        ["split", "column", *(_limit_name(limit) for limit in LIMITS)],
        _fit_rows(stats),
    )
    splits = list(stats.splits)
    yield _table(f"{prefix}rows and skeletons", ["split", "rows", "distinct skeletons"], _skeleton_rows(stats))
    for what in ("categories", "features"):
        counts = {name: getattr(split, what) for name, split in stats.splits.items()}
        total: Counter[str] = sum(counts.values(), Counter())
        shown = sorted(total, key=lambda name: (-total[name], name))[:_FEATURES_SHOWN]
        caption = f"{prefix}{what}, rows"
        if len(total) > len(shown):
            caption += f" (the {len(shown)} commonest of {len(total)})"
        lines = [[name, *(f"{counts[split][name]:,}" for split in splits)] for name in shown]
        yield _table(caption, ["", *splits], lines)
    yield from _measured_tables(stats.measured, prefix)
    if stats.rejections:
        lines = [[reason, f"{rows:,}"] for reason, rows in sorted(stats.rejections.items())]
        yield _table(f"{prefix}candidates not kept", ["reason", "candidates"], lines)


def _measured_tables(measured: Measured, prefix: str) -> Iterator[Table]:
    similarity = measured.similarity
    if similarity.rows:
        yield _table(
            f"{prefix}Jaccard similarity of rows of different splits, every pair compared",
            ["splits", "pairs", "largest", "candidates"],
            [
                [name, f"{similarity.pairs[name]:,}", f"{pair.jaccard:.3f}", " ".join(map(str, pair.candidates))]
                for name, pair in similarity.in_order()
            ],
        )
        yield _table(
            f"{prefix}near-duplicates anywhere (similarity of at least {CLUSTER[0] / CLUSTER[1]:g})",
            ["", "pairs", "clusters", "rows in clusters", "rows of the largest"],
            [["all splits", *(f"{count:,}" for count in _cluster_figures(similarity))]],
        )
    if measured.zstd:
        yield _table(
            f"{prefix}zstd -{ZSTD_LEVEL} of the first {ZSTD_ROWS:,} rows by candidate",
            ["text", "rows", "bytes", "compressed", "ratio"],
            [
                [name, f"{one.rows:,}", f"{one.bytes:,}", f"{one.compressed:,}", f"{one.ratio:.2f}"]
                for name, one in sorted(measured.zstd.items())
            ],
        )


def _cluster_figures(similarity: Similarity) -> tuple[int, int, int, int]:
    clusters = similarity.clusters.total()
    return similarity.near_pairs, clusters, similarity.clustered, similarity.largest_cluster


def _table(title: str, headers: list[str], lines: list[list[str]]) -> Table:
    table = Table(title=title, title_justify="left")
    for number, header in enumerate(headers):
        text = number == 0 or header == "column"
        table.add_column(header, justify="left" if text else "right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    return table


def _length_rows(stats: Stats) -> list[list[str]]:
    return [
        [
            split_name,
            name,
            f"{column.count:,}",
            f"{column.bytes:,}",
            f"{column.bytes_per_token:.2f}",
            *(f"{column.percentile(percent):,}" for percent in PERCENTILES),
        ]
        for split_name, split in stats.splits.items()
        for name, column in split.columns.items()
    ]


def _fit_rows(stats: Stats) -> list[list[str]]:
    return [
        [split_name, name, *(f"{100 * column.fits(limit):.1f} %" for limit in LIMITS)]
        for split_name, split in stats.splits.items()
        for name, column in split.columns.items()
    ]


def _skeleton_rows(stats: Stats) -> list[list[str]]:
    rows = [[name, f"{s.rows:,}", f"{len(s.skeletons):,}"] for name, s in stats.splits.items()]
    return [*rows, ["all", f"{stats.rows:,}", f"{stats.skeletons:,}"]]


def _percentile_name(percent: int) -> str:
    return "max" if percent == 100 else f"p{percent}"


def _limit_name(limit: int) -> str:
    return str(limit) if limit < 1024 else f"{limit // 1024}k"
