"""Reductions of rows: sums, norms, softmax, normalisation, dot products."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...fusion.tiles import (
    Join,
    combiner,
    extent,
    function,
    give_single,
    loaded,
    named_tile,
    real,
    reduced,
    shaped,
    single,
    size_of,
    stored,
)
from ...terms import Term, builtin, number, wp
from ...types import DOUBLE, FLOAT, INT, Scalar

_COLS = (64, 128, 256, 512)
_FOLDS: tuple[Join, ...] = (lambda a, b: a + b, wp.max, lambda a, b: a * 0.5 + b)


def _row_tile(k: Author, x: Arr, i: Term, cols: Term, words: str = "row|t|x_tile") -> Term:
    """Return one row of a matrix as a 1-D tile, loaded from a view or as a tile of one row."""
    if k.c.chance(1, 2):
        return loaded(k, k.let("view|line|xi", x[i]), (cols,), (0,), words)
    flat = loaded(k, x, (number(1, INT), cols), (i, 0), "block_row|wide|tile2d")
    return wp.tile_squeeze(flat) if k.c.chance(1, 2) else wp.tile_reshape(flat, shape=(cols,))


def row_reduction(k: Author) -> None:
    """out[i] = reduce(f(x[i, :])): a block for each row, which walks over the row in tiles or takes it at once."""
    c, T = k.c, real(k)
    k.name("row_sum|row_reduce|block_reduce|row_norm|reduce_rows")
    x, out = k.input("x|a|m|src", T, 2), k.output("out|sums|result", T)
    cols = extent(k, "TILE|COLS|BLOCK", _COLS)
    i = k.blocks("i|row|r")
    way = c.below(3)
    if way == 0:
        tile = named_tile(k, shaped(k, _row_tile(k, x, i, cols), 1, 3))
        give_single(k, out, reduced(k, tile), i)
    else:
        _walked(k, x, out, cols, i, numbers=way == 1)
    k.summary(f"Reduces every row of a {T.name} matrix to one number, a block for each row.")


def _walked(k: Author, x: Arr, out: Arr, cols: Term, i: Term, *, numbers: bool) -> None:
    T = x.type.dtype  # type: ignore[union-attr]
    assert isinstance(T, Scalar)
    row = k.let("view|line|xi", x[i])
    if numbers:
        total = k.var("total|acc|best", number(0.0, T))
    else:
        acc = k.let("acc|partial|running", wp.tile_zeros(shape=cols, dtype=T))
    with k.for_("s|chunk|t|step", row.shape(0) // cols) as s:
        tile = named_tile(k, shaped(k, loaded(k, row, (cols,), (s * cols,), inside=True), 1, 2))
        if numbers:
            part = single(k, reduced(k, tile), "part|chunk_sum|piece")
            total.set(k.c.pick(_FOLDS)(total, part))
        elif k.c.chance(1, 2):
            acc += tile
        else:
            k.do(wp.tile_axpy(coefficient(k, T), tile, acc))
    if numbers:
        out[i] = varied(k, total, 0, 2)
    else:
        give_single(k, out, reduced(k, shaped(k, acc, 0, 1)), i)


def softmax(k: Author) -> None:
    """Softmax of each row: by exponentials less the row's maximum; its logarithm, or with a temperature."""
    c, T = k.c, c_float(k)
    k.name("softmax_rows|row_softmax|softmax|log_softmax|attention_weights")
    x, out = k.input("x|logits|scores", T, 2), k.output("out|probs|y", T, 2)
    cols = extent(k, "TILE|COLS|CLASSES", _COLS)
    i = k.blocks("i|row|b")
    tile = named_tile(k, shaped(k, _row_tile(k, x, i, cols), 0, 2))
    if c.chance(1, 3):
        mask = loaded(k, k.input("mask|bias|offsets", T), (cols,), (0,), "mask_tile|b_tile")
        tile = named_tile(k, tile + mask)
    top = single(k, wp.tile_max(tile), "top|row_max|peak") if c.chance(1, 2) else None
    shifted = _shifted(k, tile, top, T)
    result, log = _normalised(k, shifted, T)
    result = shaped(k, result, 0, 2)
    wide = wp.tile_reshape(result, shape=(1, cols))
    stored(k, out, wide, (i, 0))
    k.summary(f"Takes {'the logarithm of ' * log}the softmax of every row of a {T.name} matrix.")


def c_float(k: Author) -> Scalar:
    """Return a float type whose exponentials do not overflow soon."""
    return k.c.weighted({FLOAT: 4, DOUBLE: 1})


