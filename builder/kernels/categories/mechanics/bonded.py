"""Springs, constraints and bonded forces: what holds particles together."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, Points, factor, kept, let, precise
from ...terms import Term, number, where, wp
from ...types import INT, Scalar, vec


def _members(k: Author, count: int, n: Term) -> tuple[Term, list[Term]]:
    """Emit the thread index and the indices of the particles of its element, which lie below ``n``."""
    c = k.c
    words = ("a|i0|first", "b|i1|second", "d|i2|third", "e|i3|fourth")[:count]
    way = c.below(3)
    if way == 0:
        arrays = [k.input(f"idx{m}|end_{'abcd'[m]}|p{m}_id", INT) for m in range(count)]
        e = gate(k, k.tid("tid|eid|edge"), arrays[0].shape(0))
        return e, [let(k, w, wp.clamp(array[e], 0, n - 1)) for w, array in zip(words, arrays, strict=True)]
    if way == 1:
        table = k.input("edges|elements|links", INT, 2)
        e = gate(k, k.tid("tid|eid|edge"), table.shape(0))
        with k.if_(table.shape(1) < count):
            k.leave()
        return e, [let(k, w, wp.clamp(table[e, m], 0, n - 1)) for m, w in enumerate(words)]
    if count < 5 and c.chance(1, 2):
        packed = k.input("edges|links|bonds", vec(count, INT))
        e = gate(k, k.tid("tid|eid|edge"), packed.shape(0))
        ids = let(k, "ids|link", packed[e])
        return e, [let(k, w, wp.clamp(ids[m], 0, n - 1)) for m, w in enumerate(words)]
    flat = k.input("edge_indices|conn|connectivity", INT)
    e = gate(k, k.tid("tid|eid|edge"), flat.shape(0) // count)
    base = let(k, "base|first_slot", e * count) if c.chance(1, 2) else e * count
    guard = [wp.clamp(flat[wp.min(base + m if m else base, flat.shape(0) - 1)], 0, n - 1) for m in range(count)]
    return e, [let(k, w, index) for w, index in zip(words, guard, strict=True)]


def springs(k: Author) -> None:
    """Damped springs along edges: linear, cubic or strain-stiffening, added to both ends or gathered per particle."""
    c, T = k.c, precise(k)
    k.name("spring_forces|eval_springs|mass_spring|edge_forces")
    layout = Layout(k, c.pick((3, 2)), T)
    pos, vel = layout.input("pos|positions|xs"), layout.input("vel|velocities")
    out = layout.output("force|f_out|forces")
    e, (a, b) = _members(k, 2, pos.count)
    d = let(k, "d|rel|dx", pos.at(b) - pos.at(a))
    r = let(k, "r|length|dist", wp.length(d) + 1.0e-4)
    rest = let(k, "rest|l0", wp.abs(k.input("rest_length|rest_lengths", T)[e]) + 0.05) if c.chance(1, 2) else factor(
        k, "rest|l0", T)  # fmt: skip
    n = let(k, "n|axis|dirn", d / r)
    ks = let(k, "ks|stiff_e", k.input("stiffness|k_spring", T)[e]) if c.chance(1, 2) else factor(k, "ks|stiff", T)
    stretch = let(k, "stretch|x_s|strain", r - rest)
    pull = _spring_law(k, ks, stretch, rest)
    if c.chance(2, 3):
        rate = let(k, "rate|closing", wp.dot(vel.at(b) - vel.at(a), n))
        pull = pull + factor(k, "kd|damping|c_d", T, 1, 50) * rate
    else:
        pull = pull + wp.dot(vel.at(b), n) * 0.05 - 0.05 * wp.dot(vel.at(a), n)
    if c.chance(1, 3):
        limit = factor(k, "f_max|limit|tear", T, 200, 900)
        pull = wp.clamp(pull, -wp.abs(limit), wp.abs(limit)) if c.chance(1, 2) else where(
            stretch > limit, number(0.0, T), pull)  # fmt: skip
    f = let(k, "f|fvec|push", n * let(k, "mag|tension", varied(k, pull, 0, 2)))
    out.add(k, a, f)
    out.add(k, b, f, "sub")
    statistic(k, stretch * stretch)
    k.summary(f"Adds the force of each damped spring to its two ends in {pos.type.n} dimensions.")


def _spring_law(k: Scope, ks: Term, x: Term, rest: Term) -> Term:
    way = k.c.below(5)
    if way == 0:
        return ks * x
    if way == 1:
        return ks * (x / (wp.abs(rest) + 0.05))
    if way == 2:
        return ks * x * (1.0 + x * x * 0.5)
    if way == 3:
        return wp.max(ks * x, 0.0)
    q = let(k, "q|ratio", wp.clamp(x / (wp.abs(rest) + 0.1), -3.0, 3.0))
    return ks * (wp.exp(q) - 1.0)


def constraints(k: Author) -> None:
    """Position-based constraints (XPBD): distance, bending by a distance, by an angle, of a triangle's area."""
    c, T = k.c, precise(k)
    kind = c.pick(("distance", "bending-angle", "triangle-area"))
    k.name("solve_constraints|xpbd_solve|project_constraints|pbd_step")
    layout = Layout(k, 3 if kind == "triangle-area" else c.pick((3, 2)), T)
    pos, out = layout.input("pos|predicted|xs"), layout.output("delta|corrections|dx_out")
    masses = k.input("inv_mass|w", T)
    count = 2 if kind == "distance" else 3
    n = wp.min(pos.count, masses.shape(0))
    if c.chance(1, 2):
        n = pos.count
    e, members = _members(k, count, n)
    points = [pos.load(k, f"p{m}|x{m}|q{m}", at) for m, at in enumerate(members)]
    weights = [let(k, f"w{m}|im{m}", wp.abs(masses[at])) for m, at in enumerate(members)]
    value, slopes = _constraint(k, kind, points, e, T)
    bottom = weights[0] * wp.dot(slopes[0], slopes[0])
    for w, slope in zip(weights[1:], slopes[1:], strict=True):
        bottom = bottom + w * wp.dot(slope, slope)
    softness = _compliance(k, T)
    lam = let(k, "lam|multiplier|s", -value / (bottom + softness + 1.0e-3))
    if c.chance(1, 3):
        kept_lam = k.inout("lambda_acc|multipliers", T)
        lam = let(k, "dlam|step_lam", lam - softness * kept_lam[e] * 0.5)
        kept_lam[e] = kept_lam[e] + lam
    lam = let(k, "lam1|scaled", varied(k, lam, 0, 2))
    for at, w, slope in zip(members, weights, slopes, strict=True):
        if c.chance(1, 4):
            with k.if_(w > 0.0):
                out.add(k, at, slope * (lam * w))
        else:
            out.add(k, at, slope * (lam * w))
    statistic(k, wp.abs(value))
    k.summary(f"Adds the position corrections of {kind} constraints, with compliance.")


