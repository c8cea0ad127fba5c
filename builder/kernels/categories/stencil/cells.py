"""Rules on cells and borders: automata, heights that slide, ghost cells, distances, lattices in 4-D."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, statistic, varied
from ...terms import Term, both, cast, either, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, UINT, Value, scalar_of
from .grid import Grid, parity, steps_along


def _automaton(k: Author) -> None:
    """A step of a cellular automaton: life-like rules, a numbered rule in 1-D, majority, cyclic, forest fire."""
    c = k.c
    ndim = c.weighted({2: 5, 1: 2, 3: 1})
    k.name("life_step|automaton|rule_step|majority_step|cyclic_cells|forest_fire")
    g = Grid(k, "cells|alive|state", INT, ndim, rules=("wrap", "clamp", "zero", "skip"))
    out = g.output("out|next_cells|state_out", INT)
    own = k.let("own|mid|me", g.first[g.here])
    if ndim == 1 and c.chance(1, 2):
        rule = k.scalar("rule|code", INT) if c.chance(1, 2) else number(c.pick((30, 90, 110, 184)), INT)
        left, right = (g.near(g.first, s) & 1 for s in (-1, 1))
        pattern = k.let("pattern|bits|p", (left << 2) | ((own & 1) << 1) | right)
        out[g.here] = varied(k, (rule >> pattern) & 1, 0, 2)
        k.summary(f"Does one step of an elementary automaton given by a rule number on {g.what}.")
        return
    offsets = [steps_along(axis, s) for axis in range(ndim) for s in (-1, 1)]
    if ndim == 2 and c.chance(2, 3):
        offsets += [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    count = k.var("count|n_alive|near", number(0, INT))
    way, level = c.below(4), number(c.between(0, 2), INT)
    for place in offsets:
        v = g.near(g.first, *place)
        count += (v, where(v > level, number(1, INT), number(0, INT)), v & 1)[c.below(3)]
    _rule(k, way, g, own, count)
    if c.chance(1, 3):
        total = k.output("population|n_on|census", INT)
        with k.if_(both(own > 0, count > c.between(1, 4))):
            k.atomic("add", total, 0, 1)
    alive = _next_state(k, way, own, count, len(offsets))
    out[g.here] = varied(k, alive, 0, 2)
    names = ("a life-like rule", "a majority rule", "a cyclic rule", "a spreading fire")
    k.summary(f"Does one step of {names[way]} with {len(offsets)} neighbours on {g.what}.")


def _next_state(k: Author, way: int, own: Term, count: Term, around: int) -> Term:
    """Return the next state of a cell by the rule drawn."""
    c = k.c
    if way == 0:
        born, low = c.between(2, 4), c.between(1, 3)
        alive = where(own > 0, where(both(count >= low, count <= born), number(1, INT), number(0, INT)),
                      where(count == born, number(1, INT), number(0, INT)))  # fmt: skip
    elif way == 1:
        alive = where(count * 2 > around, number(1, INT), number(0, INT))
    elif way == 2:
        n = number(c.between(3, 8), INT)
        alive = where(count > c.between(1, 3), (own + 1) % n, own)
    else:
        alive = where(own == 2, number(0, INT), where(both(own == 1, count > c.between(1, 4)), number(2, INT), own))
    return alive


def _rule(k: Author, way: int, g: Grid, own: Term, count: Term) -> None:
    """Perhaps keep how old or how crowded each cell is."""
    if not k.c.chance(1, 3):
        return
    ages = g.output("ages|crowd|history", INT)
    ages[g.here] = varied(k, where(own > 0, count + way, own), 0, 2)


def _slides(k: Author) -> None:
    """Material that slides or flows between cells: sandpiles, talus, water levels, erosion, thermal exchange."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE, INT))
    ndim = c.pick((2, 1))
    k.name("sandpile|talus_slide|water_flow|erosion_step|exchange_heat")
    g = Grid(k, "height|sand|level", T, ndim, rules=("clamp", "wrap", "skip"))
    out = g.output("out|height_out|level_out", T)
    own = k.let("own|mid|h0", g.first[g.here])
    total = k.var("total|gain|moved", zero(T))
    limit = coefficient(k, T, 5, 90) if T.is_float else number(c.between(2, 6), T)
    sides = [(axis, step) for axis in range(ndim) for step in (-1, 1)]
    atomic = c.chance(1, 4)
    for n, (axis, step) in enumerate(c.sample(sides, len(sides))):
        d = k.let(f"d{n}|drop{n}|gap{n}", g.near(g.first, *steps_along(axis, step)) - own)
        if c.chance(1, 2):
            with k.if_(wp.abs(d) > limit):
                total += varied(k, d - where(d > zero(T), limit, -limit), 0, 1)
        elif c.chance(1, 2):
            total += where(d > limit, d - limit, where(d < -limit, d + limit, zero(T)))
        else:
            total += wp.max(d - limit, zero(T)) + wp.min(d + limit, zero(T))
    share = total * number(0.125, T) if T.is_float else total // 8
    value = varied(k, own + varied(k, share, 0, 1), 0, 2)
    if atomic:
        k.atomic("add", out, g.here, value)
    else:
        out[g.here] = value
    statistic(k, value)
    k.summary(f"Moves {T.name} material between cells whose difference exceeds a limit, on {g.what}.")


