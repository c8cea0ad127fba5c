"""Draws the values that kernels are run with."""

from __future__ import annotations

import hashlib

import numpy as np

from .layout import Leaf, Memory, Values, numbers, put

ORDINARY, POSITIVE, SMALL, LARGE, BOUNDARY = "ordinary", "positive", "small", "large", "boundary"
WILD, TIED, BROAD, MODERATE = "wild", "tied", "broad", "moderate"
_CORNERS = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1000.0, -1000.0])
_ODD = np.array([np.nan, np.inf, -np.inf, 0.0])


def generator(key: str, seed: int, *words: object) -> np.random.Generator:
    """Return a stream of random numbers for a row, a seed and a purpose."""
    text = "\n".join((key, str(seed), *map(str, words)))
    return np.random.Generator(np.random.Philox(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")))


def fill(memory: Memory, rng: np.random.Generator, profile: str, size: int) -> None:
    """Give all numbers of a narrow memory values: floats of the profile, whole numbers that could be indices.

    Args:
        profile: ``ordinary``: floats from -2 to 2; ``positive``: 0.1 to 1.5; ``moderate``: -6 to 6;
            ``small``: -0.05 to 0.05; ``large``: -20 to 20; ``boundary``: 0, -0, 1, -1, very large ones;
            ``wild``: of any sign and size; ``tied``: few different ones; ``broad``: -6 to 6, and whole numbers that
            lie outside of arrays.
        size: the length of the arrays' dimensions.
    """
    for leaf in memory.leaves:
        put(leaf, _draw(leaf, rng, profile, size))


def _draw(leaf: Leaf, rng: np.random.Generator, profile: str, size: int) -> Values:
    shape = leaf.values.shape
    if leaf.number == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if profile in (WILD, TIED, BROAD):
        return _careless(leaf, rng, profile, size)
    if not leaf.is_float:
        if leaf.buffer < 0 and leaf.family == "number":
            return rng.integers(1, min(size, 12) + 1, shape)
        if leaf.number.startswith("uint"):  # keys and bits rather than places
            return rng.integers(0, max(size, 200), shape)
        if profile != BOUNDARY and leaf.family == "number" and leaf.values.ndim and shape[-1] > 1:
            return _places(leaf, rng, size)
        return rng.integers(0, max(size, 1), shape)
    if leaf.family in ("quaternion", "transformation"):
        return _rotations(rng, shape)
    if profile == BOUNDARY:
        return rng.choice(_CORNERS, shape)
    if profile == SMALL:
        return rng.uniform(-0.05, 0.05, shape)
    if profile == MODERATE and leaf.buffer >= 0:
        return rng.uniform(-6.0, 6.0, shape)
    if profile == LARGE:
        return rng.uniform(-20.0, 20.0, shape) if leaf.buffer >= 0 else rng.uniform(0.1, 6.0, shape)
    # A single number is a strength, a step, a threshold more often than not, and then positive.
    low, high = (-2.0, 2.0) if profile == ORDINARY and leaf.buffer >= 0 else (0.1, 1.5)
    return rng.uniform(low, high, shape)


def _careless(leaf: Leaf, rng: np.random.Generator, profile: str, size: int) -> Values:
    """Return numbers that care for little of what a row may expect of them."""
    shape = leaf.values.shape
    if leaf.is_float:
        if profile == TIED:
            return rng.integers(-8, 9, shape) / 2.0
        if profile == BROAD:
            return rng.uniform(-6.0, 6.0, shape)
        values = rng.choice((-1.0, 1.0), shape) * 10.0 ** rng.uniform(-3.0, 3.0, shape)
        return np.where(rng.random(shape) < 0.05, rng.choice(_ODD, shape), values)
    if leaf.number.startswith("uint"):
        return rng.integers(0, 60000, shape) % 251
    if leaf.buffer < 0:
        return rng.integers(0, 2 * size + 2, shape) if profile == TIED else rng.integers(-2, 6, shape)
    low, high = {TIED: (0, size), WILD: (-size, size)}.get(profile, (-size - 2, 2 * size + 2))
    return rng.integers(low, high, shape)


def _places(leaf: Leaf, rng: np.random.Generator, size: int) -> Values:
    """Return lists of whole numbers as places: all different, or rising where a list says where rows start."""
    length = leaf.values.shape[-1]
    last = length if length <= size + 16 else size
    if any(word in leaf.name for word in ("offset", "start", "ptr", "begin")):
        return np.sort(rng.integers(0, last + 1, leaf.values.shape), axis=-1)
    return rng.permuted(np.broadcast_to(np.arange(length) % last, leaf.values.shape), axis=-1)


def _rotations(rng: np.random.Generator, shape: tuple[int, ...]) -> Values:
    """Return unit quaternions, behind places between -2 and 2 for transformations."""
    values = rng.uniform(-2.0, 2.0, shape)
    turns = rng.normal(size=(*shape[:-1], 4))
    values[..., -4:] = turns / np.linalg.norm(turns, axis=-1, keepdims=True)
    return values


def widen(narrow: Memory, wide: Memory) -> None:
    """Give a wide memory the numbers of a narrow one."""
    for source, target in zip(narrow.leaves, wide.leaves, strict=True):
        put(target, numbers(source))


def nudge(memory: Memory, rng: np.random.Generator, relative: float) -> None:
    """Move each float of a wide memory up or down by a share of itself."""
    for leaf in memory.floats():
        leaf.values[...] *= 1.0 + relative * rng.choice((-1.0, 1.0), leaf.values.shape)
