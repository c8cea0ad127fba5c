"""The generation core: every random decision is one call of :meth:`Choices.below`.

Production draws from a counter-based stream keyed by ``(seed, index)``; tests draw from Hypothesis.
One grammar therefore serves generation, shrinking and replay. Alternatives are listed simplest first,
because 0 is what a shrinker aims at.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from struct import unpack
from typing import TypeVar

T = TypeVar("T")

_WORDS = 1 << 64


class Choices(ABC):
    """A source of bounded non-negative integers, and what can be said with them."""

    __slots__ = ()

    @abstractmethod
    def below(self, n: int) -> int:
        """Return an integer in ``[0, n)``; ``n >= 1``."""

    def between(self, low: int, high: int) -> int:
        """Return an integer in ``[low, high]``, ``low`` being the simplest."""
        return low + self.below(high - low + 1)

    def chance(self, hits: int, out_of: int) -> bool:
        """Return True in ``hits`` of ``out_of`` cases; False is the simplest."""
        return self.below(out_of) >= out_of - hits

    def pick(self, options: Sequence[T]) -> T:
        """Return one of ``options``, each as likely, the first being the simplest."""
        return options[self.below(len(options))]

    def weighted(self, weights: Mapping[T, int]) -> T:
        """Return a key with likelihood in proportion to its whole-number weight."""
        left = self.below(sum(weights.values()))
        for key, weight in weights.items():
            left -= weight
            if left < 0:
                return key
        raise AssertionError("unreachable: below() stayed in range")

    def sample(self, options: Sequence[T], k: int) -> list[T]:
        """Return ``k`` different options in drawn order."""
        rest = list(options)
        return [rest.pop(self.below(len(rest))) for _ in range(k)]


class CounterChoices(Choices):
    """The production stream: words of BLAKE2b in counter mode, keyed by ``(seed, index)``.

    Word ``w`` of candidate ``(seed, index)`` is a pure function of ``(seed, index, w)``, on any
    machine, and independent of every other candidate. Uniformity by rejection (Lemire 2019 discusses
    the bias this avoids).
    """

    __slots__ = ("_block", "_key", "_words")

    def __init__(self, seed: int, index: int) -> None:
        self._key = seed.to_bytes(8, "little") + index.to_bytes(8, "little")
        self._block = 0
        self._words: list[int] = []

    def below(self, n: int) -> int:
        if n < 1:
            raise ValueError(f"below() needs n >= 1, got {n}")
        limit = _WORDS - _WORDS % n
        while True:
            if not self._words:
                digest = blake2b(self._block.to_bytes(8, "little"), key=self._key, person=b"kernels").digest()
                self._words = list(unpack("<8Q", digest))
                self._block += 1
            word = self._words.pop()
            if word < limit:
                return word % n
