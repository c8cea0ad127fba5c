"""Rows of the counter-based random number generator, of sampling and of noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..types import FLOAT, INT, UINT, Array, Value
from .row import Row, row
from .special import special

if TYPE_CHECKING:
    from ..program import Expr

_SHAPES = (
    ("unit_ring", 2, "the unit circle"), ("unit_disk", 2, "the unit disk"), ("unit_square", 2, "the unit square"),
    ("triangle", 2, "a triangle"), ("unit_sphere", 3, "the unit ball"), ("unit_sphere_surface", 3, "the unit sphere"),
    ("unit_hemisphere", 3, "the unit half-ball"), ("unit_hemisphere_surface", 3, "the unit hemisphere"),
    ("unit_cube", 3, "the unit cube"),
)  # fmt: skip


@special("sample_cdf", "sample of a cumulative distribution", "rand", smooth=False)
def _sample_cdf(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    if keywords or [arg.type for arg in args] != [UINT, Array(FLOAT, 1)]:
        raise ValueError("sample_cdf takes a random state and a one-dimensional array of float32")
    return INT


def rows() -> Iterator[Row]:
    """Yield the rows in table order."""
    yield row("wp.rand_init", "i32 -> u32", "rand_state", "random state from a seed", smooth=False)
    yield row("wp.rand_init", "i32 i32 -> u32", "rand_state", "random state from seed and offset", smooth=False)
    yield row("wp.randf", "u32 -> f32", "rand", "uniform random number", smooth=False)
    yield row("wp.randf", "u32 f32 f32 -> f32", "rand", "uniform random number", None, "low", "high", smooth=False)
    yield row("wp.randn", "u32 -> f32", "rand", "normal random number", smooth=False)
    yield row("wp.randi", "u32 -> i32", "rand", "random integer", smooth=False)
    yield row("wp.randi", "u32 i32 i32 -> i32", "rand", "random integer", None, "int_low", "int_high", smooth=False)
    yield row("wp.randu", "u32 -> u32", "rand_u", "random unsigned integer", smooth=False)
    yield row("wp.randu", "u32 u32 u32 -> u32", "rand_u", "random unsigned integer", smooth=False)
    yield row("wp.poisson", "u32 f32 -> u32", "rand_u", "Poisson sample", None, "positive", smooth=False)
    for name, n, what in _SHAPES:
        yield row(f"wp.sample_{name}", f"u32 -> V{n}.f32", "rand_vec", f"random point in {what}", smooth=False)
    for n, point in ((1, "f32"), (2, "V2.f32"), (3, "V3.f32"), (4, "V4.f32")):
        yield row("wp.noise", f"u32 {point} -> f32", "noise", f"{n}-D gradient noise")
        yield row("wp.pnoise", f"u32 {point} {'i32 ' * n}-> f32", "pnoise", f"{n}-D periodic noise")
        if n > 1:
            result = min(n, 3)
            signature = f"u32 {point} -> V{result}.f32"
            yield row("wp.curlnoise", signature, "noise_vec", f"{n}-D curl noise")
            yield row("wp.curlnoise", signature.replace(" ->", " u32 f32 f32 ->"), "curl", f"{n}-D curl noise")
