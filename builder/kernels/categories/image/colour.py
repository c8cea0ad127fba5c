"""Colours: conversions between spaces, tone curves, the mosaic of a sensor."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import statistic, varied
from ...layouts import Grid, chain_of, divisor, factor, kept, let, switch
from ...terms import Term, make, number, where, wp
from ...types import FLOAT, INT, MAT33, VEC3
from .pixels import Picture, luminance


class Channels:
    """Colours as vectors, as three planes, or as the last axis of an array; computes in float32."""

    def __init__(self, k: Author) -> None:
        self.k = k
        self.way = k.c.weighted({"vectors": 3, "planes": 2})
        self.grid = Grid(k, 2, radius=0, rules=("clamp",))

    def input(self, words: str) -> list[Arr]:
        """Declare a colour image that is read."""
        head = words.split("|")[0]
        names = (words,) if self.way == "vectors" else tuple(f"{head}_{ch}|{ch}_{head}" for ch in "rgb")
        return [self.grid.input(name, VEC3 if self.way == "vectors" else FLOAT) for name in names]

    def output(self, words: str) -> list[Arr]:
        """Declare a colour image that is written."""
        head = words.split("|")[0]
        names = (words,) if self.way == "vectors" else tuple(f"{head}_{n}|{n}_{head}" for n in ("c0", "c1", "c2"))
        return [self.grid.output(name, VEC3 if self.way == "vectors" else FLOAT) for name in names]

    def read(self, image: list[Arr]) -> tuple[Term, Term, Term]:
        """Emit locals with the three components of the thread's pixel."""
        k = self.k
        if len(image) == 1:
            px = let(k, "px|rgb|col", self.grid.at(image[0], 0, 0))
            return let(k, "r|red", px[0]), let(k, "g|green", px[1]), let(k, "b|blue", px[2])
        r, g, b = (self.grid.at(plane, 0, 0) for plane in image)
        return let(k, "r|red", r), let(k, "g|green", g), let(k, "b|blue", b)

    def write(self, image: list[Arr], parts: tuple[Term, Term, Term]) -> None:
        """Emit the stores of the thread's pixel."""
        if len(image) == 1:
            self.grid.put(image[0], make(VEC3, *parts))
        else:
            for plane, part in zip(image, parts, strict=True):
                self.grid.put(plane, part)


def colour_convert(k: Author) -> None:
    """Between colour spaces: RGB, YUV, YCoCg, HSV, XYZ, Lab, CMY, sepia; perhaps adjusted on the way."""
    c = k.c
    space = c.pick(("YUV", "YCbCr", "HSV", "XYZ", "Lab", "YCoCg", "sepia", "HSL", "a mixed space"))
    word = space.lower().replace(" ", "_")
    k.name(f"rgb_to_{word}|convert_color|color_space|to_{word}")
    image = Channels(k)
    src, dst = image.input("src|rgb_in|img"), image.output("dst|out|converted")
    image.grid.enter()
    r, g, b = image.read(src)
    if c.chance(1, 3):
        r, g, b = (let(k, f"l{n}|lin_{n}", _linear(k, x)) for n, x in zip("rgb", (r, g, b), strict=True))
    r, g, b = (let(k, f"{n}1|{n}_in", varied(k, x, 0, 1)) for n, x in zip("rgb", (r, g, b), strict=True))
    parts = _converted(k, space, r, g, b)
    parts = tuple(varied(k, part, 0, 1) for part in parts)
    named = tuple(kept(k, f"o{n}|part{n}", part) for n, part in enumerate(parts))
    image.write(dst, named)  # type: ignore[arg-type]
    statistic(k, named[0])
    k.summary(f"Converts the colours of an image from RGB to {space}.")


def _linear(k: Scope, x: Term) -> Term:
    if k.c.chance(1, 2):
        return wp.pow(wp.max(x, 0.0), number(2.2))
    return where(x <= 0.04045, x / 12.92, wp.pow((wp.max(x, 0.0) + 0.055) / 1.055, number(2.4)))


_MATRICES = {
    "YUV": (0.299, 0.587, 0.114, -0.147, -0.289, 0.436, 0.615, -0.515, -0.1),
    "XYZ": (0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505),
    "sepia": (0.393, 0.769, 0.189, 0.349, 0.686, 0.168, 0.272, 0.534, 0.131),
    "YCoCg": (0.25, 0.5, 0.25, 0.5, 0.0, -0.5, -0.25, 0.5, -0.25),
    "YCbCr": (0.299, 0.587, 0.114, -0.1687, -0.3313, 0.5, 0.5, -0.4187, -0.0813),
}


