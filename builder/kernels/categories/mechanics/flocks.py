"""Steering of flocks."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, divisor, factor, let, precise
from ...terms import Term, number, wp, zero
from ...types import Scalar
from .pairs import Around


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
