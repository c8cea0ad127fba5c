"""Filters of images and signals: box and Gaussian blurs, convolutions, bilateral weights, morphology, medians."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, statistic, varied
from ...loops import weighted_type
from ...terms import Term, cast, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, VEC3, VEC4, Scalar, scalar_of
from .grid import Grid, steps_along


def _blur(k: Author) -> None:
    """One pass of a separable blur along an axis: box, triangle, Gaussian; weights computed, listed, or constants."""
    c = k.c
    T = weighted_type(k, {FLOAT: 4, VEC3: 2, DOUBLE: 1, VEC4: 1})
    S = scalar_of(T)
    ndim = c.weighted({2: 4, 1: 2, 3: 2})
    k.name("blur|gaussian_pass|box_pass|smooth_axis|separable_filter")
    radius = c.between(1, 9)
    fixed = c.chance(1, 2)
    g = Grid(
        k, "img|src|signal|x", T, ndim, rules=("clamp", "wrap", "mirror", "zero", "skip"), reach=radius if fixed else 1
    )
    if g.rule == "skip" and not fixed:
        g.rule = "clamp"
    axis, way = c.below(ndim), c.below(4)
    taps = k.input("taps|weights|kernel", S) if way == 3 else None
    reach = number(radius, INT) if fixed else wp.clamp(k.scalar("radius|reach|half", INT), 1, 32)
    reach = k.let("r|half_width|span", reach) if c.chance(1, 2) else reach
    acc, norm = k.var("acc|total|blurred", zero(T)), k.var("norm|wsum|mass", zero(S))
    with k.for_("o|d|tap", -reach, reach + 1) as o:
        distance = cast(wp.abs(o), S)
        if taps is not None:
            w = taps[wp.min(o + reach, taps.shape(0) - 1)]
        elif way == 0:
            w = number(1.0, S)
        elif way == 1:
            w = cast(reach, S) + 1.0 - distance
        else:
            sigma = coefficient(k, S, 50, 400)
            w = wp.exp(-wp.min(distance * distance / (sigma * sigma * 2.0), 20.0))
        w = k.let("w|weight|g", w) if way or c.chance(1, 2) else w
        acc += varied(k, g.near(g.first, *steps_along(axis, o)), 0, 1) * w
        norm += w if way != 3 else wp.abs(w)
    value = varied(k, acc / wp.max(norm, number(0.01, S)), 0, 3)
    out = g.output("out|dst|blurred_out", T)
    out[g.here] = value
    statistic(k, value)
    names = ("box", "triangle", "Gaussian", "listed")
    k.summary(f"Does one pass along axis {axis} of a blur with {names[way]} weights, of {T.name} on {g.what}.")


def _window(k: Author) -> None:
    """A 2-D or 3-D window around each element: mean, weighted by distance or likeness, variance, correlation."""
    c = k.c
    T = c.pick((FLOAT, DOUBLE))
    ndim = c.weighted({2: 4, 3: 1})
    k.name("window_filter|bilateral|local_variance|convolve|correlate|local_contrast")
    g = Grid(k, "img|src|field", T, ndim, rules=("clamp", "wrap", "mirror", "zero"))
    way = c.below(4)
    reach = number(c.between(1, 4), INT) if c.chance(1, 2) else wp.clamp(k.scalar("radius|reach|half", INT), 1, 8)
    reach = k.let("r|half_width|span", reach)
    kernel = k.input("kernel|weights|mask", T, 2) if way == 3 else None
    mid = k.let("mid|c0|center", g.first[g.here])
    acc, norm = k.var("acc|total|filtered", zero(T)), k.var("norm|wsum|mass", number(0.01, T))
    with k.for_("oy|dy|a0", -reach, reach + 1) as dy, k.for_("ox|dx|b0", -reach, reach + 1) as dx:
        v = k.let("v|sample|nb", varied(k, g.near(g.first, dy, dx), 0, 1))
        if way == 0:
            w = number(1.0, T) / (number(1.0, T) + cast(dy * dy + dx * dx, T) * coefficient(k, T, 5, 100))
        elif way == 1:
            near = cast(dy * dy + dx * dx, T) * coefficient(k, T, 1, 40)
            like = (v - mid) * (v - mid) * coefficient(k, T, 50, 900)
            w = wp.exp(-wp.min(near + like, 20.0))
        elif way == 2:
            w = wp.abs(v - mid) if c.chance(1, 2) else v * v
        else:
            assert kernel is not None
            w = kernel[wp.min(dy + reach, kernel.shape(0) - 1), wp.min(dx + reach, kernel.shape(1) - 1)]
        w = k.let("w|weight|g", varied(k, w, 0, 1))
        acc += v * w
        norm += wp.abs(w)
    value = acc / norm if way != 2 else norm - acc * acc * number(0.01, T)
    value = varied(k, value if c.chance(1, 2) else mid + (value - mid) * coefficient(k, T), 0, 3)
    out = g.output("out|dst|filtered_out", T)
    out[g.here] = value
    statistic(k, value)
    names = ("by distance", "by distance and likeness", "by difference", "by a kernel array")
    k.summary(f"Weighs a window around each {T.name} element {names[way]}, on {g.what}.")


def _convolution(k: Author) -> None:
    """A small fixed convolution: sharpen, emboss, edges, Laplacian of Gaussian; coefficients written out."""
    c = k.c
    T = weighted_type(k, {FLOAT: 4, DOUBLE: 1, VEC3: 2})
    S = scalar_of(T)
    ndim = c.weighted({2: 4, 1: 2})
    reach = c.pick((1, 2)) if ndim == 1 else 1
    k.name("sharpen|emboss|fixed_convolution|edge_kernel|fir_taps|unsharp")
    g = Grid(k, "img|src|signal", T, ndim, reach=reach)
    shapes = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)] if ndim == 2 else [(a,) for a in range(-reach, reach + 1)]
    used = c.sample(shapes, c.between(3, len(shapes)))
    named = c.chance(1, 2)
    total: Term | None = None
    acc = k.var("acc|total|s", zero(T)) if named else None
    for place in used:
        weight = c.pick((1.0, -1.0, 2.0, -2.0, 0.5, 0.25, 4.0, 0.125))
        value = varied(k, g.near(g.first, *place), 0, 1)
        term = value if weight == 1.0 else value * number(weight, S)
        if acc is not None:
            acc += term
        else:
            total = term if total is None else total + term
    result = Term(acc.e) if acc is not None else total
    assert result is not None
    if c.chance(1, 2):
        result = g.first[g.here] + result * coefficient(k, S, 5, 90)
    result = varied(k, result, 0, 3)
    out = g.output("out|dst|result", T)
    out[g.here] = result
    statistic(k, result)
    k.summary(f"Convolves {T.name} with {len(used)} fixed taps on {g.what}.")


def _morphology(k: Author) -> None:
    """Grey or binary morphology: dilation, erosion, gradients of both, by a cross, a box or a ball, with a radius."""
    c = k.c
    T = c.pick((FLOAT, INT, DOUBLE))
    ndim = c.weighted({2: 4, 1: 1, 3: 2})
    k.name("dilate|erode|morph_gradient|top_hat|local_maximum|hole_fill")
    fixed = c.chance(1, 2) and ndim < 3
    g = Grid(
        k,
        "img|src|mask",
        T,
        ndim,
        rules=("clamp", "wrap", "mirror") if not fixed else ("clamp", "wrap", "mirror", "skip", "zero"),
    )
    mid = k.let("mid|own|c0", varied(k, g.first[g.here], 0, 1))
    low, high = k.var("low|lo|least", mid), k.var("high|hi|most", mid)
    if fixed:
        offsets = [steps_along(axis, step) for axis in range(ndim) for step in (-1, 1)]
        offsets += [(-1, -1), (-1, 1), (1, -1), (1, 1)] if ndim == 2 and c.chance(1, 2) else []
        for place in offsets:
            v = k.let("v|nb|side", g.near(g.first, *place)) if c.chance(1, 2) else g.near(g.first, *place)
            low.set(wp.min(low, v))
            high.set(wp.max(high, v))
    else:
        reach = number(c.between(1, 4), INT) if c.chance(1, 2) else wp.clamp(k.scalar("radius|reach", INT), 1, 8)
        _extremes(k, g, reach, low, high)
    way = c.below(4)
    value = (high, low, high - low, where(mid >= high, mid, low))[way]
    value = varied(k, value, 0, 3)
    out = g.output("out|dst|result", T)
    out[g.here] = value
    statistic(k, value)
    names = ("Dilates", "Erodes", "Computes the morphological gradient of", "Keeps local maxima of")
    k.summary(f"{names[way]} {T.name} on {g.what}.")


def _extremes(k: Author, g: Grid, reach: Term, low: Var, high: Var) -> None:
    with k.for_("a|dy|oy", -reach, reach + 1) as a:
        if g.ndim == 1:
            v = k.let("v|nb|side", varied(k, g.near(g.first, a), 0, 1))
            low.set(wp.min(low, v))
            high.set(wp.max(high, v))
            return
        with k.for_("b|dx|ox", -reach, reach + 1) as b:
            if k.c.chance(1, 2):
                round_ = a * a + b * b > reach * reach if k.c.chance(1, 2) else wp.abs(a) + wp.abs(b) > reach
                with k.if_(round_):
                    k.leave("continue")
            v = k.let("v|nb|side", varied(k, g.near(g.first, a, b), 0, 1))
            low.set(wp.min(low, v))
            high.set(wp.max(high, v))


def _median(k: Author) -> None:
    """Medians and ranks of a few neighbours by networks of minima and maxima; outliers replaced."""
    c = k.c
    T = c.pick((FLOAT, INT, DOUBLE))
    ndim = c.weighted({2: 3, 1: 3, 3: 1})
    k.name("median3|median5|despeckle|rank_filter|remove_outliers|median_axis")
    g = Grid(k, "img|src|signal", T, ndim, reach=2)
    axis = c.below(ndim)
    five = c.chance(1, 2)
    steps = (-2, -1, 0, 1, 2) if five and ndim == 1 else (-1, 0, 1)
    values = [
        k.let(f"v{n}|a{n}|x{n}", varied(k, g.near(g.first, *steps_along(axis, s)), 0, 1)) for n, s in enumerate(steps)
    ]
    if five and ndim > 1:
        other = (axis + 1) % ndim
        values += [k.let(f"u{n}|b{n}", g.near(g.first, *steps_along(other, s))) for n, s in enumerate((-1, 1))]
    median = _median_of(k, values)
    mid = values[1] if len(values) == 3 else values[2]
    value: Term = median
    way = c.below(3)
    if way == 1:
        limit = coefficient(k, T) if isinstance(T, Scalar) and T.is_float else number(c.between(1, 20), T)
        value = where(wp.abs(mid - median) > limit, median, mid)
    elif way == 2:
        value = mid - median
    value = varied(k, value, 0, 3)
    out = g.output("out|dst|clean", T)
    out[g.here] = value
    statistic(k, value)
    names_ = ("Takes the median of", "Replaces outliers by the median of", "Takes from each element the median of")
    k.summary(f"{names_[way]} {len(values)} neighbours of {T.name} on {g.what}.")


def _median_of(k: Author, values: list[Term]) -> Term:
    """Write the median of 3 or 5 values."""
    if len(values) == 3:
        a, b, d = values
        if k.c.chance(1, 2):
            return wp.max(wp.min(a, b), wp.min(wp.max(a, b), d))
        low, high = k.let("lo|mn", wp.min(a, b)), k.let("hi|mx", wp.max(a, b))
        return wp.clamp(d, low, high)
    a, b, d, e, f = values
    low = k.let("lo|mn|f0", wp.max(wp.min(a, b), wp.min(d, e)))
    high = k.let("hi|mx|f1", wp.min(wp.max(a, b), wp.max(d, e)))
    inner_low, inner_high = k.let("p|il", wp.min(low, high)), k.let("q|ih", wp.max(low, high))
    return wp.max(inner_low, wp.min(inner_high, f))


FAMILIES = (_blur, _window, _convolution, _morphology, _median)
