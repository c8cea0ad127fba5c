"""Geometry of images: resizing, warping, lens distortion, flips and crops."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import chain_of, divisor, factor, let
from ...terms import Term, cast, make, number, where, wp
from ...types import FLOAT, INT, MAT22, MAT33, UINT8, VEC2, VEC3, Array, Scalar, Vec


class Sampler:
    """Reading an image at real coordinates: nearest, bilinear, bicubic or Lanczos, held at the edge or wrapped."""

    def __init__(self, k: Author, image: Arr, modes: tuple[str, ...] = ("nearest", "bilinear", "bicubic", "Lanczos")):
        self.k, self.image = k, image
        self.mode = k.c.pick(modes)
        self.wraps = k.c.chance(1, 3)

    def _at(self, y: Term, x: Term) -> Term:
        h, w = self.image.shape(0), self.image.shape(1)
        if self.wraps:
            y, x = (y % h + h) % h, (x % w + w) % w
        else:
            y, x = wp.clamp(y, 0, h - 1), wp.clamp(x, 0, w - 1)
        value = self.image[y, x]
        return value if isinstance(value.type, Vec) else cast(value, FLOAT)

    def read(self, y: Term, x: Term) -> Term:
        """Return the sample at row ``y`` and column ``x``."""
        k = self.k
        if self.mode == "nearest":
            rounded = k.c.pick((wp.round, wp.floor))
            return self._at(let(k, "iy|ry", cast(rounded(y), INT)), let(k, "ix|rx", cast(rounded(x), INT)))
        fy, fx = let(k, "fy|y_base", wp.floor(y)), let(k, "fx|x_base", wp.floor(x))
        y0, x0 = let(k, "y0|r0", cast(fy, INT)), let(k, "x0|c0", cast(fx, INT))
        ty, tx = let(k, "ty|ay", y - fy), let(k, "tx|ax", x - fx)
        if self.mode == "bilinear":
            return self._bilinear(y0, x0, ty, tx)
        return self._kernel(y0, x0, ty, tx)

    def _bilinear(self, y0: Term, x0: Term, ty: Term, tx: Term) -> Term:
        k = self.k
        a, b, d, e = self._at(y0, x0), self._at(y0, x0 + 1), self._at(y0 + 1, x0), self._at(y0 + 1, x0 + 1)
        way = k.c.below(3)
        if way == 0:
            return wp.lerp(let(k, "top|row_a", wp.lerp(a, b, tx)), let(k, "bot|row_b", wp.lerp(d, e, tx)), ty)
        if way == 1:
            a, d = let(k, "va|p00", a), let(k, "vd|p10", d)
            top, bottom = let(k, "top|row_a", a + (b - a) * tx), let(k, "bot|row_b", d + (e - d) * tx)
            return top + (bottom - top) * ty
        ws = [(1.0 - ty) * (1.0 - tx), (1.0 - ty) * tx, ty * (1.0 - tx), ty * tx]
        return chain_of(k, "acc|total", [v * w for v, w in zip((a, b, d, e), ws, strict=True)])

    def _kernel(self, y0: Term, x0: Term, ty: Term, tx: Term) -> Term:
        k = self.k
        shape = _cubic if self.mode == "bicubic" else _lanczos
        weigh = k.helper("weight|tap_weight|filter_w", {"t|d": FLOAT}, shape)
        element = self.image.type
        assert isinstance(element, Array)
        acc = k.var("acc|total", make(VEC3, 0.0, 0.0, 0.0) if isinstance(element.dtype, Vec) else number(0.0))
        norm = k.var("norm|wsum", number(0.0))
        with k.for_("m|dm", -1, 3) as m:
            wy = let(k, "wy|vw", weigh(cast(m, FLOAT) - ty))
            row = let(k, "row_m|yy", y0 + m)
            with k.for_("n|dn", -1, 3) as n:
                w = let(k, "w|wt", wy * weigh(cast(n, FLOAT) - tx))
                acc += self._at(row, x0 + n) * w
                norm += w
        if k.c.chance(1, 2):
            return acc / wp.max(norm, 0.05)
        return acc * (1.0 / (wp.abs(norm) + 0.01))


def _cubic(f: Scope, t: Term) -> Term:
    a = number(f.c.pick((-0.5, -0.75)))
    s = let(f, "s|at", wp.abs(t))
    near = ((a + 2.0) * s - (a + 3.0)) * s * s + 1.0
    far = ((a * s - 5.0 * a) * s + 8.0 * a) * s - 4.0 * a
    return where(s <= 1.0, near, where(s < 2.0, far, number(0.0)))


def _lanczos(f: Scope, t: Term) -> Term:
    x = let(f, "x|pt", 3.14159265 * t + 1.0e-5)
    return where(wp.abs(t) < 2.0, 2.0 * wp.sin(x) * wp.sin(0.5 * x) / (x * x), number(0.0))


def _images(k: Author, src_words: str, dst_words: str) -> tuple[Arr, Arr]:
    weights: dict[Scalar | Vec, int] = {FLOAT: 4, VEC3: 2, UINT8: 1}
    element = k.c.weighted(weights)
    return k.input(src_words, element, 2), k.output(dst_words, element, 2)


def _store(k: Author, dst: Arr, at: tuple[Term, Term], value: Term) -> None:
    type_ = dst.type
    assert isinstance(type_, Array)
    if type_.dtype is UINT8:
        dst[at] = cast(wp.clamp(value + 0.5 if k.c.chance(1, 2) else wp.round(value), 0.0, 255.0), UINT8)
    else:
        dst[at] = value


def resize(k: Author) -> None:
    """Resampling to another size: nearest, bilinear, bicubic, Lanczos, area means; aligned corners or centres."""
    c = k.c
    k.name("resize|resample|scale_image|zoom")
    src, dst = _images(k, "src|img|image", "dst|out|resized")
    i, j = k.tid("i|y|row", "j|x|col")
    i = gate(k, i, dst.shape(0))
    sampler = Sampler(k, src)
    way = c.below(3)
    h, w = cast(src.shape(0), FLOAT), cast(src.shape(1), FLOAT)
    if way == 0:
        sy, sx = (
            let(k, "sy|ratio_y", h / cast(dst.shape(0), FLOAT)),
            let(k, "sx|ratio_x", w / cast(dst.shape(1), FLOAT)),
        )
        y, x = (cast(i, FLOAT) + 0.5) * sy - 0.5, (cast(j, FLOAT) + 0.5) * sx - 0.5
    elif way == 1:
        y = cast(i, FLOAT) * ((h - 1.0) / wp.max(cast(dst.shape(0) - 1, FLOAT), 1.0))
        x = cast(j, FLOAT) * ((w - 1.0) / wp.max(cast(dst.shape(1) - 1, FLOAT), 1.0))
    else:
        zoom = divisor(k, "zoom|scale", FLOAT, 50, 300)
        y, x = (
            cast(i, FLOAT) / zoom + factor(k, "oy|shift_y", FLOAT),
            cast(j, FLOAT) / zoom + factor(k, "ox|shift_x", FLOAT),
        )
    y, x = let(k, "v|src_y|py", y), let(k, "u|src_x|px", x)
    value = let(k, "value|sample|s0", sampler.read(y, x))
    value = let(k, "result|res", varied(k, value, 0, 2))
    _store(k, dst, (i, j), value)
    statistic(k, value)
    k.summary(f"Resizes an image by {sampler.mode} sampling.")


_WARPS = (
    "rotation", "affine map", "homography", "lens distortion", "displacement field", "polar map", "swirl",
    "crop with padding",
)  # fmt: skip


def warp_image(k: Author) -> None:
    """Warps: rotation, affine, homography, lens distortion, displacement, polar maps, swirls, crops."""
    c = k.c
    kind = c.pick(_WARPS)
    k.name(f"{kind.split()[0]}_warp|warp_image|remap|transform_image")
    src, dst = _images(k, "src|img|image", "dst|out|warped")
    i, j = k.tid("i|y|row", "j|x|col")
    i = gate(k, i, dst.shape(0))
    sampler = Sampler(k, src, ("nearest", "bilinear", "bilinear", "bicubic"))
    cy, cx = let(k, "cy|mid_y", 0.5 * cast(dst.shape(0), FLOAT)), let(k, "cx|mid_x", 0.5 * cast(dst.shape(1), FLOAT))
    dy, dx = let(k, "dy|ry", cast(i, FLOAT) - cy), let(k, "dx|rx", cast(j, FLOAT) - cx)
    y, x = _mapped(k, kind, (i, j), (dy, dx), (cy, cx))
    y = let(k, "v|src_y|py", wp.clamp(y, -4096.0, 4096.0))
    x = let(k, "u|src_x|px", wp.clamp(x, -4096.0, 4096.0))
    value = let(k, "value|sample|s0", sampler.read(y, x))
    if c.chance(1, 2):
        inside = let(k, "inside|valid", wp.min(y, x) >= 0.0)
        value = let(k, "masked|s1", where(inside, value, value * factor(k, "pad|border", FLOAT, 1, 60)))
    value = let(k, "result|res", varied(k, value, 0, 2))
    _store(k, dst, (i, j), value)
    statistic(k, value)
    k.summary(f"Warps an image by a {kind} with {sampler.mode} sampling.")


def _mapped(
    k: Author, kind: str, at: tuple[Term, Term], d: tuple[Term, Term], mid: tuple[Term, Term]
) -> tuple[Term, Term]:
    c, (dy, dx), (cy, cx) = k.c, d, mid
    if kind == "rotation":
        angle = factor(k, "angle|theta", FLOAT)
        cs, sn = let(k, "cs|cos_a", wp.cos(angle)), let(k, "sn|sin_a", wp.sin(angle))
        return cy + sn * dx + cs * dy, cx + cs * dx - sn * dy
    if kind == "affine map":
        m, t = k.scalar("matrix|lin", MAT22), k.scalar("shift|trans", VEC2)
        if c.chance(1, 2):
            p = let(k, "p|moved", m * make(VEC2, dx, dy) + t)
            return p[1] + cy, p[0] + cx
        return m[1, 0] * dx + m[1, 1] * dy + t[1] + cy, m[0, 0] * dx + m[0, 1] * dy + t[0] + cx
    if kind == "homography":
        q = let(k, "q|hom", k.scalar("hmat|homography_m", MAT33) * make(VEC3, dx, dy, 1.0))
        w = let(k, "w_h|depth_h", where(wp.abs(q[2]) > 1.0e-3, q[2], number(1.0e-3)))
        return q[1] / w + cy, q[0] / w + cx
    if kind == "displacement field":
        field = k.input("flow|displacement", VEC2, 2)
        f = let(k, "f|disp", field[wp.min(at[0], field.shape(0) - 1), wp.min(at[1], field.shape(1) - 1)])
        s = factor(k, "strength|amount", FLOAT)
        return cast(at[0], FLOAT) + s * f[1], cast(at[1], FLOAT) + s * f[0]
    if kind == "crop with padding":
        top, left = k.scalar("top|y_start", INT), k.scalar("left|x_start", INT)
        y, x = cast(at[0] + top, FLOAT), cast(at[1] + left, FLOAT)
        return y, (2.0 * cx - x if c.chance(1, 2) else x)
    return _radial(k, kind, d, mid)


def _radial(k: Author, kind: str, d: tuple[Term, Term], mid: tuple[Term, Term]) -> tuple[Term, Term]:
    (dy, dx), (cy, cx) = d, mid
    r2 = let(k, "r2|rad2", dx * dx + dy * dy + 1.0e-4)
    if kind == "lens distortion":
        n2 = let(k, "n2|rn", r2 / (cy * cy + cx * cx + 0.1))
        s = 1.0 + factor(k, "k1|barrel", FLOAT, 1, 40) * n2
        if k.c.chance(1, 2):
            s = s + factor(k, "k2|quartic", FLOAT, 1, 20) * n2 * n2
        s = let(k, "scale|s", s)
        return cy + dy * s, cx + dx * s
    r, a = let(k, "r|rad", wp.sqrt(r2)), let(k, "a|phi", wp.atan2(dy, dx + 1.0e-5))
    if kind == "polar map":
        return a * (cy / 3.14159265) + cy, r * factor(k, "radial|r_scale", FLOAT)
    bent = let(
        k,
        "bent|a1",
        a + factor(k, "twist|swirl_amt", FLOAT) * wp.exp(-r / divisor(k, "radius|extent", FLOAT, 100, 900)),
    )
    return cy + r * wp.sin(bent), cx + r * wp.cos(bent)
