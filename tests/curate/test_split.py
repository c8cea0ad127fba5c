"""Splits: by hash of the skeleton, in the given fractions, for ever."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.curate import split_of
from builder.curate.split import _ends

THREE = {"train": 0.9, "validation": 0.05, "test": 0.05}


def skeletons(count: int) -> list[str]:
    return [hashlib.sha256(b"%d" % number).hexdigest()[:16] for number in range(count)]


def test_golden() -> None:
    # A change here moves rows between the splits of published datasets.
    found = [split_of(skeleton, THREE) for skeleton in skeletons(40)]
    assert " ".join(name[:2] for name in found) == (
        "tr tr tr tr tr te te tr tr tr tr tr tr tr tr tr tr tr tr tr "
        "tr tr tr tr tr tr tr va tr tr tr tr tr tr tr tr tr tr tr tr"
    )


def test_fractions() -> None:
    counts = Counter(split_of(skeleton, THREE) for skeleton in skeletons(20_000))
    for name, fraction in THREE.items():
        expected = 20_000 * fraction
        assert abs(counts[name] - expected) < 5 * (expected * (1 - fraction)) ** 0.5


def test_bounds_are_exact() -> None:
    ends = [end for _, end in _ends(tuple(THREE.items()))]
    assert ends == [-(-(9 << 64) // 10), -(-(95 << 64) // 100), 1 << 64]
    # 0.1 + 0.2 is not 0.3 in floats; here three tenths are.
    tenths = _ends((("train", 0.1), ("validation", 0.2), ("test", 0.7)))
    assert tenths[1][1] == -(-(3 << 64) // 10)


@given(st.lists(st.floats(1e-6, 0.999), min_size=1, max_size=4), st.text("0123456789abcdef", min_size=16, max_size=16))
def test_every_skeleton_has_one_split(fractions: list[float], skeleton: str) -> None:
    splits = {f"s{place}": value / sum(fractions) for place, value in enumerate(fractions)}
    assert split_of(skeleton, splits) in splits
    ends = [end for _, end in _ends(tuple(splits.items()))]
    assert ends == sorted(ends)
    assert ends[-1] == 1 << 64


@pytest.mark.parametrize("skeleton", skeletons(5))
def test_a_larger_first_split_only_takes(skeleton: str) -> None:
    # Widening train moves rows into train, none out of it.
    if split_of(skeleton, {"train": 0.5, "test": 0.5}) == "train":
        assert split_of(skeleton, {"train": 0.8, "test": 0.2}) == "train"
