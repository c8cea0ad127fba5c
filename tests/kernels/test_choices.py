from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.kernels.choices import CounterChoices


def draws(seed, index, n, count):
    choices = CounterChoices(seed, index)
    return [choices.below(n) for _ in range(count)]


def test_the_stream_is_pinned():
    # A change here changes every dataset: it must be meant.
    assert draws(0, 0, 1000, 10) == [540, 937, 909, 614, 737, 747, 530, 954, 337, 100]
    assert draws(2**63 - 1, 10**12, 1 << 64, 1) == [16222283087324871160]


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**40), st.integers(1, 2**64))
def test_below_stays_in_range_and_repeats(seed, index, n):
    once = draws(seed, index, n, 20)
    assert all(0 <= value < n for value in once)
    assert once == draws(seed, index, n, 20)


def test_candidates_have_streams_of_their_own():
    streams = {tuple(draws(seed, index, 2**32, 4)) for seed in range(20) for index in range(20)}
    assert len(streams) == 400


@pytest.mark.parametrize("n", [2, 3, 7, 10])
def test_below_is_uniform(n):
    counts = Counter(draws(5, 5, n, 20_000))
    expected = 20_000 / n
    chi_squared = sum((counts[k] - expected) ** 2 / expected for k in range(n))
    assert chi_squared < 30  # beyond the 99.9 % point of up to 9 degrees of freedom, 27.9


@pytest.mark.parametrize("n", [0, -1])
def test_below_refuses_an_empty_range(n):
    with pytest.raises(ValueError, match="n >= 1"):
        CounterChoices(0, 0).below(n)


def test_weighted_follows_the_weights():
    choices = CounterChoices(1, 1)
    counts = Counter(choices.weighted({"a": 1, "b": 3}) for _ in range(8000))
    assert 0.72 < counts["b"] / 8000 < 0.78


def test_zero_is_the_simplest():
    class Zero(CounterChoices):
        def below(self, n):
            return 0

    zero = Zero(0, 0)
    assert zero.pick("abc") == "a"
    assert zero.between(3, 9) == 3
    assert zero.chance(9, 10) is False
    assert zero.sample([1, 2, 3], 2) == [1, 2]
