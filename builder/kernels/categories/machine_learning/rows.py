"""Families over rows of features: softmax, normalisation, selection, similarity."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import statistic, varied
from ...fusion.cells import local, precise, setting, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import TermOf, extreme, sweep, total, winner
from ...terms import Term, cast, number, wp
from ...types import INT, Scalar


def softmax(k: Author) -> None:
    """Softmax, log-softmax, log-sum-exp or cross entropy of each row, in two passes or online."""
    c, T = k.c, k.real()
    kind = c.pick(("softmax", "log_softmax", "cross_entropy", "logsumexp"))
    k.name(f"{kind}|{kind}_rows|row_{kind}|{kind}_forward|stable_{kind}")
    rows = Rows(k, "row|i|b|r", "cols|n_classes|width|dim")
    x = rows.input("logits|x|scores|inp", T)
    change = transform(k, "temper|prepare|score_of|scaled", T)

    def score(j: Term) -> Term:
        return change(x[j])

    top, mass = _log_sum(k, rows, score, T)
    words = {"softmax": "softmax", "log_softmax": "logarithm of the softmax"}
    if kind in words:
        out = rows.output("out|probs|y|result", T)
        scale = local(k, "inv|norm|recip|logz", 1.0 / mass if kind == "softmax" else wp.log(mass))
        with sweep(k, rows.count) as j:
            shifted = score(j) - top
            value = wp.exp(shifted) * scale if kind == "softmax" else shifted - scale
            out[j] = varied(k, value, 0, 1)
        k.summary(f"Computes the {words[kind]} of each row of {change.words}scores.")
        return
    value = local(k, "lse|logz|log_sum", top + wp.log(mass))
    if kind == "cross_entropy":
        value = _cross_entropy(k, rows, score, value, T)
    result = settled(k, value, 0, 2)
    rows.result("out|loss|losses|result", T)[rows.place] = result
    statistic(k, result)
    what = "cross entropy of the label" if kind == "cross_entropy" else "logarithm of the sum of exponentials"
    k.summary(f"Computes the {what} of each row of {change.words}scores, shifted by their maximum.")


def _cross_entropy(k: Author, rows: Rows, score: TermOf, lse: Term, T: Scalar) -> Term:
    label = rows.per_row("labels|targets|classes|y_true", INT)
    place = local(k, "label|target|cls", wp.clamp(label, 0, wp.max(rows.count - 1, 0)))
    loss: Term = local(k, "nll|loss|ce", lse - score(place))
    if k.c.chance(1, 3):
        smooth = setting(k, "smoothing|eps_ls", 0.1, T)
        mean = total(k, "acc|sum_x", rows.count, score, T) / cast(wp.max(rows.count, 1), T)
        loss = local(k, "smoothed|total_loss|mixed", (1.0 - smooth) * loss + smooth * (lse - mean))
    if k.c.chance(1, 3):
        with k.if_(label < 0):
            k.leave()
    return loss


def _log_sum(k: Author, rows: Rows, score: TermOf, T: Scalar) -> tuple[Term, Term]:
    """Return the row's maximum and the sum of exponentials above it (Milakov and Gimelshein 2018 for one pass)."""
    of = score
    if k.c.chance(2, 3):
        top = extreme(k, "top|m|peak|row_max", rows.count, of, T)
        mass = total(k, "mass|z|denom|total", rows.count, lambda j: wp.exp(of(j) - top), T)
        return top, wp.max(mass, 1.0e-4)
    low = -3.0e4 if T.bits == 16 else -1.0e30
    top_var, mass_var = k.var("top|m|peak|row_max", number(low, T)), k.var("mass|z|denom|total", number(0.0, T))
    with sweep(k, rows.count) as j:
        s = local(k, "s|v|cur", of(j))
        _absorb(k, s, top_var, mass_var)
    return Term(top_var.e), wp.max(mass_var, 1.0e-4)


def _absorb(k: Author, s: Term, top: Var, mass: Var) -> None:
    """Take one more score into a running maximum and sum of exponentials."""
    if k.c.chance(1, 2):
        new = local(k, "new_max|m_new|higher", wp.max(top, s))
        mass.set(mass * wp.exp(top - new) + wp.exp(s - new))
        top.set(new)
    else:
        with k.if_(s > top):
            mass.set(mass * wp.exp(top - s) + 1.0)
            top.set(s)
        with k.else_():
            mass += wp.exp(s - top)


