"""Stats as tables for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group
from rich.table import Table

from .lengths import LIMITS, PERCENTILES
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

_FEATURES_SHOWN = 20


def render(stats: Stats, *, title: str = "") -> Group:
    """Return the stats as rich tables: lengths, shares that fit, categories, features, similarity, rejections."""
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
    yield from _measured_tables(stats, prefix)
    if stats.rejections:
        lines = [[reason, f"{rows:,}"] for reason, rows in sorted(stats.rejections.items())]
        yield _table(f"{prefix}candidates not kept", ["reason", "candidates"], lines)


def _measured_tables(stats: Stats, prefix: str) -> Iterator[Table]:
    similarity = stats.measured.similarity
    if similarity.rows:
        heads = ["splits", "index of the two", *BETWEEN_HEADS]
        yield _table(f"{prefix}the most similar rows of different splits", heads, list(between_lines(stats)))
        heads = ["split", *NEAREST_HEADS]
        yield _table(f"{prefix}similarity of the nearest train row", heads, list(nearest_lines(stats)))
        title = f"{prefix}near-duplicates anywhere (similarity of at least {CLUSTER[0] / CLUSTER[1]:g})"
        yield _table(title, ["", *CLUSTER_HEADS], [["all splits", *cluster_line(similarity)]])
    if stats.measured.zstd:
        title = f"{prefix}zstd -{ZSTD_LEVEL} of the first {ZSTD_ROWS:,} rows by index"
        yield _table(title, ["text", *ZSTD_HEADS], list(zstd_lines(stats)))


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
