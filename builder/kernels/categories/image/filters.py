"""Neighbourhood filters: convolutions, edge-preserving means, sharpening."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import statistic, varied
from ...layouts import chain_of, divisor, factor, let
from ...terms import Term, cast, number, where, wp, zero
from ...types import FLOAT
from .pixels import Picture

_KERNELS = {
    "Gaussian": ((1, 2, 1), (2, 4, 2), (1, 2, 1)), "box": ((1, 1, 1), (1, 1, 1), (1, 1, 1)),
    "sharpening": ((0, -1, 0), (-1, 5, -1), (0, -1, 0)), "emboss": ((-2, -1, 0), (-1, 1, 1), (0, 1, 2)),
    "Laplacian": ((0, 1, 0), (1, -4, 1), (0, 1, 0)), "outline": ((-1, -1, -1), (-1, 8, -1), (-1, -1, -1)),
}  # fmt: skip


def convolve(k: Author) -> None:
    """A convolution: fixed taps unrolled, taps from an array, or separable along one axis with a Gaussian or box."""
    c = k.c
    way = c.pick(("fixed", "taps", "separable"))
    pic = Picture(k, radius={"fixed": 1, "taps": 2, "separable": 5}[way], colour=True)
    k.name("convolve|filter_image|blur|conv2d" if way != "separable" else "blur_pass|separable_blur|gaussian_1d")
    src, dst = pic.input("src|img|image"), pic.output("dst|out|filtered")
    pic.grid.enter()
    if way == "fixed":
        kind = c.pick(tuple(_KERNELS))
        value = _fixed(k, pic, src, kind)
    elif way == "taps":
        kind, value = "given", _taps(k, pic, src)
    else:
        kind, value = "separable", _separable(k, pic, src)
    value = let(k, "value|res", varied(k, let(k, "filtered_px|sum_px", value), 0, 2))
    if c.chance(1, 3):
        value = let(k, "mixed|blend", wp.lerp(pic.read(src, 0, 0), value, factor(k, "amount|mix", FLOAT, 10, 90)))
    pic.write(dst, value)
    statistic(k, value)
    k.summary(f"Convolves an image with a {kind} kernel, {pic.grid.edge}.")


def _fixed(k: Author, pic: Picture, src: Arr, kind: str) -> Term:
    taps = [(w, a - 1, b - 1) for a, row in enumerate(_KERNELS[kind]) for b, w in enumerate(row) if w]
    total = sum(w for w, _, _ in taps)
    if kind in ("Gaussian", "box") and k.c.chance(1, 2):
        acc = k.var("acc|total", zero(pic.type))
        with k.for_("di|dy", -1, 2) as di, k.for_("dj|dx", -1, 2) as dj:
            if kind == "box":
                acc += pic.read(src, di, dj)
            else:
                acc += pic.read(src, di, dj) * cast((2 - wp.abs(di)) * (2 - wp.abs(dj)), FLOAT)
        return acc / float(total)
    groups: dict[int, list[Term]] = {}
    for w, a, b in taps:
        groups.setdefault(w, []).append(pic.read(src, a, b))
    if k.c.chance(1, 2):
        parts = [let(k, f"s{n}|ring{n}", chain_of(k, "part|ring", t)) for n, t in enumerate(groups.values())]
        value = chain_of(k, "acc|total", [p * float(w) for p, w in zip(parts, groups, strict=True)])
    else:
        value = chain_of(k, "acc|total", [t * float(w) if w != 1 else t for w, ts in groups.items() for t in ts])
    return value / float(total) if total > 1 else value


def _taps(k: Author, pic: Picture, src: Arr) -> Term:
    c = k.c
    flat = c.chance(1, 2)
    weights = k.input("taps|weights|stencil", FLOAT, 1 if flat else 2)
    r = c.pick((1, 2))
    acc, norm = k.var("acc|total", zero(pic.type)), k.var("norm|wsum", number(0.0))
    side = 2 * r + 1
    with k.for_("di|dy", -r, r + 1) as di, k.for_("dj|dx", -r, r + 1) as dj:
        if flat:
            w = weights[wp.min((di + r) * side + dj + r, weights.shape(0) - 1)]
        else:
            w = weights[wp.min(di + r, weights.shape(0) - 1), wp.min(dj + r, weights.shape(1) - 1)]
        w = let(k, "w|wt", w)
        acc += pic.read(src, di, dj) * w
        norm += wp.abs(w)
    return acc / wp.max(norm, 0.01) if c.chance(1, 2) else acc * (1.0 / (norm + 0.01))


def _separable(k: Author, pic: Picture, src: Arr) -> Term:
    c = k.c
    r, along = c.between(2, 5), c.chance(1, 2)
    sigma = divisor(k, "sigma|spread", FLOAT, 50, 300)
    acc, norm = k.var("acc|total", zero(pic.type)), k.var("norm|wsum", number(0.0))
    shape = c.below(3)
    with k.for_("t|tap|s", -r, r + 1) as t:
        x = let(k, "d|off", cast(t, FLOAT))
        if shape == 0:
            w = wp.exp(-0.5 * x * x / (sigma * sigma))
        elif shape == 1:
            w = wp.max(1.0 - wp.abs(x) / (sigma * 2.0), 0.0)
        else:
            w = 1.0 / (1.0 + x * x / (sigma * sigma))
        w = let(k, "w|wt", w)
        acc += pic.read(src, *((0, t) if along else (t, 0))) * w
        norm += w
    return acc / wp.max(norm, 0.01)


def bilateral(k: Author) -> None:
    """Edge-preserving smoothing: bilateral, guided by another image, non-local means, anisotropic diffusion."""
    c = k.c
    mode = c.pick(("bilateral", "cross-bilateral", "non-local means", "anisotropic diffusion"))
    pic = Picture(k, radius=2)
    k.name(f"{mode.replace(' ', '_').replace('-', '_')}|denoise|smooth_edges|edge_preserving")
    src, dst = pic.input("src|img|noisy"), pic.output("dst|out|smooth")
    guide = pic.floats("guide|reference|depth_map", "input") if mode == "cross-bilateral" else None
    pic.grid.enter()
    centre = let(k, "centre|p0|mid", pic.read(src, 0, 0))
    if mode == "anisotropic diffusion":
        value = _diffuse(k, pic, src, centre)
    else:
        value = _weighted(k, pic, src, guide, centre, mode)
    value = let(k, "value|res", varied(k, value, 0, 2))
    pic.write(dst, value)
    statistic(k, wp.abs(value - centre))
    k.summary(f"Smooths an image by {mode} filtering, {pic.grid.edge}.")


def _diffuse(k: Author, pic: Picture, src: Arr, centre: Term) -> Term:
    c = k.c
    kappa = divisor(k, "kappa|edge", FLOAT)
    form = c.below(2)

    def conduct(f: Scope, d: Term, size: Term) -> Term:
        q = let(f, "q|ratio", d / size)
        return wp.exp(-wp.min(q * q, 20.0)) * d if form else d / (1.0 + q * q)

    flux = k.helper("conduct|flow_of|edge_flux", {"d|diff": FLOAT, "kap|contrast": FLOAT}, conduct)
    sides = ((-1, 0), (1, 0), (0, -1), (0, 1))
    parts = [flux(let(k, f"d{n}|g{n}", pic.read(src, *o) - centre), kappa) for n, o in enumerate(sides)]
    return centre + factor(k, "lam|rate|dt", FLOAT, 5, 25) * chain_of(k, "flow|total", parts)


def _weighted(k: Author, pic: Picture, src: Arr, guide: Arr | None, centre: Term, mode: str) -> Term:
    c = k.c
    r = c.pick((1, 2)) if mode != "non-local means" else 1
    space, tone = divisor(k, "sigma_s|spatial", FLOAT), divisor(k, "sigma_r|tonal", FLOAT)
    own = let(k, "g0|ref0", pic.grid.at(guide, 0, 0)) if guide is not None else centre
    acc, norm = k.var("acc|total", number(0.0)), k.var("norm|wsum", number(0.0))
    with k.for_("di|dy", -r, r + 1) as di, k.for_("dj|dx", -r, r + 1) as dj:
        v = let(k, "v|near|q", pic.read(src, di, dj))
        other = pic.grid.at(guide, di, dj) if guide is not None else v
        if mode == "non-local means":
            gap = k.var("gap|patch", (v - own) * (v - own))
            for a, b in ((0, 1), (1, 0)):
                d = let(k, "dd|diff", pic.read(src, di + a if a else di, dj + b if b else dj) - pic.read(src, a, b))
                gap += d * d
            arg = Term(gap.e) / (tone * tone)
        else:
            d = let(k, "dd|diff", other - own)
            near = cast(di * di + dj * dj, FLOAT) / (2.0 * space * space)
            arg = near + d * d / (2.0 * tone * tone)
        w = let(k, "w|wt", wp.exp(-wp.min(arg, 30.0)) if c.chance(2, 3) else 1.0 / (1.0 + arg))
        acc += v * w
        norm += w
    return acc / (norm + 1.0e-4)


def sharpen(k: Author) -> None:
    """Unsharp masks and high boost: limited, with a threshold, or driven by local contrast."""
    c = k.c
    pic = Picture(k)
    k.name("unsharp_mask|sharpen|high_boost|enhance_detail")
    src, dst = pic.input("src|img|image"), pic.output("dst|out|sharp")
    pic.grid.enter()
    centre = let(k, "centre|p0", pic.read(src, 0, 0))
    cross = [pic.read(src, *o) for o in ((-1, 0), (1, 0), (0, -1), (0, 1))]
    near = [let(k, f"n{m}|q{m}", v) for m, v in enumerate(cross)]
    mean = let(k, "mean|blurred", chain_of(k, "acc|total", near) * 0.25 if c.chance(1, 2) else (
        chain_of(k, "acc|total", near) + centre) / 5.0)  # fmt: skip
    detail = let(k, "detail|high", varied(k, centre - mean, 0, 2))
    amount = factor(k, "amount|strength", FLOAT)
    if c.chance(1, 2):
        top = wp.max(wp.max(near[0], near[1]), wp.max(near[2], near[3]))
        spread = top - wp.min(wp.min(near[0], near[1]), wp.min(near[2], near[3]))
        amount = let(k, "adapted|local", amount / (1.0 + wp.abs(spread)))
    if c.chance(1, 2):
        limit = factor(k, "threshold|limit", FLOAT, 1, 30)
        detail = let(k, "cored|kept_d", where(wp.abs(detail) < limit, detail * 0.0, detail) if c.chance(1, 2) else (
            wp.sign(detail) * wp.max(wp.abs(detail) - limit, 0.0)))  # fmt: skip
    value = let(k, "value|res", varied(k, centre + amount * detail, 0, 2))
    pic.write(dst, value)
    statistic(k, detail)
    k.summary(f"Sharpens an image by an unsharp mask, {pic.grid.edge}.")
