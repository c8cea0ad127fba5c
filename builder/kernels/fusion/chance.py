"""Random numbers in kernels: states, uniform and normal numbers, in the forms programmers write them."""

from __future__ import annotations

from ..author import Author, Scope
from ..terms import Term, cast, wp
from ..types import FLOAT, INT, Scalar


def random_state(k: Author, cell: Term) -> Term:
    """Return a random state of the thread's own."""
    c = k.c
    seed = k.scalar("seed|rng_seed|key", INT) if c.chance(3, 4) else k.constant("SEED|RNG_SEED", c.between(1, 9999))
    way = c.below(3)
    if way == 0:
        state = wp.rand_init(seed, cell)
    elif way == 1:
        state = wp.rand_init(seed + cell)
    else:
        state = wp.rand_init(seed, cell * c.between(2, 64) + k.scalar("step|epoch|frame", INT))
    return k.let("state|rng|rs", state)  # type: ignore[no-any-return]


def uniform(k: Scope, state: Term, type_: Scalar = FLOAT, words: str = "u|rnd|xi|p_draw") -> Term:
    """Return a local uniform in [0, 1)."""
    drawn = wp.randf(state) if k.c.chance(2, 3) else wp.randf(state, 0.0, 1.0)
    return k.let(words, cast(drawn, type_))  # type: ignore[no-any-return]


def normal(k: Scope, state: Term, type_: Scalar = FLOAT, words: str = "z|gauss|noise|eps") -> Term:
    """Return a standard normal local: Warp's own, by Box and Muller (1958), or the sum of twelve uniforms."""
    way = k.c.weighted({"own": 4, "box_muller": 2, "sum": 1})
    if way == "own":
        drawn = wp.randn(state)
    elif way == "box_muller":
        u1 = k.let("u1|ua|v1", wp.max(wp.randf(state), 1.0e-6))
        u2 = k.let("u2|ub|v2", wp.randf(state))
        trig = k.c.pick((wp.cos, wp.sin))
        drawn = wp.sqrt(-2.0 * wp.log(u1)) * trig(6.2831853 * u2)
    else:
        total = k.var("twelve|acc_u|sum_u", -6.0)
        with k.for_("q|draw|m", 12):
            total += wp.randf(state)
        drawn = Term(total.e)
    return k.let(words, cast(drawn, type_))  # type: ignore[no-any-return]
