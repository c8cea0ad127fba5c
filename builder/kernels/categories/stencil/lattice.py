"""Lattice Boltzmann on D2Q9 and D2Q5: moments, collision, streaming, bounce-back."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import factor, let, precise
from ...terms import Like, Term, cast, number, where, wp
from ...types import INT, Scalar

_NINE = ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1))
_OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)
_WEIGHTS = {9: (4 / 9, *(1 / 9,) * 4, *(1 / 36,) * 4), 5: (1 / 3, *(1 / 6,) * 4)}


class Lattice:
    """The populations of a lattice: an array (y, x, direction), (direction, y, x) or (cell, direction)."""

    def __init__(self, k: Author, T: Scalar) -> None:
        self.k, self.T = k, T
        self.q = k.c.weighted({9: 3, 5: 2})
        self.way = k.c.pick(("last", "first", "cells"))
        self.f = k.input("f|pop|distribution", T, 2 if self.way == "cells" else 3)

    def output(self, words: str) -> Arr:
        """Declare populations that are written."""
        return self.k.output(words, self.T, 2 if self.way == "cells" else 3)

    def enter(self) -> tuple[Term, ...]:
        """Emit the thread indices and the test that all directions are there; return the cell."""
        k = self.k
        if self.way == "cells":
            cell: tuple[Term, ...] = (gate(k, k.tid("i|cell|tid"), self.f.shape(0)),)
        else:
            cell = k.tid("i|y|row", "j|x|col")
        axis = {"last": 2, "first": 0, "cells": 1}[self.way]
        with k.if_(self.f.shape(axis) < self.q):
            k.leave()
        if self.way == "first":
            return (wp.min(cell[0], self.f.shape(1) - 1), wp.min(cell[1], self.f.shape(2) - 1))
        return cell

    def index(self, cell: tuple[Term, ...], n: Like) -> tuple[Like, ...]:
        """Return the index of direction ``n`` of a cell."""
        return (n, *cell) if self.way == "first" else (*cell, n)

    def behind(self, cell: tuple[Term, ...], n: int) -> tuple[Term, ...]:
        """Return the cell that direction ``n`` comes from, periodic."""
        axes = (1, 2) if self.way == "first" else (0, 1)
        moved = []
        for at, d, axis in zip(cell, _NINE[n], axes, strict=True):
            extent = self.f.shape(axis)
            moved.append(at if d == 0 else (at + extent - 1) % extent if d > 0 else (at + 1) % extent)
        return tuple(moved)


def lattice_boltzmann(k: Author) -> None:
    """A lattice Boltzmann cell: its moments, or its collision, after streaming or not, with walls and forces."""
    c, T = k.c, precise(k)
    lattice = Lattice(k, T)
    part = c.pick(("moments", "collision", "collision"))
    k.name("lbm_moments|macroscopic|density_velocity" if part == "moments" else "lbm_collide|lbm_step|bgk_collision")
    cell = lattice.enter()
    if lattice.way == "first" and c.chance(1, 2):
        cell = (let(k, "cy|yy", cell[0]), let(k, "cx|xx", cell[1]))
    streamed = part == "collision" and lattice.way != "cells" and c.chance(1, 2)
    pops = _populations(k, lattice, cell, streamed)
    rho, ux, uy = _moments(k, lattice, cell, pops, streamed)
    if part == "moments":
        _store_moments(k, cell, rho, ux, uy, lattice)
        k.summary(f"Computes the density and velocity of each cell of a D2Q{lattice.q} lattice.")
        return
    if c.chance(1, 2):
        force = factor(k, "gx|force_x|accel", T, 1, 10)
        ux = let(k, "ux1|fx", ux + force * (0.5 if c.chance(1, 2) else 1.0))
    _collide(k, lattice, cell, pops, (rho, ux, uy))
    k.summary(f"{'Streams and collides' if streamed else 'Collides'} the populations of a D2Q{lattice.q} cell.")


def _populations(k: Author, lattice: Lattice, cell: tuple[Term, ...], streamed: bool) -> list[Term]:
    named, pops = k.c.chance(1, 2), []
    for n in range(lattice.q):
        source = lattice.behind(cell, n) if streamed else cell
        value = lattice.f[lattice.index(source, n)]
        pops.append(let(k, f"f{n}|p{n}", value) if named or streamed else value)
    return pops


def _moments(k: Author, lattice: Lattice, cell: tuple[Term, ...], pops: list[Term], streamed: bool) -> tuple[Term, ...]:
    c, T = k.c, lattice.T
    if c.chance(1, 3) and not streamed:
        rho = k.var("rho|mass", number(0.0, T))
        with k.for_("q|dirn|a", lattice.q) as q:
            rho += lattice.f[lattice.index(cell, q)]
        whole = Term(rho.e)
    elif c.chance(1, 2):
        rho = k.var("rho|mass", pops[0])
        for pop in pops[1:]:
            rho += pop
        whole = Term(rho.e)
    else:
        whole = pops[0]
        for pop in pops[1:]:
            whole = whole + pop
        whole = let(k, "rho|mass|dens", whole)
    parts = []
    for axis, word in ((1, "x"), (0, "y")):
        ahead = [pops[n] for n in range(lattice.q) if _NINE[n][axis] > 0]
        back = [pops[n] for n in range(lattice.q) if _NINE[n][axis] < 0]
        parts.append(_momentum(k, ahead, back, word))
    if c.chance(1, 2):
        inverse = let(k, "inv|inv_rho", 1.0 / wp.max(whole, 0.05))
        velocity = [part * inverse for part in parts]
    else:
        safe = let(k, "safe|dens_safe", wp.max(whole, 0.05))
        velocity = [part / safe for part in parts]
    ux = let(k, "ux|vx", varied(k, velocity[0], 0, 1))
    return whole, ux, let(k, "uy|vy", varied(k, velocity[1], 0, 1))


def _momentum(k: Author, ahead: list[Term], back: list[Term], word: str) -> Term:
    way = k.c.below(3)
    if way == 0:
        total = ahead[0]
        for term in ahead[1:]:
            total = total + term
        for term in back:
            total = total - term
        return let(k, f"m{word}|j{word}", total)
    if way == 1:
        total = ahead[0] - back[0]
        for a, b in zip(ahead[1:], back[1:], strict=True):
            total = total + (a - b)
        return let(k, f"m{word}|j{word}", total)
    acc = k.var(f"m{word}|j{word}", ahead[0])
    for term in ahead[1:]:
        acc += term
    for term in back:
        acc -= term
    return Term(acc.e)


def _store_moments(k: Author, cell: tuple[Term, ...], rho: Term, ux: Term, uy: Term, lattice: Lattice) -> None:
    T, ndim = lattice.T, len(cell)
    k.output("rho_out|density|dens_out", T, ndim)[cell] = varied(k, rho, 0, 1)
    if k.c.chance(1, 2):
        k.output("u_out|vel_x", T, ndim)[cell] = varied(k, ux, 0, 1)
        k.output("v_out|vel_y", T, ndim)[cell] = varied(k, uy, 0, 1)
    else:
        speed = let(k, "speed|mag", wp.sqrt(ux * ux + uy * uy + 1.0e-6))
        k.output("speed_out|velocity_out", T, ndim)[cell] = varied(k, speed, 0, 2)
    statistic(k, rho * (ux * ux + uy * uy))


def _collide(k: Author, lattice: Lattice, cell: tuple[Term, ...], pops: list[Term], state: tuple[Term, ...]) -> None:
    c, T = k.c, lattice.T
    out = lattice.output("f_next|pop_out|f_new")
    rho, ux, uy = state
    omega = factor(k, "omega|relax|inv_tau", T, 50, 190)
    if c.chance(1, 3):
        walls = k.input("solid|wall|obstacle", INT, len(cell))
        omega = let(k, "om|rate", where(walls[cell] != 0, number(0.0, T), omega))
    elif c.chance(1, 3):
        odd = cast(cell[0] % 2, T)
        omega = let(k, "om|rate", omega - factor(k, "delta|spread", T, 1, 20) * odd)
    usq = let(k, "usq|u2", 1.5 * (ux * ux + uy * uy))
    bounce = c.chance(1, 4)
    form, split, named = c.below(3), c.below(3), c.chance(1, 2)

    def equilibrium(f: Scope, w: Term, cu: Term, r: Term, u2: Term) -> Term:
        if form == 0:
            return w * r * (1.0 + 3.0 * cu + 4.5 * cu * cu - u2)
        if form == 1:
            return r * (w + w * (cu * (3.0 + 4.5 * cu) - u2))
        p = let(f, "c3|proj3", 3.0 * cu)
        return r * w * (1.0 + p + 0.5 * p * p - u2)

    params = {"w|weight": T, "cu|proj": T, "r|density": T, "u2|speed2": T}
    made = k.function("feq|equilibrium|f_eq", params, equilibrium) if split == 0 else None
    for n in range(lattice.q):
        w = number(round(_WEIGHTS[lattice.q][n], 8), T)
        cu = _along(n, ux, uy, T)
        if named and n:
            cu = let(k, f"cu{n}|d{n}", cu)
        eq = made(w, cu, rho, usq) if made else (equilibrium(k, w, cu, rho, usq) if n else w * rho * (1.0 - usq))
        eq = let(k, f"e{n}|eq{n}", eq) if split == 1 else eq
        new = pops[n] - omega * (pops[n] - eq) if c.chance(1, 2) else pops[n] * (1.0 - omega) + omega * eq
        out[lattice.index(cell, _OPPOSITE[n] if bounce else n)] = new


def _along(n: int, ux: Term, uy: Term, T: Scalar) -> Term:
    dy, dx = _NINE[n]
    across = {1: uy, -1: -uy}.get(dy)
    along = {1: ux, -1: -ux}.get(dx)
    if along is None:
        return number(0.0, T) if across is None else across
    return along if across is None else along + across if dy > 0 else along - uy
