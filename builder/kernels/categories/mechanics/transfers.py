"""Particles and grids: transfers of PIC, FLIP and APIC, and the stress of material points."""

from __future__ import annotations

from ...author import Arr, Author, Scope, Var
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, kept, let, precise
from ...terms import Term, both, cast, make, number, where, wp, zero
from ...types import FLOAT, INT, Mat, Scalar, Vec, mat, vec


def _base(k: Author, p: Term, T: Scalar, nodes: int) -> tuple[list[Term], list[Term]]:
    """Emit the first node along each axis and the place within the cell."""
    inv = factor(k, "inv_dx|inv_h", T, 50, 300)
    offset = 0.5 if nodes == 3 else 0.0
    first, inside = [], []
    type_ = p.type
    assert isinstance(type_, Vec)
    for m in range(type_.n):
        axis = "xyz"[m]
        g = let(k, f"g{axis}|s{axis}", wp.clamp(p[m] * inv, -1000.0, 1000.0))
        f = let(k, f"b{axis}|o{axis}", wp.floor(g - offset) if offset else wp.floor(g))
        inside.append(let(k, f"f{axis}|t{axis}", g - f))
        first.append(let(k, f"i{axis}|n{axis}", cast(f, INT)))
    return first, inside


def _weight(k: Scope, t: Term, nodes: int) -> Term:
    """Return the weight of a node at distance ``t`` (in cells) from the particle."""
    a = wp.abs(t)
    if nodes == 2:
        return wp.max(1.0 - a, 0.0)
    a = kept(k, "a|dist", a)
    return where(a < 0.5, 0.75 - a * a, 0.5 * wp.max(1.5 - a, 0.0) * wp.max(1.5 - a, 0.0))


