"""Textures of 1 to 3 dimensions: maps, resizes, small convolutions, blends."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, varied
from ...loops import one_type
from ...ops.queries import TEXTURES
from ...terms import Term, both, cast, make, where, wp, zero
from ...types import FLOAT, INT, VEC2, VEC4, Value, vec


def _texture(k: Author) -> None:
    """Each thread samples a texture of 1 to 3 dimensions: a map, a resize, a small convolution, a blend of two."""
    c = k.c
    n = c.pick((2, 1, 3))
    T = one_type(k, FLOAT, VEC2, VEC4)
    k.name("sample_texture|resize_image|texture_map|filter_texture|warp_image")
    texture = k.scalar("tex|texture|image", TEXTURES[n])
    sizes = [k.scalar(words, INT) for words in ("width|w|nx", "height|h|ny", "depth|d|nz")[:n]]
    threads = k.tid(*("x|i|px", "y|j|py", "z|kk|pz")[:n])
    place: tuple[Term, ...] = threads if n > 1 else (threads,)
    coords = []
    for word, thread, size in zip(("u|s|tx", "v|t|ty", "w0|r|tz")[:n], place, sizes, strict=True):
        at = (cast(thread, FLOAT) + 0.5) / cast(wp.max(size, 1), FLOAT)
        coords.append(k.let(word, varied(k, at, 0, 2)))
    value = k.var("value|color|texel", _texel(k, texture, coords, T))
    taps = c.between(0, 3)
    for tap in range(taps):
        shift = coefficient(k, FLOAT, 1, 20)
        moved = [u + shift if m == tap % n else u for m, u in enumerate(coords)]
        value += varied(k, _texel(k, texture, moved, T), 0, 2)
    if c.chance(1, 3):
        inside = both(coords[0] > 0.0, coords[-1] < 1.0) if n > 1 else coords[0] < 1.0
        result = where(inside, value, zero(T))
    else:
        result = value * (1.0 / (taps + 1)) if c.chance(1, 2) else Term(value.e)
    out = k.output("out|result|pixels", T, n)
    out[place if n > 1 else place[0]] = varied(k, result, 0, 3)
    k.summary(f"Samples a {n}-D texture of {T.name} for each element of an image, {taps + 1} times.")


def _texel(k: Author, texture: Term, coords: list[Term], type_: Value) -> Term:
    if len(coords) > 1 and k.c.chance(1, 2):
        return wp.texture_sample(texture, make(vec(len(coords)), *coords), dtype=type_)
    return wp.texture_sample(texture, *coords, dtype=type_)


FAMILIES = (_texture,)
