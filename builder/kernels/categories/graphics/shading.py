"""Shading models of surfaces."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, precise
from ...terms import Term, make, number, wp, zero
from ...types import Scalar, vec


def shade(k: Author) -> None:
    """Surface shading: Lambert, Phong, Blinn, Cook-Torrance, Oren-Nayar-like, toon; one light or several."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    model = c.pick(("Lambert", "Phong", "Blinn-Phong", "Cook-Torrance", "half-Lambert", "toon"))
    k.name(f"{model.lower().replace('-', '_')}_shade|shade_points|lighting_pass|deferred_shade")
    layout = Layout(k, 3, T)
    pos, nrm = layout.input("positions|gbuf_pos|points"), layout.input("normals|gbuf_n|nrm")
    out = layout.output("radiance|color_out|shaded")
    i = gate(k, k.tid("i|tid|px"), nrm.count)
    p, n = pos.load(k, "p|x", i), let(k, "n|nn", wp.normalize(nrm.at(i)))
    eye = let(k, "v|view", wp.normalize(k.scalar("eye|camera_pos", V) - p))
    base = layout.input("albedo|diffuse_map").load(k, "base|kd", i) if c.chance(1, 2) else let(
        k, "base|kd", k.scalar("albedo|tint_c", V))  # fmt: skip
    if c.chance(1, 2):
        lights = layout.input("lights|lamp_pos")
        total = k.var("total|lit", zero(V))
        with k.for_("m|lamp", lights.count) as m:
            d = let(k, "d|to_light", lights.at(m) - p)
            r2 = let(k, "r2|dist2", wp.dot(d, d) + 0.05)
            total += _brdf(k, model, n, eye, d / wp.sqrt(r2), base, T) * (
                1.0 / r2 if c.chance(1, 2) else 1.0 / (1.0 + r2)
            )
        colour = Term(total.e)
    else:
        sun = let(k, "l|to_sun", wp.normalize(k.scalar("sun_dir|light_dir", V)))
        colour = _brdf(k, model, n, eye, sun, base, T) * factor(k, "intensity|power", T)
    colour = let(k, "col|rgb", colour + base * factor(k, "ambient|ka", T, 1, 30))
    if c.chance(1, 3):
        rim = let(k, "rim|edge_l", 1.0 - wp.max(wp.dot(n, eye), 0.0))
        colour = let(k, "col1|rimmed", colour + base * (rim * rim * factor(k, "rim_s|rim_gain", T)))
    if c.chance(1, 3):
        fog = wp.exp(-wp.min(wp.length(p) * factor(k, "fog|density", T, 1, 50), 20.0))
        colour = let(k, "col2|fogged", wp.lerp(k.scalar("fog_color|haze", V), colour, fog))
    colour = let(k, "res|final", varied(k, colour, 0, 2))
    out.store(k, i, colour)
    statistic(k, wp.max(colour))
    k.summary(f"Shades surface points by the {model} model.")


def _brdf(k: Scope, model: str, n: Term, v: Term, light: Term, base: Term, T: Scalar) -> Term:
    c = k.c
    light = let(k, "ld|wi", light)
    cos = let(k, "ndl|cos_i", wp.max(wp.dot(n, light), 0.0))
    if model == "Lambert":
        return base * cos
    if model == "half-Lambert":
        h = let(k, "h|wrapped", 0.5 * wp.dot(n, light) + 0.5)
        return base * (h * h)
    if model == "toon":
        return base * (wp.floor(cos * float(c.between(2, 5))) / 4.0)
    shine = number(float(c.pick((8, 16, 32, 64))), T)
    if model == "Phong":
        mirror = let(k, "refl|mirror", n * (2.0 * wp.dot(n, light)) - light)
        s = wp.pow(wp.max(wp.dot(mirror, v), 1.0e-3), shine)
        return base * cos + make(base.type, s)
    half = let(k, "hv|half_v", wp.normalize(light + v))
    ndh = let(k, "ndh|cos_h", wp.max(wp.dot(n, half), 1.0e-3))
    if model == "Blinn-Phong":
        return base * cos + make(base.type, wp.pow(ndh, shine) * factor(k, "ks|spec", T))
    rough = number(c.between(20, 80) / 100, T)
    a2 = let(k, "a2|alpha2", rough * rough * rough * rough)
    q = let(k, "q|ggx_d", ndh * ndh * (a2 - 1.0) + 1.0)
    ndv = let(k, "ndv|cos_o", wp.max(wp.dot(n, v), 0.02))
    fresnel = let(k, "fr|fresnel", _schlick(k, wp.max(wp.dot(half, v), 0.0), T))
    kk = let(k, "kg|geo_k", rough * rough * 0.5)
    g = cos / (cos * (1.0 - kk) + kk) * ndv / (ndv * (1.0 - kk) + kk)
    spec = a2 / (3.14159265 * q * q) * g * fresnel / (4.0 * ndv * wp.max(cos, 0.02))
    return base * (cos * (1.0 - fresnel) * 0.3183) + make(base.type, let(k, "spec|ct", spec) * cos)


def _schlick(k: Scope, cos: Term, T: Scalar) -> Term:
    x = let(k, "xf|om", 1.0 - cos)
    f0 = number(k.c.pick((0.04, 0.2, 0.6)), T)
    return (
        f0 + (1.0 - f0) * x * x * x * x * x
        if k.c.chance(1, 2)
        else f0 + (1.0 - f0) * wp.pow(x + 1.0e-4, number(5.0, T))
    )
