"""The parts of the dataset card that tell what the kernels are: categories, difficulty, coverage of Warp."""

from __future__ import annotations

from collections import Counter

from .card_text import table
from .coverage import coverage
from .stats import Stats
from .totals import counted, merged, percent

_LEVELS = range(1, 6)


def of_kernels(config: str, stats: Stats) -> dict[str, str]:
    """Return the parts of the card that tell of one config's kernels, by their names in the template."""
    return {
        "categories_table": _categories(stats),
        "difficulty_table": _difficulty(stats),
        "control_table": _control(stats),
        "coverage": _coverage(config, stats),
        "unused_builtins": _unused(stats),
    }


def _categories(stats: Stats) -> str:
    rows: Counter[str] = Counter()
    families: dict[str, set[str]] = {}
    for split in stats.splits.values():
        rows.update(split.categories)
    for category, tags in merged(stats, "features").items():
        families[category] = {tag for tag in tags if tag.startswith("family:")}
    lines = [[f"`{name}`", len(families[name]) or "", f"{rows[name]:,}"] for name in sorted(rows)]
    return table(["category", "algorithm families", "rows"], lines)


def _difficulty(stats: Stats) -> str:
    counts = counted(stats, "difficulty")
    total = counts.total()
    lines = [[level, f"{counts[level]:,}", percent(counts[level] / max(1, total))] for level in _LEVELS]
    return table(["difficulty", "rows", "share"], lines)


def _control(stats: Stats) -> str:
    tags: Counter[str] = sum(merged(stats, "features").values(), Counter())
    shown = [tag for tag in sorted(tags) if tag.partition(":")[0] in ("control", "loop_depth", "uses")]
    lines = [[f"`{tag}`", f"{tags[tag]:,}", percent(tags[tag] / max(1, stats.rows))] for tag in shown]
    return table(["feature", "rows", "share"], lines)


def _coverage(config: str, stats: Stats) -> str:
    found = coverage(stats)
    known = len(found.used) + len(found.unused)
    return (
        f"The rows of `{config}` call {len(found.used)} of the {known} builtins that "
        f"Warp lets a kernel call ({percent(found.share)}), operators counted as builtins, with {found.types:,} "
        "different pairs of a builtin and a type of its first argument."
    )


def _unused(stats: Stats) -> str:
    lines = [[f"`{name}`", reason] for name, reason in coverage(stats).unused.items()]
    return table(["builtin that no row calls", "why"], lines, words=2) if lines else "Every one is called by some row."
