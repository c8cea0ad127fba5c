"""Labels of graphs: components, colours, independent sets, cores, communities."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import local, precise, settled
from ...terms import Term, both, cast, either, number, where, wp
from ...types import FLOAT, INT, UINT
from .graphs import Graph


def labels(k: Author) -> None:
    """A step of connected components, colouring, independent sets, cores, or communities."""
    c = k.c
    kind = c.pick(("components", "colouring", "independent_set", "core", "community", "hook"))
    k.name(f"{kind}_step|{kind}_update|{kind}|{kind}_round")
    graph = Graph(k)
    v = graph.node
    label = k.input("labels|colors|state_in|comp", INT)
    n = label.shape(0)
    if c.chance(1, 2):
        with k.if_(v >= n if c.chance(1, 2) else label[v] < 0):
            k.leave()
    own = local(k, "own|mine|cur", label[v])
    _LABELS[kind](k, graph, v, label, own, n)
    names = {
        "components": "Lowers each node's component to the smallest among its neighbours",
        "colouring": "Gives each node the smallest colour that no neighbour has",
        "independent_set": "Adds to an independent set each node whose priority beats its neighbours'",
        "core": "Removes each node with too few remaining neighbours",
        "community": "Moves each node to the label that agrees best with its neighbours",
        "hook": "Hooks the roots of neighbouring trees onto the smaller one",
    }
    k.summary(f"{names[kind]}.")


def _components(k: Author, graph: Graph, v: Term, label: Arr, own: Term, n: Term) -> None:
    c = k.c
    low = k.var("low|least|best", own)
    with graph.each(v, n) as (u, _):
        if c.chance(1, 2):
            low.set(wp.min(low, label[u]))
        else:
            with k.if_(label[u] < low):
                low.set(label[u])
    if c.chance(1, 2):
        low.set(wp.min(low, label[wp.clamp(low, 0, n - 1)]))
    out = k.output("labels_out|next_comp|new_labels", INT)
    if c.chance(1, 2):
        out[v] = low
    else:
        k.atomic("min", out, wp.clamp(own, 0, n - 1), low)
    with k.if_(low < own):
        k.output("changed|again|n_moved", INT).add_at(0, 1)


def _colouring(k: Author, graph: Graph, v: Term, label: Arr, own: Term, n: Term) -> None:
    c = k.c
    used = k.var("used|taken|forbidden", number(0, UINT))
    order = k.input("priority|order_in|weights_in", INT) if c.chance(1, 2) else None
    one = number(1, UINT)
    with graph.each(v, n) as (u, _):
        bit = one << (cast(label[u], UINT) & number(31, UINT))
        if order is None:
            used |= bit
        else:
            with k.if_(either(order[u] > order[v], both(order[u] == order[v], u < v))):
                used |= bit
    color = k.var("color|slot|pick", number(0, INT))
    with k.while_(both(color < 31, ((used >> cast(Term(color.e), UINT)) & one) == one)):
        color += 1
    k.output("colors_out|new_colors|next_state", INT)[v] = color
    with k.if_(color != own):
        k.output("changed|conflicts|n_moved", INT).add_at(0, 1)
    if c.chance(1, 2):
        k.atomic("max", k.output("n_colors|highest|palette", INT), 0, Term(color.e))


def _independent(k: Author, graph: Graph, v: Term, label: Arr, own: Term, n: Term) -> None:
    c = k.c
    if c.chance(2, 3):
        with k.if_(own != 0):
            k.leave()
    T = c.pick((FLOAT, INT))
    prio = k.input("priority|random_in|weights_in", T)
    mine = local(k, "p_own|key|pv", varied(k, prio[v], 0, 1))
    wins = k.var("wins|local_max|chosen", number(1, INT))
    with graph.each(v, n) as (u, _):
        beaten = either(prio[u] > mine, both(prio[u] == mine, u > v)) if c.chance(1, 2) else prio[u] > mine
        with k.if_(both(label[u] == 0, beaten) if c.chance(1, 2) else beaten):
            wins.set(number(0, INT))
    k.output("state_out|in_set|next_state", INT)[v] = wins if c.chance(1, 2) else own + wins
    if c.chance(1, 2):
        k.output("set_size|n_chosen|picked", INT).add_at(0, Term(wins.e))


def _core(k: Author, graph: Graph, v: Term, label: Arr, own: Term, n: Term) -> None:
    c = k.c
    alive = k.var("alive|left|deg", number(0, INT))
    with graph.each(v, n) as (u, _):
        if c.chance(1, 2):
            with k.if_(label[u] > 0):
                alive += 1
        else:
            alive += where(label[u] > 0, number(1, INT), number(0, INT))
    need = k.scalar("k_core|min_degree|need", INT)
    stays = both(own > 0, alive >= need)
    k.output("state_out|alive_out|next_state", INT)[v] = where(stays, own, number(0, INT))
    if c.chance(2, 3):
        k.output("degree_out|remaining|deg_now", INT)[v] = varied(k, Term(alive.e), 0, 2)
    with k.if_(both(own > 0, alive < need)):
        k.output("removed|n_removed|changed", INT).add_at(0, 1)


def _community(k: Author, graph: Graph, v: Term, label: Arr, own: Term, n: Term) -> None:
    T = precise(k)
    weights = graph.weights(T)
    best, gain = k.var("best|target|to_label", own), k.var("gain|top|best_score", number(0, T))
    with graph.each(v, n) as (u, place):
        agree = local(k, "agree|link_w|score", weights[place] * where(label[u] == own, coefficient(k, T), number(1, T)))
        score = settled(k, agree, 0, 2, "adj|total_s|s0")
        with k.if_(score > gain):
            gain.set(score)
            best.set(label[u])
    k.output("labels_out|next_comm|moved_to", INT)[v] = best
    value = settled(k, Term(gain.e), 0, 2)
    k.output("gains|quality|scores_out", T)[v] = value
    statistic(k, value)


def _hook(k: Author, graph: Graph, v: Term, label: Arr, own: Term, n: Term) -> None:
    c = k.c
    parent = k.output("parents|roots_out|forest", INT)
    root = local(k, "root|rv|mine_root", label[wp.clamp(own, 0, n - 1)])
    if c.chance(1, 2):
        root = local(k, "root2|top|jumped", label[wp.clamp(root, 0, n - 1)])
    with graph.each(v, n) as (u, _):
        other = local(k, "other|ru|their_root", label[wp.clamp(label[u], 0, n - 1)] if c.chance(1, 2) else label[u])
        with k.if_(other < root):
            k.atomic("min", parent, wp.clamp(root, 0, n - 1), other)
        if c.chance(1, 2):
            with k.if_(root < other):
                k.atomic("min", parent, wp.clamp(other, 0, n - 1), root)
    if c.chance(1, 2):
        k.output("jumped_out|compressed|short", INT)[v] = label[wp.clamp(root, 0, n - 1)]


_LABELS = {
    "components": _components, "colouring": _colouring, "independent_set": _independent, "core": _core,
    "community": _community, "hook": _hook,
}  # fmt: skip
