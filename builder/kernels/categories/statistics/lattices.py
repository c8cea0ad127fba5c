"""Lattice models."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import local, setting, settled
from ...fusion.chance import random_state, uniform
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT


def ising(k: Author) -> None:
    """A checkerboard update of a lattice: Ising by Metropolis or heat bath, Potts, or an XY rotor."""
    c = k.c
    kind = c.pick(("metropolis", "heat_bath", "potts", "xy"))
    k.name(f"ising_{kind}|lattice_{kind}|{kind}_sweep|checkerboard_{kind}")
    i, j = k.tid(*c.pick((("i|row|y", "j|col|x"), ("row|i", "col|j"))))
    S = FLOAT if kind == "xy" else INT
    spins = k.inout("spins|lattice|field_s", S, 2)
    h, w = local(k, "h|height|rows", spins.shape(0)), local(k, "w|width|cols", spins.shape(1))
    parity = k.scalar("parity|color|phase", INT) if c.chance(2, 3) else number(c.below(2), INT)
    with k.if_((i + j) % 2 != parity if c.chance(1, 2) else ((i ^ j) & 1) != parity):
        k.leave()
    rng = random_state(k, local(k, "site|cell|flat", i * w + j))
    s = local(k, "s|spin|here", spins[i, j])
    around = _neighbours(k, spins, i, j, h, w)
    if c.chance(1, 4):
        occupied = k.input("occupied|sites|dilution", INT, 2)
        with k.if_(occupied[i, j] == 0):
            k.leave()
    beta = setting(k, "beta|inv_temp|coupling", 0.45)
    if c.chance(1, 3):
        beta = local(
            k, "b_ij|local_beta|strength_ij", varied(k, beta * k.input("bonds|couplings|j_map", FLOAT, 2)[i, j], 0, 1)
        )
    if kind == "xy":
        new = _turned(k, s, around, beta, rng)
        spins[i, j] = new
    else:
        spins[i, j] = _flipped(k, kind, s, around, beta, rng)
    if c.chance(1, 2):
        k.output("magnet|m_out|order_sum", S).add_at(0, s)
    if c.chance(1, 2):
        value = settled(k, beta * cast(s, FLOAT), 0, 2)
        k.output("energy_out|site_energy|observed", FLOAT, 2)[i, j] = value
        statistic(k, value)
    k.summary(f"Updates one colour of a square lattice of {S.name} spins by the {kind.replace('_', ' ')} rule.")


def _turned(k: Author, s: Term, around: list[Term], beta: Term, rng: Term) -> Term:
    """Return the angle after a trial turn, kept or not."""
    angle = local(k, "trial|prop|turned", s + wp.randf(rng, -1.0, 1.0) * coefficient(k, FLOAT))
    gain = [wp.cos(angle - other) - wp.cos(s - other) for other in around]
    gap = gain[0]
    for term in gain[1:]:
        gap = gap + term
    gap = local(k, "gap|d_e|gain_e", varied(k, gap, 0, 2))
    return where(uniform(k, rng) < wp.exp(wp.clamp(beta * gap, -20.0, 0.0)), angle, s)


def _neighbours(k: Author, spins: Arr, i: Term, j: Term, h: Term, w: Term) -> list[Term]:
    steps = [(-1, 0), (1, 0), (0, -1), (0, 1)] + ([(-1, -1), (1, 1)] if k.c.chance(1, 4) else [])
    found, wrap = [], k.c.chance(2, 3)
    for (di, dj), words in zip(
        steps, ("up|n0", "down|n1", "left|n2", "right|n3", "diag_a|n4", "diag_b|n5"), strict=False
    ):
        row = i if not di else (i + di + h) % h if wrap else wp.clamp(i + di, 0, h - 1)
        col = j if not dj else (j + dj + w) % w if wrap else wp.clamp(j + dj, 0, w - 1)
        found.append(local(k, words, spins[row, col]))
    return found


def _flipped(k: Author, kind: str, s: Term, around: list[Term], beta: Term, rng: Term) -> Term:
    u = uniform(k, rng)
    if kind == "potts":
        states = k.c.between(3, 5)
        trial = local(k, "trial|prop|state_new", wp.randi(rng, 0, states))
        gain = number(0, INT) + where(around[0] == trial, number(1, INT), number(0, INT))
        for other in around[1:]:
            gain = gain + where(other == trial, number(1, INT), number(0, INT))
        for other in around:
            gain = gain - where(other == s, number(1, INT), number(0, INT))
        gap = local(k, "gain_e|gap|d_e", varied(k, cast(gain, FLOAT), 0, 2))
        return where(u < wp.exp(wp.min(beta * gap, 0.0)), trial, s)
    whole = around[0]
    for other in around[1:]:
        whole = whole + other
    field = cast(whole, FLOAT) if k.c.chance(1, 2) else cast(whole, FLOAT) + setting(k, "field_h|bias|h_ext", 0.1)
    field = local(k, "field|local_h|pull", varied(k, field, 0, 2))
    if kind == "heat_bath":
        p = 1.0 / (1.0 + wp.exp(wp.clamp(-2.0 * beta * field, -20.0, 20.0)))
        return where(u < p, number(1, INT), number(-1, INT))
    cost = local(k, "cost|d_e|delta_e", 2.0 * cast(s, FLOAT) * field)
    if k.c.chance(1, 2):
        return where(u < wp.exp(-wp.clamp(beta * cost, 0.0, 20.0)), -s, s)
    spin = k.var("new_s|flipped|next_s", s)
    with k.if_(cost <= 0.0):
        spin.set(-s)
    with k.elif_(u < wp.exp(-wp.clamp(beta * cost, 0.0, 20.0))):
        spin.set(-s)
    return Term(spin.e)
