"""Sums along lines and from integral images, seams, labels of components."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import gate, statistic, varied
from ...layouts import chain_of, factor, let
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT


def integral_rows(k: Author) -> None:
    """Running sums along lines, box means from an integral image, a row of seam carving, labels of components."""
    c = k.c
    kind = c.pick(("running sums", "box means", "seam costs", "component labels"))
    T = FLOAT
    k.name(
        f"{kind.replace(' ', '_')}|integral_image|scan_rows"
        if kind != "seam costs"
        else "seam_row|seam_carving|path_cost"
    )
    if kind == "running sums":
        src, out = k.input("src|img|values", T, 2), k.output("sat|integral|sums", T, 2)
        _running(k, src, out)
        return
    i, j = k.tid("i|y|row", "j|x|col")
    if kind == "component labels":
        _labels(k, i, j)
        return
    src, out = k.input("sat|integral|cost_in", T, 2), k.output("dst|out|cost_out", T, 2)
    h, w = let(k, "h|ny", src.shape(0)), let(k, "w|nx", src.shape(1))
    if kind == "box means":
        r = k.scalar("radius|half", INT) if c.chance(1, 2) else number(c.between(1, 6), INT)
        y0, x0 = let(k, "y0|top", wp.clamp(i - r, 0, h - 1)), let(k, "x0|left", wp.clamp(j - r, 0, w - 1))
        y1, x1 = let(k, "y1|bottom", wp.clamp(i + r, 0, h - 1)), let(k, "x1|right", wp.clamp(j + r, 0, w - 1))
        total = let(k, "total|box", chain_of(k, "acc|corner", [src[y1, x1] + src[y0, x0], -src[y0, x1], -src[y1, x0]]))
        value = total / wp.max(cast((y1 - y0) * (x1 - x0), T), 1.0)
    else:
        energy = k.input("energy|gradient_mag", T, 2)
        up = let(k, "up|above", wp.max(i - 1, 0))
        a, b, d = src[up, wp.max(j - 1, 0)], src[up, j], src[up, wp.min(j + 1, w - 1)]
        best = wp.min(wp.min(a, b), d) if c.chance(1, 2) else wp.min(a, wp.min(b, d))
        own = let(k, "own|e0", varied(k, energy[wp.min(i, energy.shape(0) - 1), wp.min(j, energy.shape(1) - 1)], 0, 1))
        value = where(i == 0, own, own + let(k, "best|least", best))
    value = let(k, "value|res", varied(k, let(k, "raw|v0", value), 1, 3))
    out[i, j] = value
    statistic(k, value)
    k.summary(f"Computes {kind} of an image.")


def _running(k: Author, src: Arr, out: Arr) -> None:
    c = k.c
    rows = c.chance(1, 2)
    axis = 0 if rows else 1
    i = gate(k, k.tid("i|line|tid"), src.shape(axis))
    with k.if_(i >= src.shape(axis)):
        k.leave()
    total = k.var("total|acc|run", number(0.0))
    back = c.chance(1, 4)
    n = let(k, "n|length", src.shape(1 - axis))
    with k.for_("j|at|s", n) as s:
        j = let(k, "jr|rev", n - 1 - s) if back else s
        at = (i, j) if rows else (j, i)
        v = let(k, "v|px", varied(k, src[at], 0, 2))
        if c.chance(1, 2):
            total += v
        else:
            total.set(Term(total.e) * factor(k, "decay|forget", FLOAT, 50, 99) + v)
        out[at] = varied(k, Term(total.e), 0, 1)
    statistic(k, Term(total.e))
    k.summary(f"Accumulates running sums along each {'row' if rows else 'column'} of an image.")


def _labels(k: Author, i: Term, j: Term) -> None:
    c = k.c
    labels, out = k.input("labels|ids", INT, 2), k.output("labels_out|ids_out", INT, 2)
    h, w = let(k, "h|ny", labels.shape(0)), let(k, "w|nx", labels.shape(1))
    own = let(k, "own|id0", labels[i, j])
    best = k.var("best|root", own)
    offsets = [(-1, 0), (1, 0), (0, -1), (0, 1)] + ([(-1, -1), (1, 1), (-1, 1), (1, -1)] if c.chance(1, 2) else [])
    with k.if_(own >= 0 if c.chance(1, 2) else own > 0):
        for a, b in offsets:
            y = i if a == 0 else wp.max(i - 1, 0) if a < 0 else wp.min(i + 1, h - 1)
            x = j if b == 0 else wp.max(j - 1, 0) if b < 0 else wp.min(j + 1, w - 1)
            other = let(k, "other|id1", labels[y, x])
            if c.chance(1, 2):
                with k.if_(other >= 0):
                    best.set(wp.min(Term(best.e), other))
            else:
                best.set(where(other > 0, wp.min(Term(best.e), other), Term(best.e)))
    value = let(k, "value|res", varied(k, Term(best.e), 0, 1))
    out[i, j] = value
    if c.chance(1, 2):
        with k.if_(value != own):
            k.atomic("add", k.output("changed|moves", INT), 0, 1)
    k.summary("Lowers the label of each pixel to the least of its neighbours' labels.")
