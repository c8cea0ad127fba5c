"""Stats add up exactly, whatever the order; percentiles are numpy's; JSON is lossless and stable."""

from __future__ import annotations

import io
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from builder.package.breakdown import BINS, Breakdown
from builder.package.density import best_fit, pack
from builder.package.lengths import LIMITS, PERCENTILES, Column
from builder.package.measured import Compressed, Measured
from builder.package.render import render
from builder.package.similarity import Closest, Similarity
from builder.package.stats import COLUMNS, Split, Stats
from builder.record import VERDICTS

from .made_up import SHA, SPLITS, build, lengths, rows, table

counted = {"tokenizer": "default", "tokenizer_sha256": SHA}


def counters(keys: st.SearchStrategy[object]) -> st.SearchStrategy[dict[object, int]]:
    return st.dictionaries(keys, st.integers(1, 50), max_size=4)


names = st.sampled_from(["math", "atomic", "vector"])
columns = st.builds(
    lambda size, found: Column(size, _counter(found)), st.integers(0, 1000), counters(st.integers(0, 40_000))
)
skeletons = st.integers(0, 9).map(lambda number: f"{number:016x}")


breakdowns = st.builds(
    Breakdown,
    st.dictionaries(names, counters(names).map(Counter), max_size=2),
    counters(names).map(Counter),
    counters(st.integers(0, 99)).map(Counter),
    st.dictionaries(names, counters(names).map(Counter), max_size=2),
    counters(names).map(Counter),
    counters(st.integers(1, 5)).map(Counter),
    st.dictionaries(names, counters(st.sampled_from(BINS)).map(Counter), max_size=2),
)


def _counter(found: dict[object, int]) -> object:
    column = Column()
    column.lengths.update(found)
    return column.lengths


closest = st.builds(
    lambda shared, more, one, other: Closest(shared, shared + more, (one, other)),
    *(st.integers(1, 9), st.integers(0, 9), st.integers(0, 99), st.integers(0, 99)),
)
between = st.dictionaries(st.sampled_from(["train-test", "validation-test"]), st.tuples(st.integers(1, 99), closest))
similarities = st.builds(
    lambda rows, pairs, nearest, near, clusters: Similarity(
        rows,
        Counter({name: count for name, (count, _) in pairs.items()}),
        {name: pair for name, (_, pair) in pairs.items()},
        nearest,
        near,
        clusters,
    ),
    st.integers(0, 99),
    between,
    st.dictionaries(st.sampled_from(["validation", "test"]), counters(st.integers(0, 100)).map(Counter)),
    st.integers(0, 99),
    counters(st.integers(2, 9)).map(Counter),
)
sizes = st.integers(0, 1000)
measurements = st.builds(
    Measured, similarities, st.dictionaries(names, st.builds(Compressed, sizes, sizes, sizes), max_size=2)
)


@st.composite
def split(draw: st.DrawFn) -> Split:
    made = Split({name: draw(columns) for name in COLUMNS})
    made.categories.update(draw(counters(names)))
    made.features.update(draw(counters(names)))
    made.skeletons.update(draw(counters(skeletons)))
    made.breakdown = draw(breakdowns)
    return made


@st.composite
def stats(draw: st.DrawFn) -> Stats:
    made = Stats("default", SHA, draw(st.dictionaries(st.sampled_from(list(SPLITS)), split(), max_size=3)))
    made.rejections.update(draw(counters(names)))
    made.measured = draw(measurements)
    return made


@given(stats(), stats(), stats())
def test_addition_is_associative_and_commutative(a: Stats, b: Stats, c: Stats) -> None:
    assert (a + b) + c == a + (b + c) == Stats.merged([a, b, c])
    assert a + b == b + a
    assert ((a + b) + c).dumps() == (a + (b + c)).dumps()


@given(stats())
def test_identity(a: Stats) -> None:
    assert a + Stats() == a == Stats() + a
    assert Stats.merged([]) == Stats()


@given(stats(), stats())
def test_addition_changes_neither_part(a: Stats, b: Stats) -> None:
    before = a.dumps(), b.dumps()
    (a + b).rejections.update(other=1)
    for counts in (a + b).measured.similarity.nearest.values():
        counts.update({1: 1})
    for one in (a + b).measured.zstd.values():
        one.add(one)
    for part in (a + b).splits.values():
        part.skeletons.update({"f" * 16: 1})
        part.columns["total"].lengths.update({1: 1})
    assert (a.dumps(), b.dumps()) == before


@given(stats())
def test_json_is_lossless_and_stable(a: Stats) -> None:
    again = Stats.from_json(json.loads(a.dumps()))
    assert again == a
    assert again.dumps() == a.dumps()


def test_stats_from_before_anything_was_measured_are_read() -> None:
    old = build("paired").stats.to_json()
    del old["measured"]
    assert Stats.from_json(old).measured == Measured()


@pytest.mark.parametrize("chunk", [1, 7, 128, 5000])
def test_units_sum_to_the_whole(chunk: int) -> None:
    whole = table("paired", "train").slice(0, 300)
    parts = [Stats.of("train", whole.slice(at, chunk), **counted) for at in range(0, 300, chunk)]
    assert Stats.merged(parts) == Stats.of("train", whole, **counted)


def test_of_a_table() -> None:
    whole = table("paired", "train")
    part = Stats.of("train", whole, **counted).splits["train"]
    prompts = whole["prompt"].to_pylist()
    assert part.rows == len(prompts) == part.columns["prompt"].count
    assert part.columns["prompt"].bytes == sum(len(text.encode()) for text in prompts)
    assert part.columns["completion"].tokens == sum(whole["completion_tokens"].to_pylist())
    assert part.columns["total"].bytes == part.columns["prompt"].bytes + part.columns["completion"].bytes
    assert part.columns["total"].tokens == int(lengths(whole).sum())
    assert part.categories == {"math": 400, "atomic": 400, "vector": 400}
    assert part.features == {"builtin:sin": 1200, "dtype:float32": 600}
    assert len(part.skeletons) == 600
    assert part.columns["total"].bytes_per_token == part.columns["total"].bytes / part.columns["total"].tokens


