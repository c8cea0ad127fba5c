"""Tables read between their entries: uniform and sorted knots, images, volumes, colour maps, cubic weights."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author
from ...fusion import coefficient, gate, statistic, varied
from ...loops import one_type, weighted_type
from ...terms import Term, cast, number, where, wp
from ...types import DOUBLE, FLOAT, INT, VEC2, VEC3, VEC4, Scalar, scalar_of


def _split(k: Author, at: Term, count: Term, tag: str = "") -> tuple[Term, Term]:
    """Write the knot below a place and the fraction beyond it; the knot lies inside the table, as does the next."""
    c, type_ = k.c, at.type
    assert isinstance(type_, Scalar)
    top = wp.max(count - 2, 0)
    if c.chance(1, 2):
        held = k.let(f"at{tag}|pos{tag}|s{tag}", wp.clamp(at, 0.0, cast(wp.max(count - 1, 0), type_)))
        low = k.let(f"k{tag}|low{tag}|cell{tag}", wp.min(cast(held, INT), top))
        return low, k.let(f"f{tag}|frac{tag}|t{tag}", held - cast(low, type_))
    place = k.let(f"at{tag}|pos{tag}|s{tag}", wp.clamp(at, -1.0e4, 1.0e4))
    low = k.let(f"k{tag}|low{tag}|cell{tag}", wp.clamp(cast(wp.floor(place), INT), 0, top))
    return low, k.let(f"f{tag}|frac{tag}|t{tag}", wp.clamp(place - cast(low, type_), 0.0, 1.0))


def _mix(k: Author, a: Term, b: Term, f: Term) -> Term:
    way = k.c.below(3)
    if way == 0:
        return wp.lerp(a, b, f)
    if way == 1:
        return a + (b - a) * f
    return a * (1.0 - f) + b * f


def _next(low: Term, count: Term) -> Term:
    return wp.min(low + 1, count - 1)


def _uniform(k: Author) -> None:
    """Each thread interpolates a table of evenly spaced knots: nearest, linear, smooth, cubic."""
    c = k.c
    T = weighted_type(k, {FLOAT: 4, DOUBLE: 2, VEC3: 2, VEC4: 1})
    S = scalar_of(T)
    k.name("table_lookup|interpolate_table|color_map|lut|resample")
    table, x = k.input("table|lut|knots|palette", T), k.input("x|queries|levels", S)
    i = gate(k, k.tid("i|tid|n"), x.shape(0))
    v = k.let("v|q|level", varied(k, x[i], 0, 2))
    count = table.shape(0)
    way = c.below(3)
    at = v * cast(count - 1, S) if way == 0 else (v - coefficient(k, S)) * coefficient(k, S, 50, 900)
    low, f = _split(k, at, count)
    form = c.below(4)
    above = table[_next(low, count)]
    if form == 0:
        value = _mix(k, varied(k, table[low], 0, 1), above, varied(k, f, 0, 1))
    elif form == 1:
        value = where(f < 0.5, table[low], above)
    elif form == 2:
        value = _mix(k, table[low], above, k.let("eased|w|g", f * f * (3.0 - 2.0 * f)))
    else:
        value = _cubic(k, [table[wp.clamp(low + n - 1, 0, count - 1)] for n in range(4)], f)
    out = k.output("out|values|result", T)
    value = varied(k, value, 0, 3)
    out[i] = value
    statistic(k, value)
    what = ("linearly", "at the nearest knot", "smoothly", "by cubics")[form]
    k.summary(f"Reads a table of evenly spaced {T.name} knots {what} at each level.")


def _cubic(k: Author, points: list[Term], f: Term) -> Term:
    """Write the Catmull-Rom cubic through four points."""
    a, b, c, d = (k.let(f"p{n}|c{n}", point) for n, point in enumerate(points))
    if k.c.chance(1, 2):
        slope = (c - a) * number(0.5, scalar_of(a.type))
        after = (d - b) * number(0.5, scalar_of(a.type))
        m0, m1 = k.let("m0|s0", slope), k.let("m1|s1", after)
        g = k.let("g|f2|ff", f * f)
        return b + m0 * f + ((c - b) * 3.0 - m0 * 2.0 - m1) * g + ((b - c) * 2.0 + m0 + m1) * (g * f)  # type: ignore[no-any-return]
    half = number(0.5, scalar_of(a.type))
    inner = (a * 2.0 - b * 5.0 + c * 4.0 - d) + ((b - c) * 3.0 + d - a) * f
    return ((b * 2.0) + ((c - a) + inner * f) * f) * half  # type: ignore[no-any-return]


def _uneven(k: Author) -> None:
    """Each thread interpolates between knots at uneven places, found by search; inside or beyond the ends."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    k.name("interp|piecewise_linear|curve_eval|calibrate|spline_lookup")
    xs, ys = k.input("xs|knots|breaks", T), k.input("ys|heights|levels_at", T)
    x = k.input("x|queries|u", T)
    i = gate(k, k.tid("i|tid|n"), x.shape(0))
    v = k.let("v|q|at", varied(k, x[i], 0, 2))
    if c.chance(1, 2):
        place = wp.lower_bound(xs, v)
    else:
        found = k.var("found|seg|s", number(0, INT))
        with k.for_("j|knot|n0", xs.shape(0)) as j, k.if_(xs[j] < v):
            found.set(j + 1)
        place = found
    hi = k.let("hi|b0|right", wp.clamp(place, 1, wp.max(xs.shape(0) - 1, 1)) % xs.shape(0))
    lo = k.let("lo|a0|left", wp.max(hi - 1, 0))
    width = k.let("width|dx|h", xs[hi] - xs[lo])
    f = (v - xs[lo]) / (wp.abs(width) + coefficient(k, T, 1, 9))
    f = k.let("f|frac|t", wp.clamp(f, 0.0, 1.0) if c.chance(2, 3) else f)
    value = _mix(k, varied(k, ys[lo], 0, 1), varied(k, ys[hi], 0, 1), varied(k, f, 0, 1))
    out = k.output("out|values|result", T)
    out[i] = varied(k, value, 0, 3)
    if c.chance(1, 2):
        slopes = k.output("slopes|derivative|rates", T)
        slopes[i] = varied(k, (ys[hi] - ys[lo]) / (wp.abs(width) + coefficient(k, T, 1, 9)), 0, 2)
    k.summary(f"Interpolates {T.name} heights between knots at uneven places, found by search.")


