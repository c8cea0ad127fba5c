"""Attention, rotary embedding, embedding lookup, recurrent cells."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import local, precise, settled, transform
from ...fusion.sweeps import TermOf, extreme, sweep, total
from ...terms import Term, cast, number, where, wp
from ...types import INT, Scalar


def attention(k: Author) -> None:
    """Attention of one query and one output feature per thread: scores, mask, softmax (also online), values."""
    c, T = k.c, precise(k)
    k.name("attention|attend|sdpa_forward|causal_attention|attention_row")
    i, d = k.tid("i|query|q_pos|t", "d|feature|col|f0")
    q, keys = k.input("q|queries|query_in", T, 2), k.input("keys_in|key_cache|kmat", T, 2)
    v = k.input("v|values|value_cache", T, 2)
    dim = q.shape(1) if c.chance(1, 2) else local(k, "dim|head_dim|width", q.shape(1))
    scale = local(k, "scale|inv_sqrt|temper", 1.0 / wp.sqrt(cast(wp.max(dim, 1), T)))
    last = _reach(k, i, keys.shape(0))
    mask = k.input("mask|pad_mask|allowed", INT) if c.chance(1, 3) else None
    bias = k.input("bias|rel_bias|alibi", T, 2) if c.chance(1, 3) else None
    change = transform(k, "cap|shape_score|adjust", T, 1)

    def score(j: Term) -> Term:
        dot = total(k, "dot|qk|acc_qk", dim, lambda m: q[i, m] * keys[j, m], T)
        s = change(dot * scale if bias is None else dot * scale + bias[i, j])
        return s if mask is None else where(mask[j] != 0, s, number(-1.0e4, T))

    value = _attended(k, last, score, lambda j: v[j, d], T)
    value = settled(k, value, 0, 2)
    k.output("out|context|attended", T, 2)[i, d] = value
    statistic(k, value)
    k.summary("Computes one feature of the attention output of each query by a softmax over its keys.")


def _reach(k: Author, i: Term, length: Term) -> Term:
    """Return how many keys a query sees: all, those up to itself, or as many as its sequence has."""
    way = k.c.below(3)
    if way == 0:
        return length
    if way == 1:
        return local(k, "last|seen|limit_k", wp.min(i + 1, length))
    lengths = k.input("lengths|seq_lens|n_valid", INT)
    return local(k, "last|seen|limit_k", wp.min(lengths[i], length))


def _attended(k: Author, count: Term, score: TermOf, value: TermOf, T: Scalar) -> Term:
    acc, mass = k.var("acc|ctx|weighted", number(0.0, T)), k.var("mass|z|denom", number(0.0, T))
    way = k.c.below(3)
    if way == 0:
        top = extreme(k, "top|m0|peak", count, score, T)
        with sweep(k, count, "j|key|s0") as j:
            p = local(k, "p|w|prob", wp.exp(score(j) - top))
            mass += p
            acc += p * value(j)
    elif way == 1:
        with sweep(k, count, "j|key|s0") as j:
            p = local(k, "p|w|prob", wp.exp(wp.clamp(score(j), -30.0, 30.0)))
            mass += p
            acc += p * value(j)
    else:
        top_var = k.var("top|m0|peak", number(-1.0e30, T))
        with sweep(k, count, "j|key|s0") as j:
            s = local(k, "s|sc|cur", score(j))
            new = local(k, "m1|higher|new_top", wp.max(top_var, s))
            keep, p = local(k, "keep|corr|alpha_k", wp.exp(top_var - new)), local(k, "p|w|prob", wp.exp(s - new))
            mass.set(mass * keep + p)
            acc.set(acc * keep + p * value(j))
            top_var.set(new)
    return acc / wp.max(mass, 1.0e-6)


def rotary(k: Author) -> None:
    """Rotary position embedding of pairs of features (Su et al. 2021), adjacent or in halves."""
    c, T = k.c, precise(k)
    k.name("rotary|rope|apply_rope|rotary_embedding|rotate_pairs")
    batched = c.chance(1, 3)
    tid = k.tid("b|head|batch", "i|pos|token", "p|pair|m") if batched else k.tid("i|pos|token", "p|pair|m")
    pos, pair = tid[-2], tid[-1]
    x = k.input("x|q|inp|embed", T, len(tid))
    width = local(k, "dim|width|n_feat", x.shape(len(tid) - 1))
    half = local(k, "half|n_pairs|mid", width // 2)
    with k.if_(pair >= half):
        k.leave()
    split = c.chance(1, 2)
    a, b = (pair, pair + half) if split else (2 * pair, 2 * pair + 1)
    first, second = (*tid[:-1], a), (*tid[:-1], b)
    angle = _angle(k, pos, pair, half, T)
    if c.chance(1, 2):
        cos, sin = local(k, "cs|cos_a|co", wp.cos(angle)), local(k, "sn|sin_a|si", wp.sin(angle))
    else:
        angle = local(k, "ang|theta|phi", angle)
        cos, sin = wp.cos(angle), wp.sin(angle)
    u, v = local(k, "u|x0|re", varied(k, x[first], 0, 1)), local(k, "v|x1|im", varied(k, x[second], 0, 1))
    sign = -1.0 if c.chance(1, 4) else 1.0
    turned = (u * cos - v * sin, v * cos + u * sin) if sign > 0 else (u * cos + v * sin, v * cos - u * sin)
    out = k.output("out|rotated|y", T, len(tid))
    out[first] = varied(k, turned[0], 0, 2)
    out[second] = varied(k, turned[1], 0, 2)
    statistic(k, u)
    back = " backwards" if sign < 0 else ""
    k.summary(f"Rotates {'split' if split else 'adjacent'} pairs of features{back} by an angle of their position.")


def _angle(k: Author, pos: Term, pair: Term, half: Term, T: Scalar) -> Term:
    way = k.c.below(4)
    place = pos if k.c.chance(1, 2) else pos + k.scalar("start_pos|offset|past", INT)
    place = place if k.c.chance(3, 4) else k.input("positions|pos_ids|steps_in", INT)[pos]
    position = cast(place, T)
    if way == 0:
        table = k.input("inv_freq|freqs|thetas", T)
        return position * table[pair]
    fraction = local(k, "frac|expo|rel", cast(pair, T) / cast(wp.max(half, 1), T))
    if way == 1:
        base = k.constant("BASE|ROPE_BASE|THETA", 10000.0, T)
        return position / wp.pow(base, fraction)
    if way == 2:
        return position * wp.exp(-fraction * k.c.pick((9.2103404, 6.9077553, 13.122363)))
    return position * coefficient(k, T) * wp.pow(number(0.0001, T), fraction)


def embedding(k: Author) -> None:
    """Lookup of rows of a table for tokens: one row plus position, or a bag of rows with pooling."""
    c, T = k.c, k.real()
    k.name("embedding|embed_tokens|embedding_bag|lookup_pool|gather_rows")
    i, d = k.tid("i|token|bag|row", "d|feature|col|e")
    table = k.input("table|weight|vectors|embed", T, 2)
    bag = c.chance(2, 3)
    if c.chance(1, 3):
        with k.if_(d >= table.shape(1)):
            k.leave()
    value = _pooled(k, table, i, d, T) if bag else _single(k, table, i, d, T)
    value = settled(k, value, 0, 3)
    k.output("out|embedded|pooled", T, 2)[i, d] = value
    statistic(k, value)
    k.summary("Pools the embeddings of each bag of tokens." if bag else "Looks up the embedding of each token.")


def _row(k: Author, token: Term, table: Arr) -> Term:
    size = table.shape(0)
    if k.c.chance(1, 3):
        return local(k, "id0|tok|word", wp.abs(token * 31) % size)
    return local(k, "id0|tok|word", wp.clamp(token, 0, size - 1))


def _single(k: Author, table: Arr, i: Term, d: Term, T: Scalar) -> Term:
    tokens = k.input("tokens|ids|input_ids", INT)
    row = _row(k, tokens[i], table)
    if k.c.chance(1, 3):
        with k.if_(tokens[i] < 0):
            k.leave()
    value = table[row, d]
    if k.c.chance(1, 2):
        value = value * coefficient(k, T)
    if k.c.chance(1, 2):
        value = value + k.input("pos_table|positional|wpe", T, 2)[i, d]
    if k.c.chance(1, 3):
        value = value + k.input("type_table|segment|wte2", T, 2)[wp.abs(tokens[i]) % 2, d]
    return value


def _pooled(k: Author, table: Arr, i: Term, d: Term, T: Scalar) -> Term:
    c = k.c
    mode, padded = c.pick(("sum", "mean", "max")), c.chance(1, 2)
    tokens = k.input("tokens|ids|members", INT, 2 if padded else 1)
    if padded:
        count: Term = tokens.shape(1)
    else:
        starts = k.input("offsets|starts|bag_ptr", INT)
        start = local(k, "begin|start|lo", wp.max(starts[i], 0))
        stop = local(k, "stop|finish|hi", wp.min(starts[wp.min(i + 1, starts.shape(0) - 1)], tokens.shape(0)))
        count = local(k, "count|n_tokens|size", stop - start)
    weights = k.input("token_weights|per_sample|alphas", T, 2 if padded else 1) if c.chance(1, 3) else None

    def element(j: Term) -> Term:
        place = (i, j) if padded else start + j
        value = table[_row(k, tokens[place], table), d]
        return value if weights is None else value * weights[place]

    if mode == "max":
        return extreme(k, "best|top|peak", count, element, T)
    acc = total(k, "acc|pooled_sum|s", count, element, T)
    return acc if mode == "sum" else acc / cast(wp.max(count, 1), T)
