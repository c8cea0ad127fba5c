"""Particles and grids: transfers of PIC, FLIP and APIC."""

from __future__ import annotations

from ...author import Arr, Author, Scope, Var
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, kept, let
from ...terms import Term, both, cast, make, where, wp, zero
from ...types import FLOAT, INT, Scalar, Vec, mat, vec


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