def test_breakdown_of_a_table() -> None:
    whole = table("paired", "train")
    broken = Stats.of("train", whole, **counted).splits["train"].breakdown
    assert broken.verdicts == {check: {"not_run": 1200} for check in VERDICTS}
    assert broken.origins == {"synthetic | 0.1.0 | Apache-2.0": 1200}
    assert broken.features["math"] == {"builtin:sin": 400, "dtype:float32": 200}
    sources = whole["python_source"].to_pylist()
    assert broken.lines == Counter(len([line for line in text.split("\n") if line]) for text in sources)
    for tag, rows_of_tag in (("category:math", range(0, 1200, 3)), ("dtype:float32", range(1, 1200, 2))):
        found = [int(lengths(whole)[k]) for k in rows_of_tag]
        assert broken.tokens[tag] == Counter(min(upper for upper in BINS if upper >= n) for n in found)


@given(st.dictionaries(st.integers(1, 40), st.integers(1, 6), max_size=6), st.integers(1, 30))
def test_packing_leaves_nothing_out_but_what_is_too_long(found: dict[int, int], limit: int) -> None:
    packing = pack(found, limit)
    assert packing.rows == sum(rows for length, rows in found.items() if length <= limit)
    assert packing.tokens == sum(length * rows for length, rows in found.items() if length <= limit)
    # No two sequences of best fit can be half empty, and none is over-full.
    assert packing.tokens <= packing.sequences * limit <= max(limit, 2 * packing.tokens) if packing.rows else True


def test_packing_is_best_fit() -> None:
    packing = pack({6: 1, 5: 1, 4: 1, 3: 1, 2: 1, 11: 7}, 10)
    assert (packing.sequences, packing.rows, packing.tokens, packing.density) == (2, 5, 20, 1.0)
    assert pack({11: 7}, 10).density == 0
    assert pack({5: 1, 4: 1, 3: 1, 2: 1, 1: 1, 10: 7}, 10, ends=1) == packing


@given(st.lists(st.integers(1, 30), max_size=60), st.booleans())
def test_best_fit_is_that_of_a_plain_search(lengths: list[int], longest_first: bool) -> None:
    lengths = sorted(lengths, reverse=True) if longest_first else lengths
    rooms: list[int] = []
    for length, sequence in zip(lengths, best_fit(lengths, 30), strict=True):
        least = min((room for room in rooms if room >= length), default=30)
        rooms += [30] if sequence == len(rooms) else []
        assert rooms[sequence] == least
        rooms[sequence] -= length


def test_of_no_rows() -> None:
    part = Stats.of("train", rows("paired", range(0)), **counted).splits["train"].columns["total"]
    assert (part.count, part.tokens, part.bytes_per_token, part.percentile(50), part.fits(512)) == (0, 0, 0, 0, 0)


@given(st.lists(st.integers(0, 40_000), min_size=1, max_size=200))
def test_percentiles_are_exact(values: list[int]) -> None:
    column = Column()
    column.lengths.update(values)
    expected = np.percentile(values, PERCENTILES, method="inverted_cdf").tolist()
    assert [column.percentile(percent) for percent in PERCENTILES] == expected


@given(st.lists(st.integers(0, 40_000), min_size=1, max_size=200))
def test_shares_that_fit(values: list[int]) -> None:
    column = Column()
    column.lengths.update(values)
    for limit in LIMITS:
        assert column.fits(limit) == np.mean(np.array(values) <= limit)


def test_different_tokenizers_do_not_add() -> None:
    part = table("paired", "test")
    with pytest.raises(ValueError, match=rf"with other \(cdcdcdcdcdcd\) do not add to stats .* default \({SHA[:12]}"):
        Stats.of("test", part, **counted) + Stats.of("test", part, tokenizer="other", tokenizer_sha256="cd" * 32)


def test_distinct_skeletons_over_splits() -> None:
    both = Stats.of("train", rows("cpu", range(4)), **counted) + Stats.of("test", rows("cpu", range(2, 6)), **counted)
    assert (both.rows, both.skeletons) == (8, 3)


def test_render() -> None:
    console = Console(file=io.StringIO(), width=140)
    console.print(render(build("paired").stats, title="paired"))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│" in line]
    total = build("paired").stats.splits["train"].columns["total"]
    figures = [f"{total.percentile(percent):,}" for percent in PERCENTILES]
    size = [f"{total.count:,}", f"{total.bytes:,}", f"{total.bytes_per_token:.2f}"]
    assert ["train", "total", *size, *figures] in lines
    assert ["all", "1,320", "660"] in lines
    assert ["builtin:sin", "1,200", "60", "60"] in lines
    assert ["duplicate", "3"] in lines
    measured = build("paired").stats.measured
    for name, pair in measured.similarity.largest.items():
        compared = f"all {measured.similarity.pairs[name]:,}"
        assert [name, f"{pair.candidates[0]}, {pair.candidates[1]}", compared, f"{pair.jaccard:.3f}"] in lines
    assert ["all splits", f"{measured.similarity.near_pairs:,}"] in [line[:2] for line in lines]
    assert f"{measured.zstd['cuda_forward'].ratio:.2f}" in [line[-1] for line in lines if line[0] == "cuda_forward"]
    assert f"sha256 {SHA[:12]}" in text
