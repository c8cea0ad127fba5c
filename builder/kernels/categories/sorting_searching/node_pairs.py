"""Steps over all pairs of nodes: shortest ways, closures, common neighbours."""

from __future__ import annotations

from ...author import Arr, Author, Var
from ...fusion import statistic, varied
from ...fusion.cells import local, transform
from ...fusion.sweeps import TermOf, sweep
from ...terms import Term, both, either, number, where, wp
from ...types import FLOAT, INT


def all_pairs(k: Author) -> None:
    """A step of Floyd and Warshall, of a closure, of min-plus products, or of counting common neighbours."""
    c = k.c
    kind = c.pick(("floyd_warshall", "closure", "min_plus", "triangles", "bottleneck", "common"))
    T = INT if kind in ("closure", "triangles", "common") else c.pick((FLOAT, INT))
    k.name(f"{kind}_step|{kind}_kernel|{kind}|apsp_{kind}")
    i, j = k.tid("i|src|row", "j|dst|col")
    d = k.input("dist|adj|matrix", T, 2)
    if c.chance(1, 2):
        with k.if_(either(i >= d.shape(0), j >= d.shape(1)) if c.chance(1, 2) else i == j):
            k.leave()
    change = transform(k, "edge|cost_of|prepared", T, 1) if T is FLOAT else None

    def load(p: Term, q: Term) -> Term:
        return d[p, q] if change is None else change(d[p, q])

    def joined(m: Term) -> Term:
        a, b = load(i, m), load(m, j)
        if kind in ("closure", "triangles", "common"):
            return where(both(a != 0, b != 0), number(1, INT), number(0, INT))
        return wp.max(a, b) if kind == "bottleneck" else a + b

    mine = local(k, "mine|direct|here", load(i, j))
    traced = kind in ("floyd_warshall", "min_plus") and c.chance(1, 2)
    via = k.var("via|mid|through", number(-1, INT)) if traced else None
    best = k.var("best|value|found", number(0, INT) if kind in ("triangles", "common") else mine)
    _through(k, kind, d, joined, best, via)
    value = varied(k, Term(best.e), 0, 2) if T is FLOAT else Term(best.e)
    value = local(k, "kept|result|d_new", value * mine if kind == "triangles" else value)
    k.output("dist_out|out|matrix_out", T, 2)[i, j] = value
    if via is not None:
        k.output("next_hop|mids|via_out", INT, 2)[i, j] = via
    if kind in ("triangles", "common") and c.chance(1, 2):
        k.output("total_count|n_triangles|per_node", INT).add_at(i, value)
    statistic(k, value)
    k.summary(f"Makes one {kind.replace('_', ' ')} step on a matrix of {T.name} entries, one pair of nodes per thread.")


def _through(k: Author, kind: str, d: Arr, joined: TermOf, best: Var, via: Var | None) -> None:
    """Try one pivot, or every node, as the middle of a way."""
    c = k.c
    pivot = kind in ("floyd_warshall", "closure") and c.chance(1, 2)
    m = wp.clamp(k.scalar("pivot|kk|stage", INT), 0, d.shape(0) - 1) if pivot else None
    if m is not None:
        _improved(k, kind, joined, local(k, "m|p0|hop", m), best, via)
    else:
        with sweep(k, d.shape(1), "m|hop|q", ordered=True) as hop:
            _improved(k, kind, joined, hop, best, via)


def _improved(k: Author, kind: str, joined: TermOf, m: Term, best: Var, via: Var | None) -> None:
    c = k.c
    cand = joined(m)
    if kind in ("triangles", "common"):
        best += cand
    elif kind == "closure":
        best.set(wp.max(best, cand))
    elif via is None and c.chance(1, 2):
        best.set(wp.min(best, cand))
    else:
        cand = local(k, "cand|alt|trial", cand)
        with k.if_(cand < best):
            best.set(cand)
            if via is not None:
                via.set(m)
