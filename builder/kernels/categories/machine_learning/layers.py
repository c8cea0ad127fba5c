"""Layers with weights: linear, convolution, pooling, batch normalisation, expert mixing."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author, Scope
from ...fusion import statistic, varied
from ...fusion.cells import Change, local, precise, setting, settled, transform
from ...fusion.sweeps import extreme, sweep, total, winner
from ...terms import Term, both, cast, number, where, wp
from ...types import INT, Scalar


def linear(k: Author) -> None:
    """A dense layer: weight layouts, gated pairs, low-rank correction, expert of each row, bias, activation."""
    c, T = k.c, k.real()
    k.name("linear|dense|fc_forward|linear_act|mlp_layer|project")
    i, o = k.tid("i|row|b|sample", "o|unit|col|n_out")
    x, w = k.input("x|inp|features|acts", T, 2), k.input("w|weight|kernel_w", T, 2)
    flip = c.chance(1, 3)
    if c.chance(1, 3):
        with k.if_(o >= w.shape(1 if flip else 0)):
            k.leave()
    change = transform(k, "prepare|norm_in|act_in", T, 1)
    experts = k.input("expert_scale|lora_row|row_gain", T) if c.chance(1, 4) else None

    def term(m: Term) -> Term:
        product = change(x[i, m]) * (w[m, o] if flip else w[o, m])
        return product if experts is None else product * experts[m]

    value = total(k, "acc|s|z|pre", x.shape(1), term, T)
    if c.chance(2, 3):
        value = value + k.input("bias|b|offsets", T)[o]
    if c.chance(1, 4):
        gate = k.input("w_gate|gate_weight|w2", T, 2)
        other = total(k, "gate_acc|g|u_acc", x.shape(1), lambda m: x[i, m] * gate[o, m], T)
        value = local(k, "v0|up|main", value) * (1.0 / (1.0 + wp.exp(-wp.clamp(other, -9.0, 9.0))))
    value = varied(k, value, 0, 2)
    if c.chance(1, 3):
        value = value + k.input("residual|skip|shortcut", T, 2)[i, o]
    value = settled(k, value, 0, 1)
    k.output("out|y|hidden|result", T, 2)[i, o] = value
    statistic(k, value)
    k.summary(f"Computes a dense layer with {'input-major' if flip else 'output-major'} weights.")


def convolution(k: Author) -> None:
    """A direct 1-D or 2-D convolution: depthwise or over channels, stride, dilation, padding rule."""
    c, T = k.c, precise(k)
    plane = c.chance(1, 2)
    deep = c.chance(1, 2) and not plane
    k.name("conv2d|conv_direct|convolve2d|depthwise_conv" if plane else "conv1d|convolve|temporal_conv|causal_conv")
    stride, dilation = c.pick((1, 1, 2, 3)), c.pick((1, 1, 2, 4))
    rule = c.pick(("zero", "clamp", "wrap"))
    words = ("y|row|oy", "x|col|ox") if plane else ("ch|c0|o", "t|pos|n")
    first, second = k.tid(*words)
    x, w = k.input("x|src|signal|inp", T, 2), k.input("w|kernel_w|taps", T, 2)
    change = transform(k, "pre|load_act|prepare", T, 1)
    at = _reader(k, x, rule, change, T)

    taps = k.constant("RADIUS|HALF|REACH", c.between(1, 2)) if c.chance(1, 2) else k.scalar("radius|half|reach", INT)
    acc = k.var("acc|s|total", number(0.0, T))
    if plane:
        with k.for_("dy|ky|r", -taps, taps + 1) as dy, k.for_("dx|kx|q", -taps, taps + 1) as dx:
            weight = w[(dy + taps) % w.shape(0), (dx + taps) % w.shape(1)]
            acc += weight * at(
                _times(first, stride) + _times(dy, dilation), _times(second, stride) + _times(dx, dilation)
            )
    elif deep:
        with sweep(k, x.shape(0), "ci|chan|m") as ci, k.for_("q|tap|lag", -taps, taps + 1) as q:
            acc += w[ci, (q + taps) % w.shape(1)] * at(ci, _times(second, stride) + _times(q, dilation))
    else:
        with k.for_("q|tap|lag", -taps, taps + 1) as q:
            acc += w[first, (q + taps) % w.shape(1)] * at(first, _times(second, stride) - _times(q, dilation))
    value = Term(acc.e) if c.chance(1, 2) else acc + k.input("bias|offsets|b", T)[first]
    value = settled(k, value, 0, 3)
    k.output("out|y|filtered", T, 2)[first, second] = value
    statistic(k, value)
    edges = {"zero": "zeros", "clamp": "the nearest element", "wrap": "periodic continuation"}[rule]
    k.summary(f"Computes a {'2-D' if plane else '1-D'} convolution with {edges} outside, stride {stride}.")


def _reader(k: Author, x: Arr, rule: str, change: Change, T: Scalar) -> Callable[[Term, Term], Term]:
    """Return a function that reads the input at a place, inside or outside."""
    wrapped = (
        k.function("wrap_index|wrap|periodic", {"p|q|v": INT, "n|size|m": INT}, _wrapped) if rule == "wrap" else None
    )

    def at(r: Term, q: Term) -> Term:
        if rule == "clamp":
            return change(x[wp.clamp(r, 0, x.shape(0) - 1), wp.clamp(q, 0, x.shape(1) - 1)])
        if rule == "wrap":
            assert wrapped is not None
            return change(x[wrapped(r, x.shape(0)), wrapped(q, x.shape(1))])
        inside = both(r >= 0, r < x.shape(0), q >= 0, q < x.shape(1))
        safe = x[wp.clamp(r, 0, x.shape(0) - 1), wp.clamp(q, 0, x.shape(1) - 1)]
        return change(where(inside, safe, number(0.0, T)))

    return at


def _times(index: Term, factor: int) -> Term:
    return index if factor == 1 else index * factor


def _wrapped(s: Scope, p: Term, n: Term) -> Term:
    if s.c.chance(1, 2):
        return (p % n + n) % n
    rest = local(s, "rest|left|m0", p % n)
    return where(rest < 0, rest + n, rest)


def pooling(k: Author) -> None:
    """Max, average, power, or log-sum-exp pooling of windows in 1-D or 2-D, with the position of the maximum."""
    c, T = k.c, precise(k)
    kind = c.pick(("max", "avg", "power", "smooth", "min", "argmax"))
    k.name(f"{kind}_pool|{kind}_pooling|pool_{kind}|downsample_{kind}")
    plane = c.chance(1, 2)
    b, p = k.tid("b|row|oy", "p|col|ox")
    x = k.input("x|src|feature_map|inp", T, 2)
    window = c.between(2, 3) if c.chance(1, 2) else c.between(4, 6)
    stride = k.scalar("stride|hop", INT) if c.chance(1, 3) else number(c.pick((1, 2, window)), INT)
    change = transform(k, "pre|act|prepare", T)
    rows = local(k, "r0|top_row|y0", b * stride) if plane else b

    def element(n: Term) -> Term:
        if not plane:
            return change(x[b, wp.min(p * stride + n, x.shape(1) - 1)])
        r, q = n // window, n % window
        return change(x[wp.min(rows + r, x.shape(0) - 1), wp.min(p * stride + q, x.shape(1) - 1)])

    count = k.constant("WINDOW|AREA|TAPS", 20 if c.chance(1, 4) else window) if not plane else None
    n = count if count is not None else number(window * window, INT)
    value = _pooled(k, kind, n, element, T, (b, p))
    value = settled(k, value, 0, 2)
    k.output("out|y|pooled", T, 2)[b, p] = value
    statistic(k, value)
    names = {"avg": "mean", "power": "root of the mean square", "smooth": "log-sum-exp", "argmax": "maximum"}
    k.summary(f"Takes the {names.get(kind, kind + 'imum')} over a {'2-D' if plane else '1-D'} window for every output.")


def _pooled(
    k: Author, kind: str, n: Term, element: Callable[[Term], Term], T: Scalar, place: tuple[Term, Term]
) -> Term:
    if kind in ("max", "min"):
        return extreme(k, "best|m|peak", n, element, T, largest=kind == "max")
    if kind == "argmax":
        best, which = winner(k, n, element, T)
        k.output("where_out|switches|arg_out", INT, 2)[place] = which
        return best
    if kind == "smooth":
        top = extreme(k, "best|m|peak", n, element, T)
        return top + wp.log(total(k, "mass|acc|z", n, lambda q: wp.exp(element(q) - top), T) + 1.0e-6)
    if kind == "avg":
        return total(k, "acc|s|sum_x", n, element, T) / cast(n, T)

    def square(q: Term) -> Term:
        v = local(k, "v|val|e0", element(q))
        return v * v

    return wp.sqrt(total(k, "acc|s|sum_sq", n, square, T) / cast(n, T) + 1.0e-6)


def batch_norm(k: Author) -> None:
    """Batch normalisation in use or in training: given statistics or running ones, affine, activation."""
    c, T = k.c, precise(k)
    k.name("batch_norm|bn_inference|batchnorm_forward|scale_shift|bn_act")
    dims = c.pick((2, 3, 4))
    tid = k.tid(*(("b|n|sample", "ch|c0|f") + (("y|pos|t",) if dims > 2 else ()) + (("x|col|w0",) if dims > 3 else ())))
    x = k.input("x|inp|acts|maps", T, dims)
    last = c.chance(1, 3)
    ch = tid[-1] if last else tid[1]
    if c.chance(1, 3):
        with k.if_(tid[0] >= x.shape(0)):
            k.leave()
    found = _channel(k, ch, T)
    eps = setting(k, "eps|epsilon", 1.0e-5, T)
    v = local(k, "v|xi|h0", varied(k, x[tid], 0, 1))
    inv = 1.0 / wp.sqrt(wp.max(found["var"] + eps, 1.0e-6))
    inv = local(k, "inv|rstd|scale_c", inv) if c.chance(1, 2) else inv
    value: Term = (v - found["mean"]) * inv
    if "gamma" in found:
        value = found["gamma"] * value
    if "beta" in found:
        value = value + found["beta"]
    value = varied(k, value, 0, 2)
    if c.chance(1, 3):
        value = value + k.input("residual|skip|shortcut", T, dims)[tid]
        value = settled(k, value, 0, 1)
    k.output("out|y|normed", T, dims)[tid] = value
    statistic(k, value)
    k.summary(
        f"Normalises {dims}-D activations by the statistics of their channel{' in the last axis' if last else ''}."
    )


def _channel(k: Author, ch: Term, T: Scalar) -> dict[str, Term]:
    """Return the numbers of a channel: arrays of their own, one table, or a struct."""
    from ...program import Field
    from ...types import vec

    c = k.c
    spec = {"mean": "mean|mu|running_mean", "var": "var|sigma2|running_var"}
    spec |= {"gamma": "gamma|weight|gain"} if c.chance(3, 4) else {}
    spec |= {"beta": "beta|bias|shift"} if c.chance(3, 4) else {}
    way = c.weighted({"arrays": 3, "table": 1, "struct": 1, "vector": 1})
    if way == "arrays":
        return {key: k.input(words, T)[ch] for key, words in spec.items()}
    if way == "table":
        table = k.input("stats|channel_stats|norm_table", T, 2)
        return {key: local(k, words, table[number_, ch]) for number_, (key, words) in enumerate(spec.items())}
    if way == "struct":
        made = k.struct("Channel|NormStats|ChannelStats", dict.fromkeys(spec.values(), T))
        base = local(k, "st|stats|chan", k.input("channels|stats_in|norms", made)[ch])
        return {key: Term(Field(base.e, *field)) for key, field in zip(spec, made.fields, strict=True)}
    packed = local(k, "st|packed|chan", k.input("packed_stats|stats4|norms", vec(len(spec), T))[ch])
    return {key: packed[place] for place, key in enumerate(spec)}
