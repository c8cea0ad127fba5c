"""Sources mixed by weight: every kernel once, the shares exact, no unit depending on another."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from builder.kernels.mix import SYNTHETIC, take

UNIT = 128
weights = st.dictionaries(st.sampled_from(["warp-lang", "newton", "mujoco-warp"]), st.floats(0.01, 5.0), max_size=3)


@given(weights, st.integers(0, 2**63 - 1))
def test_shares_are_exact_and_every_kernel_comes_once(others, seed):
    mix = {SYNTHETIC: 4.0, **others}
    candidates = [pair for rank in range(8) for pair in take(seed, rank, UNIT, mix)]
    assert len(candidates) == 8 * UNIT
    counts = Counter(name for name, _ in candidates)
    for name, weight in others.items():
        assert abs(counts[name] - len(candidates) * weight / sum(mix.values())) <= 1
        assert [k for source, k in candidates if source == name] == list(range(counts[name]))
    for place, (name, index) in enumerate(candidates):
        assert name != SYNTHETIC or index == place


def test_synthetic_alone():
    assert take(3, 2, UNIT, {SYNTHETIC: 1.0}) == [(SYNTHETIC, 2 * UNIT + k) for k in range(UNIT)]


def test_places_differ_between_units_and_seeds():
    mix = {SYNTHETIC: 3.0, "warp-lang": 1.0}
    shown = {tuple(name for name, _ in take(seed, rank, UNIT, mix)) for seed in (0, 1) for rank in range(4)}
    assert len(shown) == 8


@given(weights.filter(lambda others: len(others) > 1))
def test_nothing_is_lost_without_synthetic_kernels(others):
    candidates = [pair for rank in range(8) for pair in take(1, rank, UNIT, others) if pair]
    assert len(candidates) >= 8 * (UNIT - 2 * len(others))
    for name in others:
        own = [k for source, k in candidates if source == name]
        assert own == list(range(len(own)))


def test_one_source_alone_fills_every_place():
    assert take(0, 1, UNIT, {"warp-lang": 2.0}) == [("warp-lang", UNIT + k) for k in range(UNIT)]
