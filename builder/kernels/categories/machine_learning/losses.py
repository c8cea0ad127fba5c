"""Losses and gradients of activations, element by element."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, settled
from ...terms import Term, number, where, wp
from ...types import INT, Scalar

_LOSSES = ("huber", "hinge", "focal", "kl", "log_cosh", "quantile", "bce", "smooth_l1", "squared", "poisson_nll")


def loss(k: Author) -> None:
    """A loss of each prediction against its target, with its derivative where asked for, weighted and summed."""
    c, T = k.c, precise(k)
    kind = c.pick(_LOSSES)
    k.name(f"{kind}_loss|{kind}|{kind}_loss_forward|elementwise_{kind}")
    cells = Cells(k)
    pred, target = cells.input("pred|logits|y_hat|estimate", T), cells.input("target|labels|y_true|truth", T)
    at = cells.place
    p, t = local(k, "p|yh|x0", varied(k, pred[at], 0, 2)), local(k, "t|y|goal", varied(k, target[at], 0, 1))
    value, slope = _loss_of(k, kind, p, t, T)
    value = local(k, "loss_i|val|cost", value)
    if c.chance(1, 3):
        weight = cells.input("weights|sample_weight|importance", T)[at]
        value = local(k, "weighted|scaled_loss", value * weight)
        slope = slope * weight
    if c.chance(1, 3):
        bound = coefficient(k, T, 100, 1000)
        value = wp.min(value, bound)
    value = settled(k, value, 0, 1)
    if c.chance(2, 3):
        cells.output("out|loss_out|losses", T)[at] = value
    else:
        sums = k.output("total_loss|loss_sum", T)
        k.atomic("add", sums, 0, value, augmented=c.chance(1, 2))
    if c.chance(1, 2):
        cells.output("grad_out|d_pred|grads", T)[at] = varied(k, slope, 0, 1)
    statistic(k, value)
    k.summary(f"Computes the {kind.replace('_', ' ')} loss of each prediction against its target.")


def _loss_of(k: Author, kind: str, p: Term, t: Term, T: Scalar) -> tuple[Term, Term]:
    """Return the loss and its derivative by the prediction."""
    d = coefficient(k, T, 20, 200)
    if kind in ("bce", "focal"):
        q = local(k, "q|prob|sigma", 1.0 / (1.0 + wp.exp(-wp.clamp(p, -15.0, 15.0))))
        y = local(k, "y01|hit|label", wp.clamp(t, 0.0, 1.0))
        ce = -(y * wp.log(q + 1.0e-7) + (1.0 - y) * wp.log(1.0 - q + 1.0e-7))
        if kind == "bce":
            return ce, q - y
        pt = local(k, "pt|p_t|conf", y * q + (1.0 - y) * (1.0 - q))
        gap = local(k, "gap|miss|hardness", 1.0 - pt)
        focus = gap * gap if k.c.chance(1, 2) else wp.pow(wp.max(gap, 1.0e-4), d)
        return -focus * wp.log(pt + 1.0e-7), (q - y) * gap
    if kind == "kl":
        a, b = wp.clamp(t, 1.0e-4, 1.0e4), wp.clamp(p, 1.0e-4, 1.0e4)
        a, b = local(k, "tt|ref", a), local(k, "pp|est", b)
        return a * (wp.log(a) - wp.log(b)) if k.c.chance(1, 2) else a * wp.log(a / b), -a / b
    if kind == "hinge":
        s = local(k, "s|sgn|side", where(t > 0.0, number(1.0, T), number(-1.0, T)))
        margin = local(k, "margin|slack|viol", d - s * p)
        return wp.max(margin, 0.0), where(margin > 0.0, -s, number(0.0, T))
    if kind == "poisson_nll":
        rate = local(k, "rate_p|lam_p|mean_p", wp.exp(wp.clamp(p, -10.0, 10.0)))
        return rate - t * p, rate - t
    r = local(k, "r|diff|err|res", p - t)
    size = local(k, "size|mag|ar", wp.abs(r))
    if kind in ("huber", "smooth_l1"):
        inner, outer = 0.5 * r * r, d * (size - 0.5 * d)
        inner, outer = (inner, outer) if kind == "huber" else (inner / d, size - 0.5 * d)
        return where(size < d, inner, outer), wp.clamp(r, -d, d)
    if kind == "log_cosh":
        return size + wp.log(1.0 + wp.exp(-2.0 * size)) - 0.6931472, wp.tanh(r)
    if kind == "quantile":
        q = number(k.c.between(5, 95) / 100, T)
        return wp.max(q * r, (q - 1.0) * r), where(r > 0.0, q, q - 1.0) + 0.0 * size
    return 0.5 * r * r + d * size, r + d * wp.sign(r)


_ACTIVATIONS = ("relu", "leaky_relu", "silu", "gelu", "tanh", "sigmoid", "elu", "softplus", "hardswish", "mish")


def activation_backward(k: Author) -> None:
    """The gradient through an activation, written by hand, with a mask, a bias or a gate beside it."""
    c, T = k.c, k.real()
    kind = c.pick(_ACTIVATIONS)
    k.name(f"{kind}_backward|{kind}_grad|d_{kind}|{kind}_bwd")
    cells = Cells(k)
    x, upstream = cells.input("x|pre_act|inp|z_in", T), cells.input("grad_out|upstream|dy|adj_out", T)
    at = cells.place
    v = local(k, "v|xi|a0|pre", varied(k, x[at], 0, 2))
    g = local(k, "g|gy|dout", varied(k, upstream[at], 0, 2))
    made = k.helper("slope|deriv|local_grad", {"a|u|s": T}, lambda s, a: _derivative(s, kind, a, T))
    result: Term = local(k, "dx|gx|res", g * made(v))
    if c.chance(1, 3):
        keep = cells.input("keep|mask_in|saved_mask", INT)[at]
        result = where(keep != 0, result, number(0.0, T))
    if c.chance(1, 3):
        gate = cells.input("gate|partner|up_proj", T)[at]
        result = result * gate
    result = settled(k, result, 0, 2)
    if c.chance(1, 3):
        out = cells.inout("grad_x|grad_in|dx_out", T)
        out[at] = out[at] + result
    else:
        cells.output("grad_x|grad_in|dx_out", T)[at] = result
    statistic(k, result)
    k.summary(f"Multiplies each gradient by the derivative of {kind.replace('_', ' ')} at its input.")


def _derivative(s: Scope, kind: str, a: Term, T: Scalar) -> Term:
    one, none = number(1.0, T), number(0.0, T)
    if kind == "relu":
        return where(a > 0.0, one, none) if s.c.chance(1, 2) else wp.step(-a)
    if kind == "leaky_relu":
        return where(a > 0.0, one, number(s.c.between(1, 30) / 100, T))
    if kind == "elu":
        return where(a > 0.0, one, wp.exp(wp.min(a, 0.0)))
    if kind == "tanh":
        t = local(s, "th|t0", wp.tanh(a))
        return 1.0 - t * t
    if kind == "hardswish":
        inside = 0.33333333 * a + 0.5
        return where(a < -3.0, none, where(a > 3.0, one, inside))
    sig = local(s, "sig|p0|q", 1.0 / (1.0 + wp.exp(-wp.clamp(a, -9.0, 9.0))))
    if kind == "sigmoid":
        return sig * (1.0 - sig)
    if kind == "softplus":
        return sig
    if kind == "silu":
        return sig * (1.0 + a * (1.0 - sig))
    if kind == "mish":
        t = local(s, "th|t0", wp.tanh(wp.log(1.0 + wp.exp(wp.min(a, 9.0)))))
        return t + a * sig * (1.0 - t * t)
    t = local(s, "th|t0", wp.tanh(0.79788456 * (a + 0.044715 * a * a * a)))
    return 0.5 * (1.0 + t) + 0.5 * a * (1.0 - t * t) * 0.79788456 * (1.0 + 0.134145 * a * a)