def _converted(k: Author, space: str, r: Term, g: Term, b: Term) -> tuple[Term, Term, Term]:
    if space in ("HSV", "HSL"):
        return _hue(k, space, r, g, b)
    if space == "Lab":
        return _lab(k, r, g, b)
    if space == "a mixed space":
        m = k.scalar("color_matrix|mix", MAT33)
        rows = [m[n, 0] * r + m[n, 1] * g + m[n, 2] * b for n in range(3)]
        return rows[0], rows[1], rows[2]
    m9 = _MATRICES[space]
    way = k.c.below(3)
    if way == 0:
        v = let(k, "v|conv", make(MAT33, *m9) * make(VEC3, r, g, b))
        return v[0], v[1], v[2]
    first = let(k, "y|luma|first", m9[0] * r + m9[1] * g + m9[2] * b)
    if way == 1 and space in ("YUV", "YCbCr"):
        wu, wv = (0.492, 0.877) if space == "YUV" else (0.564, 0.713)
        return first, wu * (b - first), wv * (r - first)
    return first, m9[3] * r + m9[4] * g + m9[5] * b, m9[6] * r + m9[7] * g + m9[8] * b


def _hue(k: Author, space: str, r: Term, g: Term, b: Term) -> tuple[Term, Term, Term]:
    top, low = let(k, "mx|hi|vmax", wp.max(r, wp.max(g, b))), let(k, "mn|lo|vmin", wp.min(wp.min(r, g), b))
    span = let(k, "span|delta|chroma", top - low)
    safe = let(k, "safe|div", wp.max(span, 1.0e-4))
    hue = k.var("hue|h", number(0.0))
    with k.if_(top == r):
        hue.set((g - b) / safe)
    with k.elif_(top == g):
        hue.set(2.0 + (b - r) / safe)
    with k.else_():
        hue.set(4.0 + (r - g) / safe)
    turn = wp.frac(hue / 6.0 + 1.0) if k.c.chance(1, 2) else where(hue < 0.0, hue / 6.0 + 1.0, hue / 6.0)
    if space == "HSV":
        return turn, span / wp.max(top, 1.0e-4), top
    light = let(k, "light|l", 0.5 * (top + low))
    return turn, span / (1.0 - wp.min(wp.abs(2.0 * light - 1.0), 0.99)), light


