"""Features: gradients and edges, corners, similarity."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import statistic, varied
from ...layouts import chain_of, factor, let, switch
from ...terms import Term, cast, make, number, where, wp
from ...types import FLOAT, INT, VEC2
from .pixels import Picture

_OPERATORS = {
    "Sobel": (1.0, 2.0),
    "Prewitt": (1.0, 1.0),
    "Scharr": (3.0, 10.0),
    "central": (0.0, 1.0),
    "Roberts": (0.0, 0.0),
}


def slopes(k: Author, pic: Picture, src: Arr, kind: str) -> tuple[Term, Term]:
    """Emit the slopes along x and y by an operator."""
    if kind == "Roberts":
        p, q = pic.read(src, 0, 0), pic.read(src, 1, 1)
        r, s = pic.read(src, 0, 1), pic.read(src, 1, 0)
        return let(k, "gx|d1|ix", q - p), let(k, "gy|d2|iy", s - r)
    side, mid = _OPERATORS[kind]
    parts = []
    for axis, words in ((1, "gx|sx|ix"), (0, "gy|sy|iy")):
        ahead: list[Term] = []
        behind: list[Term] = []
        for t, w in ((-1, side), (0, mid), (1, side)):
            if w:
                for into, sign in ((ahead, 1), (behind, -1)):
                    v = pic.read(src, *((t, sign) if axis else (sign, t)))
                    into.append(v if w == 1.0 else v * w)
        if k.c.chance(1, 2):
            value = chain_of(k, "hi|fore", ahead) - chain_of(k, "lo|aft", behind)
        else:
            value = chain_of(k, "acc|diff", [a - b for a, b in zip(ahead, behind, strict=True)])
        norm = 2.0 * (2.0 * side + mid)
        parts.append(let(k, words, value / norm if k.c.chance(1, 2) else value))
    return parts[0], parts[1]


def edges(k: Author) -> None:
    """Gradients by Sobel, Scharr, Prewitt, Roberts: magnitude, direction, thin edges by non-maximum suppression."""
    c = k.c
    pic = Picture(k)
    part = c.pick(("magnitude", "direction", "non-maximum"))
    kind = c.pick(tuple(_OPERATORS))
    k.name(f"{kind.lower()}_edges|edge_detect|gradient_{part.replace('-', '_')}|image_gradient")
    src = pic.input("src|img|grey")
    out = pic.floats("edges_out|grad_out|response")
    pic.grid.enter()
    if part == "non-maximum":
        value = _thinned(k, pic, src)
        k.summary(f"Thins edges by non-maximum suppression of a gradient, {pic.grid.edge}.")
    else:
        gx, gy = slopes(k, pic, src, kind)
        gx = let(k, "gx1|hx", varied(k, gx, 0, 1))
        value = _polar(k, part, gx, gy)
        k.summary(f"Computes the {part} of the {kind} gradient of an image, {pic.grid.edge}.")
    value = let(k, "value|res", varied(k, let(k, "strength|edge0", value), 0, 2))
    if c.chance(1, 3):
        low = factor(k, "low|threshold", FLOAT, 5, 90)
        value = let(k, "cut|thin", switch(k, "ev|kept_e", value > low, value, number(0.0)))
    pic.grid.put(out, value)
    statistic(k, value)


def _polar(k: Author, part: str, gx: Term, gy: Term) -> Term:
    c = k.c
    if part == "direction":
        angle = wp.atan2(gy, gx + 1.0e-6)
        if c.chance(1, 2):
            return wp.floor((angle + 3.14159265) / 0.78539816 + 0.5) * 0.25
        return angle
    way = c.below(4)
    if way == 0:
        return wp.sqrt(gx * gx + gy * gy + 1.0e-8)
    if way == 1:
        return wp.abs(gx) + wp.abs(gy)
    if way == 2:
        return wp.max(wp.abs(gx), wp.abs(gy))
    return wp.length(make(VEC2, gx, gy))


def _thinned(k: Author, pic: Picture, src: Arr) -> Term:
    c = k.c
    m = let(k, "m|centre", pic.read(src, 0, 0))
    if c.chance(1, 2):
        angle = let(k, "theta|ang", pic.grid.at(pic.floats("angle|direction", "input"), 0, 0))
        gx, gy = let(k, "gx|cx", wp.cos(angle)), let(k, "gy|sy", wp.sin(angle))
    else:
        gx, gy = slopes(k, pic, src, c.pick(("Sobel", "Prewitt", "central")))
    pairs = (((0, -1), (0, 1)), ((-1, 0), (1, 0)), ((-1, -1), (1, 1)), ((-1, 1), (1, -1)))
    a, b = k.var("a|before", pic.read(src, *pairs[0][0])), k.var("b|after", pic.read(src, *pairs[0][1]))
    flat = let(k, "flat|horizontal", wp.abs(gx) > 2.4142 * wp.abs(gy))
    steep = let(k, "steep|vertical", wp.abs(gy) > 2.4142 * wp.abs(gx))
    with k.if_(steep):
        a.set(pic.read(src, *pairs[1][0]))
        b.set(pic.read(src, *pairs[1][1]))
    with k.elif_(flat == False):  # noqa: E712
        with k.if_(gx * gy > 0.0):
            a.set(pic.read(src, *pairs[2][0]))
            b.set(pic.read(src, *pairs[2][1]))
        with k.else_():
            a.set(pic.read(src, *pairs[3][0]))
            b.set(pic.read(src, *pairs[3][1]))
    return where(m >= wp.max(a, b), m, number(0.0))


def corners(k: Author) -> None:
    """Corner responses: Harris, Shi-Tomasi, Noble, from a window's structure tensor; Hessian; FAST-like tests."""
    c = k.c
    kind = c.pick(("Harris", "Shi-Tomasi", "Noble", "Hessian", "FAST-like"))
    pic = Picture(k, radius=2)
    k.name(f"{kind.lower().replace('-', '_')}_response|corner_response|detect_corners|structure_tensor")
    src, out = pic.input("src|img|grey"), pic.floats("response|corners_out|score")
    pic.grid.enter()
    if kind == "FAST-like":
        value = _fast(k, pic, src)
    else:
        xx, yy, xy = _hessian(k, pic, src) if kind == "Hessian" else _tensor(k, pic, src)
        xx, yy = let(k, "a|sxx", varied(k, xx, 0, 1)), let(k, "d|syy", yy)
        xy = let(k, "b|sxy", xy)
        det, trace = let(k, "det|dt", xx * yy - xy * xy), let(k, "tr|trace", xx + yy)
        if kind == "Harris":
            value = det - factor(k, "k_h|kappa", FLOAT, 4, 6) * trace * trace
        elif kind == "Shi-Tomasi":
            gap = wp.sqrt(wp.max(trace * trace * 0.25 - det, 0.0) + 1.0e-8) if c.chance(1, 2) else wp.sqrt(
                0.25 * (xx - yy) * (xx - yy) + xy * xy + 1.0e-8)  # fmt: skip
            value = 0.5 * trace - gap
        elif kind == "Noble":
            value = det / (wp.abs(trace) + 0.01)
        else:
            value = det * (wp.sign(trace) if c.chance(1, 2) else 1.0) if c.chance(1, 2) else wp.abs(trace)
    value = let(k, "value|res", varied(k, let(k, "raw|r0", value), 0, 2))
    if c.chance(1, 3):
        value = let(k, "strong|kept_r", where(value > factor(k, "threshold|least", FLOAT), value, number(0.0)))
    pic.grid.put(out, value)
    statistic(k, value)
    k.summary(f"Computes the {kind} corner response of an image, {pic.grid.edge}.")


