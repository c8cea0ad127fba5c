"""Gradients of generalised linear models and the two halves of expectation maximisation."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import local, precise, setting, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import TermOf, extreme, sweep, total
from ...terms import Term, number, where, wp
from ...types import Scalar


def logistic_gradient(k: Author) -> None:
    """The gradient of a generalised linear model's loss, one sample per thread, added to a shared vector."""
    c, T = k.c, precise(k)
    kind = c.pick(("logistic", "poisson", "linear", "probit", "robust", "svm"))
    k.name(f"{kind}_gradient|{kind}_regression|fit_{kind}|{kind}_grad_step")
    rows = Rows(k, "row|i|sample|n0", "n_features|cols|dim")
    x = rows.input("x|features|design", T)
    beta = k.input("beta|coef|weights", T)
    y = local(k, "y|label|target", rows.per_row("y_in|labels|targets", T))
    change = transform(k, "standardise|pre|feature", T, 1)
    score = total(k, "eta|score|z", rows.count, lambda j: change(x[j]) * beta[j], T)
    if c.chance(1, 2):
        score = score + (k.input("intercept|bias|b0", T)[0] if c.chance(1, 2) else k.scalar("offset|b0", T))
    score = local(k, "lin|predictor|s0", score)
    residual, loss = _residual(k, kind, score, y, T)
    if c.chance(1, 3):
        residual = residual * rows.per_row("sample_weight|case_w", T)
    residual = local(k, "r|resid|delta", varied(k, residual, 0, 2))
    grad = k.output("grad|grad_out|g_beta", T)
    decay = setting(k, "l2|ridge|penalty", 0.01, T) if c.chance(1, 3) else None
    with sweep(k, rows.count) as j:
        part = residual * change(x[j]) if decay is None else residual * change(x[j]) + decay * beta[j]
        k.atomic("add", grad, j, part, augmented=c.chance(1, 2))
    value = settled(k, loss, 0, 2)
    rows.result("loss_out|nll|deviance", T)[rows.place] = value
    statistic(k, value)
    k.summary(f"Adds each sample's gradient of a {kind} model's loss to a shared vector.")


def _residual(k: Author, kind: str, score: Term, y: Term, T: Scalar) -> tuple[Term, Term]:
    if kind == "logistic":
        p = local(k, "p|prob|mu", 1.0 / (1.0 + wp.exp(-wp.clamp(score, -15.0, 15.0))))
        loss = wp.log(1.0 + wp.exp(-wp.abs(score))) + wp.max(score, 0.0) - y * score
        return p - y, loss if k.c.chance(1, 2) else -(y * wp.log(p + 1.0e-7) + (1.0 - y) * wp.log(1.0 - p + 1.0e-7))
    if kind == "poisson":
        mu = local(k, "mu|rate_p|mean_p", wp.exp(wp.clamp(score, -10.0, 10.0)))
        return mu - y, mu - y * score
    if kind == "probit":
        p = local(k, "p|prob|mu", 0.5 + 0.5 * wp.erf(score * 0.70710678))
        return p - y, (p - y) * (p - y)
    d = local(k, "d|diff|gap", score - y)
    if kind == "robust":
        return d / wp.sqrt(1.0 + d * d), wp.sqrt(1.0 + d * d) - 1.0
    if kind == "svm":
        side = local(k, "side|sgn|cls", where(y > 0.5, number(1.0, T), number(-1.0, T)))
        margin = local(k, "margin|slack|viol", 1.0 - side * score)
        return where(margin > 0.0, -side, number(0.0, T)), wp.max(margin, 0.0)
    return d, 0.5 * d * d


def mixture(k: Author) -> None:
    """Responsibilities of a mixture for each point, and the sums of the next step, in one dimension or rows."""
    c, T = k.c, precise(k)
    kind = c.pick(("gaussian", "laplace", "student", "poisson"))
    k.name(f"{kind}_mixture|em_{kind}|responsibilities|mixture_e_step|gmm_responsibility")
    i = k.tid("i|point|sample|tid")
    deep = c.chance(1, 2)
    x = k.input("x|points|data", T, 2 if deep else 1)
    mu, spread = k.input("mu|means|centers", T, 2 if deep else 1), k.input("sigma|scales|widths", T)
    log_pi = k.input("log_pi|log_weights|prior", T)
    n = mu.shape(0)
    n = local(k, "n_comp|n_mix|kk", n) if c.chance(1, 2) else n
    change = transform(k, "pre|observe|feature", T, 1)
    dof = coefficient(k, T, 50, 300) if kind == "student" else number(1.0, T)

    def log_density(j: Term) -> Term:
        s = local(k, "s|width|sd", wp.abs(spread[j]) + 0.05)
        if deep:
            quad = total(k, "quad|d2|acc", x.shape(1), lambda m: _shape(k, kind, change(x[i, m]) - mu[j, m], s, dof), T)
        else:
            quad = _shape(k, kind, change(x[i]) - mu[j], s, dof)
        return log_pi[j] - quad - wp.log(s)

    out = k.output("resp|gamma_out|posterior", T, 2)
    value = _responsibilities(k, i, n, log_density, out, T)
    value = settled(k, value, 0, 2)
    k.output("log_lik|evidence|ll_out", T)[i] = value
    statistic(k, value)
    k.summary(f"Computes the responsibilities of the components of a {kind} mixture for each {change.words}point.")


def _shape(k: Author, kind: str, d: Term, s: Term, dof: Term) -> Term:
    if kind == "laplace":
        return wp.abs(d) / s
    z = local(k, "z|rel|std_d", d / s)
    if kind == "gaussian":
        return 0.5 * z * z
    if kind == "student":
        return dof * wp.log(1.0 + z * z)
    return wp.exp(wp.clamp(z, -10.0, 10.0)) - z


def _responsibilities(k: Author, i: Term, n: Term, log_density: TermOf, out: Arr, T: Scalar) -> Term:
    c = k.c
    stored = c.chance(1, 2)
    if stored:
        top = k.var("top|m|peak", number(-1.0e30, T))
        with sweep(k, n, "j|comp|q") as j:
            lp = local(k, "lp|score|log_p", log_density(j))
            out[i, j] = lp
            top.set(wp.max(top, lp))
        best = Term(top.e)

        def source(j: Term) -> Term:
            return out[i, j]

    else:
        best, source = extreme(k, "top|m|peak", n, log_density, T), log_density  # type: ignore[assignment]
    mass = local(k, "z_sum|norm|total_p", total(k, "mass|acc|z", n, lambda j: wp.exp(source(j) - best), T) + 1.0e-6)
    sums = k.output("counts|soft_counts|n_k", T) if c.chance(1, 2) else None
    with sweep(k, n, "j|comp|q") as j:
        r = local(k, "r|resp_j|gam", wp.exp(source(j) - best) / mass)
        out[i, j] = r if stored else varied(k, r, 0, 1)
        if sums is not None:
            k.atomic("add", sums, j, r)
    return best + wp.log(mass)
