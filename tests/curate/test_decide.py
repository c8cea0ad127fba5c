"""The in-order rule, against a reference that compares all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.curate import EDGES_SCHEMA, Decider, Kept, Keys, analyse, edges_table, split_of
from builder.curate.edges import table_keys
from builder.curate.keys import band_hashes
from builder.curate.near import BandIndex, ShingleStore, first_near
from builder.record import Reason, Rejection

from .corpus import kernel, renamed, with_literals

HALVES = {"train": 0.5, "validation": 0.25, "test": 0.25}
Outcome = tuple[int, "str | Reason"]


def brute_force(keys: Sequence[Keys], splits: dict[str, float], cap: int) -> list[Outcome]:
    """The rule, word for word: every earlier kept row, Python sets, exact Jaccard."""
    kept: list[tuple[Keys, str, frozenset[int]]] = []
    outcomes: list[Outcome] = []
    for index, item in enumerate(keys):
        split = split_of(item.skeleton, splits)
        shingles = frozenset(item.shingles.tolist())
        if any(other.exact == item.exact for other, _, _ in kept):
            outcomes.append((index, Reason.DUPLICATE))
        elif sum(other.skeleton == item.skeleton for other, _, _ in kept) >= cap:
            outcomes.append((index, Reason.SKELETON_CAP))
        elif any(
            4 * len(shingles & others) >= 3 * len(shingles | others) for _, where, others in kept if where != split
        ):
            outcomes.append((index, Reason.NEAR_DUPLICATE))
        else:
            kept.append((item, split, shingles))
            outcomes.append((index, split))
    return outcomes


def outcome(result: Kept | Rejection) -> Outcome:
    return result.index, result.split if isinstance(result, Kept) else result.reason


@pytest.fixture(scope="module")
def keys(corpus: list[str]) -> list[Keys]:
    return [analyse(source) for source in corpus]


@pytest.mark.parametrize("cap", [1, 2, 3])
@pytest.mark.parametrize("splits", [HALVES, {"train": 0.9, "validation": 0.05, "test": 0.05}])
def test_the_same_as_brute_force(keys: list[Keys], cap: int, splits: dict[str, float]) -> None:
    expected = brute_force(keys, splits, cap)
    decider = Decider(10**6, splits, cap)
    found = []
    for start in range(0, len(keys), 128):
        part = keys[start : start + 128]
        found += [outcome(r) for r in decider.offer_table(edges_table(range(start, start + len(part)), part))]
    assert found == expected
    # The corpus must exercise every branch of the rule.
    counts = Counter(what for _, what in expected)
    assert min(counts[reason] for reason in (Reason.DUPLICATE, Reason.SKELETON_CAP, Reason.NEAR_DUPLICATE)) >= 3
    assert decider.rejections == {r: counts[r] for r in Reason if counts[r]}
    assert decider.rows == {name: counts[name] for name in splits}
    assert decider.kept == [item for item in expected if isinstance(item[1], str) and not isinstance(item[1], Reason)]


@given(cuts=st.lists(st.integers(1, 699), max_size=12, unique=True))
@settings(max_examples=15, deadline=None)
def test_how_candidates_are_grouped_does_not_matter(keys: list[Keys], cuts: list[int]) -> None:
    whole = Decider(10**6, HALVES, 2)
    parts = Decider(10**6, HALVES, 2)
    expected = whole.offer_all(range(len(keys)), keys)
    found: list[Kept | Rejection] = []
    edges = [0, *sorted(cuts), len(keys)]
    for start, end in pairwise(edges):
        found += parts.offer_all(range(start, end), keys[start:end])
    assert found == expected


def test_one_by_one_is_the_same(keys: list[Keys]) -> None:
    single, many = Decider(10**6, HALVES, 1), Decider(10**6, HALVES, 1)
    expected = many.offer_all(range(300), keys[:300])
    assert [single.offer(index, keys[index]) for index in range(300)] == expected
    assert single.rejections == many.rejections


@given(count=st.integers(1, 200), length=st.integers(1, 700))
@settings(max_examples=25, deadline=None)
def test_more_candidates_and_more_rows_only_append(keys: list[Keys], count: int, length: int) -> None:
    all_of_it = Decider(10**6, HALVES, 1)
    expected = all_of_it.offer_all(range(len(keys)), keys)
    fewer = Decider(count, HALVES, 1)
    found = fewer.offer_all(range(length), keys[:length])
    assert found == expected[: len(found)]
    assert fewer.kept == all_of_it.kept[: len(fewer.kept)]
    assert fewer.full == (len(fewer.kept) == count)
    assert fewer.full or len(found) == length
    # It stops at the row that fills it, so that counts of rejections do not depend on the size of a unit.
    assert not fewer.full or isinstance(found[-1], Kept)


def test_reasons_name_what_was_there_first() -> None:
    first = kernel(0)
    sources = [first, renamed(first), with_literals(renamed(first), 0.25), kernel(1)]
    decider = Decider(10, {"train": 1.0}, 1)
    results = [decider.offer(10 * place, analyse(source)) for place, source in enumerate(sources)]
    assert results[0] == Kept(0, "train")
    assert results[1] == Rejection(10, Reason.DUPLICATE, "equal to candidate 0 after renaming")
    skeleton = analyse(first).skeleton
    assert results[2] == Rejection(20, Reason.SKELETON_CAP, f"skeleton {skeleton} already has 1 rows")
    assert results[3] == Kept(30, "train")


def test_a_near_duplicate_within_a_split_stays() -> None:
    made = [made_up(number, range(100)) for number in range(40)]
    found = Decider(100, HALVES, 1).offer_all(range(40), made)
    splits = {split_of(item.skeleton, HALVES) for item in made}
    assert len(splits) == 3
    first = split_of(made[0].skeleton, HALVES)
    for item, result in zip(made, found, strict=True):
        same_split = split_of(item.skeleton, HALVES) == first
        assert isinstance(result, Kept) == same_split
        if isinstance(result, Rejection):
            assert (result.reason, result.detail) == (
                Reason.NEAR_DUPLICATE,
                f"Jaccard 1.000 with candidate 0 ({first})",
            )


def made_up(number: int, shingles: Sequence[int]) -> Keys:
    """Keys with given shingles and a skeleton of their own."""
    values = np.array(sorted(shingles), dtype=np.uint32) * np.uint32(2654435761)
    values.sort()
    name = f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}"
    return Keys(name, name, values, band_hashes(values))


@pytest.mark.parametrize(("shared", "near"), [(74, False), (75, True)])
def test_the_threshold_is_three_quarters_exactly(shared: int, near: bool) -> None:
    one = np.arange(100, dtype=np.uint32)
    match = first_near(one, [one[:shared]])
    assert match == ((0, 0.75) if near else None)


def test_a_full_decider_takes_nothing() -> None:
    decider = Decider(1, HALVES, 1)
    decider.offer(3, made_up(1, range(9)))
    assert decider.full
    assert decider.offer_table(edges_table([4], [made_up(2, range(50, 90))])) == []
    with pytest.raises(ValueError, match="all 1 rows are decided"):
        decider.offer(4, made_up(2, range(50, 90)))


def test_the_order_must_rise() -> None:
    decider = Decider(9, HALVES, 1)
    decider.offer(3, made_up(1, range(9)))
    with pytest.raises(ValueError, match="candidate 3 offered after candidate 3"):
        decider.offer(3, made_up(2, range(50, 90)))


def test_edges_come_back(keys: list[Keys], tmp_path_factory: pytest.TempPathFactory) -> None:
    table = edges_table(range(200), keys[:200])
    assert table.schema == EDGES_SCHEMA
    path = tmp_path_factory.mktemp("edges") / "unit.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=70)
    with pa.memory_map(str(path)) as source:
        back = pa.ipc.open_file(source).read_all()
    for form in (table, back, back.slice(0), pa.concat_tables([table.slice(0, 13), table.slice(13)])):
        same_keys(table_keys(form), list(range(200)), keys[:200])
    same_keys(table_keys(back.slice(60, 100)), list(range(60, 160)), keys[60:160])


def same_keys(found: tuple[list[int], list[Keys]], index: list[int], keys: list[Keys]) -> None:
    assert found[0] == index
    for one, two in zip(found[1], keys, strict=True):
        assert (one.skeleton, one.exact) == (two.skeleton, two.exact)
        np.testing.assert_array_equal(one.shingles, two.shingles)
        np.testing.assert_array_equal(one.bands, two.bands)


def test_a_unit_of_rejections_only() -> None:
    table = edges_table([], [])
    assert table.schema == EDGES_SCHEMA
    assert Decider(9, HALVES, 1).offer_table(table) == []


@given(st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), min_size=1, max_size=40), st.integers(1, 7))
@settings(deadline=None)
def test_the_index_finds_all_rows_that_share_a_band(values: list[list[int]], step: int) -> None:
    # Hashes repeat a lot and reach the largest one.
    bands = (np.array(values, dtype=np.uint64) * 0x2AAAAAAA).clip(max=2**32 - 1).astype(np.uint32)
    index = BandIndex()
    for start in range(0, len(bands), step):
        part = bands[start : start + step]
        index.add(range(start, start + len(part)), part)
    queries, rows = index.find(bands)
    expected = [
        (i, j) for i, one in enumerate(bands) for j, two in enumerate(bands) if set(one.tolist()) & set(two.tolist())
    ]
    assert list(zip(queries.tolist(), rows.tolist(), strict=True)) == expected


def test_the_store_gives_sets_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builder.curate.near._BLOCK", 64)
    store = ShingleStore()
    sets = [np.arange(size, size + size * 3 % 64 + 1, dtype=np.uint32) for size in range(1, 60)]
    for item in sets:
        store.append(item)
    for row, item in enumerate(sets):
        np.testing.assert_array_equal(store[row], item)
    with pytest.raises(ValueError, match="65 shingles"):
        store.append(np.arange(65, dtype=np.uint32))
