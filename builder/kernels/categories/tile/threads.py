"""Where the threads of a block and tiles meet: values gathered in a tile, stacks, random tiles."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...fusion.tiles import (
    extent,
    give_single,
    loaded,
    named_tile,
    real,
    reduced,
    runtime,
    shaped,
    single,
    size_of,
    stored,
)
from ...terms import Term, both, cast, number, quoted, where, wp
from ...types import FLOAT, INT, UINT, Scalar, vec


def _element(k: Author, x: Term) -> tuple[Term, Term, Term]:
    """Return the block, the thread's place in it and the element it works on."""
    block, lane = k.blocks("b|block|chunk", "lane|t|tid")
    i = k.let("i|idx|e", block * (256 if k.c.chance(1, 2) else wp.block_dim()) + lane)
    return block, lane, i


def per_thread(k: Author) -> None:
    """Each thread computes a value; the block gathers them in a tile, works on it and may give them back."""
    c, T = k.c, real(k)
    k.name("block_sum|thread_tile|block_mean|gather_threads|block_norm")
    x = k.input("x|a|values", T)
    block, lane, i = _element(k, x)
    value = k.let("v|val|mine", varied(k, x[i % x.shape(0)], 1, 3))
    tile = k.let("t|tile|shared_values", wp.tile(value)) if c.chance(2, 3) else _permuted(k, value, lane)
    way = c.below(3)
    if way == 0:
        give_single(k, k.output("out|sums|block_out", T), reduced(k, named_tile(k, shaped(k, tile, 0, 1))), block)
    elif way == 1 and T is FLOAT:
        scan = c.pick((wp.tile_scan_inclusive, wp.tile_scan_exclusive, wp.tile_scan_max_inclusive))
        mine = k.let("pre|rank|before", wp.untile(scan(shaped(k, tile, 0, 1))))
        out = k.output("out|scanned|dst", T)
        out[i % out.shape(0)] = varied(k, mine, 0, 2)
    else:
        whole = single(k, reduced(k, named_tile(k, tile)), "total|mean|peak")
        out = k.output("out|centred|dst", T)
        out[i % out.shape(0)] = varied(k, value - whole if c.chance(1, 2) else value * whole, 0, 2)
    k.summary(f"Shares a {T.name} of every thread with its block.")


def _permuted(k: Author, value: Term, lane: Term) -> Term:
    """Return the values in another order: every thread writes a place of its own."""
    tile = k.let("t|tile|shuffled", wp.tile_zeros(shape=256, dtype=value.type, storage=quoted("shared")))
    way = k.c.below(3)
    if way == 0:
        place = 255 - lane
    elif way == 1:
        place = lane ^ k.c.between(1, 255)
    else:
        place = (lane * (2 * k.c.between(1, 40) + 1)) % 256
    k.do(wp.tile_scatter_masked(tile, place, value, True))
    return tile  # type: ignore[no-any-return]


def shared_value(k: Author) -> None:
    """Vectors of the threads become rows of a tile; a value of one thread reaches all."""
    c = k.c
    V = vec(c.pick((2, 3, 4)))
    k.name("block_centroid|broadcast_lane|tile_vectors|pivot|block_bounds")
    points = k.input("points|pos|verts", V)
    block, _, i = _element(k, points)
    mine = k.let("p|mine|point", varied(k, points[i % points.shape(0)], 1, 2))
    if c.chance(1, 2):
        kept = k.let("t|tile|gathered", wp.tile(mine, preserve_type=True))
        out = k.output("out|centres|sums", V)
        total = wp.tile_sum(kept) if c.chance(1, 2) else wp.tile_sum(kept) * number(1.0 / 256.0)
        give = named_tile(k, total, "total|centre")
        out[block] = varied(k, give[0], 0, 2)
    else:
        thread = c.below(32)
        base = wp.dot(mine, mine) if c.chance(1, 2) else wp.length(mine)
        value = k.let("key|weight|score", varied(k, base, 0, 2))
        leader = k.let("lead|pivot_tile|chosen", wp.tile_from_thread(shape=1, value=value, thread_idx=thread))
        out = k.output("out|rel|dist", FLOAT)
        out[i % out.shape(0)] = varied(k, value - leader[0] if c.chance(1, 2) else value * leader[0], 0, 2)
        rows = k.let("rows|coords|axes", wp.tile(mine))
        sums = k.output("sums|axes_out|totals", FLOAT)
        stored(k, sums, shaped(k, wp.tile_sum(rows, axis=1), 0, 1), (block * V.n,))
    k.summary(f"Shares a {V.name} of every thread with its block.")