class Nodes:
    """A loop over the nodes around a particle in two dimensions: nested, or one loop of a product, or unrolled."""

    def __init__(self, k: Author, layout: Layout, T: Scalar) -> None:
        self.k, self.T = k, T
        self.nodes = k.c.pick((2, 3))
        self.vectors = layout

    def visit(self, first: list[Term], inside: list[Term], shape: tuple[Term, Term], body) -> None:  # type: ignore[no-untyped-def]
        """Write ``body(node_y, node_x, weight, offset_y, offset_x)`` for each node that lies on the grid."""
        k, T, m = self.k, self.T, self.nodes
        way = k.c.below(3)
        weigh = k.helper("weight|spline|hat", {"t|d": T}, lambda f, t: _weight(f, t, m))
        if way == 0:
            with k.for_("a|di", m) as a:
                dy = let(k, "dy|ry", cast(a, T) - inside[1])
                wy = let(k, "wy|hy", weigh(dy))
                with k.for_("b|dj", m) as b:
                    dx = let(k, "dx|rx", cast(b, T) - inside[0])
                    self._one(first, (a, b), shape, wy * weigh(dx), dy, dx, body)
        elif way == 1:
            with k.for_("s|node", m * m) as s:
                a, b = let(k, "a|di", s // m), let(k, "b|dj", s % m)
                dy, dx = let(k, "dy|ry", cast(a, T) - inside[1]), let(k, "dx|rx", cast(b, T) - inside[0])
                self._one(first, (a, b), shape, weigh(dy) * weigh(dx), dy, dx, body)
        else:
            with k.for_("b|dj", m) as b:
                dx = let(k, "dx|rx", cast(b, T) - inside[0])
                with k.for_("a|di", m) as a:
                    dy = let(k, "dy|ry", cast(a, T) - inside[1])
                    self._one(first, (a, b), shape, weigh(dx) * weigh(dy), dy, dx, body)

    def _one(self, first, steps, shape, weight, dy, dx, body) -> None:  # type: ignore[no-untyped-def]
        k = self.k
        y, x = let(k, "y|row|gy", first[1] + steps[0]), let(k, "x|col|gx", first[0] + steps[1])
        w = let(k, "w|wt", weight)
        if k.c.chance(1, 2):
            y1, x1 = let(k, "yc|y0", wp.clamp(y, 0, shape[0] - 1)), let(k, "xc|x0", wp.clamp(x, 0, shape[1] - 1))
            body(y1, x1, w, dy, dx)
            return
        with k.if_(both(y >= 0, y < shape[0], x >= 0, x < shape[1])):
            body(y, x, w, dy, dx)


def particles_to_grid(k: Author) -> None:
    """Scatter mass and momentum (or one quantity) to the nodes around each particle, with APIC's affine part."""
    c, T = k.c, FLOAT
    affine = c.chance(1, 3)
    k.name("p2g|scatter|particles_to_grid|splat_particles")
    layout = Layout(k, 2, T)
    pos, vel = layout.input("pos|positions|xs"), layout.input("vel|velocities")
    mass = k.output("grid_mass|node_mass", T, 2)
    mx, my = k.output("grid_mx|momentum_x", T, 2), k.output("grid_my|momentum_y", T, 2)
    i = gate(k, k.tid("i|tid|p"), pos.count)
    p, v = pos.load(k, "xp|pi", i), vel.load(k, "vp|vi", i)
    m = let(k, "mp|m", k.input("mass|weights", T)[i]) if c.chance(1, 2) else factor(k, "p_mass|mass", T)
    C = let(k, "cm|affine", k.input("affine_in|c_mats", mat(2, 2, T))[i]) if affine else None
    nodes = Nodes(k, layout, T)
    first, inside = _base(k, p, T, nodes.nodes)

    def body(y: Term, x: Term, w: Term, dy: Term, dx: Term) -> None:
        share = let(k, "share|wm", varied(k, w * m, 0, 1))
        u = v if C is None else let(k, "u|vel_n", v + C * make(vec(2, T), dx, dy))
        k.atomic("add", mass, (y, x), share, augmented=c.chance(1, 2))
        k.atomic("add", mx, (y, x), share * u[0], augmented=c.chance(1, 2))
        k.atomic("add", my, (y, x), u[1] * share, augmented=c.chance(1, 2))

    nodes.visit(first, inside, (mass.shape(0), mass.shape(1)), body)
    order = "linear" if nodes.nodes == 2 else "quadratic"
    k.summary(
        f"Scatters the mass and {'affine ' if affine else ''}momentum of particles to a grid with {order} weights."
    )


def grid_to_particles(k: Author) -> None:
    """Gather velocity from the nodes: PIC, FLIP or a blend, perhaps the affine matrix, and move the particles."""
    c, T = k.c, FLOAT
    mode = c.pick(("PIC", "FLIP", "APIC"))
    k.name("g2p|gather|grid_to_particles|update_particles")
    layout = Layout(k, 2, T)
    pos = layout.input("pos|positions|xs")
    gx, gy = k.input("grid_vx|node_vx", T, 2), k.input("grid_vy|node_vy", T, 2)
    old = (k.input("old_vx|prev_vx", T, 2), k.input("old_vy|prev_vy", T, 2)) if mode == "FLIP" else None
    out_v = layout.output("vel_out|new_vel")
    i = gate(k, k.tid("i|tid|p"), pos.count)
    p = pos.load(k, "xp|pi", i)
    nodes = Nodes(k, layout, T)
    first, inside = _base(k, p, T, nodes.nodes)
    V = vec(2, T)
    u, before = k.var("u|vel_new", zero(V)), k.var("before|change", zero(V))
    B = k.var("bmat|affine", zero(mat(2, 2, T)))

    def body(y: Term, x: Term, w: Term, dy: Term, dx: Term) -> None:
        node = let(k, "node|vn", make(V, gx[y, x], gy[y, x]))
        u.__iadd__(node * w)
        if old is not None:
            before.__iadd__((node - make(V, old[0][_in(k, old[0], y, x)], old[1][_in(k, old[1], y, x)])) * w)
        if mode == "APIC":
            B.__iadd__(wp.outer(node, make(V, dx, dy)) * w)

    shape = (wp.min(gx.shape(0), gy.shape(0)), wp.min(gx.shape(1), gy.shape(1)))
    nodes.visit(first, inside, (let(k, "h|ny", shape[0]), let(k, "w_g|nx", shape[1])), body)
    velocity = let(k, "picv|v_pic", varied(k, Term(u.e), 0, 1))
    if mode == "FLIP":
        velocity = _mixed(k, layout, i, velocity, before, T)
    elif mode == "APIC":
        k.output("affine_out|c_out", mat(2, 2, T))[i] = B * factor(k, "d_inv|scale_c", T, 100, 400)
    out_v.store(k, i, velocity)
    if c.chance(1, 2):
        moved = let(k, "moved|x1", p + velocity * factor(k, "dt|h", T, 1, 10))
        layout.output("pos_out|new_pos").store(k, i, varied(k, moved, 0, 1))
    statistic(k, wp.length_sq(velocity))
    k.summary(f"Gathers the velocity of particles from a grid by {mode}.")


def _mixed(k: Author, layout: Layout, i: Term, velocity: Term, before: Var, T: Scalar) -> Term:
    own = layout.input("vel|velocities").load(k, "vp|own", i)
    flip = factor(k, "flip|blend|ratio", T, 80, 99)
    return let(k, "mixed|v1", velocity * (1.0 - flip) + (own + before) * flip)


def _in(k: Author, array: Arr, y: Term, x: Term) -> tuple[Term, Term]:
    return wp.min(y, array.shape(0) - 1), wp.min(x, array.shape(1) - 1)


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