def _bilinear(k: Author) -> None:
    """Each thread reads an image between its pixels: bilinear, nearest, with a gradient; by points or a resize."""
    c = k.c
    T = weighted_type(k, {FLOAT: 4, VEC3: 3, DOUBLE: 1})
    S = scalar_of(T)
    k.name("bilinear|sample_image|warp_field|resize|height_lookup")
    img = k.input("img|image|field|heights", T, 2)
    listed = c.chance(1, 2) and S is FLOAT
    if listed:
        points = k.input("points|coords|uv", VEC2)
        i = gate(k, k.tid("i|tid|n"), points.shape(0))
        p = k.let("p|uv_i|at_p", varied(k, points[i], 0, 2))
        places, index = [p[0], p[1]], (i,)
    else:
        index = k.tid("i|row|y", "j|col|x")
        places = [varied(k, cast(t, S) * coefficient(k, S, 20, 180), 0, 2) for t in index]
    if c.chance(1, 2):
        places = [place * coefficient(k, S, 50, 900) for place in places]
    (r, f), (s, g) = _split(k, places[0], img.shape(0), "y"), _split(k, places[1], img.shape(1), "x")
    form = c.below(3)
    if form == 1:
        value = img[where(f < 0.5, r, _next(r, img.shape(0))), where(g < 0.5, s, _next(s, img.shape(1)))]
    else:
        value = _between(k, img, (r, s), (f, g))
    out = k.output("out|result|sampled", T, len(index))
    value = varied(k, value, 0, 3)
    out[index] = value
    if form == 2:
        slope = img[r, _next(s, img.shape(1))] - img[r, s]
        slopes = k.output("slopes|dx_out|grad_x", T, len(index))
        slopes[index] = varied(k, slope, 0, 2)
    k.summary(f"Reads a {T.name} image between its pixels, {'at the nearest' if form == 1 else 'bilinearly'}.")


def _between(k: Author, table: Arr, low: tuple[Term, ...], shares: tuple[Term, ...]) -> Term:
    """Write the multilinear blend around a place, axis by axis or through a helper."""

    def at(place: tuple[Term, ...], axis: int) -> Term:
        if axis == len(low):
            return table[place]
        above = (*place, _next(low[axis], table.shape(axis)))
        a, b = at((*place, low[axis]), axis + 1), at(above, axis + 1)
        blend = mix(a, b, shares[axis])
        return k.let(f"b{axis}|mixed{axis}|lerp{axis}", blend) if axis and k.c.chance(1, 2) else blend

    mix = _blender(k, table)
    return at((), 0)


def _blender(k: Author, table: Arr) -> Callable[[Term, Term, Term], Term]:
    type_ = table.type.dtype  # type: ignore[union-attr]
    if k.c.chance(1, 3):
        params = {"a|low": type_, "b|high": type_, "f|t": scalar_of(type_)}
        return k.function("blend|mix|interpolated", params, lambda s, a, b, f: a + (b - a) * f)
    return lambda a, b, f: _mix(k, a, b, f)


def _trilinear(k: Author) -> None:
    """Each thread reads a 3-D table at its point: trilinear, nearest, a colour cube, a velocity grid."""
    c = k.c
    T = one_type(k, FLOAT, VEC3)
    k.name("trilinear|sample_grid|color_cube|grid_velocity|volume_table")
    grid = k.input("grid|cube|table|field", T, 3)
    points = k.input("points|positions|colors", VEC3)
    i = gate(k, k.tid("i|tid|n"), points.shape(0))
    p = k.let("p|pos|q", varied(k, points[i], 0, 2))
    low, shares = [], []
    for axis, tag in enumerate("xyz"):
        at = p[axis] * (cast(grid.shape(axis) - 1, FLOAT) if c.chance(1, 2) else coefficient(k, FLOAT, 50, 900))
        base, share = _split(k, at, grid.shape(axis), tag)
        low.append(base)
        shares.append(share)
    nearest = c.chance(1, 4)
    if nearest:
        value = grid[
            tuple(where(f < 0.5, b, _next(b, grid.shape(n))) for n, (b, f) in enumerate(zip(low, shares, strict=True)))
        ]
    else:
        value = _between(k, grid, tuple(low), tuple(shares))
    out = k.output("out|result|moved", T)
    value = varied(k, value, 0, 3)
    if T is VEC3 and c.chance(1, 2):
        value = p + value * coefficient(k, FLOAT, 1, 60)
    out[i] = value
    k.summary(f"Reads a 3-D table of {T.name} at each point, {'at the nearest node' if nearest else 'trilinearly'}.")


FAMILIES = (_uniform, _uneven, _bilinear, _trilinear)
