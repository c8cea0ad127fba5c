"""Noise, masks and quantisation, element by element."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, settings, settled
from ...fusion.chance import random_state, uniform
from ...terms import Term, cast, number, where, wp
from ...types import INT, UINT, UINT8, Scalar


def dropout(k: Author) -> None:
    """Dropout, Gumbel perturbation or Bernoulli masks from a counter-based generator, fused with what stands around."""
    c, T = k.c, precise(k)
    kind = c.pick(("dropout", "gumbel", "bernoulli_mask", "gaussian_noise", "drop_path"))
    k.name(f"{kind}|{kind}_forward|apply_{kind}|fused_{kind}")
    cells = Cells(k)
    x = cells.input("x|inp|logits|hidden", T)
    at = cells.place
    counter = cells.first if kind == "drop_path" else cells.number()
    state = random_state(k, counter)
    v = local(k, "v|xi|h0", varied(k, x[at], 0, 2))
    u = uniform(k, state, T)
    p = settings(k, {"p": ("p_drop|rate|prob|keep_prob", 0.3)}, T)["p"]
    if kind == "gumbel":
        noise = -wp.log(1.0e-6 - wp.log(u + 1.0e-6))
        value = (v + noise) * coefficient(k, T) if c.chance(1, 2) else v + coefficient(k, T) * noise
    elif kind == "bernoulli_mask":
        value = where(u < 1.0 / (1.0 + wp.exp(-wp.clamp(v, -15.0, 15.0))), number(1.0, T), p * number(0.5, T))
    elif kind == "gaussian_noise":
        u2 = uniform(k, state, T, "u2|phase|angle")
        value = v + p * wp.sqrt(-2.0 * wp.log(u + 1.0e-6)) * wp.cos(6.2831853 * u2)
    else:
        scale = local(k, "scale|inv_keep|boost", 1.0 / wp.max(1.0 - p, 0.05))
        value = where(u < p, number(0.0, T), v * scale)
        if c.chance(1, 2):
            cells.output("mask_out|kept|saved", INT)[at] = where(u < p, number(0, INT), number(1, INT))
    if c.chance(1, 3):
        value = value + cells.input("residual|skip|identity", T)[at]
    value = settled(k, value, 0, 2)
    cells.output("out|y|result|dropped", T)[at] = value
    statistic(k, value)
    k.summary(f"Applies {kind.replace('_', ' ')} to every element with a counter-based generator.")


def quantise(k: Author) -> None:
    """Quantisation to 8 bits or 4 packed bits, or the way back, with scales per tensor, channel or group."""
    c, T = k.c, precise(k)
    back, packed = c.chance(1, 2), c.chance(1, 3)
    S = UINT if packed else c.pick((INT, UINT8))
    k.name(f"{'de' if back else ''}quantize|{'unpack' if back else 'pack'}_{'int4' if packed else 'int8'}")
    cells = Cells(k, 2)
    codes = cells.input("codes|q|packed|weights_q", S) if back else None
    x = None if back else cells.input("x|weights|values|w", T)
    at = cells.place
    scale = _scale(k, cells, T)
    zero = k.scalar("zero_point|offset|zp", T) if c.chance(1, 2) else number(0.0 if S is INT else 128.0, T)
    if codes is not None:
        value = _decoded(k, codes[at], scale, zero, packed, T)
        value = settled(k, value, 0, 2)
        cells.output("out|values|deq|restored", T)[at] = value
        statistic(k, value)
    else:
        assert x is not None
        value = local(k, "v|xi|val", varied(k, x[at], 0, 2))
        _encode(k, cells, value, scale, zero, S, T)
    k.summary(f"{'Dequantises' if back else 'Quantises'} every element {'from' if back else 'to'} {S.name} codes.")


def _scale(k: Author, cells: Cells, T: Scalar) -> Term:
    """Return the step between codes: of the tensor, of the element's channel or of its group."""
    c = k.c
    if c.chance(1, 3):
        return k.scalar("scale|step_q|delta", T)
    scales = k.input("scales|steps_q|deltas", T)
    if c.chance(1, 2):
        last = cells.place[-1] if isinstance(cells.place, tuple) else cells.place
        return local(k, "s|scale_c|sc", wp.max(scales[last % scales.shape(0)], 1.0e-4))
    group = local(k, "grp|group|block_id", cells.first // k.constant("GROUP|BLOCK|QGROUP", c.pick((16, 32, 64, 128))))
    return local(k, "s|scale_g|sg", wp.max(scales[wp.min(group, scales.shape(0) - 1)], 1.0e-4))


def _decoded(k: Author, code: Term, scale: Term, zero: Term, packed: bool, T: Scalar) -> Term:
    if not packed:
        return (cast(code, T) - zero) * scale
    shift = k.c.below(2)
    word = local(k, "word|bits|code", code)
    low = (
        local(k, "lo|low|nib0", cast((word >> 4 * shift) & 15, T)) if shift else local(k, "lo|nib0", cast(word & 15, T))
    )
    high = local(k, "hi|high|nib1", cast((word >> k.c.pick((8, 12, 16))) & 15, T))
    return k.c.pick((low - zero, low + high - zero)) * scale


def _encode(k: Author, cells: Cells, value: Term, scale: Term, zero: Term, S: Scalar, T: Scalar) -> None:
    c = k.c
    scaled = value * local(k, "inv|recip", 1.0 / scale) if c.chance(1, 3) else value / scale
    rounded = c.pick((wp.round, wp.rint, wp.floor))(scaled) + zero
    low, high = {"uint32": (0.0, 15.0), "int32": (-127.0, 127.0), "uint8": (0.0, 255.0)}[S.name]
    code = local(k, "q|code|level", wp.clamp(rounded, low, high))
    out = cells.output("codes|q_out|packed", S)
    if S is UINT:
        second = cells.input("partner|x_odd|other", T)[cells.place]
        other = local(k, "q1|code1|upper", wp.clamp(c.pick((wp.round, wp.rint))(second / scale) + zero, low, high))
        out[cells.place] = cast(code, UINT) | (cast(other, UINT) << 4)
    else:
        out[cells.place] = cast(code, S)
    if c.chance(1, 2):
        error = settled(k, value - (code - zero) * scale, 0, 1)
        cells.output("error|residual_out|err", T)[cells.place] = error
        statistic(k, error)
