"""Maps over tiles of one to four dimensions, transposes, outer products, pooling."""

from __future__ import annotations

from ...author import Arr, Author, Tiled
from ...fusion.tiles import derived, extent, function, loaded, real, reduced, shaped, stored
from ...terms import Term, number, wp
from ...types import INT

# A tiled launch has three dimensions at most: four-dimensional tiles take the last axis whole.
_WORDS = (("i|tile_id|bid|block",), ("i|bi|row", "j|bj|col"), ("i|bi", "j|bj", "b|bk|k0"))
_LENGTHS = ((64, 128, 256, 512), (8, 16, 32), (4, 8), (2, 4))


def _offsets(ids: tuple[Term, ...], shape: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(i * n for i, n in zip(ids, shape, strict=False)) + (number(0, INT),) * (len(shape) - len(ids))


def _ids(k: Author, ndim: int) -> tuple[Term, ...]:
    ids = k.blocks(*_WORDS[min(ndim, 3) - 1])
    return ids if ndim > 1 else (ids,)


def elementwise(k: Author) -> None:
    """out = f(x, y, ...) tile by tile; with a loop over tiles, or one tile for each block."""
    c, T = k.c, real(k)
    ndim = c.weighted({1: 4, 2: 3, 3: 1, 4: 1})
    k.name("tile_map|apply_tiles|elementwise|tile_update|fused_map|activation")
    inputs = [k.input(words, T, ndim) for words in ("x|a|src", "y|b|other", "z|w|third")[: c.between(1, 3)]]
    out = k.inout("state|acc_out|grad", T, ndim) if c.chance(1, 4) else k.output("out|dst|result", T, ndim)
    shape = tuple(extent(k, "TILE|BLOCK|TILE_SIZE|TILE_M|TILE_N|TILE_K", _LENGTHS[ndim - 1]) for _ in range(ndim))
    ids = _ids(k, ndim)
    if ndim == 1 and c.chance(1, 2):
        _strip(k, inputs, out, shape[0], ids[0])
    else:
        _one(k, inputs, out, shape, _offsets(ids, shape))
    k.summary(f"Maps {len(inputs)} {ndim}-D {T.name} array{'s' * (len(inputs) > 1)} to another, tile by tile.")


def _one(k: Author, inputs: list[Arr], out: Arr, shape: tuple[Term, ...], offset: tuple[Term, ...]) -> None:
    value: Term | None = None
    for array in inputs:
        tile = loaded(k, array, shape, offset)
        value = shaped(k, tile, 1, 2) if value is None else shaped(k, _both(k, value, tile), 0, 1)
    assert value is not None
    stored(k, out, shaped(k, value, 1, 2), offset)


def _both(k: Author, left: Term, right: Term) -> Term:
    way = k.c.below(4)
    if way == 0:
        return left + right
    if way == 1:
        return left * right
    if way == 2:
        return left - right
    return wp.tile_map(function(k, right.type.dtype, 2), left, right)  # type: ignore[union-attr,arg-type]


def _strip(k: Author, inputs: list[Arr], out: Arr, tile: Term, i: Term) -> None:
    """A block walks over several tiles of a vector."""
    tiles = k.scalar("tiles|count|steps", INT) if k.c.chance(1, 2) else number(k.c.pick((2, 4, 8)), INT)
    with k.for_("s|step|t_id|chunk", tiles) as step:
        at = k.let("start|base|begin", (i * tiles + step) * tile)
        _one(k, inputs, out, (tile,), (at,))


def transposed(k: Author) -> None:
    """out = f(x^T): one tile of a matrix at a time."""
    c, T = k.c, real(k)
    k.name("tile_transpose|transpose_blocks|transpose|swap_axes")
    batched = c.chance(1, 4)
    x, out = k.input("x|a|src|m", T, 3 if batched else 2), k.output("out|dst|xt", T, 3 if batched else 2)
    rows, cols = extent(k, "TILE_M|ROWS|BM", (8, 16, 32)), extent(k, "TILE_N|COLS|BN", (8, 16, 32))
    ids = k.blocks(*(("b|batch|layer",) if batched else ()), "i|bi|row", "j|bj|col")
    i, j = ids[-2:]
    source = k.let("page|slab|plane", x[ids[0]]) if batched else x
    target = k.let("dest|out_page|target", out[ids[0]]) if batched else out
    before = shaped(k, loaded(k, source, (rows, cols), (i * rows, j * cols)), 0, 2)
    turned = k.let("tt|turned|flipped", wp.tile_transpose(before))
    after = shaped(k, turned, 1, 2)
    if batched:
        k.do(wp.tile_store(target, after, offset=(j * cols, i * rows)), out)
    else:
        stored(k, out, after, (j * cols, i * rows))
    k.summary(f"Transposes {'each matrix of a batch' if batched else 'a matrix'} of {T.name} in tiles.")


def outer(k: Author) -> None:
    """out[m, n] = f(a[m], b[n]): both vectors are broadcast to a tile."""
    c, T = k.c, real(k)
    k.name("outer_product|pairwise|tile_outer|cross_table|add_bias")
    a, b = k.input("a|x|rows_in", T), k.input("b|y|cols_in", T)
    out = k.output("out|table|m", T, 2)
    rows, cols = extent(k, "TILE_M|ROWS|BM", (8, 16, 32)), extent(k, "TILE_N|COLS|BN", (8, 16, 32))
    i, j = k.blocks("i|bi|row", "j|bj|col")
    left = _column(k, shaped(k, loaded(k, a, (rows,), (i * rows,)), 0, 2), rows, cols)
    right = k.let("yb|right|across", wp.tile_broadcast(_row(k, loaded(k, b, (cols,), (j * cols,)), cols), (rows, cols)))
    value = _both(k, left, shaped(k, right, 0, 1))
    if c.chance(1, 3):
        value = value + loaded(k, k.input("bias|base|c0", T, 2), (rows, cols), (i * rows, j * cols))
    stored(k, out, shaped(k, value, 1, 2), (i * rows, j * cols))
    k.summary(f"Combines every element of one {T.name} vector with every element of another, in tiles.")


def _column(k: Author, tile: Term, rows: Term, cols: Term) -> Tiled:
    column = k.let("xc|column|left", wp.tile_reshape(tile, shape=(rows, 1)))
    return k.let("xb|down|spread", wp.tile_broadcast(column, (rows, cols)))  # type: ignore[no-any-return]


def _row(k: Author, tile: Term, cols: Term) -> Term:
    tile = shaped(k, tile, 0, 2)
    return wp.tile_reshape(tile, shape=(1, cols)) if k.c.chance(1, 2) else tile


def pooled(k: Author) -> None:
    """A tile is reshaped into windows and each window reduced; or squeezed, or converted on the way."""
    c, T = k.c, real(k)
    k.name("pool|downsample|tile_pool|reduce_windows|decimate")
    x = k.input("x|src|signal", T)
    width, count = c.pick((2, 4, 8)), extent(k, "OUT|WINDOWS|GROUPS", (16, 32, 64))
    i = k.blocks("i|tile_id|bid")
    whole = derived(k, count * width)
    tile = shaped(k, loaded(k, x, (whole,), (i * whole,)), 0, 2)
    folded = k.let("win|folded|groups", wp.tile_reshape(tile, shape=(count, width)))
    value = reduced(k, shaped(k, folded, 0, 1), 1)
    out = k.output("out|dst|pooled_out", value.type.dtype)  # type: ignore[union-attr]
    stored(k, out, shaped(k, value, 1, 2), (i * count,))
    k.summary(f"Reduces windows of {width} {T.name} values to one each, in tiles.")
