"""Colours: conversions between spaces."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import statistic, varied
from ...layouts import Grid, kept, let
from ...terms import Term, make, number, where, wp
from ...types import FLOAT, MAT33, VEC3


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
