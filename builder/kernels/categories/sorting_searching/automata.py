"""One-dimensional cellular automata."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author
from ...fusion import coefficient, varied
from ...fusion.cells import local
from ...fusion.chance import random_state, uniform
from ...terms import Term, both, either, number, where, wp
from ...types import FLOAT, INT, UINT
from .sorting import figure

At = Callable[[int], Term]


def automaton(k: Author) -> None:
    """A step of a one-dimensional automaton: an elementary rule, totalistic, packed in words, traffic, sand."""
    c = k.c
    kind = c.pick(("elementary", "totalistic", "packed", "traffic", "sandpile", "threshold"))
    T = UINT if kind == "packed" else INT
    k.name(f"{kind}_automaton|ca_{kind}|{kind}_rule|ca_step_{kind}")
    batch = c.chance(1, 3)
    tid = k.tid("b|world|row", "i|cell|x") if batch else k.tid("i|cell|x|tid")
    i = tid[1] if batch else tid
    cells = k.input("cells|state|world_in", T, 2 if batch else 1)
    n = local(k, "n|size|width", cells.shape(1 if batch else 0))
    if c.chance(1, 3):
        with k.if_(i >= n if c.chance(1, 2) else either(i < 1, i >= n - 1)):
            k.leave()
    wrap = c.chance(2, 3)

    def at(d: int) -> Term:
        place = i if d == 0 else (i + d + n) % n if wrap else wp.clamp(i + d, 0, n - 1)
        return cells[tid[0], place] if batch else cells[place]

    value = _RULES[kind](k, at)
    if c.chance(1, 2):
        value = varied(k, value, 0, 1) if kind in ("totalistic", "sandpile") else value
    value = local(k, "next_c|result|new_s", value)
    if c.chance(1, 4):
        frozen = k.input("frozen|walls|fixed", INT)
        value = where(frozen[i] != 0, at(0), value)
    place = (tid[0], i) if batch else i
    if kind != "packed" and c.chance(1, 4):
        rng = random_state(k, i)
        flips = uniform(k, rng) < coefficient(k, FLOAT, 1, 20)
        value = local(k, "noisy|flipped|mutated", where(flips, 1 - value, value))
    k.output("next_cells|out|world_out", T, 2 if batch else 1)[place] = value
    if c.chance(1, 3):
        age = k.inout("age|since|still_for", INT, 2 if batch else 1)
        age[place] = where(value == at(0), age[place] + 1, number(0, INT))
    figure(k, place, value, 2 if batch else 1)
    if kind != "packed" and c.chance(1, 2):
        k.output("population|alive|mass", T).add_at(tid[0] if batch else 0, value)
    k.summary(f"Makes one step of a one-dimensional {kind} automaton.")


def _elementary(k: Author, at: At) -> Term:
    c = k.c
    left, mid, right = (local(k, words, at(d) & 1) for words, d in (("l|left", -1), ("m|mid", 0), ("r|right", 1)))
    way = c.below(4)
    if way == 1:
        lookup = local(k, "index|pattern|neigh", 4 * left + 2 * mid + right)
        table = k.input("rule_table|lookup|outcomes", INT)
        return table[lookup % table.shape(0)]
    rule = k.scalar("rule|table_bits|code", INT) & 255 if c.chance(1, 2) else number(c.between(1, 254), INT)
    if way == 0:
        return (rule >> ((left << 2) | (mid << 1) | right)) & 1
    if way == 2:
        return left ^ (mid | right) ^ (rule & 1)
    return ((rule >> (4 * left + 2 * mid + right)) & 1) ^ (at(2) & at(-2) & 1)


def _totalistic(k: Author, at: At) -> Term:
    c = k.c
    reach = c.between(1, 2)
    near = [at(d) for d in range(-reach, reach + 1) if d or c.chance(1, 2)]
    whole = near[0]
    for other in near[1:]:
        whole = whole + other
    s = local(k, "s|total_n|around", whole)
    states = c.between(2, 5)
    way = c.below(3)
    if way == 0:
        return (s * c.between(2, 7) + c.between(0, 5)) % states
    if way == 1:
        return where(both(s >= c.between(1, 2), s <= c.between(2, 4)), number(1, INT), number(0, INT))
    table = k.input("rule_table|lookup|outcomes", INT)
    return table[wp.abs(s) % table.shape(0)]


def _packed(k: Author, at: At) -> Term:
    c = k.c
    one, top = number(1, UINT), number(31, UINT)
    w, before, after = local(k, "w|word|bits", at(0)), at(-1), at(1)
    left = local(k, "l|left|lw", (w << one) | (before >> top))
    right = local(k, "r|right|rw", (w >> one) | (after << top))
    way = c.below(5)
    forms = (left ^ right, left ^ (w | right), (left & ~w) | (w & right), (left ^ w) & (w | right), left ^ w ^ right)
    chosen: Term = forms[way]
    return chosen


def _traffic(k: Author, at: At) -> Term:
    c = k.c
    me, behind, ahead = local(k, "me|car|cur", at(0)), local(k, "behind|b", at(-1)), local(k, "ahead|f", at(1))
    stays = both(me > 0, ahead > 0)
    comes = both(me <= 0, behind > 0)
    if c.chance(1, 2):
        return where(either(stays, comes), number(1, INT), number(0, INT))
    speed = k.var("speed|new_me|s", number(0, INT))
    with k.if_(stays):
        speed.set(wp.max(me - 1, 1))
    with k.elif_(comes):
        speed.set(wp.min(behind + 1, c.between(3, 6)))
    return Term(speed.e)


def _sandpile(k: Author, at: At) -> Term:
    c = k.c
    limit = number(c.between(2, 5), INT) if c.chance(1, 2) else k.scalar("limit|critical|height", INT)
    me = local(k, "me|here|grains", at(0))
    value = k.var("value|pile|left_over", me)
    with k.if_(me >= limit):
        value -= 2
    for d in (-1, 1) if c.chance(2, 3) else (-1, 1, -2, 2):
        if c.chance(1, 2):
            with k.if_(at(d) >= limit):
                value += 1
        else:
            value += where(at(d) >= limit, number(1, INT), number(0, INT))
    return Term(value.e)


def _threshold(k: Author, at: At) -> Term:
    c = k.c
    reach = c.between(2, 4)
    whole = at(0) * c.between(1, 3)
    for d in range(1, reach + 1):
        weight = c.between(1, 3)
        whole = whole + (at(d) + at(-d) if weight == 1 else weight * at(d) - at(-d))
    field = local(k, "field|drive|s", whole)
    limit = k.scalar("theta|limit|bias", INT) if c.chance(1, 2) else number(c.between(1, 9), INT)
    if c.chance(1, 2):
        return where(field > limit, number(1, INT), number(0, INT))
    return wp.clamp(field - limit, 0, c.between(1, 7))


_RULES = {
    "elementary": _elementary, "totalistic": _totalistic, "packed": _packed, "traffic": _traffic,
    "sandpile": _sandpile, "threshold": _threshold,
}  # fmt: skip