def _compliance(k: Author, T: Scalar) -> Term:
    way = k.c.below(3)
    soft = wp.abs(factor(k, "compliance|alpha", T, 1, 40))
    if way == 0:
        return soft
    if way == 1:
        dt = factor(k, "dt|substep", T, 5, 50)
        return let(k, "a_tilde|alpha_t", soft / (dt * dt + 0.01))
    return let(k, "a_tilde|alpha_t", soft * (1.0 + wp.abs(factor(k, "damp|beta", T))))


def _constraint(k: Author, kind: str, p: list[Term], e: Term, T: Scalar) -> tuple[Term, list[Term]]:
    c = k.c
    rest = let(k, "rest|target|l0", k.input("rest_values|targets|rest_in", T)[e]) if c.chance(1, 2) else factor(
        k, "rest|target|l0", T)  # fmt: skip
    if kind == "distance":
        d = let(k, "d|rel", p[0] - p[1])
        length = let(k, "length|dist|len0", wp.length(d) + 1.0e-4)
        n = let(k, "n|grad|dirn", d / length)
        value = let(k, "cval|gap|err", length - rest)
        if c.chance(1, 4):
            value = let(k, "one_sided|err1", wp.max(value, 0.0))
        return value, [n, -n]
    if kind == "bending-angle":
        mid = let(k, "mid|avg", (p[0] + p[2]) * 0.5)
        d = let(k, "d|arm|bend", p[1] - mid)
        h = let(k, "h|height|offset", wp.length(d) + 1.0e-4)
        n = let(k, "n|grad", d / h)
        return let(k, "cval|err", h - rest), [n * -0.5, n, n * -0.5]
    u, v = let(k, "u|e1", p[1] - p[0]), let(k, "v|e2", p[2] - p[0])
    cr = let(k, "cr|nrm", wp.cross(u, v))
    area = let(k, "area|twice", wp.length(cr) + 1.0e-4)
    n = let(k, "n|unit", cr / area)
    g1, g2 = let(k, "g1|grad1", wp.cross(v, n)), let(k, "g2|grad2", wp.cross(n, u))
    return let(k, "cval|err", 0.5 * area - rest), [(g1 + g2) * -0.5, g1 * 0.5, g2 * 0.5]


def bonded(k: Author) -> None:
    """Bonded terms of molecular dynamics: harmonic bonds, angles, dihedrals, energies and forces."""
    c, T = k.c, precise(k)
    kind = c.pick(("bond", "angle", "dihedral"))
    k.name(f"{kind}_forces|{kind}_energy|bonded_terms|eval_{kind}s")
    layout = Layout(k, 3, T)
    pos, out = layout.input("pos|coords|xs"), layout.output("force|f_out|grad_out")
    e, members = _members(k, {"bond": 2, "angle": 3, "dihedral": 4}[kind], pos.count)
    p = [pos.load(k, f"r{m}|x{m}|p{m}", at) for m, at in enumerate(members)]
    stiff = let(k, "k0|kb", k.input("force_const|k_bond", T)[e]) if c.chance(1, 2) else factor(k, "k_b|stiff", T)
    rest = let(k, "t0|eq", k.input("equilibrium|rest_in", T)[e]) if c.chance(1, 2) else factor(k, "rest|eq_value", T)
    if kind == "bond":
        energy = _bond(k, out, members, p, stiff, rest)
    elif kind == "angle":
        energy = _angle(k, out, members, p, stiff, rest)
    else:
        energy = _dihedral(k, out, members, p, stiff, rest, T)
    if c.chance(1, 2):
        k.output("energies|energy_out", T)[e] = varied(k, energy, 0, 2)
    else:
        statistic(k, kept(k, "energy|pot", energy))
    k.summary(f"Evaluates {kind} terms of a molecular force field and adds the forces to the atoms.")