def normalise(k: Author) -> None:
    """Layer, root-mean-square or Euclidean normalisation of each row, with affine and residual."""
    c, T = k.c, precise(k)
    kind = c.pick(("layer_norm", "rms_norm", "l2_norm"))
    k.name(f"{kind}|{kind}_forward|{kind}_rows|fused_{kind}")
    rows = Rows(k, "row|i|token|t", "cols|hidden|dim|n_features")
    x = rows.input("x|inp|hidden_states|src", T)
    residual = rows.input("residual|skip|shortcut", T) if c.chance(1, 3) else None
    change = transform(k, "pre|prepare|act", T)

    def value(j: Term) -> Term:
        return change(x[j] if residual is None else x[j] + residual[j])

    count = cast(wp.max(rows.count, 1), T)
    n = local(k, "n|denom|size_f", count) if c.chance(1, 2) else count
    eps = setting(k, "eps|epsilon", 1.0e-5, T)
    mean: Term | None = None
    if kind == "layer_norm":
        mean, spread = _moments(k, rows, value, n, T)
    else:
        squares = total(k, "acc|ss|sum_sq", rows.count, lambda j: _squared(k, value(j)), T)
        spread = squares if kind == "l2_norm" else squares / n
    scale = local(k, "inv_std|rstd|scale|inv", 1.0 / wp.sqrt(wp.max(spread + eps, 1.0e-6)))
    gamma = k.input("gamma|weight|gain", T) if c.chance(2, 3) else None
    beta = k.input("beta|bias|shift", T) if c.chance(1, 2) else None
    out = rows.output("out|y|normed|result", T)
    with sweep(k, rows.count) as j:
        v = value(j) if mean is None else value(j) - mean
        v = v * scale if gamma is None else v * scale * gamma[j]
        v = v if beta is None else v + beta[j]
        out[j] = varied(k, v, 0, 2)
    if c.chance(1, 3):
        rows.result("rstd_out|scales|saved_inv", T)[rows.place] = scale
    names = {"layer_norm": "Layer", "rms_norm": "Root-mean-square", "l2_norm": "Euclidean"}
    k.summary(f"{names[kind]} normalisation of each row{' of a sum with a residual' if residual else ''}.")


def _squared(k: Author, value: Term) -> Term:
    v = local(k, "v|d|val|h", value)
    return v * v


def _moments(k: Author, rows: Rows, value: TermOf, n: Term, T: Scalar) -> tuple[Term, Term]:
    """Return mean and variance of a row: in two passes, from sums, or by Welford's (1962) update."""
    way, of = k.c.below(3), value
    if way == 0:
        mean = local(k, "mean|mu|avg", total(k, "acc|s|sum_x", rows.count, of, T) / n)
        squares = total(k, "ss|sq|var_acc", rows.count, lambda j: _squared(k, of(j) - mean), T)
        return mean, squares / n
    if way == 1:
        first, second = k.var("s1|sum_x|acc", number(0.0, T)), k.var("s2|sum_sq|acc2", number(0.0, T))
        with sweep(k, rows.count) as j:
            v = local(k, "v|val|cur", of(j))
            first += v
            second += v * v
        mean = local(k, "mean|mu|avg", first / n)
        return mean, second / n - mean * mean
    running, m2 = k.var("mean|mu|avg", number(0.0, T)), k.var("m2|ssd|acc", number(0.0, T))
    with sweep(k, rows.count, ordered=True) as j:
        v = local(k, "v|val|cur", of(j))
        delta = local(k, "delta|d|diff", v - running)
        running += delta / cast(j + 1, T)
        m2 += delta * (v - running)
    return Term(running.e), m2 / n


def selection(k: Author) -> None:
    """Arg-max decoding, top-k by repeated selection, or routing to two experts, of each row of scores."""
    c, T = k.c, k.real()
    kind = c.pick(("argmax", "topk", "router"))
    k.name(f"{kind}|{kind}_rows|{kind}_select|greedy_{kind}|{kind}_decode")
    rows = Rows(k, "row|i|token|b", "cols|vocab|n_experts|width")
    x = rows.input("logits|scores|gates|x", T)
    bias = k.input("bias|prior|penalty", T) if c.chance(1, 3) else None
    change = transform(k, "adjust|score_of|prepare", T)

    def score(j: Term) -> Term:
        return change(x[j] if bias is None else x[j] + bias[j])

    if kind == "argmax":
        best, arg = winner(k, rows.count, score, T)
        rows.result("out|ids|choice|labels", INT)[rows.place] = arg
        if c.chance(2, 3):
            rows.result("best_out|values|confidence", T)[rows.place] = varied(k, best, 0, 2)
        statistic(k, best)
        k.summary("Finds the position of the largest score in each row.")
        return
    _two_best(k, rows, score, T, kind)


def _two_best(k: Author, rows: Rows, score: TermOf, T: Scalar, kind: str) -> None:
    c, of = k.c, score
    low = -3.0e4 if T.bits == 16 else -1.0e30
    first, second = k.var("v0|top|first|best", number(low, T)), k.var("v1|runner_up|next_best", number(low, T))
    at0, at1 = k.var("i0|arg|first_id|e0", number(0, INT)), k.var("i1|arg2|second_id|e1", number(0, INT))
    with sweep(k, rows.count, ordered=True) as j:
        s = local(k, "s|v|cur", of(j))
        with k.if_(s > first):
            second.set(first)
            at1.set(at0)
            first.set(s)
            at0.set(j)
        with k.elif_(s > second):
            second.set(s)
            at1.set(j)
    ids = k.output("ids|indices|picked|experts", INT, rows.result_ndim + 1)
    place = rows.place_of
    ids[place(0)] = at0
    ids[place(1)] = at1
    values = k.output("weights_out|values|gates_out|probs", T, rows.result_ndim + 1)
    if kind == "router":
        odds = local(k, "w1|odds|ratio", wp.exp(wp.max(second - first, -20.0)))
        values[place(0)] = varied(k, 1.0 / (1.0 + odds), 0, 1)
        values[place(1)] = varied(k, odds / (1.0 + odds), 0, 1)
        if c.chance(1, 2):
            load = k.output("load|counts|tokens_per_expert", INT)
            load.add_at(at0, 1)
            load.add_at(at1, 1)
        k.summary("Routes each row to the two experts with the largest scores and shares its weight between them.")
        return
    values[place(0)] = varied(k, Term(first.e), 0, 2)
    values[place(1)] = varied(k, Term(second.e), 0, 2)
    k.summary("Selects the two largest scores of each row and their positions in one pass.")
