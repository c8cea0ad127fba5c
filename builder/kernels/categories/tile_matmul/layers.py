"""Layers of a network on tiles: dense layers, attention."""

from __future__ import annotations

from itertools import pairwise

from ...author import Author
from ...fusion.steps import varied
from ...fusion.tiles import extent, function, loaded, named_tile, shaped, stored
from ...terms import Term, builtin, number, wp
from ...types import DOUBLE, FLOAT, Scalar
from .products import zeros


def layer(k: Author) -> None:
    """One or two dense layers on a tile of inputs, with biases and activations."""
    c, T = k.c, k.c.weighted({FLOAT: 5, DOUBLE: 1})
    k.name("dense_layer|mlp_forward|fused_mlp|linear_relu|feed_forward")
    batch, width, hidden = (
        extent(k, "BATCH|B", (8, 16)),
        extent(k, "IN|DIM", (8, 16)),
        extent(k, "HIDDEN|H", (8, 16, 32)),
    )
    x, out = k.input("x|inputs|h0", T, 2), k.output("out|y|logits", T, 2)
    i = k.blocks("i|bid|chunk")
    value = named_tile(k, shaped(k, loaded(k, x, (batch, width), (i * batch, 0)), 0, 1))
    sizes = (width, hidden) if c.chance(1, 2) else (width, hidden, width)
    for depth, (before, after) in enumerate(pairwise(sizes)):
        w = loaded(k, k.input(f"w{depth}|weight{depth}", T, 2), (before, after), (0, 0), f"w{depth}_tile|wt")
        product = k.let(f"z{depth}|pre{depth}", wp.tile_matmul(value, w))
        if c.chance(1, 2):
            bias = loaded(k, k.input(f"b{depth}|bias{depth}", T), (after,), (0,), f"b{depth}_tile|bt")
            product = product + wp.tile_broadcast(bias, (batch, after))
        value = named_tile(k, wp.tile_map(function(k, T), shaped(k, product, 0, 1)), f"h{depth}|a{depth}")
    stored(k, out, shaped(k, value, 0, 1), (i * batch, 0))
    k.summary(f"Runs {len(sizes) - 1} dense {T.name} layer{'s' * (len(sizes) > 2)} on a tile of inputs.")


def attention(k: Author) -> None:
    """Scores Q K^T of one block of queries, row-wise weights, and their product with V."""
    T = k.c.weighted({FLOAT: 5, DOUBLE: 1})
    k.name("attention|attend|attention_block|score_mix|kernel_smoother")
    queries, keys, dim = extent(k, "BQ|QUERIES", (8, 16)), extent(k, "BK|KEYS", (8, 16)), extent(k, "DIM|HEAD", (8, 16))
    q, key, v = k.input("Q|q|queries", T, 2), k.input("K|keys|kk", T, 2), k.input("V|v|values", T, 2)
    out = k.output("O|out|mixed", T, 2)
    i = k.blocks("i|bid|block")
    tq = named_tile(k, shaped(k, loaded(k, q, (queries, dim), (i * queries, 0), "q_tile|tq"), 0, 1))
    acc = zeros(k, (queries, dim), T)
    norms = k.let("norms|denom|weights_sum", wp.tile_zeros(shape=queries, dtype=T))
    with k.for_("t|step|s", key.shape(0) // keys) as t:
        tk = loaded(k, key, (keys, dim), (t * keys, 0), "k_tile|tk")
        tv = loaded(k, v, (keys, dim), (t * keys, 0), "v_tile|tv")
        scores = k.let("scores|s0|logits", wp.tile_matmul(tq, k.let("kt|turned", wp.tile_transpose(tk))))
        weights = named_tile(k, _weights(k, scores, T), "p|weights|attn")
        norms += wp.tile_sum(weights, axis=1)
        k.do(wp.tile_matmul(weights, tv, acc))
    spread = wp.tile_broadcast(wp.tile_reshape(norms, shape=(queries, 1)), (queries, dim))
    stored(k, out, shaped(k, acc / spread, 0, 2), (i * queries, 0))
    k.summary(f"Mixes {T.name} values by weights of query and key tiles, normalised at the end.")


def _weights(k: Author, scores: Term, T: Scalar) -> Term:
    """Return positive weights of the scores."""
    way, rate = k.c.below(3), number(k.c.between(5, 100) / 100, T)
    scores = shaped(k, scores, 0, 2)
    if way == 0:
        return wp.tile_map(builtin("exp", T), wp.tile_map(builtin("min", T, T), scores * rate, number(20.0, T)))
    bodies = (
        lambda s, x: wp.exp(wp.clamp(x * rate, -20.0, 20.0)),
        lambda s, x: 1.0 / (1.0 + varied(s, x, 0, 1) * x * x + wp.exp(-wp.clamp(x, -20.0, 20.0))),
        lambda s, x: wp.log(1.0 + wp.exp(wp.min(x * rate, 20.0))) + rate,
        lambda s, x: wp.exp(-wp.min(x * x * rate, 30.0)) + rate,
    )
    body = bodies[0] if way == 1 else k.c.pick((bodies[2], bodies[3]))
    return wp.tile_map(k.function("weigh|score_fn|similarity|soft", {"x|s|v": T}, body).word, scores)