def _bond(k: Author, out: Points, ids: list[Term], p: list[Term], stiff: Term, rest: Term) -> Term:
    d = let(k, "d|rel|bond", p[1] - p[0])
    r = let(k, "r|length|dist", wp.length(d) + 1.0e-3)
    x = let(k, "x|stretch|dr", varied(k, r - rest, 0, 1))
    way = k.c.below(3)
    if way == 0:
        energy, slope = 0.5 * stiff * x * x, stiff * x
    elif way == 1:
        energy, slope = stiff * x * x * (1.0 - x + x * x), stiff * x * (2.0 - 3.0 * x + 4.0 * x * x)
    else:
        ex = let(k, "ex|decay", wp.exp(-wp.clamp(x, -5.0, 5.0)))
        energy, slope = stiff * (1.0 - ex) * (1.0 - ex), 2.0 * stiff * (1.0 - ex) * ex
    f = let(k, "f|pull", d * (slope / r))
    out.add(k, ids[0], f)
    out.add(k, ids[1], f, "sub")
    return energy


def _angle(k: Author, out: Points, ids: list[Term], p: list[Term], stiff: Term, rest: Term) -> Term:
    u, v = let(k, "u|arm1|ab", p[0] - p[1]), let(k, "v|arm2|cb", p[2] - p[1])
    lu, lv = let(k, "lu|len1", wp.length(u) + 1.0e-3), let(k, "lv|len2", wp.length(v) + 1.0e-3)
    cos = let(k, "cos_t|ca", wp.clamp(wp.dot(u, v) / (lu * lv), -0.99, 0.99))
    if k.c.chance(1, 2):
        theta = let(k, "theta|ang", wp.acos(cos))
        x = let(k, "x|off|dtheta", varied(k, theta - rest, 0, 1))
        slope = -stiff * x / wp.sqrt(1.0 - cos * cos + 1.0e-4)
    else:
        x = let(k, "x|off|dcos", varied(k, cos - wp.cos(rest), 0, 1))
        slope = stiff * x
    slope = let(k, "slope|de_dc", slope)
    fu = let(k, "fu|f_a", (u * (cos / (lu * lu)) - v * (1.0 / (lu * lv))) * slope)
    fv = let(k, "fv|f_c", (v * (cos / (lv * lv)) - u * (1.0 / (lu * lv))) * slope)
    out.add(k, ids[0], fu)
    out.add(k, ids[2], fv)
    out.add(k, ids[1], fu + fv, "sub")
    return 0.5 * stiff * x * x


def _dihedral(k: Author, out: Points, ids: list[Term], p: list[Term], stiff: Term, rest: Term, T: Scalar) -> Term:
    b1, b2, b3 = (let(k, f"b{m + 1}|bond{m + 1}", p[m + 1] - p[m]) for m in range(3))
    m, n = let(k, "m|n1", wp.cross(b1, b2)), let(k, "n|n2", wp.cross(b2, b3))
    axis = let(k, "axis_len|len_b", wp.length(b2) + 1.0e-3)
    phi = let(k, "phi|torsion", wp.atan2(wp.dot(b1, n) * axis, wp.dot(m, n) + 1.0e-4))
    fold = number(float(k.c.between(1, 4)), T)
    x = let(k, "x|arg|phase", fold * phi - rest)
    slope = let(k, "slope|de_dphi", varied(k, -stiff * fold * wp.sin(x), 0, 1))
    fa = let(k, "fa|f_first", m * (-slope * axis / (wp.dot(m, m) + 1.0e-3)))
    fd = let(k, "fd|f_last", n * (slope * axis / (wp.dot(n, n) + 1.0e-3)))
    out.add(k, ids[0], fa)
    out.add(k, ids[3], fd)
    if k.c.chance(1, 2):
        t = let(k, "t|share", wp.dot(b1, b2) / (axis * axis))
        out.add(k, ids[1], fa * (1.0 + t), "sub")
        out.add(k, ids[2], fd - fa * t, "sub")
    else:
        mid = let(k, "mid|half_f", (fa + fd) * 0.5)
        out.add(k, ids[1], mid, "sub")
        out.add(k, ids[2], mid, "sub")
    return stiff * (1.0 + wp.cos(x))
