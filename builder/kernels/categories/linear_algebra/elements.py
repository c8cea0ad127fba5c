"""Finite-element matrices."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, gate, statistic, varied
from ...fusion.cells import local, precise, setting, settled
from ...terms import Term, make, number, where, wp
from ...types import INT, Scalar, vec


def finite_elements(k: Author) -> None:
    """Mass or stiffness of linear elements on intervals, triangles or tetrahedra; stored or applied."""
    c, T = k.c, precise(k)
    dim = c.between(1, 3)
    kind = c.pick(("stiffness", "mass", "mixed", "lumped"))
    k.name(f"assemble_{kind}|{kind}_element|fem_{kind}|{kind}_matrix|element_{kind}")
    e = k.tid("e|elem|tid|cell")
    corners = dim + 1
    nodes = k.input("elements|connectivity|tets" if dim == 3 else "elements|connectivity|cells", INT, 2)
    V = T if dim == 1 else vec(dim, T)
    points = k.input("points|coords|x", V)
    e = gate(k, e, nodes.shape(0))
    ids = [local(k, f"n{a}|i{a}|v{a}", wp.clamp(nodes[e, a], 0, points.shape(0) - 1)) for a in range(corners)]
    xs = [local(k, f"p{a}|x{a}", points[n]) for a, n in enumerate(ids)]
    size, grads = _shape(k, xs, dim, T)
    factor = k.input("kappa|conductivity|density", T)[e] if c.chance(1, 2) else setting(k, "kappa|rho|mu", 1.5, T)
    factor = local(k, "w|weight|vol_k", varied(k, factor * size if c.chance(1, 2) else size * factor, 0, 1))
    _assembled(k, e, ids, grads, factor, kind, T)
    figure = settled(k, factor, 0, 2)
    if c.chance(1, 2):
        k.output("sizes|volumes|areas", T)[e] = figure
        statistic(k, figure)
    shape = ("intervals", "triangles", "tetrahedra")[dim - 1]
    k.summary(f"Computes the {kind} matrix of linear {shape}, one element per thread.")


def _shape(k: Author, xs: list[Term], dim: int, T: Scalar) -> tuple[Term, list[Term]]:
    """Return the size of the element and the gradients of its shape functions."""
    edges = [local(k, f"e{a}|d{a}", x - xs[0]) for a, x in enumerate(xs[1:], 1)]
    if dim == 1:
        length = local(k, "h|length|dx", wp.max(wp.abs(edges[0]), 1.0e-3))
        g = local(k, "g|slope|inv_h", 1.0 / length)
        return length, [-g, g]
    if dim == 2:
        a, b = edges
        det = local(k, "det|jac|twice", a[0] * b[1] - a[1] * b[0])
        det = local(k, "safe|d0|jd", where(wp.abs(det) < 1.0e-3, number(1, T), det))
        V = vec(2, T)
        g1 = local(k, "g1|grad1", make(V, b[1] / det, -b[0] / det))
        g2 = local(k, "g2|grad2", make(V, -a[1] / det, a[0] / det))
        return 0.5 * wp.abs(det), [local(k, "g0|grad0", -(g1 + g2)), g1, g2]
    a, b, d = edges
    normals = [wp.cross(b, d), wp.cross(d, a), wp.cross(a, b)]
    det = local(k, "det|jac|six_v", wp.dot(a, normals[0]))
    det = local(k, "safe|d0|jd", where(wp.abs(det) < 1.0e-3, number(1, T), det))
    found = [local(k, f"g{n}|grad{n}", normal / det) for n, normal in enumerate(normals, 1)]
    return wp.abs(det) / 6.0, [local(k, "g0|grad0", -(found[0] + found[1] + found[2])), *found]


def _assembled(k: Author, e: Term, ids: list[Term], grads: list[Term], factor: Term, kind: str, T: Scalar) -> None:
    c, n = k.c, len(ids)

    def entry(a: int, b: int) -> Term:
        stiff = grads[a] * grads[b] if n == 2 else wp.dot(grads[a], grads[b])
        if kind == "stiffness":
            return factor * stiff
        mass = factor * number((2.0 if a == b else 1.0) / (n * (n + 1)), T)
        return mass if kind == "mass" else mass + coefficient(k, T) * factor * stiff

    way = c.below(3)
    if kind == "lumped":
        out = k.output("lumped|diag|mass_out", T)
        for place in ids:
            k.atomic("add", out, place, factor / float(n), augmented=c.chance(1, 2))
    elif way == 0:
        out = k.output("values|triplets|blocks", T, 3)
        for a in range(n):
            for b in range(n):
                out[e, a, b] = entry(a, b)
    elif way == 1:
        u, out = k.input("u|field|dofs", T), k.output("y|residual|forces", T)
        for a in range(n):
            whole = entry(a, 0) * u[ids[0]]
            for b in range(1, n):
                whole = whole + entry(a, b) * u[ids[b]]
            k.atomic("add", out, ids[a], whole, augmented=c.chance(1, 2))
    else:
        out = k.output("dense|global_mat|k_mat", T, 2)
        for a in range(n):
            for b in range(n):
                k.atomic("add", out, (ids[a], ids[b]), entry(a, b))
