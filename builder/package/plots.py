"""Pictures of a built folder's stats, as PNG: equal stats and versions give equal bytes.

PNG and not SVG, because the Hub serves SVG files as text. The background is opaque and light, so a picture
can be read on a light page and on a dark one.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from .coverage import matrix
from .lengths import Column
from .stats import Stats
from .totals import column_of, merged, percent

FOLDER = "plots"
_FITS = (1024, 2048, 4096, 8192)
_INK, _MUTED, _LINE = "#1f2328", "#59636e", "#d1d9e0"
_BLUE, _ORANGE, _GREEN = "#2563a8", "#c2570c", "#2e7d4f"
_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _MUTED,
    "axes.titlecolor": _INK,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": _INK,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "figure.facecolor": "#ffffff",
    "axes.facecolor": "#ffffff",
    "savefig.facecolor": "#ffffff",
    "legend.frameon": False,
}
# What a reader would not know a feature by.
_WORDS = {"launch:lean": "without grid stride"}
_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def draw_plots(stats: Mapping[str, Stats], first: str) -> dict[str, bytes]:
    """Return the pictures by their path in the folder.

    Args:
        stats: by config, in the order to show.
        first: the config whose rows the pictures of single configs are of.
    """
    one = stats[first]
    pictures: dict[str, Callable[[], Any]] = {
        "token_lengths": lambda: _token_lengths(stats),
        "tokens_by_category": lambda: _by_tag(one, _category_tags(one), f"Tokens of a {first} row by category"),
        "tokens_by_feature": lambda: _by_tag(one, _mix_tags(one), f"Tokens of a {first} row by feature"),
        "kernel_size": lambda: _kernel_size(one),
        "builtin_coverage": lambda: _coverage(one),
    }
    with _plain_style():
        return {f"{FOLDER}/{name}.png": _png(draw()) for name, draw in pictures.items()}


@contextmanager
def _plain_style() -> Iterator[None]:
    """Draw as Matplotlib does by default, whatever the user's own settings are."""
    import matplotlib.style

    with matplotlib.style.context(["default", _STYLE]):
        yield


def _figure(width: float, height: float, rows: int = 1) -> tuple[Any, Any]:
    """Return a figure of a size in inches and its axes, shape ``(rows,)``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]


def _png(figure: Any) -> bytes:
    target = io.BytesIO()
    figure.savefig(target, format="png", dpi=110, metadata={"Software": None})
    return target.getvalue()


def _fit_lines(axes: Any, limits: tuple[int, ...]) -> None:
    for limit in limits:
        axes.axvline(limit, color=_MUTED, linewidth=0.8, linestyle=(0, (3, 3)), zorder=0)


def _token_axis(axes: Any, least: int, most: int) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(least, most)
    ticks = [2**power for power in range(4, 24) if least <= 2**power <= most]
    axes.set_xticks(ticks, [str(t) if t < 1024 else f"{t // 1024}k" for t in ticks])
    axes.minorticks_off()
    axes.tick_params(length=0)


def _token_lengths(stats: Mapping[str, Stats]) -> Any:
    figure, panels = _figure(9, 0.6 + 2.5 * len(stats), len(stats))
    columns = {name: {c: column_of(one, c) for c in ("prompt", "completion", "total")} for name, one in stats.items()}
    lengths = [length for each in columns.values() for column in each.values() for length in column.lengths]
    least, most = min(lengths, default=1), max(lengths, default=1)
    least, most = max(16, 2 ** (least.bit_length() - 1)), max(16384, 2 ** most.bit_length())
    bins = np.geomspace(least, most, 90)
    colours = {"prompt": _ORANGE, "completion": _GREEN, "total": _BLUE}
    labels = {"prompt": "prompt", "completion": "completion", "total": "both together"}
    for axes, (name, each) in zip(panels, columns.items(), strict=True):
        for part, column in each.items():
            rows, edges = np.histogram(list(column.lengths), bins, weights=list(column.lengths.values()))
            there = np.flatnonzero(rows)  # no line along the axis where there is nothing
            low, high = (int(there[0]), int(there[-1]) + 1) if len(there) else (0, 1)
            style = {"fill": True, "alpha": 0.3, "linewidth": 0} if part == "total" else {"linewidth": 1.4}
            axes.stairs(rows[low:high], edges[low : high + 1], color=colours[part], label=labels[part], **style)
        _token_axis(axes, least, most)
        _fit_lines(axes, _FITS)
        axes.set_ylim(0, axes.get_ylim()[1] * 1.22)
        for limit in _FITS:
            fit = f" {percent(each['total'].fits(limit))}\n fit {limit // 1024}k"
            axes.text(limit, 0.99, fit, va="top", fontsize=8, color=_BLUE, transform=axes.get_xaxis_transform())
        axes.set_title(f"{name}: {each['total'].count:,} rows")
        axes.set_ylabel("rows")
    panels[0].legend(loc="upper left", fontsize=9)
    panels[-1].set_xlabel("tokens (logarithmic)")
    return figure


def _category_tags(stats: Stats) -> dict[str, str]:
    return {
        tag: tag.removeprefix("category:") for tag in sorted(merged(stats, "tokens")) if tag.startswith("category:")
    }


def _mix_tags(stats: Stats) -> dict[str, str]:
    """Return the tags that say how a kernel is built; what builtins it calls is the coverage's to show.

    Of types only those that at least one row in a hundred uses.
    """
    tokens = merged(stats, "tokens")
    names = {
        "control:": "control ",
        "loop_depth:": "loop depth ",
        "dtype:": "type ",
        "array:": "array ",
        "launch:": "launch ",
        "uses:": "uses ",
    }
    found = {}
    for prefix, words in names.items():
        for tag in sorted(tokens):
            rare = prefix == "dtype:" and 100 * tokens[tag].total() < stats.rows
            if tag.startswith(prefix) and not rare:
                found[tag] = words + _WORDS.get(tag, tag.removeprefix(prefix))
    return found


def _quantiles(bins: Counter[int]) -> list[int]:
    """Return the bins' upper bounds below which the shares :data:`_SHARES` of the rows lie."""
    column = Column(0, bins)
    return [column.percentile(round(100 * share)) for share in _SHARES]


