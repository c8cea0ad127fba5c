"""Vectors of many points: an array of vectors, an array per component, or rows of a 2-D array."""

from __future__ import annotations

from ..author import Arr, Author, Scope
from ..program import Name
from ..terms import Like, Term, make
from ..types import FLOAT, Scalar, Vec, vec

_AXES = "xyzw"


class Points:
    """The vectors of some points in one layout.

    Args:
        arrays: one array, or one per component.
        type_: the vectors' type.
        way: ``aos``, ``soa`` or ``rows``.
    """

    def __init__(self, arrays: tuple[Arr, ...], type_: Vec, way: str) -> None:
        self._arrays, self.type, self._way = arrays, type_, way

    @property
    def count(self) -> Term:
        """The number of points."""
        return self._arrays[0].shape(0)

    def at(self, i: Like) -> Term:
        """Return the vector of point ``i``."""
        if self._way == "aos":
            return self._arrays[0][i]
        return make(self.type, *(array[index] for array, index in self._parts(i)))

    def load(self, k: Scope, words: str, i: Like) -> Term:
        """Emit a local with the vector of point ``i``."""
        return k.let(words, self.at(i))  # type: ignore[no-any-return]

    def store(self, k: Scope, i: Like, value: Term) -> None:
        """Emit the stores of the vector of point ``i``."""
        if self._way == "aos":
            self._arrays[0][i] = value
            return
        value = value if isinstance(value.e, Name) else k.let("moved|w|res", value)
        for n, (array, index) in enumerate(self._parts(i)):
            array[index] = value[n]

    def add(self, k: Scope, i: Like, value: Term, sign: str = "add") -> None:
        """Emit the atomic addition (or subtraction) of a vector at point ``i``."""
        augmented = k.c.chance(1, 2)
        if self._way == "aos":
            k.atomic(sign, self._arrays[0], i, value, augmented=augmented)
            return
        value = value if isinstance(value.e, Name) else k.let("part|dw|inc", value)
        for n, (array, index) in enumerate(self._parts(i)):
            k.atomic(sign, array, index, value[n], augmented=augmented)

    def _parts(self, i: Like) -> list[tuple[Arr, Like]]:
        n = self.type.n
        if self._way == "soa":
            return [(array, i) for array in self._arrays]
        return [(self._arrays[0], (i, axis)) for axis in range(n)]


class Layout:
    """How all vectors of one kernel lie in memory.

    Args:
        k: the kernel.
        n: components of a vector.
        dtype: their scalar type.
    """

    def __init__(self, k: Author, n: int, dtype: Scalar = FLOAT) -> None:
        self.type = vec(n, dtype)
        self._k = k
        self._way = k.c.weighted({"aos": 5, "soa": 2, "rows": 2})

    def input(self, words: str) -> Points:
        """Declare vectors that are read."""
        return self._declare(words, "input")

    def output(self, words: str) -> Points:
        """Declare vectors that are written."""
        return self._declare(words, "output")

    def inout(self, words: str) -> Points:
        """Declare vectors that are read and written."""
        return self._declare(words, "inout")

    def _declare(self, words: str, role: str) -> Points:
        declare = getattr(self._k, role)
        n, scalar = self.type.n, self.type.dtype
        if self._way == "aos":
            return Points((declare(words, self.type),), self.type, "aos")
        if self._way == "soa":
            head = self._k.c.pick(tuple(words.split("|")))
            return Points(tuple(declare(f"{head}_{_AXES[a]}", scalar) for a in range(n)), self.type, "soa")
        return Points((declare(words, scalar, 2),), self.type, self._way)
