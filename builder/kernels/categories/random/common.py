"""Random states and draws."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient
from ...terms import Term, cast, number, wp
from ...types import FLOAT, INT, UINT


def state_of(k: Author, *index: Term) -> Term:
    """Return a random state of the thread, by one of the ways to seed it."""
    c = k.c
    cell = index[0] if len(index) == 1 else index[0] * k.scalar("width|cols|stride", INT) + index[1]
    if c.chance(1, 3):
        cell = cell + k.scalar("frame|step_id|epoch", INT) * number(c.pick((7919, 1013, 4096)), INT)
    words = "state|rng|s0"
    if c.chance(1, 4):
        return k.let(words, wp.rand_init(cell ^ number(c.between(1, 999), INT)))  # type: ignore[no-any-return]
    seed = k.scalar("seed|key|base_seed", INT) if c.chance(2, 3) else number(c.between(1, 9999), INT)
    return k.let(words, wp.rand_init(seed, cell))  # type: ignore[no-any-return]


def uniform(k: Scope, state: Term) -> Term:
    """Return a draw from the unit interval or a shifted one."""
    way = k.c.below(5)
    if way < 2:
        return wp.randf(state)
    if way == 2:
        return wp.randf(state, -1.0, 1.0) if k.c.chance(1, 2) else wp.randf(state, 0.0, k.c.between(2, 20) / 10)
    if way == 3:
        bits = wp.randu(state) if k.c.chance(1, 2) else wp.randu(state, number(0, UINT), number(1 << 24, UINT))
        return cast(bits & number(0xFFFFFF, UINT), FLOAT) / 16777216.0
    return cast(wp.randi(state, 0, k.c.pick((1000, 1024, 65536))), FLOAT) * coefficient(k, FLOAT, 1, 5) * 0.01


def normal(k: Scope, state: Term) -> Term:
    """Return a normal draw: Warp's, Box and Muller's, or a sum of uniform ones."""
    way = k.c.below(4)
    if way < 2:
        return wp.randn(state)
    if way == 2:
        u = k.let("u|u1|r1", wp.max(wp.randf(state), 1.0e-6))
        return wp.sqrt(-2.0 * wp.log(u)) * wp.cos(6.2831853 * wp.randf(state))
    total = wp.randf(state)
    for _ in range(k.c.between(2, 5)):
        total = total + wp.randf(state)
    return total - coefficient(k, FLOAT, 100, 300)