def _ghosts(k: Author) -> None:
    """Ghost cells of a border: periodic, mirrored, fixed values, gradients given; a side or all around."""
    c = k.c
    T = c.pick((FLOAT, DOUBLE, INT))
    ndim = c.pick((2, 3))
    k.name("fill_ghosts|apply_boundary|periodic_halo|neumann_border|dirichlet_border|halo_copy")
    u = k.inout("u|field|q", T, ndim)
    threads = k.tid(*("i|row|a", "j|col|b")[: ndim - 1])
    inner = threads if ndim == 3 else (threads,)
    width = c.between(1, 3)
    axis = c.below(ndim)
    n = k.let("n|length|last_n", u.shape(axis))
    with k.if_(n <= 2 * width):
        k.leave()

    def at(position: Term) -> tuple[Term, ...]:
        return (*inner[:axis], position, *inner[axis:])

    way = c.below(4)
    sides = c.pick(((0, 1), (0,), (1,)))
    given = k.scalar("value|wall|level", T) if way == 2 else None
    loop = c.chance(1, 2)
    for side in sides:
        if loop:
            with k.for_("g|layer|w", number(width, INT)) as layer:
                _ghost(k, u, at, (way, side, width), n, layer, given)
        else:
            for layer_no in range(width):
                _ghost(k, u, at, (way, side, width), n, number(layer_no, INT), given)
    if c.chance(1, 2):
        edges = k.output("edges|border_sum|trace", T, ndim - 1)
        edges[threads] = varied(k, u[at(n - 1 - width)] - u[at(number(width, INT))], 0, 3)
    names = ("periodic values", "mirrored values", "a given value reflected", "a constant slope")
    k.summary(f"Fills {width} layers of ghost cells along axis {axis} of a {ndim}-D {T.name} grid with {names[way]}.")


def _ghost(
    k: Author, u: object, at: object, how: tuple[int, int, int], n: Term, layer: Term, given: Term | None
) -> None:
    """Write one layer of ghost cells on one side."""
    way, side, width = how
    ghost = layer if side == 0 else n - 1 - layer
    if way == 0:
        source = n - 2 * width + layer if side == 0 else 2 * width - 1 - layer
    elif way == 3:
        source = number(width, INT) if side == 0 else n - 1 - width
    else:
        source = 2 * width - 1 - layer if side == 0 else n - 2 * width + layer
    value = u[at(source)]  # type: ignore[index,operator]
    if given is not None:
        value = given * 2 - value if given.type is INT else given * 2.0 - value
    elif way == 3:
        beside = source + 1 if side == 0 else source - 1
        value = value + (value - u[at(beside)])  # type: ignore[index,operator]
    u[at(ghost)] = varied(k, value, 0, 2)  # type: ignore[index,operator]


