"""Graphs: one step of a relaxation, of a traversal, a ranking, a colouring, a count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import local, precise, setting, settled, transform
from ...terms import Like, Term, both, cast, number, where, wp
from ...types import INT, Scalar

Joined = Callable[[Term, Like], Term]
_WAYS = {"csr": 3, "ell": 2, "slots": 1, "dense": 1}


class Graph:
    """The neighbours of a node: compressed rows, padded rows, slots of a fixed number, or an adjacency matrix."""

    def __init__(self, k: Author, words: str = "v|node|i|tid") -> None:
        self._k = k
        self.way = k.c.weighted(_WAYS)
        self.node = k.tid(words)
        if self.way == "csr":
            self.offsets = k.input("row_ptr|offsets|indptr", INT)
            self.targets = k.input("col_idx|adjacency|neighbors", INT)
        elif self.way == "slots":
            self.degree = k.constant("DEGREE|SLOTS|MAX_DEG", k.c.pick((20, 24, 32)))
            self.targets = k.input("adjacency|links|neighbors", INT)
        else:
            self.targets = k.input("adjacency|links|neighbors", INT, 2)

    @contextmanager
    def each(self, node: Term, nodes: Term, words: str = "u|nb|other|w0") -> Iterator[tuple[Term, Like]]:
        """Write the body for each neighbour of ``node``: gives the neighbour, below ``nodes``, and its place."""
        k, table = self._k, self.targets
        if self.way == "csr":
            after = wp.min(node + 1, self.offsets.shape(0) - 1)
            first = local(k, "first|begin|lo", wp.max(self.offsets[node], 0))
            last = local(k, "last|end|hi", wp.min(self.offsets[after], table.shape(0)))
            with k.for_("e|edge|p", first, last) as e:
                yield local(k, words, wp.clamp(table[e], 0, nodes - 1)), e
        elif self.way == "slots":
            with k.for_("s|slot|q", self.degree) as s:
                place = local(k, "at|place|link", (node * self.degree + s) % table.shape(0))
                with k.if_(table[place] >= 0):
                    yield local(k, words, wp.min(table[place], nodes - 1)), place
        elif self.way == "ell":
            with k.for_("s|slot|q", table.shape(1)) as s:
                raw = local(k, "raw|entry|link", table[node, s])
                with k.if_(both(raw >= 0, raw < nodes)):
                    yield raw, (node, s)
        else:
            with k.for_(words, wp.min(nodes, table.shape(1))) as u, k.if_(table[node, u] != 0):
                yield u, (node, u)

    def weights(self, type_: Scalar) -> Arr:
        """Declare the weights of the edges."""
        return self._k.input("weights|costs|lengths", type_, 2 if self.way in ("ell", "dense") else 1)


def relax(k: Author) -> None:
    """A relaxation of shortest or widest paths, or a breadth-first frontier: pulled by nodes or pushed along edges."""
    c = k.c
    kind = c.pick(("bellman_ford", "bfs", "widest", "reliability", "sssp_push", "bfs_push"))
    T = INT if kind.startswith("bfs") else precise(k)
    k.name(f"{kind}_relax|{kind}_step|{kind}|relax_edges|{kind}_sweep")
    graph = Graph(k)
    v = graph.node
    dist = k.input("dist|labels|best_in|levels", T)
    if c.chance(1, 3):
        with k.if_(v >= dist.shape(0)):
            k.leave()
    if c.chance(1, 3):
        active = k.input("active|in_frontier|queue_flags", INT)
        with k.if_(active[v] == 0):
            k.leave()
    weights = None if T is INT else graph.weights(T)
    change = transform(k, "edge_cost|length_of|cost", T, 1) if T is not INT else None
    mine = local(k, "mine|dv|here", dist[v])

    def joined(a: Term, place: Like) -> Term:
        if weights is None or change is None:
            return a + 1
        cost = wp.abs(change(weights[place]))
        if kind == "widest":
            return wp.min(a, cost)
        return a * (1.0 / (1.0 + cost)) if kind == "reliability" else a + cost

    if kind.endswith("push"):
        _pushed(k, graph, v, dist, mine, joined, T)
    else:
        _pulled(k, graph, v, dist, mine, joined, kind in ("widest", "reliability"), T)
    names = {
        "bfs": "breadth-first levels",
        "bfs_push": "breadth-first levels",
        "widest": "widest paths",
        "reliability": "most reliable paths",
    }
    way = "pushed to" if kind.endswith("push") else "pulled from"
    k.summary(f"Relaxes {names.get(kind, 'shortest paths')} once, {way} the neighbours of each node.")


def _pulled(k: Author, graph: Graph, v: Term, dist: Arr, mine: Term, joined: Joined, most: bool, T: Scalar) -> None:
    c = k.c
    best = k.var("best|found|new_d", mine)
    parent = k.var("parent|pred|via", number(-1, INT)) if c.chance(1, 2) else None
    with graph.each(v, dist.shape(0)) as (u, place):
        cand = local(k, "cand|alt|trial", joined(dist[u], place))
        if parent is None and c.chance(1, 2):
            best.set(wp.max(best, cand) if most else wp.min(best, cand))
        else:
            with k.if_(cand > best if most else cand < best):
                best.set(cand)
                if parent is not None:
                    parent.set(u)
    value = varied(k, Term(best.e), 0, 1) if c.chance(1, 3) else Term(best.e)
    value = local(k, "kept|result|d_new", value)
    k.output("dist_out|next_labels|best_out", T)[v] = value
    if parent is not None:
        k.output("parents|preds|via_out", INT)[v] = parent
    if c.chance(1, 2):
        with k.if_(value != mine):
            k.output("changed|n_changed|again", INT).add_at(0, 1)
    statistic(k, value)


def _pushed(k: Author, graph: Graph, v: Term, dist: Arr, mine: Term, joined: Joined, T: Scalar) -> None:
    c = k.c
    if T is INT:
        level = k.scalar("level|depth|round_n", INT)
        with k.if_(mine != level):
            k.leave()
    else:
        with k.if_(mine > coefficient(k, T, 100, 900)):
            k.leave()
    out = k.output("dist_out|next_labels|best_out", T)
    flags = k.output("next_frontier|touched|flags_out", INT) if c.chance(1, 2) else None
    with graph.each(v, out.shape(0)) as (u, place):
        cand = local(k, "cand|alt|trial", joined(mine, place))
        if c.chance(1, 2):
            with k.if_(cand < dist[u]):
                k.atomic("min", out, u, cand)
                if flags is not None:
                    flags[u] = where(cand < mine, number(2, INT), number(1, INT))
        else:
            k.atomic("min", out, u, cand)
            if flags is not None:
                k.atomic("max", flags, u, where(cand < dist[u], number(1, INT), number(0, INT)))
    if c.chance(1, 2):
        k.output("visited|n_expanded|work", INT).add_at(0, 1)


def rank(k: Author) -> None:
    """A step of PageRank, HITS, Katz centrality, label weights, or a mean over neighbours (graph convolution)."""
    c, T = k.c, precise(k)
    kind = c.pick(("pagerank", "hits", "katz", "diffusion", "graph_conv", "message_max"))
    k.name(f"{kind}_step|{kind}|{kind}_update|{kind}_iteration")
    graph = Graph(k)
    v = graph.node
    score = k.input("score|rank_in|x", T)
    n = local(k, "n|n_nodes|size", score.shape(0)) if c.chance(1, 2) else score.shape(0)
    degree = k.input("degree|out_deg|n_links", INT) if c.chance(1, 2) else None
    weights = graph.weights(T) if c.chance(1, 3) else None
    change = transform(k, "message|share_of|feature", T)
    acc, seen = k.var("acc|incoming|total_in", number(0, T)), k.var("seen|n_in|count", number(0, INT))
    with graph.each(v, n) as (u, place):
        m = change(score[u])
        if degree is not None:
            m = m / cast(wp.max(degree[u], 1), T)
        if weights is not None:
            m = m * weights[place]
        if kind == "message_max":
            acc.set(wp.max(acc, m))
        else:
            acc += m if c.chance(1, 2) else local(k, "m|msg|part", m)
        seen += 1
    damp = setting(k, "damping|alpha|mix", 0.85, T)
    inside = acc / cast(wp.max(seen, 1), T) if kind in ("diffusion", "graph_conv", "hits") else Term(acc.e)
    inside = local(k, "inside|gathered|mean_in", inside)
    if kind == "pagerank":
        value = (1.0 - damp) / cast(wp.max(n, 1), T) + damp * inside
    elif kind in ("diffusion", "katz"):
        value = score[v] + damp * (inside - score[v]) if kind == "diffusion" else 1.0 + damp * inside
    else:
        value = damp * inside + (1.0 - damp) * score[v]
    value = settled(k, value, 0, 2)
    k.output("score_out|rank_out|y", T)[v] = value
    if c.chance(1, 2):
        k.atomic(c.pick(("add", "max")), k.output("delta|residual|moved", T), 0, wp.abs(value - score[v]))
    statistic(k, value)
    k.summary(f"Makes one {kind.replace('_', ' ')} step for each node from {change.words}values of its neighbours.")
