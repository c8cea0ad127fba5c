"""Forces between pairs of particles: all pairs or neighbour lists, potentials, smoothed-particle sums, flocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, Points, divisor, factor, kept, let, precise
from ...terms import Term, make, number, where, wp, zero
from ...types import INT, Scalar, Vec


class Around:
    """The others that a particle looks at: all, a window, a row of a neighbour table, or a CSR list."""

    def __init__(self, k: Author, count: Term) -> None:
        self._k, self._count = k, count
        self.way = k.c.weighted({"all": 3, "table": 2, "csr": 2, "window": 1})
        self._skips = k.c.chance(1, 2)

    @contextmanager
    def each(self, i: Term) -> Iterator[Term]:
        """Write the body of the loop over the others; gives the index of one, never ``i``."""
        k, n = self._k, self._count
        if self.way == "all":
            loop = k.for_("j|other|nb", n)
        elif self.way == "window":
            half = k.scalar("window|reach|half", INT)
            loop = k.for_("j|other|nb", wp.max(i - half, 0), wp.min(i + half + 1, n))
        elif self.way == "table":
            table = k.input("neighbors|nbrs|neighbour_table", INT, 2)
            row = i if k.c.chance(1, 2) else let(k, "row|line", i)
            loop = k.for_("s|slot|m", table.shape(1))
        else:
            starts, items = k.input("offsets|starts|row_ptr", INT), k.input("neighbors|nbrs|adjacency", INT)
            first = let(k, "first|begin|lo", wp.clamp(starts[i], 0, items.shape(0)))
            last = let(k, "last|stop|hi", wp.min(starts[wp.min(i + 1, starts.shape(0) - 1)], items.shape(0)))
            loop = k.for_("s|slot|m", first, last)
        with loop as at:
            j = at
            if self.way == "table":
                j = let(k, "j|other|nb", table[row, at])
            elif self.way == "csr":
                j = let(k, "j|other|nb", wp.clamp(items[at], 0, n - 1))
            if self.way == "table":
                with k.if_(j < 0):
                    k.leave("break" if k.c.chance(1, 2) else "continue")
                with k.if_(j >= n):
                    k.leave("continue")
            if self._skips:
                with k.if_(j == i):
                    k.leave("continue")
                yield j
            else:
                with k.if_(j != i):
                    yield j


def _image(k: Author, d: Term, box: Term | None) -> Term:
    """Return a distance vector by the minimum image in a periodic box."""
    if box is None:
        return d
    type_ = d.type
    assert isinstance(type_, Vec)
    return let(k, "dm|img|wrapped", make(type_, *(d[n] - box * wp.round(d[n] / box) for n in range(type_.n))))


def _magnitude(k: Scope, law: str, r2: Term, T: Scalar) -> Term:
    """Return the force over the distance, for the squared distance ``r2 > 0``."""
    if law == "gravity":
        inv = let(k, "inv|inv_r", 1.0 / wp.sqrt(r2))
        return inv * inv * inv if k.c.chance(1, 2) else inv / r2
    if law == "Coulomb":
        return 1.0 / (r2 * wp.sqrt(r2))
    if law == "Lennard-Jones":
        s2 = let(k, "s2|sr2|inv2", factor(k, "sigma2|sig_sq", T) / r2)
        s6 = let(k, "s6|sr6|inv6", wp.min(s2 * s2 * s2, 50.0))
        return -factor(k, "eps24|well|depth", T) * (2.0 * s6 * s6 - s6) / r2
    r = let(k, "r|dist|length", wp.sqrt(r2))
    if law == "Morse":
        e = let(k, "e|decay", wp.exp(-wp.clamp(factor(k, "a|width", T) * (r - factor(k, "r_eq|rest", T)), -10.0, 10.0)))
        return 2.0 * factor(k, "depth|d_e", T) * e * (1.0 - e) / r
    if law == "Yukawa":
        screen = divisor(k, "debye|screening", T)
        return wp.exp(-r / screen) * (1.0 / r + 1.0 / screen) / r2
    stiff = wp.exp(-wp.min(factor(k, "b|steepness", T) * r, 20.0))
    return -factor(k, "a|repulsion", T) * stiff / r + factor(k, "c6|dispersion", T) / (r2 * r2 + 0.1)


def _scaled(k: Scope, law: str, r2: Term, T: Scalar) -> Term:
    return _magnitude(k, law, kept(k, "q|rr", r2), T)


_LAWS = ("gravity", "Coulomb", "Lennard-Jones", "Morse", "Yukawa", "Buckingham")


def pair_forces(k: Author) -> None:
    """Pair forces by a potential: all pairs or lists, cut off, periodic; gathered, or scattered to both particles."""
    c, T = k.c, precise(k)
    law = c.pick(_LAWS)
    k.name(f"{law.lower().replace('-', '_')}_forces|pair_forces|compute_forces|accumulate_forces")
    layout = Layout(k, c.pick((3, 2)), T)
    pos = layout.input("pos|positions|xs")
    charges = k.input("mass|charge|weight", T) if c.chance(2, 3) else None
    symmetric = c.chance(1, 5)
    out = layout.output("force|acc_out|f_out")
    i = gate(k, k.tid("i|tid|p"), pos.count)
    p = pos.load(k, "pi|xi|here", i)
    box = divisor(k, "box|box_len|period", T, 200, 900) if c.chance(1, 3) else None
    cutoff = factor(k, "cutoff2|rc2|range_sq", T, 50, 300) if c.chance(1, 2) else None
    soft = factor(k, "soft2|eps2|softening", T, 1, 20)
    pair = k.helper("pair_force|pair_scale|slope_of", {"r2|dist2": T}, lambda f, r2: _scaled(f, law, r2, T))
    parts = (pos, p, charges, box, cutoff, soft, pair)
    if symmetric:
        with k.for_("j|other", i + 1, pos.count) as j:
            f = let(k, "f|push|fij", _pair(k, j, None, parts))
            out.add(k, i, f)
            out.add(k, j, f, "sub")
        k.summary(f"Adds the {law} force of each pair of {pos.type.n}-D points to both of them.")
        return
    total = k.var("total|acc|fsum", zero(pos.type))
    with Around(k, pos.count).each(i) as j:
        f = _pair(k, j, None, parts)
        total += f
    q = Term(total.e)
    if charges is not None:
        q = let(k, "scaled|fq", q * charges[i])
    result = let(k, "result|res|fi", varied(k, q, 0, 2))
    out.store(k, i, result)
    statistic(k, wp.length(result))
    k.summary(f"Sums the {law} forces on each {pos.type.n}-D point.")


def _pair(k: Author, j: Term, _: None, parts: tuple) -> Term:  # type: ignore[type-arg]
    """Return the force of particle ``j`` on the one in hand; beyond the cutoff it is zero."""
    pos, p, charges, box, cutoff, soft, pair = parts
    c = k.c
    d = _image(k, let(k, "d|rel|dr", pos.at(j) - p), box)
    r2 = let(
        k,
        "r2|dist2|d2",
        wp.dot(d, d) + wp.abs(soft) + 1.0e-4 if c.chance(1, 2) else wp.length_sq(d) + soft * soft + 1.0e-3,
    )
    s = let(k, "s|scale|mag", pair(r2) if charges is None else pair(r2) * charges[j])
    if cutoff is not None:
        if c.chance(1, 2):
            s = where(r2 < cutoff, s, zero(s.type))
        else:
            s = s * wp.max(1.0 - r2 / (wp.abs(cutoff) + 0.1), 0.0)
    result: Term = d * s
    return result


# --- smoothed particles ---


def _poly6(k: Scope, r: Term, h: Term) -> Term:
    x = let(k, "x|gap", wp.max(h * h - r * r, 0.0))
    return x * x * x


def _spiky(k: Scope, r: Term, h: Term) -> Term:
    x = let(k, "x|gap", wp.max(h - r, 0.0))
    return x * x * x


def _wendland(k: Scope, r: Term, h: Term) -> Term:
    q = let(k, "q|ratio", r / h)
    x = let(k, "x|gap", wp.max(1.0 - 0.5 * q, 0.0))
    return x * x * x * x * (2.0 * q + 1.0)


def _cubic(k: Scope, r: Term, h: Term) -> Term:
    q = let(k, "q|ratio", r / h)
    far = let(k, "far|outer", wp.max(2.0 - q, 0.0))
    return where(q < 1.0, 1.0 - 1.5 * q * q + 0.75 * q * q * q, 0.25 * far * far * far)


def _gaussian(k: Scope, r: Term, h: Term) -> Term:
    q = let(k, "q|ratio", wp.min(r / h, 4.0))
    return wp.exp(-q * q)


_KERNELS: dict[str, Callable[[Scope, Term, Term], Term]] = {
    "poly6": _poly6, "spiky": _spiky, "Wendland": _wendland, "cubic spline": _cubic, "Gaussian": _gaussian,
}  # fmt: skip


def sph(k: Author) -> None:
    """Smoothed particles: density, pressure force, viscosity or XSPH velocity, by several smoothing kernels."""
    c, T = k.c, precise(k)
    shape, part = c.pick(tuple(_KERNELS)), c.pick(("density", "pressure force", "viscosity", "colour gradient"))
    k.name(f"sph_{part.replace(' ', '_')}|compute_{part.split()[0]}|sph_pass")
    layout = Layout(k, c.pick((3, 2)), T)
    pos = layout.input("pos|positions|xs")
    i = gate(k, k.tid("i|tid|p"), pos.count)
    p = pos.load(k, "pi|xi|here", i)
    h = divisor(k, "h|radius|support", T, 20, 200)
    smooth = k.helper("kernel|smoothing|w_of", {"r|dist": T, "h|size": T}, lambda f, r, s: _KERNELS[shape](f, r, s))
    mass = k.input("mass|m", T) if c.chance(1, 2) else None
    if part == "density":
        acc = k.var("rho|dens|total", number(0.0, T))
        with Around(k, pos.count).each(i) as j:
            r = let(k, "r|dist", wp.length(p - pos.at(j)))
            w = smooth(r, h)
            acc += w if mass is None else mass[j] * w
        value = let(k, "value|density", varied(k, Term(acc.e) * factor(k, "norm|coef|alpha_d", T), 0, 2))
        k.output("density|rho_out", T)[i] = value
        if c.chance(1, 2):
            k.output("pressure|p_out", T)[i] = _state_equation(k, value, T)
        statistic(k, value)
    else:
        value = _sph_force(k, part, (layout, pos, p, i, h, smooth, mass), T)
    k.summary(f"Computes the {part} of smoothed particles with a {shape} kernel.")


def _state_equation(k: Author, rho: Term, T: Scalar) -> Term:
    rest, stiff = divisor(k, "rho0|rest_density", T), factor(k, "stiffness|k_p|bulk", T)
    way = k.c.below(3)
    if way == 0:
        return stiff * (rho - rest)
    if way == 1:
        return wp.max(stiff * (rho - rest), 0.0)
    q = let(k, "ratio|comp", wp.clamp(rho / rest, 0.0, 2.0))
    return stiff * (q * q * q * q * q * q * q - 1.0)


def _sph_force(k: Author, part: str, given: tuple, T: Scalar) -> Term:  # type: ignore[type-arg]
    layout, pos, p, i, h, smooth, mass = given
    c = k.c
    rho = k.input("rho|density", T)
    extra = k.input("pressure|prs", T) if part == "pressure force" else None
    vel: Points | None = layout.input("vel|velocities") if part == "viscosity" else None
    ri = let(k, "rho_i|di", wp.max(rho[i], 0.05))
    here = let(k, "p_i|press_i", extra[i]) if extra is not None else vel.load(k, "vi|v_here", i) if vel else ri
    acc = k.var("acc|total|fsum", zero(pos.type))
    with Around(k, pos.count).each(i) as j:
        d = let(k, "d|rel|dr", p - pos.at(j))
        r = let(k, "r|dist", wp.length(d) + 1.0e-4)
        w = let(k, "w|weight", smooth(r, h) if mass is None else mass[j] * smooth(r, h))
        rj = let(k, "rho_j|dj", wp.max(rho[j], 0.05))
        if extra is not None:
            share = (here + extra[j]) / (2.0 * rj) if c.chance(1, 2) else here / (ri * ri) + extra[j] / (rj * rj)
            acc += d * (share * w / r)
        elif vel is not None:
            dv = vel.at(j) - here
            dv = dv * (1.0 / rj) if c.chance(1, 2) else dv * (2.0 / (ri + rj))
            acc += dv * w
        else:
            acc += d * (w / rj)
    value = let(k, "value|res|fi", varied(k, Term(acc.e) * factor(k, "coef|mu|strength", T), 0, 2))
    layout.output("force|acc_out|out").store(k, i, value)
    statistic(k, wp.length(value))
    return value


def boids(k: Author) -> None:
    """Steering of a flock: cohesion, alignment, separation, a goal, a limited speed."""
    c, T = k.c, precise(k)
    k.name("boids|flock|steer|flocking_step")
    layout = Layout(k, c.pick((3, 2)), T)
    pos, vel = layout.input("pos|positions|birds"), layout.input("vel|velocities|headings")
    out = layout.output("steering|vel_out|accel")
    i = gate(k, k.tid("i|tid|bird"), pos.count)
    p, v = pos.load(k, "pi|here", i), vel.load(k, "vi|own", i)
    reach = divisor(k, "reach|view|radius", T, 50, 400)
    centre, heading = k.var("centre|mid", zero(pos.type)), k.var("heading|mean_v", zero(pos.type))
    away, seen = k.var("away|avoid", zero(pos.type)), k.var("seen|flockmates|cnt", number(0.0, T))
    with Around(k, pos.count).each(i) as j:
        q = pos.load(k, "pj|there", j)
        d = let(k, "d|rel", q - p)
        r2 = let(k, "r2|dist2", wp.dot(d, d))
        with k.if_(r2 < reach * reach):
            centre += d if c.chance(1, 2) else q - p
            heading += vel.at(j)
            seen += 1.0
            if c.chance(1, 2):
                away -= d / (r2 + 0.01)
            else:
                with k.if_(r2 < reach * reach * 0.25):
                    away -= d
    parts = [Term(away.e) * factor(k, "w_sep|separation", T)]
    inv = let(k, "inv|share", 1.0 / wp.max(seen, 1.0))
    parts.append(centre * inv * factor(k, "w_coh|cohesion", T))
    parts.append((heading * inv - v) * factor(k, "w_ali|alignment", T))
    if c.chance(1, 2):
        parts.append((k.scalar("goal|target", pos.type) - p) * factor(k, "w_goal|seek", T))
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    turn = let(k, "turn|force", varied(k, total, 0, 2))
    turn = _limited(k, turn, v, T)
    out.store(k, i, turn)
    statistic(k, wp.length(turn))
    k.summary(f"Steers each of a flock of {pos.type.n}-D boids by cohesion, alignment and separation.")


def _limited(k: Author, turn: Term, v: Term, T: Scalar) -> Term:
    """Return a turn within a limit, or the velocity after it."""
    c = k.c
    if c.chance(1, 2):
        speed = let(k, "speed|len_t", wp.length(turn) + 1.0e-4)
        turn = let(k, "limited|capped", turn * (wp.min(speed, factor(k, "max_turn|top", T)) / speed))
    if c.chance(1, 2):
        turn = let(k, "v_new|next_v", v + turn * factor(k, "dt|tau", T, 1, 20))
    return turn
