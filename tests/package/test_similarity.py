"""What is measured of all rows, against brute force over Python sets; compression against the text itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.curate.keys import analyse
from builder.package import overlap
from builder.package.measured import Compressed
from builder.package.similarity import (
    BETWEEN,
    CLUSTER,
    Closest,
    Rows,
    Similarity,
    cluster_sizes,
    compare,
    merged,
)
from builder.spec import SPLITS
from tests.curate.corpus import planted

from .made_up import measure


@pytest.fixture(autouse=True)
def small_blocks() -> Iterator[None]:
    """Make few rows enough to have rare shingles, several blocks and several tiles."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_COMMON", 6), ("_QUERIES", 3), ("_BLOCK", 4), ("_PAIRS", 2)):
            patch.setattr(overlap, name, value)
        yield


def brute_force(sets: list[frozenset[int]], splits: list[int], index: list[int]) -> Similarity:
    """The same figures from all pairs of sets."""
    found = Similarity(len(sets))
    nearest: dict[str, dict[int, Fraction]] = {}
    for one, other in combinations(range(len(sets)), 2):
        shared, union = len(sets[one] & sets[other]), len(sets[one] | sets[other])
        if Fraction(shared, union) >= Fraction(*CLUSTER):
            found.near_pairs += 1
        if splits[one] != splits[other]:
            first, second = sorted((one, other), key=lambda row: splits[row])
            name = f"{SPLITS[splits[first]]}-{SPLITS[splits[second]]}"
            pair = Closest(shared, union, (index[first], index[second]))
            found.pairs[name] += 1
            found.largest[name] = max(found.largest.get(name, pair), pair, key=Closest.order)
            if splits[first] == 0:
                best = nearest.setdefault(SPLITS[splits[second]], {})
                best[second] = max(best.get(second, Fraction(0)), Fraction(shared, union))
    found.nearest = {split: Counter(int(100 * value) for value in best.values()) for split, best in nearest.items()}
    found.clusters = components(sets)
    return found


def jaccard(one: frozenset[int], other: frozenset[int]) -> Fraction:
    return Fraction(len(one & other), len(one | other))


def components(sets: list[frozenset[int]]) -> Counter[int]:
    """Sizes of the clusters, found by walking from row to row."""
    left, sizes = set(range(len(sets))), Counter[int]()
    while left:
        cluster, ahead = set(), [left.pop()]
        while ahead:
            row = ahead.pop()
            cluster.add(row)
            near = {
                o for o in left if Fraction(len(sets[row] & sets[o]), len(sets[row] | sets[o])) >= Fraction(*CLUSTER)
            }
            left -= near
            ahead += near
        sizes[len(cluster)] += len(cluster) > 1
    return +sizes


def same(found: Similarity, expected: Similarity) -> None:
    # Of equally similar pairs, which one is named is no property of the sets: the earliest for each query.
    for name, pair in expected.largest.items():
        assert Fraction(found.largest[name].shared, found.largest[name].union) == Fraction(pair.shared, pair.union)
    found.largest, expected.largest = {}, {}
    assert found == expected


def arrays(sets: list[frozenset[int]]) -> list[np.ndarray]:
    return [np.array(sorted(one), dtype=np.uint32) for one in sets]


rows = st.lists(
    st.tuples(st.frozensets(st.integers(0, 14), min_size=1, max_size=12), st.integers(0, 2)), min_size=1, max_size=24
)


@given(rows, st.integers(1, 12))
def test_the_same_as_brute_force(made: list[tuple[frozenset[int], int]], size: int) -> None:
    sets, splits = [one for one, _ in made], [split for _, split in made]
    index = [3 * row for row in range(len(made))]
    found = measure(arrays(sets), np.array(splits, dtype=np.int8), index)
    assert Similarity.from_json(found.to_json()) == found
    assert found == in_groups(arrays(sets), np.array(splits, dtype=np.int8), np.array(index), size)
    same(found, brute_force(sets, splits, index))


def in_groups(sets: list[np.ndarray], splits: np.ndarray, index: np.ndarray, size: int) -> Similarity:
    """What the groups of so many rows find, each on its own, put together."""
    cuts = range(0, len(sets), size)
    groups = [Rows(sets[at : at + size], splits[at : at + size], index[at : at + size]) for at in cuts]
    tables = [
        compare(group, ((other, (at > number) - (at < number)) for at, other in enumerate(groups)))
        for number, group in enumerate(groups)
    ]
    counts = {name: int((splits == at).sum()) for at, name in enumerate(SPLITS)}
    return merged(tables, counts)


def test_the_same_as_brute_force_on_kernels_with_planted_copies() -> None:
    keys = [analyse(source) for source in planted()[:240]]
    sets = [frozenset(key.shingles.tolist()) for key in keys]
    splits = [row % 3 for row in range(len(sets))]
    found = measure([key.shingles for key in keys], np.array(splits, dtype=np.int8), list(range(len(sets))))
    expected = brute_force(sets, splits, list(range(len(sets))))
    assert len(expected.clusters) >= 3  # the corpus must have clusters of several sizes
    assert expected.largest["train-test"].jaccard == 1
    same(found, expected)


def test_the_named_rows_are_as_similar_as_said() -> None:
    keys = [analyse(source) for source in planted()[:120]]
    splits = np.array([row % 3 for row in range(len(keys))], dtype=np.int8)
    index = [7 * row + 2 for row in range(len(keys))]
    found = measure([key.shingles for key in keys], splits, index)
    for name in (f"{first}-{second}" for first, second in BETWEEN):
        closest = found.largest[name]
        one, other = ((candidate - 2) // 7 for candidate in closest.candidates)
        assert [SPLITS[splits[row]] for row in (one, other)] == name.split("-")
        sets = [set(keys[row].shingles.tolist()) for row in (one, other)]
        assert (closest.shared, closest.union) == (len(sets[0] & sets[1]), len(sets[0] | sets[1]))


def test_one_split_and_one_row() -> None:
    one = measure(arrays([frozenset({1})]), np.zeros(1, dtype=np.int8), [0])
    assert (one.rows, one.largest, one.nearest, one.clusters, one.largest_cluster) == (1, {}, {}, {}, 1)
    assert Similarity().largest_cluster == 0


def test_clusters_are_chains() -> None:
    assert cluster_sizes([(1, 2), (2, 3), (7, 8), (3, 1), (9, 7), (20, 30)]) == {3: 2, 2: 1}
    assert cluster_sizes([]) == {}


def test_of_two_equal_maxima_the_earlier_candidates_are_kept() -> None:
    early, late = (Similarity(1, largest={"train-test": Closest(2, 4, pair)}) for pair in ((1, 9), (2, 3)))
    for one, other in ((early, late), (late, early)):
        both = Similarity()
        both.add(one)
        both.add(other)
        assert both.largest["train-test"].candidates == (1, 9)


def test_compressed_text_comes_back_from_its_bytes() -> None:
    texts = ["größe = 1\n" * 50, "x = 2\n"]
    one = Compressed.of(texts)
    frame = pa.Codec("zstd", compression_level=19).compress("".join(texts).encode(), asbytes=True)
    assert pa.Codec("zstd").decompress(frame, one.bytes, asbytes=True).decode() == "".join(texts)
    assert (one.rows, one.compressed, one.ratio) == (2, len(frame), one.bytes / len(frame))
    assert Compressed.of([]).ratio == 0
