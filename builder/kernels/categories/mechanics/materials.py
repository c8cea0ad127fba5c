"""Stress of materials from the deformation of particles."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import factor, let, precise
from ...terms import Term, make, number, wp
from ...types import Mat, Scalar, mat, vec


def material_stress(k: Author) -> None:
    """Stress of material points or elements: neo-Hookean, corotated, St. Venant-Kirchhoff, with plastic limits."""
    c, T = k.c, precise(k)
    n = c.pick((3, 2))
    M = mat(n, n, T)
    model = c.pick(("neo-Hookean", "fixed-corotated", "St. Venant-Kirchhoff", "linear-elastic"))
    k.name("update_stress|compute_stress|mpm_stress|constitutive")
    F, out = k.input("def_grad|f_in|deformation", M), k.output("stress|stress_out|pk1", M)
    i = gate(k, k.tid("i|tid|p"), F.shape(0))
    f = let(k, "f|fm|def_f", F[i])
    if c.chance(1, 2):
        rate = k.input("vel_grad|c_in", M)
        f = let(k, "fn|f_new", f + rate[i] * f * factor(k, "dt|h", T, 1, 10))
    if c.chance(1, 3):
        k.output("def_grad_out|f_out", M)[i] = f
    mu, lam = _lame(k, i, T)
    j = let(k, "j|det_f|vol", wp.determinant(f))
    stress = _model(k, model, f, j, mu, lam, (M, T))
    if c.chance(1, 3):
        stress = let(k, "raw|s0", stress)
        limit = factor(k, "yield_s|limit", T, 50, 500)
        size = let(k, "size|norm_s", wp.sqrt(wp.ddot(stress, stress) + 1.0e-4))
        stress = stress * wp.min(wp.abs(limit) / size, 1.0)
    if c.chance(1, 2):
        stress = stress * (factor(k, "volume|vol0", T) if c.chance(1, 2) else j)
    value = let(k, "value|res|s1", varied(k, stress, 0, 1))
    out[i] = value
    statistic(k, wp.trace(value))
    k.summary(f"Computes the {model} stress of {n}-D deformation gradients.")


def _eye(k: Author, M: Mat, T: Scalar) -> Term:
    numbers = [1.0 if a == b else 0.0 for a in range(M.n) for b in range(M.n)]
    if k.c.chance(1, 2):
        return wp.diag(make(vec(M.n, T), *(number(1.0, T) for _ in range(M.n))))
    return make(M, *(number(v, T) for v in numbers))


def _lame(k: Author, i: Term, T: Scalar) -> tuple[Term, Term]:
    c = k.c
    way = c.below(3)
    if way == 0:
        return factor(k, "mu|shear", T), factor(k, "lam|bulk", T)
    if way == 1:
        hard = let(k, "hard|harden", wp.exp(wp.clamp(k.input("jp|hardening", T)[i], -2.0, 2.0)))
        return let(k, "mu_p|mu_h", factor(k, "mu|shear", T) * hard), let(
            k, "lam_p|lam_h", factor(k, "lam|bulk", T) * hard
        )
    young = let(k, "e_mod|young_i", k.input("young|modulus", T)[i])
    nu = number(c.between(10, 45) / 100, T)
    return let(k, "mu_p|mu_h", young / (2.0 * (1.0 + nu))), let(
        k, "lam_p|lam_h", young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)))  # fmt: skip


def _model(k: Author, model: str, f: Term, j: Term, mu: Term, lam: Term, kind: tuple[Mat, Scalar]) -> Term:
    M, T = kind
    c = k.c
    eye = let(k, "eye|ident", _eye(k, M, T))
    if model == "linear-elastic":
        e = let(k, "e|strain", (f + wp.transpose(f)) * 0.5 - eye)
        return e * (2.0 * mu) + eye * (lam * wp.trace(e))
    if model == "St. Venant-Kirchhoff":
        e = let(k, "e|green", (wp.transpose(f) * f - eye) * 0.5)
        s = let(k, "s|pk2", e * (2.0 * mu) + eye * (lam * wp.trace(e)))
        return f * s if c.chance(1, 2) else f * s * wp.transpose(f)
    safe = let(k, "safe_j|j_pos", wp.max(j, 0.05))
    if model == "neo-Hookean":
        b = f * wp.transpose(f)
        if c.chance(1, 2):
            return (b - eye) * mu + eye * (lam * wp.log(safe))
        return (let(k, "b|left_cg", b) * mu + eye * (lam * wp.log(safe) - mu)) * (1.0 / safe)
    rotation, j = _rotation(k, f, M, j)
    return (f - rotation) * wp.transpose(f) * (2.0 * mu) + eye * (lam * (j - 1.0) * j)


def _rotation(k: Author, f: Term, M: Mat, j: Term) -> tuple[Term, Term]:
    """Emit the rotation of a polar decomposition (by SVD, iteration or in closed form); return it and the volume."""
    c = k.c
    if M.n == 2 and c.chance(1, 2):
        x, y = let(k, "px|cx", f[0, 0] + f[1, 1]), let(k, "py|sy", f[1, 0] - f[0, 1])
        s = let(k, "inv_len|scale_r", 1.0 / wp.sqrt(x * x + y * y + 1.0e-4))
        return let(k, "r|rot", make(M, x * s, -y * s, y * s, x * s)), j
    if M.n == 3 or c.chance(1, 2):
        u, sig, v = k.many(("u|left_u", "sig|sv", "v|right_v"), wp.svd3(f) if M.n == 3 else wp.svd2(f))
        volume = sig[0] * sig[1] * sig[2] if M.n == 3 else sig[0] * sig[1]
        return let(k, "r|rot", u * wp.transpose(v)), let(k, "jv|vol_s", volume)
    r = k.var("r|rot", f)
    with k.for_("it|sweep", k.c.between(2, 4)):
        d = let(k, "d|dt_r", wp.determinant(Term(r.e)))
        cof = let(k, "cof|adj", make(M, r[1, 1], -r[1, 0], -r[0, 1], r[0, 0]))
        r.set((r + cof * (1.0 / (d * d + 0.1)) * d) * 0.5)
    return Term(r.e), j
