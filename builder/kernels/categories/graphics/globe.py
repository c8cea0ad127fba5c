"""Plane and globe: great circles, bearings, Mercator, polygons."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, precise
from ...terms import Term, both, number, where, wp
from ...types import INT, Scalar


def geodesic(k: Author) -> None:
    """On the globe and the plane: great circles, bearings, Mercator, in-circle tests, winding, supports."""
    c, T = k.c, precise(k)
    kind = c.pick(("great-circle distance", "bearing", "Mercator projection", "in-circle test", "winding number",
                   "polygon area", "support point"))  # fmt: skip
    k.name(f"{kind.split()[0].replace('-', '_').lower()}|{kind.split()[-1].lower()}_of|geo_pass")
    if kind in ("winding number", "polygon area", "support point"):
        _polygons(k, kind, T)
        return
    layout = Layout(k, 2, T)
    a, out = layout.input("first|places|pa_in"), k.output("out|result|values_out", T)
    i = gate(k, k.tid("i|tid|pt"), a.count)
    p = a.load(k, "p|here", i)
    if kind == "in-circle test":
        b, d, e = (
            layout.input(w).load(k, v, i)
            for w, v in (("qb|second", "b|vb"), ("qc|third", "d|vc"), ("qd|probe", "e|vd"))
        )
        u, v, w = let(k, "u|ad", p - e), let(k, "v|bd", b - e), let(k, "w|cd", d - e)
        x = let(k, "x|lift", wp.dot(u, u) * (v[0] * w[1] - v[1] * w[0]) - wp.dot(v, v) * (u[0] * w[1] - u[1] * w[0]))
        value = x + wp.dot(w, w) * (u[0] * v[1] - u[1] * v[0])
    else:
        q = layout.input("second|goals|pb_in").load(k, "q|there", i)
        lat1, lon1 = let(k, "lat1|phi1", wp.clamp(p[0], -1.5, 1.5)), let(k, "lon1|lam1", p[1])
        lat2, lon2 = let(k, "lat2|phi2", wp.clamp(q[0], -1.5, 1.5)), let(k, "lon2|lam2", q[1])
        value = _sphere(k, kind, (lat1, lon1, lat2, lon2), T)
    value = let(k, "value|res", varied(k, let(k, "value0|raw_v", value), 0, 3))
    out[i] = value
    statistic(k, value)
    k.summary(f"Computes the {kind} of each pair of places.")


def _sphere(k: Author, kind: str, at: tuple[Term, ...], T: Scalar) -> Term:
    lat1, lon1, lat2, lon2 = at
    c = k.c
    dlon = let(k, "dlon|dl", lon2 - lon1)
    if kind == "bearing":
        y = let(k, "by|num", wp.sin(dlon) * wp.cos(lat2))
        x = let(k, "bx|den", wp.cos(lat1) * wp.sin(lat2) - wp.sin(lat1) * wp.cos(lat2) * wp.cos(dlon))
        angle = wp.atan2(y, x + 1.0e-6)
        return wp.degrees(angle) if c.chance(1, 2) else angle
    if kind == "Mercator projection":
        y1, y2 = (wp.log(wp.tan(0.78539816 + 0.5 * lat * 0.98)) for lat in (lat1, lat2))
        dy = let(k, "dy|north", y2 - y1)
        return wp.sqrt(dlon * dlon + dy * dy + 1.0e-6) * factor(k, "earth|radius", T)
    way = c.below(3)
    if way == 0:
        s, t = let(k, "s|sin_lat", wp.sin(0.5 * (lat2 - lat1))), let(k, "t|sin_lon", wp.sin(0.5 * dlon))
        h = let(k, "h|hav", wp.clamp(s * s + wp.cos(lat1) * wp.cos(lat2) * t * t, 0.0, 0.999))
        angle = 2.0 * wp.asin(wp.sqrt(h + 1.0e-7))
    elif way == 1:
        dot = wp.sin(lat1) * wp.sin(lat2) + wp.cos(lat1) * wp.cos(lat2) * wp.cos(dlon)
        angle = wp.acos(wp.clamp(dot, -0.9999, 0.9999))
    else:
        x = let(k, "x|east", dlon * wp.cos(0.5 * (lat1 + lat2)))
        y = let(k, "y|north", lat2 - lat1)
        angle = wp.sqrt(x * x + y * y + 1.0e-7)
    return angle * factor(k, "earth|radius", T)


def _polygons(k: Author, kind: str, T: Scalar) -> None:
    c = k.c
    layout = Layout(k, 2 if kind != "support point" else c.pick((3, 2)), T)
    ring, queries = layout.input("ring|polygon|hull"), layout.input("queries|probes|dirs")
    out = k.output("out|result|values_out", T)
    i = gate(k, k.tid("i|tid|pt"), queries.count)
    q = queries.load(k, "q|probe", i)
    if kind == "support point":
        best, who = k.var("best|extent", number(-1.0e6, T)), k.var("who|vertex", number(0, INT))
        with k.for_("m|v", ring.count) as m:
            d = let(k, "d|proj", wp.dot(ring.at(m), q))
            with k.if_(d > best):
                best.set(d)
                who.set(m)
        k.output("vertex_out|support_id", INT)[i] = Term(who.e)
        value = Term(best.e)
    else:
        total = k.var("total|acc", number(0.0, T))
        with k.for_("m|v", ring.count) as m:
            a = let(k, "a|from_v", ring.at(m) - q)
            b = let(k, "b|to_v", ring.at((m + 1) % ring.count) - q)
            cross = let(k, "cr|twice", a[0] * b[1] - a[1] * b[0])
            total += cross if kind == "polygon area" else _turn(k, a, b, cross, T)
        value = Term(total.e) * 0.5 if kind == "polygon area" else Term(total.e)
    value = let(k, "value|res", varied(k, let(k, "value0|raw_v", value), 0, 3))
    out[i] = value
    statistic(k, value)
    k.summary(f"Computes the {kind} of a polygon for each probe.")


def _turn(k: Scope, a: Term, b: Term, cross: Term, T: Scalar) -> Term:
    if k.c.chance(1, 2):
        return wp.atan2(cross, wp.dot(a, b) + 1.0e-5) / 6.2831853
    up = both(a[1] <= 0.0, b[1] > 0.0, cross > 0.0)
    down = both(a[1] > 0.0, b[1] <= 0.0, cross < 0.0)
    return where(up, number(1.0, T), where(down, number(-1.0, T), number(0.0, T)))