def _distances(k: Author) -> None:
    """Integer fields from neighbours: chamfer distance, labels of components, jump flooding, local ties."""
    c = k.c
    T = c.pick((INT, FLOAT, UINT))
    ndim = c.weighted({2: 4, 1: 1, 3: 1})
    k.name("chamfer_pass|label_components|jump_flood|wavefront|nearest_seed")
    g = Grid(k, "d|labels|seeds", T, ndim, rules=("clamp", "wrap", "skip"))
    out = g.output("out|labels_out|d_next", T)
    mask = g.input("mask|solid|walls", INT) if c.chance(1, 2) else None
    own = k.let("own|mid|me", g.first[g.here])
    highest = c.chance(1, 2)
    best = k.var("best|least|found", own)
    step = number(c.between(1, 8), T) if c.chance(1, 2) else zero(T)
    offsets = [steps_along(axis, s) for axis in range(ndim) for s in (-1, 1)]
    if ndim == 2 and c.chance(1, 2):
        offsets += [(-1, -1), (1, 1), (-1, 1), (1, -1)]
    if c.chance(1, 4):
        offsets = offsets[: len(offsets) // 2 + 1]
    for n, place in enumerate(offsets):
        v = g.near(g.first, *place)
        if c.chance(1, 2):
            v = k.let(f"v{n}|nb{n}|from{n}", varied(k, v, 0, 1))
        if highest:
            best.set(wp.max(best, v - step if T is not UINT else v))
        else:
            best.set(wp.min(best, v + step))
    result: Term = best
    if mask is not None:
        test = mask[g.here] == c.below(2)
        if c.chance(1, 2):
            result = where(test, own, best)
        else:
            with k.if_(test):
                best.set(own)
    out[g.here] = varied(k, result, 0, 2)
    if c.chance(1, 2):
        _count_changes(k, best, own, T)
    what = "Raises" if highest else "Lowers"
    k.summary(f"{what} each {T.name} to what {len(offsets)} neighbours offer: one pass on {g.what}.")


def _count_changes(k: Author, best: Term, own: Term, T: Value) -> None:
    changed = k.output("changed|n_changed|dirty", INT)
    with k.if_(best != own if T is not FLOAT else wp.abs(best - own) > 0.001):
        changed.add_at(0, 1)


def _lattice(k: Author) -> None:
    """Lattices of more dimensions or with spins: Ising and Potts moves, 4-D averages, phases, checkerboards."""
    c = k.c
    T: Value = c.pick((FLOAT, INT, DOUBLE))
    S = scalar_of(T)
    ndim = c.weighted({4: 3, 3: 2, 2: 2})
    k.name("ising_step|lattice_step|phase_coupling|hypercubic|spin_energy|kuramoto")
    g = Grid(k, "spin|phase|s", T, ndim, rules=("wrap", "clamp", "skip"))
    out = g.output("out|spin_out|phase_out", T)
    own = k.let("own|mid|me", g.first[g.here])
    if c.chance(1, 2):
        color = k.scalar("color|sweep|phase_no", INT)
        with k.if_(parity(g.place) == wp.abs(color) % 2 if c.chance(1, 2) else either(parity(g.place) != 0, color < 0)):
            if c.chance(1, 2):
                out[g.here] = own
            k.leave()
    total = k.var("total|field|torque", zero(T))
    axes = c.sample(tuple(range(ndim)), c.between(2, ndim))
    way = c.below(3) if S.is_float else 0
    for axis in axes:
        for step in (-1, 1):
            v = g.near(g.first, *steps_along(axis, step))
            total += v if way == 0 else wp.sin(v - own) if way == 1 else (v - own) * coefficient(k, S, 5, 90)
    if not S.is_float:
        value = where(own * total < c.between(0, 3), -own, own) + total // c.between(6, 12)
    else:
        push = coefficient(k, S, 1, 60)
        value = own + total * push if way else where(own * total < push, own * number(-1.0, S), own)
    value = varied(k, value, 0, 3)
    out[g.here] = value
    statistic(k, cast(value, FLOAT) if not S.is_float and c.chance(1, 2) else value)
    names = ("Turns spins against the field of", "Couples phases with", "Averages with")
    k.summary(f"{names[way]} neighbours along {len(axes)} axes, of {S.name} on {g.what}.")


FAMILIES = (_automaton, _slides, _ghosts, _distances, _lattice)