def _by_tag(stats: Stats, tags: Mapping[str, str], title: str) -> Any:
    figure, (axes,) = _figure(9, 1.3 + 0.27 * len(tags))
    tokens = merged(stats, "tokens")
    for place, tag in enumerate(tags):
        low, lower, middle, upper, high = _quantiles(tokens[tag])
        axes.plot([low, high], [place, place], color=_BLUE, linewidth=1.2)
        axes.plot([lower, upper], [place, place], color=_BLUE, linewidth=7, alpha=0.45, solid_capstyle="butt")
        axes.plot([middle], [place], "o", color=_BLUE, markersize=5)
        rows = f"{tokens[tag].total():,} rows"
        axes.text(1.01, place, rows, va="center", fontsize=8, color=_MUTED, transform=axes.get_yaxis_transform())
    bounds = [length for tag in tags for length in tokens[tag]] or [1]
    _token_axis(axes, 2 ** (min(bounds).bit_length() - 1), max(4096, 2 ** max(bounds).bit_length()))
    _fit_lines(axes, _FITS)
    axes.set_yticks(range(len(tags)), list(tags.values()))
    axes.set_ylim(len(tags) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.set_title(title)
    axes.set_xlabel(
        "tokens of prompt and completion (logarithmic; rounded up, by 9 % at most)\n"
        "dot: median, bar: middle half, line: middle 90 %"
    )
    return figure


def _kernel_size(stats: Stats) -> Any:
    lines: Counter[int] = sum((split.breakdown.lines for split in stats.splits.values()), Counter())
    figure, (axes,) = _figure(9, 3.2)
    axes.bar(list(lines), list(lines.values()), width=0.9, color=_BLUE)
    median = Column(0, lines).percentile(50)
    axes.axvline(median, color=_MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
    axes.set_ylim(0, axes.get_ylim()[1] * 1.1)
    axes.text(median, 0.99, f" median {median}", va="top", color=_MUTED, transform=axes.get_xaxis_transform())
    axes.tick_params(length=0)
    axes.set_title(f"Size of the kernel sources: {lines.total():,} rows")
    axes.set_xlabel("non-blank lines of Python")
    axes.set_ylabel("rows")
    return figure


_PANELS = 3  # columns in which the matrix of builtins is shown


def _coverage(stats: Stats) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    builtins, types, counts = matrix(stats)
    each = max(1, -(-len(builtins) // _PANELS))
    figure = Figure(figsize=(13, 2.2 + 0.165 * each), layout="constrained")
    FigureCanvasAgg(figure)
    most = np.log1p(counts.max(initial=1))
    for panel, axes in enumerate(figure.subplots(1, _PANELS, squeeze=False)[0]):
        part = slice(panel * each, (panel + 1) * each)
        _coverage_panel(axes, builtins[part], types, counts[part], each, most)
    figure.suptitle(f"Calls of {len(builtins)} Warp builtins by scalar type of the first argument", x=0.01, ha="left")
    return figure


def _coverage_panel(axes: Any, builtins: list[str], types: list[str], counts: Any, each: int, most: float) -> None:
    if counts.size:
        axes.imshow(np.log1p(counts), cmap="Blues", aspect="auto", vmin=0, vmax=1.8 * most)
    for (row, column), rows in np.ndenumerate(counts):
        if rows:
            shown = f"{rows}" if rows < 1000 else f"{rows // 1000}k"
            axes.text(column, row, shown, ha="center", va="center", fontsize=5.5)
    axes.set_ylim(each - 0.5, -0.5)
    axes.set_xticks(range(len(types)), types, rotation=60, ha="left", rotation_mode="anchor", fontsize=7)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(builtins)), builtins, fontsize=6.5)
    axes.tick_params(length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
