"""Cellular automata: life-like rules, majority votes, excitable media, sand piles, snow."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import statistic, varied
from ...layouts import Grid, chain_of, factor, let, precise, switch
from ...terms import Term, both, cast, either, number, where, wp
from ...types import INT, UINT8, Scalar

_SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))


def _count(k: Author, g: Grid, cells: Arr, hit: Term | None, corners: bool) -> Term:
    """Return how many neighbours are alive (or equal ``hit``), by a loop or by a sum."""
    offsets = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a or b) and (corners or not a * b)]

    def alive(value: Term) -> Term:
        value = cast(value, INT)
        return value if hit is None else where(value == hit, number(1, INT), number(0, INT))

    if k.c.chance(1, 2):
        return let(k, "live|count|nb", chain_of(k, "acc|votes", [alive(g.at(cells, *o)) for o in offsets]))
    acc = k.var("live|count|nb", number(0, INT))
    with k.for_("di|a|dy", -1, 2) as di, k.for_("dj|b|dx", -1, 2) as dj:
        test = either(di != 0, dj != 0) if corners else wp.abs(di) + wp.abs(dj) == 1
        with k.if_(test):
            acc += alive(g.at(cells, di, dj))
    return Term(acc.e)


def lattice_automaton(k: Author) -> None:
    """One generation of a cellular automaton: life-like, majority, excitable medium, cyclic, forest fire, growth."""
    c = k.c
    T: Scalar = c.weighted({INT: 4, UINT8: 1})
    rule = c.pick(("life-like", "majority", "excitable-medium", "cyclic", "forest-fire", "crystal-growth"))
    g = Grid(k, 2)
    k.name(f"{rule.replace('-', '_')}_step|ca_step|next_generation|automaton")
    cells, out = g.input("cells|grid|state", T), g.output("cells_next|out|grid_out", T)
    g.enter()
    me = let(k, "me|cur|s0", cast(g.at(cells, 0, 0), INT))
    value = _rule(k, g, rule, cells, me)
    if c.chance(1, 2):
        value = let(k, "ruled|s2", value)
        keep = g.input("frozen|locked|walls", INT)
        value = switch(k, "kept|s3", g.at(keep, 0, 0) > 0, me, value)
    if c.chance(1, 3) and T is INT:
        age = g.inout("age|heat|visits", INT)
        value = let(k, "fresh|s1", value)
        grown = where(value == me, g.at(age, 0, 0) + 1, number(0, INT))
        g.put(age, varied(k, grown, 0, 2))
    value = let(k, "result|s4", value)
    g.put(out, cast(value, T))
    statistic(k, value)
    k.summary(f"One generation of a {rule} cellular automaton, {g.edge}.")


def _rule(k: Author, g: Grid, rule: str, cells: Arr, me: Term) -> Term:
    c = k.c
    if rule == "life-like":
        return _life(k, _count(k, g, cells, None, True), me)
    if rule == "majority":
        corners = c.chance(1, 2)
        n = let(k, "votes|total", _count(k, g, cells, None, corners) + me)
        return where(n * 2 > (9 if corners else 5), number(1, INT), number(0, INT))
    if rule == "excitable-medium":
        hot = _count(k, g, cells, number(1, INT), c.chance(1, 2))
        top = number(c.between(3, 9), INT)
        lit = where(hot >= c.between(1, 3), number(1, INT), number(0, INT))
        return switch(k, "next_state|s1", me == 0, lit, (me + 1) % top)
    if rule == "cyclic":
        states = c.between(3, 14)
        successor = let(k, "nxt|succ", (me + 1) % states)
        hits = _count(k, g, cells, successor, c.chance(1, 2))
        return switch(k, "next_state|s1", hits >= c.between(1, 3), successor, me)
    if rule == "forest-fire":
        burning = _count(k, g, cells, number(2, INT), c.chance(1, 2))
        sparks = g.input("sparks|lightning", INT)
        new = k.var("new|s1", me)
        with k.if_(me == 2):
            new.set(0)
        with k.elif_(both(me == 1, either(burning > 0, g.at(sparks, 0, 0) == 1))):
            new.set(2)
        with k.elif_(both(me == 0, g.at(sparks, 0, 0) == 2)):
            new.set(1)
        return Term(new.e)
    n = _count(k, g, cells, number(1, INT), c.chance(1, 2))
    frozen = either(me == 1, n == c.between(1, 2)) if c.chance(1, 2) else either(me == 1, both(n > 0, n % 2 == 1))
    return where(frozen, number(1, INT), number(0, INT))


def _life(k: Author, n: Term, me: Term) -> Term:
    """Return the next state by the numbers of neighbours that let a cell be born and survive."""
    c = k.c
    way = c.below(4)
    born, low, high = c.between(2, 4), c.between(1, 3), c.between(3, 5)
    one, none = number(1, INT), number(0, INT)
    if way == 0:
        return where(either(n == born, both(me == 1, n >= low, n <= high)), one, none)
    if way == 1:
        masks = (1 << born, sum(1 << s for s in range(low, high + 1)))
        return (where(me == 1, number(masks[1], INT), number(masks[0], INT)) >> n) & 1
    new = k.var("new|alive|s1", none)
    if way == 2:
        with k.if_(me == 1), k.if_(both(n >= low, n <= high)):
            new.set(1)
        with k.else_(), k.if_(n == born):
            new.set(1)
        return Term(new.e)
    with k.if_(n == born):
        new.set(1)
    with k.elif_(both(n >= low, n <= high)):
        new.set(me)
    return Term(new.e)


def sandpile(k: Author) -> None:
    """One step of a toppling sand pile, or of snow and sand that slides down steep slopes."""
    c = k.c
    g = Grid(k, 2, rules=("zero", "wrap", "clamp", "skip"))
    k.name("sandpile|topple|avalanche_step|slide")
    if c.chance(1, 2):
        cells, out = g.input("pile|grains|height", INT), g.output("pile_next|out", INT)
        g.enter()
        me = let(k, "me|here", g.at(cells, 0, 0))
        limit = k.constant("LIMIT|CRITICAL|THRESHOLD", c.pick((4, 8))) if c.chance(1, 2) else number(4, INT)
        lost = let(k, "lost|falls", where(me >= limit, number(4, INT), number(0, INT)))
        around = [g.at(cells, *o) for o in _SIDES]
        gains = [where(near >= limit, number(1, INT), number(0, INT)) for near in around]
        value = me - lost + chain_of(k, "gain|received", gains)
        if c.chance(1, 2):
            value = value + varied(k, g.at(g.input("drops|rain", INT), 0, 0), 0, 1)
        value = let(k, "value|res", varied(k, value, 0, 2))
        g.put(out, value)
        statistic(k, value)
        k.summary(f"One toppling step of a sand pile that gathers grains from its neighbours, {g.edge}.")
        return
    _slide(k, g)


def _slide(k: Author, g: Grid) -> None:
    c, T = k.c, precise(k)
    h, out = g.input("height|snow|sand", T), g.output("height_next|out", T)
    g.enter()
    me = let(k, "me|h0", g.at(h, 0, 0))
    repose, rate = factor(k, "repose|talus|limit", T, 10, 100), factor(k, "rate|slide|mobility", T, 2, 20)
    flow = k.var("flow|net", number(0.0, T))
    for o in _SIDES:
        d = let(k, "d|drop|slope", g.at(h, *o) - me)
        if c.chance(1, 2):
            flow += where(wp.abs(d) > repose, d - wp.sign(d) * repose, number(0.0, T))
        else:
            flow += wp.sign(d) * wp.max(wp.abs(d) - repose, 0.0)
    value = me + rate * varied(k, Term(flow.e), 0, 2)
    if c.chance(1, 2):
        value = value + g.at(g.input("fall|deposit", T), 0, 0)
    value = let(k, "value|res", varied(k, value, 0, 2))
    g.put(out, value)
    statistic(k, value)
    k.summary(f"Moves sand down slopes steeper than the angle of repose, {g.edge}.")