def _shifted(k: Author, tile: Term, top: Term | None, T: Scalar) -> Term:
    n = size_of(tile.type.shape[0])  # type: ignore[union-attr]
    if top is None:
        peak = k.let("peak|top_tile|m", wp.tile_broadcast(wp.tile_max(tile), (n,)))
        return named_tile(k, tile - peak)
    heat = coefficient(k, T)

    def body(s: object, v: Term, m: Term) -> Term:
        return (v - m) * heat if k.c.chance(1, 2) else v - m

    if k.c.chance(1, 2) and not _is_argument(heat):
        less = k.function("shift|centre|below_top", {"v|x": T, "m|top": T}, body)
        return named_tile(k, wp.tile_map(less.word, tile, top))
    return named_tile(k, (tile - wp.tile_full(shape=n, value=top, dtype=T)) * heat)


def _is_argument(term: Term) -> bool:
    from ...program import Name

    return isinstance(term.e, Name) and term.e.value is None


def _normalised(k: Author, shifted: Term, T: Scalar) -> tuple[Term, bool]:
    grown = named_tile(k, wp.tile_map(builtin("exp", T), shifted), "e|exps|weights")
    if k.c.chance(1, 3):
        total = single(k, wp.tile_sum(grown), "total|denom|norm")
        return shifted - wp.tile_full(shape=grown.type.shape, value=wp.log(total), dtype=T), True  # type: ignore[union-attr]
    if k.c.chance(1, 2):
        return grown / single(k, wp.tile_sum(grown), "total|denom|norm"), False
    spread = wp.tile_broadcast(wp.tile_sum(grown), grown.type.shape)  # type: ignore[union-attr]
    return grown / k.let("denom|spread|norms", spread), False


def normalised(k: Author) -> None:
    """Layer norm, RMS norm, standard scores of each row, with or without a learned scale and shift."""
    c, T = k.c, c_float(k)
    k.name("layer_norm|rms_norm|normalize_rows|standardize|instance_norm")
    x, out = k.input("x|h|src", T, 2), k.output("out|y|normed", T, 2)
    cols = extent(k, "TILE|COLS|HIDDEN", _COLS)
    i = k.blocks("i|row|token")
    tile = named_tile(k, shaped(k, _row_tile(k, x, i, cols), 0, 2))
    scale = 1.0 / size_of(cols)
    centred, kind = tile, "root mean square"
    if c.chance(2, 3):
        mean = k.let("mean|mu|avg", single(k, wp.tile_sum(tile)) * number(scale, T))
        centred = named_tile(k, tile - wp.tile_full(shape=cols, value=mean, dtype=T), "d|centred|dev")
        kind = "standard deviation"
    square = wp.tile_dot(centred, centred) if c.chance(1, 2) else wp.tile_sum(centred * centred)
    spread = k.let("var|ms|power", single(k, square) * number(scale, T) + coefficient(k, T, 1, 10))
    inverse = k.let("inv|rstd|r", 1.0 / wp.sqrt(spread))
    result = centred * inverse
    if c.chance(1, 2):
        result = result * loaded(k, k.input("gamma|weight|gain", T), (cols,), (0,), "g_tile|w_tile")
    if c.chance(1, 2):
        result = result + loaded(k, k.input("beta|shift|bias", T), (cols,), (0,), "b_tile|s_tile")
    stored(k, out, wp.tile_reshape(shaped(k, result, 0, 2), shape=(1, cols)), (i, 0))
    k.summary(f"Divides every row of a {T.name} matrix by its {kind}.")


def dot_product(k: Author) -> None:
    """Dot products, squared distances, cosines and weighted sums of two vectors or of rows."""
    c, T = k.c, c_float(k)
    k.name("dot|inner_product|cosine|distance|tile_dot|correlate")
    a, b, out = k.input("a|x|u", T, 2), k.input("b|y|v", T, 2), k.output("out|result|sims", T)
    cols = extent(k, "TILE|COLS|DIM", _COLS)
    i = k.blocks("i|row|pair")
    left = named_tile(k, shaped(k, _row_tile(k, a, i, cols, "ta|left"), 0, 2))
    right = named_tile(k, shaped(k, _row_tile(k, b, i, cols, "tb|right"), 0, 2))
    way = c.below(4)
    if way == 0:
        give_single(k, out, wp.tile_dot(left, right), i)
    elif way == 1:
        gap = named_tile(k, left - right, "gap|delta|diff")
        give_single(k, out, wp.tile_dot(gap, gap) if c.chance(1, 2) else reduced(k, gap * gap), i)
    elif way == 2:
        ab = single(k, wp.tile_dot(left, right), "ab|cross")
        aa, bb = single(k, wp.tile_dot(left, left), "aa|na"), single(k, wp.tile_dot(right, right), "bb|nb")
        out[i] = varied(k, ab / wp.sqrt(aa * bb + coefficient(k, T, 1, 20)), 0, 2)
    else:
        joined = wp.tile_map(function(k, T, 2), left, right)
        give_single(k, out, wp.tile_reduce(combiner(k, T), joined), i)
    kinds = ("the dot product", "the squared distance", "the cosine", "a reduced combination")
    k.summary(f"Computes {kinds[way]} of matching rows of two {T.name} matrices, a block for each pair.")