def _tensor(k: Author, pic: Picture, src: Arr) -> tuple[Term, Term, Term]:
    c = k.c
    if c.chance(1, 3):
        planes = [pic.floats(w, "input") for w in ("ix2|sxx_in", "iy2|syy_in", "ixy|sxy_in")]
        own = pic.read(src, 0, 0) * 0.01
        return tuple(pic.grid.at(p, 0, 0) + own for p in planes)  # type: ignore[return-value]
    xx, yy, xy = k.var("xx|m00", number(0.0)), k.var("yy|m11", number(0.0)), k.var("xy|m01", number(0.0))
    weighted = c.chance(1, 2)
    with k.for_("di|dy", -1, 2) as di, k.for_("dj|dx", -1, 2) as dj:
        gx = let(k, "gx|ix", 0.5 * (pic.read(src, di, dj + 1) - pic.read(src, di, dj - 1)))
        gy = let(k, "gy|iy", 0.5 * (pic.read(src, di + 1, dj) - pic.read(src, di - 1, dj)))
        w = let(k, "w|wt", cast((2 - wp.abs(di)) * (2 - wp.abs(dj)), FLOAT) / 16.0) if weighted else None
        for acc, v in ((xx, gx * gx), (yy, gy * gy), (xy, gx * gy)):
            acc.__iadd__(v if w is None else w * v)
    return Term(xx.e), Term(yy.e), Term(xy.e)


