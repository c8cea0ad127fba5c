"""The pictures: of the right numbers, the same bytes each time, whatever a user's own settings are."""

from __future__ import annotations

import dataclasses
import struct
from collections import Counter

import matplotlib
import numpy as np
import pytest

from builder.package.coverage import SCALARS, callable_builtins, coverage, matrix, scalar_of
from builder.package.plots import draw_plots
from builder.package.stats import Split, Stats
from builder.package.totals import column_of, counted, merged, percent
from builder.spec import SPLITS

from .made_up import build, lengths, table

NAMES = ["token_lengths", "tokens_by_category", "tokens_by_feature", "kernel_size", "builtin_coverage"]


@pytest.fixture(scope="module")
def stats() -> dict[str, Stats]:
    return {name: build(name).stats for name in ("paired", "cuda")}


@pytest.fixture(scope="module")
def plots(stats: dict[str, Stats]) -> dict[str, bytes]:
    return draw_plots(stats, "paired")


def test_are_png_of_a_width_a_page_can_show(plots: dict[str, bytes]) -> None:
    assert list(plots) == [f"plots/{name}.png" for name in NAMES]
    for data in plots.values():
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", data[16:24])
        assert 900 <= width <= 1500
        assert 150 <= height <= 4000
        assert b"tIME" not in data
        assert b"Software" not in data


def test_have_an_opaque_background(plots: dict[str, bytes]) -> None:
    import io

    from matplotlib.image import imread

    for data in plots.values():
        pixels = imread(io.BytesIO(data))
        assert pixels.shape[2] == 3 or (pixels[..., 3] == 1).all()
        assert (pixels[0, 0, :3] == 1).all()


def test_equal_stats_give_equal_bytes_whatever_the_users_settings(
    stats: dict[str, Stats], plots: dict[str, bytes]
) -> None:
    with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 30, "figure.dpi": 20, "savefig.transparent": True}):
        assert draw_plots({name: Stats.from_json(one.to_json()) for name, one in stats.items()}, "paired") == plots


def test_different_stats_give_different_pictures(stats: dict[str, Stats], plots: dict[str, bytes]) -> None:
    part = {"paired": Stats(splits={"test": stats["paired"].splits["test"]})}
    assert all(draw_plots(part, "paired")[name] != data for name, data in plots.items())


def test_a_split_without_rows_can_be_drawn() -> None:
    assert len(draw_plots({"cpu": Stats(splits={"train": Split()})}, "cpu")) == len(NAMES)


def test_many_builtins_and_categories_still_fit_a_page() -> None:
    many = build("cpu").stats.splits["test"].breakdown
    calls = Counter({f"{name}({kind})": 7 for name in callable_builtins() for kind in SCALARS})
    wide = Split(breakdown=dataclasses.replace(many, calls=calls))
    data = draw_plots({"cpu": Stats(splits={"test": wide})}, "cpu")["plots/builtin_coverage.png"]
    width, height = struct.unpack(">II", data[16:24])
    assert 900 <= width <= 1500
    assert height <= 4000


def test_coverage_counts_rows(stats: dict[str, Stats]) -> None:
    builtins, types, counts = matrix(stats["paired"])
    calls = counted(stats["paired"], "calls")
    assert (builtins, types) == (["add", "sin"], ["float32"])
    assert counts.tolist() == [[calls["add(float32)"]], [calls["sin(float32)"]]]
    found = coverage(stats["paired"])
    assert found.used == ("add", "sin")
    assert found.types == 2
    assert found.unused["cos"] == "no row calls it"
    assert "a debugger" in found.unused["breakpoint"]
    assert "array_store" not in found.unused  # Warp calls that by itself


@pytest.mark.parametrize(
    ("kind", "scalar"),
    [("float32", "float32"), ("vec3", "float32"), ("mat33d", "float64"), ("vec4ub", "uint8"), ("quat4h", "float16"),
     ("vec7_bfloat16", "bfloat16"), ("mat2x11d", "float64"), ("range_t", "other"), ("", "other")],
)  # fmt: skip
def test_types_are_told_by_their_scalar(kind: str, scalar: str) -> None:
    assert scalar_of(kind) == scalar


def test_totals_are_over_all_splits(stats: dict[str, Stats]) -> None:
    values = np.concatenate([lengths(table("paired", split)) for split in SPLITS])
    assert column_of(stats["paired"], "total").tokens == values.sum()
    assert merged(stats["paired"], "tokens")["category:math"].total() == 440


@pytest.mark.parametrize(
    ("share", "said"), [(1, "100.0 %"), (0.99999, "99.9 %"), (0, "0.0 %"), (0.29, "29.0 %"), (0.0019, "0.1 %")]
)
def test_only_all_is_100_percent(share: float, said: str) -> None:
    assert percent(share) == said
