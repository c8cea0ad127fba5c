"""Optimiser steps."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, settings
from ...terms import Term, number, wp
from ...types import Scalar

_STEPS = ("adam", "adamw", "rmsprop", "lion", "momentum", "adagrad", "nesterov", "adamax", "sgd")


def optimiser(k: Author) -> None:
    """One step of a first-order optimiser on each parameter, with clipping, decay, and an average of the weights."""
    c, T = k.c, precise(k)
    kind = c.pick(_STEPS)
    k.name(f"{kind}_step|{kind}_update|apply_{kind}|{kind}_kernel|fused_{kind}")
    cells = Cells(k, 2)
    param, grad = cells.inout("params|weights|theta|w", T), cells.input("grads|grad_in|dw|g_in", T)
    at = cells.place
    hyper = settings(k, {"lr": ("lr|rate|step_size|eta", 0.001)}, T)
    g = local(k, "g|grad|dw_i|slope", grad[at])
    g = _clipped(k, g, T)
    w = local(k, "w0|theta0|cur|weight", param[at])
    decay = c.below(3) if kind != "adamw" else 2
    if decay == 1:
        g = local(k, "g_reg|g2|decayed", g + coefficient(k, T, 1, 10) * w)
    step = _direction(k, cells, kind, g, hyper["lr"], T)
    if decay == 2:
        step = step + hyper["lr"] * coefficient(k, T, 1, 20) * w
    new = local(k, "w_new|updated|theta1|next_w", w - varied(k, step, 0, 1))
    if c.chance(1, 4):
        new = wp.clamp(new, -coefficient(k, T, 100, 900), coefficient(k, T, 100, 900))
    param[at] = new
    if c.chance(1, 3):
        average = cells.inout("ema|shadow|averaged", T)
        keep = number(c.pick((0.9, 0.99, 0.999)), T)
        average[at] = keep * average[at] + (1.0 - keep) * new if c.chance(1, 2) else wp.lerp(new, average[at], keep)
    statistic(k, g)
    extra = {0: "", 1: " with decay added to the gradient", 2: " with decoupled weight decay"}[decay]
    k.summary(f"Makes one {kind} step on every {T.name} parameter{extra}.")


def _clipped(k: Author, g: Term, T: Scalar) -> Term:
    way = k.c.below(5)
    if way == 1:
        bound = coefficient(k, T)
        return local(k, "g_clip|gc|clipped", wp.clamp(g, -bound, bound))
    if way == 2:
        norm = k.input("grad_norm|global_norm|norm_in", T)
        scale = wp.min(coefficient(k, T) / (norm[0] + 1.0e-6), 1.0)
        return local(k, "g_clip|gc|rescaled", g * scale)
    if way == 3:
        return local(k, "g_un|unscaled|gs", g * (1.0 / k.scalar("loss_scale|grad_scale|accum_steps", T)))
    if way == 4:
        with k.if_(wp.isnan(g) if k.c.chance(1, 2) else g == 0.0):
            k.leave()
    return g


def _mixed(k: Author, old: Term, new: Term, keep: Term) -> Term:
    """Return ``keep * old + (1 - keep) * new``, in one of its forms."""
    way = k.c.below(3)
    if way == 0:
        return keep * old + (1.0 - keep) * new
    return old + (1.0 - keep) * (new - old) if way == 1 else wp.lerp(new, old, keep)


def _moment(k: Author, cells: Cells, words: str, name: str, new: Term, keep: Term) -> Term:
    """Update an array of running averages; return the new average."""
    array: Arr = cells.inout(words, new.type)
    mixed: Term = local(k, name, _mixed(k, array[cells.place], new, keep))
    array[cells.place] = mixed
    return mixed


def _direction(k: Author, cells: Cells, kind: str, g: Term, lr: Term, T: Scalar) -> Term:
    """Return what is taken off the parameter."""
    if kind == "sgd":
        return lr * g
    s = settings(k, {"b1": ("beta1|b1|momentum|rho", 0.9), "b2": ("beta2|b2|rho2|decay", 0.99)}, T)
    if kind in ("momentum", "nesterov"):
        array = cells.inout("velocity|buf|momentum_buf", T)
        v = local(k, "v|vel|mom", s["b1"] * array[cells.place] + (g if k.c.chance(1, 2) else (1.0 - s["b2"]) * g))
        array[cells.place] = v
        return lr * (g + s["b1"] * v) if kind == "nesterov" else lr * v
    if kind == "adagrad":
        array = cells.inout("sum_sq|accum|state_sum", T)
        v = local(k, "h|acc|total_sq", array[cells.place] * s["b2"] + g * g * s["b1"])
        array[cells.place] = v
        return lr * g / (wp.sqrt(wp.max(v, 0.0)) + 1.0e-8)
    if kind == "lion":
        array = cells.inout("m_buf|exp_avg|momentum_buf", T)
        blend = local(k, "blend|c_t|mix", _mixed(k, array[cells.place], g, s["b1"]))
        array[cells.place] = _mixed(k, array[cells.place], g, s["b2"])
        return lr * wp.sign(blend)
    if kind == "rmsprop":
        v = _moment(k, cells, "sq_avg|v_buf|mean_sq", "v|ms|second", g * g, s["b2"])
        return s["b1"] * lr * g / (wp.sqrt(wp.max(v, 0.0)) + 1.0e-7)
    m = _moment(k, cells, "m_buf|exp_avg|first_moment", "m|mom|m_t", g, s["b1"])
    if kind == "adamax":
        array = cells.inout("u_buf|inf_norm|exp_inf", T)
        u = local(k, "u|u_t|bound_g", wp.max(array[cells.place] * s["b2"], wp.abs(g)))
        array[cells.place] = u
        return lr * m / (u + 1.0e-8)
    v = _moment(k, cells, "v_buf|exp_avg_sq|second_moment", "v|var|v_t", g * g, s["b2"])
    if k.c.chance(1, 2):
        t = k.scalar("t|step|iteration", T)
        m_hat = local(k, "m_hat|m_corr", m / (1.0 - wp.pow(wp.clamp(s["b1"], 0.1, 0.99), wp.max(t, 1.0))))
        v_hat = local(k, "v_hat|v_corr", v / (1.0 - wp.pow(wp.clamp(s["b2"], 0.1, 0.99), wp.max(t, 1.0))))
        return lr * m_hat / (wp.sqrt(wp.max(v_hat, 0.0)) + 1.0e-8)
    return lr * m / (wp.sqrt(wp.max(v, 0.0)) + 1.0e-8)