def _hessian(k: Author, pic: Picture, src: Arr) -> tuple[Term, Term, Term]:
    centre = let(k, "centre|p0", pic.read(src, 0, 0))
    xx = pic.read(src, 0, 1) - 2.0 * centre + pic.read(src, 0, -1)
    yy = pic.read(src, 1, 0) - 2.0 * centre + pic.read(src, -1, 0)
    xy = 0.25 * (pic.read(src, 1, 1) - pic.read(src, 1, -1) - pic.read(src, -1, 1) + pic.read(src, -1, -1))
    return xx, yy, xy


def _fast(k: Author, pic: Picture, src: Arr) -> Term:
    c = k.c
    centre, t = let(k, "centre|p0", pic.read(src, 0, 0)), factor(k, "t|contrast", FLOAT, 5, 60)
    ring = ((-2, 0), (-1, 1), (0, 2), (1, 1), (2, 0), (1, -1), (0, -2), (-1, -1))
    bright, dark = k.var("bright|lit", number(0, INT)), k.var("dark|dim", number(0, INT))
    score = k.var("score|total", number(0.0))
    for o in ring[:: c.pick((1, 2))]:
        d = let(k, "d|diff", pic.read(src, *o) - centre)
        bright += where(d > t, number(1, INT), number(0, INT))
        dark += where(d < -t, number(1, INT), number(0, INT))
        score += wp.max(wp.abs(d) - t, 0.0)
    most = let(k, "most|votes", wp.max(Term(bright.e), Term(dark.e)))
    return where(most >= 3, Term(score.e), number(0.0))


def similarity(k: Author) -> None:
    """Quality of one image against another: SSIM in a window, squared error, gradient similarity."""
    c = k.c
    pic = Picture(k, radius=1)
    kind = c.pick(("structural similarity", "local contrast ratio", "local correlation"))
    k.name("ssim|image_similarity|quality_map|local_ssim")
    a, b = pic.input("a_img|reference|x_img"), pic.input("b_img|distorted|y_img")
    out = pic.floats("score_out|ssim_out|map_out")
    pic.grid.enter()
    sums = [k.var(w, number(0.0)) for w in ("sa|mx", "sb|my", "saa|mxx", "sbb|myy", "sab|mxy")]
    weighted = c.chance(1, 2)
    with k.for_("di|dy", -1, 2) as di, k.for_("dj|dx", -1, 2) as dj:
        p, q = let(k, "p|va", pic.read(a, di, dj)), let(k, "q|vb", pic.read(b, di, dj))
        w = let(k, "w|wt", cast((2 - wp.abs(di)) * (2 - wp.abs(dj)), FLOAT) / 16.0) if weighted else None
        for acc, v in zip(sums, (p, q, p * p, q * q, p * q), strict=True):
            acc.__iadd__(v if w is None else v * w)
    scale = 1.0 if weighted else 1.0 / 9.0
    m = [let(k, f"m{n}|e{n}", Term(s.e) * scale if not weighted else Term(s.e) * 1.0) for n, s in enumerate(sums)]
    va, vb = let(k, "var_a|vx", wp.max(m[2] - m[0] * m[0], 0.0)), let(k, "var_b|vy", wp.max(m[3] - m[1] * m[1], 0.0))
    cov = let(k, "cov|vxy", m[4] - m[0] * m[1])
    c1, c2 = number(c.pick((0.0001, 0.01, 6.5))), number(c.pick((0.0009, 0.03, 58.5)))
    if kind == "structural similarity":
        light = (2.0 * m[0] * m[1] + c1) / (m[0] * m[0] + m[1] * m[1] + c1)
        value = light * (2.0 * cov + c2) / (va + vb + c2)
    elif kind == "local contrast ratio":
        value = wp.sqrt((va + c2) / (vb + c2))
    else:
        value = cov / wp.sqrt(va * vb + c2)
    value = let(k, "value|res", varied(k, let(k, "score|s0", value), 0, 3))
    pic.grid.put(out, value)
    statistic(k, value)
    k.summary(f"Computes the {kind} of two images in a window of three, {pic.grid.edge}.")