def compacted(k: Author) -> None:
    """Values that pass a test go on a stack of the block, and are taken off it into an array."""
    c = k.c
    T: Scalar = c.pick((FLOAT, INT))
    k.name("compact|filter_block|collect|stream_compact|select_values")
    x, out, counts = k.input("x|a|items", T), k.output("out|kept|dst", T), k.output("counts|num|sizes", INT)
    block, lane, i = _element(k, x)
    stack = k.let("stack|found|queue", wp.tile_stack(capacity=256, dtype=T))
    value = k.let("v|item|val", varied(k, x[wp.min(i, x.shape(0) - 1)], 1, 2))
    test = value > (coefficient(k, T) if T is FLOAT else number(c.between(2, 40), INT))
    keep = k.let("keep|passes|wanted", both(i < x.shape(0), test))
    pushed = wp.tile_stack_push(stack, value, keep)
    if c.chance(1, 2):
        slot_in = k.let("slot_in|place|rank", pushed)
        k.output("ranks|slots|places", INT)[i] = slot_in
    else:
        k.do(pushed)
    with k.if_(lane == 0):
        counts[block] = wp.tile_stack_count(stack)
    taken, slot = k.many(("taken|got|w", "slot|at|pos"), wp.tile_stack_pop(stack))
    with k.if_(slot >= 0):
        out[block * 256 + slot] = varied(k, taken, 0, 2)
    if c.chance(1, 3):
        k.do(wp.tile_stack_clear(stack))
    k.summary(f"Collects the {T.name} values of a block that pass a test.")


def noise(k: Author) -> None:
    """Random tiles: noise added, dropout, random signs, a Monte Carlo estimate."""
    c = k.c
    k.name("add_noise|dropout|jitter|monte_carlo|random_tile")
    length = extent(k, "TILE|BLOCK|N", (64, 128, 256))
    seed = k.scalar("seed|key|stream", INT)
    i = k.blocks("i|tile_id|bid")
    state = k.let("state|rng|r0", wp.rand_init(seed, i) if c.chance(2, 3) else cast(seed * c.between(3, 99) + i, UINT))
    low, high = number(-c.between(0, 20) / 10), number(c.between(5, 30) / 10)
    ends = (low, high) if c.chance(1, 2) else ()
    random = named_tile(k, wp.tile_randf(length, state, *ends), "rnd|noise_tile|draw")
    way, out = c.below(3), k.output("out|dst|estimate", FLOAT)
    if way == 0:
        x = loaded(k, k.input("x|src|signal", FLOAT), (length,), (i * length,))
        stored(k, out, shaped(k, shaped(k, x, 0, 1) + random * coefficient(k, FLOAT), 0, 2), (i * length,))
    elif way == 1:
        limit = runtime(k, FLOAT)
        x = loaded(k, k.input("x|src|activations", FLOAT), (length,), (i * length,))
        words = {"v|x": FLOAT, "r|u": FLOAT, "p|rate": FLOAT}
        drop = k.function("drop|keep_if|mask_out", words, lambda s, v, r, p: where(r < p, 0.0, varied(s, v, 0, 2)))
        stored(k, out, shaped(k, wp.tile_map(drop.word, x, random, limit), 0, 2), (i * length,))
    else:
        more = wp.tile_randi(length, state, 0, c.between(2, 9))
        steps = wp.tile_astype(more, dtype=FLOAT)
        inside = named_tile(k, shaped(k, random * random + steps, 1, 2))
        give_single(k, out, wp.tile_sum(inside) * number(1.0 / size_of(length)), i)
    what = ("Adds noise to", "Drops random elements of", "Averages a function of random numbers in")[way]
    k.summary(f"{what} every tile of {size_of(length)} values.")