def _lab(k: Author, r: Term, g: Term, b: Term) -> tuple[Term, Term, Term]:
    form = k.c.below(2)

    def curve(f: Scope, t: Term) -> Term:
        root = wp.cbrt(wp.max(t, 0.001)) if form else wp.pow(wp.max(t, 0.001), number(0.333333))
        return where(t > 0.008856, root, 7.787 * t + 0.137931)

    shape = k.helper("lab_f|curve|pivot", {"t|v": FLOAT}, curve)
    x = shape(let(k, "x0|cx", (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505))
    y = shape(let(k, "y0|cy", 0.2126 * r + 0.7152 * g + 0.0722 * b))
    z = shape(let(k, "z0|cz", (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089))
    x, y, z = let(k, "fx|px", x), let(k, "fy|py", y), let(k, "fz|pz", z)
    return 116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)


def tone_map(k: Author) -> None:
    """Tone curves: exposure, Reinhard, filmic, ACES, gamma, levels, lookup tables, histogram equalisation."""
    c = k.c
    curve = c.pick(("Reinhard", "filmic", "ACES", "gamma", "levels", "lookup-table", "logarithmic", "sigmoid"))
    k.name(f"{curve.lower().replace('-', '_')}_tone|tone_map|apply_curve|grade")
    pic = Picture(k, radius=0, rules=("clamp",))
    src, dst = pic.input("src|hdr|img"), pic.output("dst|ldr|out")
    pic.grid.enter()
    x = let(k, "x|value|v0", varied(k, pic.read(src, 0, 0) * factor(k, "exposure|gain|ev", FLOAT), 0, 1))
    y = let(k, "y|mapped|tone", _curve(k, curve, x))
    if c.chance(1, 2):
        inverse = divisor(k, "gamma|display_g", FLOAT, 100, 280)
        y = let(k, "encoded|y1", wp.pow(wp.max(y, 0.0), 1.0 / inverse))
    if c.chance(1, 2):
        mask = pic.floats("mask|weight_map|amount", "input")
        y = let(k, "mixed|y2", wp.lerp(x, y, wp.clamp(pic.grid.at(mask, 0, 0), 0.0, 1.0)))
    y = let(k, "final|y3", varied(k, y, 0, 2))
    pic.write(dst, y)
    statistic(k, y)
    k.summary(f"Maps the tones of an image by a {curve} curve.")


def _curve(k: Author, curve: str, x: Term) -> Term:
    c = k.c
    pos = let(k, "pos|xp|lum", wp.max(x, 0.0))
    if curve == "Reinhard":
        if c.chance(1, 2):
            return pos / (1.0 + pos)
        white = divisor(k, "white|l_white", FLOAT, 100, 400)
        return pos * (1.0 + pos / (white * white)) / (1.0 + pos)
    if curve == "filmic":
        t = let(k, "t|shift", wp.max(pos - 0.004, 0.0))
        return (t * (6.2 * t + 0.5)) / (t * (6.2 * t + 1.7) + 0.06)
    if curve == "ACES":
        return wp.clamp((pos * (2.51 * pos + 0.03)) / (pos * (2.43 * pos + 0.59) + 0.14), 0.0, 1.0)
    if curve == "gamma":
        return wp.pow(pos + 1.0e-4, 1.0 / divisor(k, "g|gam", FLOAT, 100, 300))
    if curve == "levels":
        low = factor(k, "black|low_in", FLOAT, 1, 40)
        return wp.clamp((pos - low) / (wp.abs(factor(k, "white|high_in", FLOAT, 100, 300) - low) + 0.01), 0.0, 1.0)
    if curve == "logarithmic":
        return wp.log(1.0 + pos * wp.abs(factor(k, "a|boost", FLOAT))) / wp.log(
            2.0 + wp.abs(divisor(k, "peak|top", FLOAT))
        )
    if curve == "sigmoid":
        slope = factor(k, "contrast|slope", FLOAT, 100, 900)
        return 1.0 / (1.0 + wp.exp(wp.clamp(slope * (0.5 - pos), -20.0, 20.0)))
    table = k.input("lut|table|cdf", FLOAT)
    last = table.shape(0) - 1
    place = let(k, "place|pos_l", wp.clamp(pos, 0.0, 1.0) * k_float(last))
    at = let(k, "i0|slot", wp.clamp(k_int(place), 0, last))
    if c.chance(1, 2):
        return table[at]
    return wp.lerp(table[at], table[wp.min(at + 1, last)], place - wp.floor(place))


def k_float(value: Term) -> Term:
    """Return an integer as a float."""
    from ...terms import cast

    return cast(value, FLOAT)


def k_int(value: Term) -> Term:
    """Return a float as an integer."""
    from ...terms import cast

    return cast(value, INT)


def demosaic(k: Author) -> None:
    """Colours from a Bayer mosaic: bilinear or edge-aware green, or colour differences, one plane or all."""
    c = k.c
    grid = Grid(k, 2, rules=("mirror", "clamp", "wrap", "skip"))
    raw = grid.input("raw|bayer|mosaic", FLOAT)
    planes = c.chance(1, 2)
    k.name("demosaic|debayer|bayer_to_rgb|interpolate_cfa")
    cell = grid.enter()
    centre = let(k, "centre|own", varied(k, grid.at(raw, 0, 0) * factor(k, "gain|white_bal", FLOAT), 0, 1))
    up, down, left, right = (let(k, w, grid.at(raw, *o)) for w, o in (
        ("n|above", (-1, 0)), ("s|under", (1, 0)), ("w|lefts", (0, -1)), ("e|rights", (0, 1))))  # fmt: skip
    corners = let(
        k, "diag|corner", 0.25 * chain_of(k, "acc|dsum", [grid.at(raw, a, b) for a in (-1, 1) for b in (-1, 1)])
    )
    cross = let(k, "cross|plus", _green(k, up, down, left, right))
    rows, cols = let(k, "horiz|h2", 0.5 * (left + right)), let(k, "vert|v2", 0.5 * (up + down))
    phase = c.below(4)
    y, x = cell[0] % 2 if phase < 2 else (cell[0] + 1) % 2, cell[1] % 2 if phase % 2 == 0 else (cell[1] & 1) ^ 1
    y, x = let(k, "py|row_par", y), let(k, "px|col_par", x)
    r, g, b = k.var("r|red", centre), k.var("g|green", cross), k.var("b|blue", corners)
    with k.if_(y == 0), k.if_(x == 1):
        _set(r, g, b, rows, centre, cols)
    with k.else_():
        with k.if_(x == 0):
            _set(r, g, b, cols, centre, rows)
        with k.else_():
            _set(r, g, b, corners, cross, centre)
    values = [let(k, f"o{n}|f{n}", varied(k, Term(v.e), 0, 1)) for n, v in enumerate((r, g, b))]
    if planes:
        for value, name in zip(values, ("red_out|r_plane", "green_out|g_plane", "blue_out|b_plane"), strict=True):
            grid.put(grid.output(name, FLOAT), value)
    else:
        colour = let(k, "rgb|px", make(VEC3, *values))
        grid.put(grid.output("rgb_out|out|image_out", VEC3), varied(k, colour, 0, 1))
        if c.chance(1, 3):
            grid.put(grid.output("luma|grey", FLOAT), luminance(k, colour))
    k.summary(f"Interpolates the colours of a Bayer mosaic, {grid.edge}.")


def _set(r, g, b, *values: Term) -> None:  # type: ignore[no-untyped-def]
    for target, value in zip((r, g, b), values, strict=True):
        target.set(value)


def _green(k: Author, n: Term, s: Term, w: Term, e: Term) -> Term:
    way = k.c.below(3)
    if way == 0:
        return 0.25 * (n + s + w + e)
    dv, dh = let(k, "dv|grad_v", wp.abs(n - s)), let(k, "dh|grad_h", wp.abs(w - e))
    if way == 1:
        return where(dv < dh, 0.5 * (n + s), 0.5 * (w + e))
    share = let(k, "share|wv", (dh + 0.01) / (dv + dh + 0.02))
    return wp.lerp(0.5 * (w + e), 0.5 * (n + s), share)


__all__ = ["Channels", "colour_convert", "demosaic", "switch", "tone_map"]
