"""Images: scalar or colour pixels, of floats or bytes, alone, with channels, or in batches."""

from __future__ import annotations

from collections.abc import Sequence

from ...author import Arr, Author
from ...layouts import Grid, let
from ...layouts.grid import RULES
from ...terms import Like, Term, cast, make, wp
from ...types import FLOAT, HALF, UINT8, Array, Scalar, Value, Vec, vec


class Picture:
    """A launch over pixels that computes in float32, whatever the images hold.

    Args:
        k: the kernel.
        radius: the largest offset that is read.
        colour: whether pixels may be vectors of three.
        rules: what may stand beyond the edges.
    """

    def __init__(self, k: Author, *, radius: int = 1, colour: bool = False, rules: Sequence[str] = RULES) -> None:
        c = k.c
        self.k = k
        self.stored: Scalar = c.weighted({FLOAT: 5, UINT8: 2, HALF: 1})
        self.colour = colour and c.chance(1, 2)
        self.lead = 0 if self.colour else c.weighted({0: 4, 1: 1, 2: 1})
        self.grid = Grid(k, 2, radius=radius, rules=rules, lead=self.lead)
        self.type: Scalar | Vec = vec(3) if self.colour else FLOAT
        self._scale = self.stored is UINT8 and c.chance(1, 2)

    @property
    def element(self) -> Value:
        """The type of the arrays' elements."""
        return vec(3, self.stored) if self.colour else self.stored

    def input(self, words: str) -> Arr:
        """Declare an image that is read."""
        return self.grid.input(words, self.element)

    def output(self, words: str) -> Arr:
        """Declare an image that is written."""
        return self.grid.output(words, self.element)

    def floats(self, words: str, role: str = "output") -> Arr:
        """Declare an image of single floats."""
        made: Arr = getattr(self.grid, role)(words, FLOAT)
        return made

    def read(self, image: Arr, *offsets: Like) -> Term:
        """Return a pixel at an offset as float32."""
        return self.number(self.grid.at(image, *offsets))

    def number(self, value: Term) -> Term:
        """Return a stored pixel as float32."""
        type_ = value.type
        if isinstance(type_, Vec):
            if type_.dtype is FLOAT:
                return value
            value = let(self.k, "raw|px|texel", value)
            scaled = [cast(value[n], FLOAT) for n in range(3)]
            return make(vec(3), *(s / 255.0 if self._scale else s for s in scaled))
        plain = cast(value, FLOAT)
        return plain / 255.0 if self._scale else plain

    def write(self, image: Arr, value: Term) -> None:
        """Emit the store of the thread's own pixel, rounded and held in range for bytes."""
        type_ = image.type
        assert isinstance(type_, Array)
        kept = type_.dtype
        if isinstance(kept, Vec) and kept.dtype is not FLOAT:
            value = let(self.k, "res3|rgb_out|px_out", value)
            self.grid.put(image, make(kept, *(self._stored(value[n], kept.dtype) for n in range(3))))
        elif isinstance(kept, Scalar) and kept is not FLOAT:
            self.grid.put(image, self._stored(value, kept))
        else:
            self.grid.put(image, value)

    def _stored(self, value: Term, kept: Scalar) -> Term:
        if kept is UINT8:
            value = value * 255.0 if self._scale else value
            return cast(wp.clamp(value + 0.5 if self._scale else value, 0.0, 255.0), UINT8)
        return cast(value, kept)


def luminance(k: Author, rgb: Term) -> Term:
    """Return the luminance of a colour, by one of several weightings."""
    way = k.c.below(4)
    if way == 0:
        return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]
    if way == 1:
        return wp.dot(rgb, make(vec(3), 0.2126, 0.7152, 0.0722))
    if way == 2:
        return (rgb[0] + rgb[1] + rgb[2]) / 3.0
    return 0.5 * (wp.max(rgb) + wp.min(rgb))
