"""Gathers and scatters by index, tiles put together from parts, histograms."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...fusion.tiles import derived, extent, function, loaded, named_tile, real, reduced, shaped, size_of, stored
from ...terms import Term, cast, number, quoted, wp
from ...types import FLOAT, INT, Scalar


def _indices(k: Author, count: Term, i: Term, limit: Term) -> Term:
    """Return a tile of row numbers below ``limit``: loaded and held in bounds, or a range."""
    c = k.c
    if c.chance(1, 3):
        steps = wp.tile_arange(count, dtype=INT)
        return named_tile(k, steps * c.between(2, 4) if c.chance(1, 2) else steps, "idx|rows")
    given = loaded(k, k.input("indices|ids|perm", INT), (count,), (i * count,), "idx_tile|raw_ids")

    def body(s: object, v: Term, n: Term) -> Term:
        return wp.clamp(v, 0, n - 1) if c.chance(1, 2) else wp.min(wp.max(v, 0), n - 1)

    safe = k.function("in_range|clamp_id|safe_index", {"v|index": INT, "n|count": INT}, body)
    return named_tile(k, wp.tile_map(safe.word, given, limit), "idx|rows|safe")


def gathered(k: Author) -> None:
    """out[i] = f(x[index]): rows or columns gathered by a tile of indices, then reduced or stored."""
    c, T = k.c, real(k)
    k.name("gather_rows|embedding_lookup|tile_gather|take|select_rows")
    x = k.input("x|table|features", T, 2)
    count, width = extent(k, "COUNT|PICKS|BATCH", (4, 8, 16)), extent(k, "WIDTH|DIM|COLS", (8, 16, 32))
    i = k.blocks("i|bid|query")
    axis = c.below(2)
    indices = _indices(k, count, i, x.shape(axis))
    shape = (count, width) if axis == 0 else (width, count)
    keywords = {} if axis == 0 and c.chance(1, 2) else {"axis": axis}
    if c.chance(1, 4):
        keywords |= {"storage": quoted("shared")}  # type: ignore[dict-item]
    rows = k.let("rows_tile|picked|g", wp.tile_load_indexed(x, indices=indices, shape=shape, **keywords))
    rows = named_tile(k, shaped(k, rows, 0, 2))
    if c.chance(1, 2):
        out = k.output("out|pooled|bag", T)
        total = reduced(k, rows, axis)
        stored(k, out, shaped(k, total, 0, 2), (i * width,))
    else:
        out = k.output("out|dst|taken", T, 2)
        stored(k, out, shaped(k, rows, 0, 2), (i * shape[0], 0))
    k.summary(f"Gathers {('rows', 'columns')[axis]} of a {T.name} matrix by index.")


def scattered(k: Author) -> None:
    """x[index] = f(...) or += f(...): rows of a tile go to where a tile of indices says."""
    c, T = k.c, c_real(k)
    k.name("scatter_rows|scatter_add|index_add|tile_scatter|push_rows")
    x = k.input("x|updates|grads", T, 2)
    count, width = extent(k, "COUNT|PICKS|BATCH", (4, 8, 16)), extent(k, "WIDTH|DIM|COLS", (8, 16, 32))
    out = k.output("out|table|dst", T, 2)
    i = k.blocks("i|bid|batch")
    rows = named_tile(k, shaped(k, loaded(k, x, (count, width), (i * count, 0)), 1, 3))
    indices = _indices(k, count, i, out.shape(0))
    adds = c.chance(1, 2)
    keywords = {"axis": 0} if c.chance(1, 2) else {}
    if adds and c.chance(1, 2):
        old = k.let("old|before|prev", wp.tile_atomic_add_indexed(out, indices=indices, t=rows, **keywords))
        stored(k, k.output("history|previous|trace", T, 2), shaped(k, old, 0, 1), (i * count, 0))
    else:
        call = wp.tile_atomic_add_indexed if adds else wp.tile_store_indexed
        k.do(call(out, indices=indices, t=rows, **keywords), out)
    k.summary(f"{'Adds' if adds else 'Writes'} rows of {T.name} values to the rows that indices name.")


def c_real(k: Author) -> Scalar:
    """Return a float type that atomics have."""
    from ...types import DOUBLE

    return k.c.weighted({FLOAT: 4, DOUBLE: 1})


def shuffled(k: Author) -> None:
    """A tile is converted, reshaped, split into views and put back in another order."""
    c, T = k.c, real(k)
    k.name("shuffle|interleave|deinterleave|repack|to_planes")
    x = k.input("x|src|packed", T)
    half = extent(k, "HALF|PAIRS|N", (16, 32, 64))
    i = k.blocks("i|tile_id|bid")
    whole = derived(k, half * 2)
    pairs = wp.tile_reshape(shaped(k, loaded(k, x, (whole,), (i * whole,)), 0, 2), shape=(half, 2))
    turned = k.let("planes|cols_tile|turned", wp.tile_transpose(pairs))
    first, second = _halves(k, turned, size_of(half))
    joined = shaped(k, _pair(k, first, second, T), 1, 2)
    to = c.pick(tuple(type_ for type_ in (FLOAT, T) if type_ is not T) or (T,))
    if to is not T:
        joined = wp.tile_astype(joined, dtype=to)
    out = k.output("out|dst|mags", to)
    stored(k, out, joined, (i * half,))
    k.summary(f"Takes pairs of {T.name} values apart and combines the two of each.")


def _halves(k: Author, turned: Term, n: int) -> tuple[Term, Term]:
    if k.c.chance(1, 2):
        parts = [wp.tile_view(turned, offset=(row, 0), shape=(1, n)) for row in (0, 1)]
        parts = [wp.tile_squeeze(part) for part in parts]
    else:
        parts = [turned[row] if k.c.chance(1, 2) else wp.tile_view(turned, offset=(row,)) for row in (0, 1)]
    first, second = (k.let("a0|first|re", part) for part in parts)
    return first, second


def _pair(k: Author, first: Term, second: Term, T: Scalar) -> Term:
    way = k.c.below(4)
    if way == 0:
        return wp.tile_map(function(k, T, 2), first, second)
    if way == 1:
        return first * coefficient(k, T) + second
    return first * second if way == 2 else shaped(k, first, 1, 1) - shaped(k, second, 0, 1)


def assembled(k: Author) -> None:
    """Parts are loaded on their own, changed and put into one tile."""
    c, T = k.c, real(k)
    k.name("concat|assemble|pack_blocks|stack_parts|join_parts")
    part, count = extent(k, "PART|CHUNK|N", (16, 32, 64)), c.between(2, 4)
    whole = derived(k, part * count)
    arrays = [k.input(words, T) for words in ("a|x|left", "b|y|right", "c0|z|third", "d0|w|fourth")[:count]]
    out = k.output("out|joined|dst", T)
    i = k.blocks("i|tile_id|bid")
    make = c.pick((wp.tile_zeros, wp.tile_ones, wp.tile_empty))  # every element is written below
    full = k.let("full|packed|whole_tile", make(shape=whole, dtype=T))
    for place, array in enumerate(arrays):
        tile = loaded(k, array, (part,), (i * part,), "t|piece|p0")
        k.do(wp.tile_assign(full, shaped(k, tile, 0, 2), offset=(place * size_of(part),)))
    if c.chance(1, 3):
        at = c.below(size_of(part))
        k.put(full[at], coefficient(k, T), c.pick(("+", "")))
    stored(k, out, shaped(k, full, 0, 2), (i * whole,))
    k.summary(f"Puts {count} tiles of {T.name} values together.")


def histogram(k: Author) -> None:
    """Each thread of a block adds its value into a tile of bins, which is then added to the whole histogram."""
    c = k.c
    k.name("tile_histogram|block_histogram|bin_counts|weighted_histogram")
    x: Arr = k.input("x|values|samples", FLOAT)
    T: Scalar = c.pick((INT, FLOAT))
    out = k.output("hist|bins_out|counts", T)
    bins = extent(k, "BINS|NUM_BINS|BUCKETS", (16, 32, 64))
    block, lane = k.blocks("b|block|chunk", "lane|t|tid")
    i = k.let("i|idx|e", block * (256 if c.chance(1, 2) else wp.block_dim()) + lane)
    tile = k.let("local_bins|bins|h_tile", wp.tile_zeros(shape=bins, dtype=T, storage=quoted("shared")))
    inside = k.let("valid|inside|ok", i < x.shape(0))
    value = k.let("v|val|sample", varied(k, x[wp.min(i, x.shape(0) - 1)], 1, 3))
    scaled = wp.clamp(wp.abs(value) * coefficient(k, FLOAT, 50, 900), 0.0, 1.0e6)
    slot = k.let("slot|bin|place", wp.min(cast(scaled, INT), bins - 1))
    weight = number(1, INT) if T is INT else varied(k, value, 0, 1)
    k.do(wp.tile_scatter_add(tile, slot, weight, inside))
    if T is FLOAT and c.chance(1, 2):
        tile = named_tile(k, shaped(k, tile, 0, 1))
    k.do(wp.tile_atomic_add(out, tile, offset=0 if c.chance(1, 2) else (0,)), out)
    k.summary(f"Counts values into {size_of(bins)} bins, in a tile of each block first.")
