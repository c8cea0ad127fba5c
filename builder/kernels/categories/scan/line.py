"""A line of elements that one thread walks along, in the layouts arrays have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...author import Arr, Author
from ...fusion import gate
from ...terms import Term, number, wp
from ...types import INT, Value

_WORDS = {"rows": "each row", "columns": "each column", "flat": "each segment of equal length", "depth": "each channel"}


class Line:
    """Where a thread's elements lie: rows or columns of a matrix, segments of a flat array, channels of a 3-D array.

    The first array asked for with :meth:`input` tells the line's length; declare it before anything else.
    """

    def __init__(self, k: Author, words: str, type_: Value) -> None:
        self.k = k
        self.layout = k.c.weighted({"rows": 3, "columns": 2, "flat": 2, "depth": 2})
        self.ndim = {"flat": 1, "depth": 3}.get(self.layout, 2)
        self.first = k.input(words, type_, self.ndim)
        if self.layout == "depth":
            self.threads: tuple[Term, ...] = k.tid("b|batch|i", "c|channel|ch")
        else:
            thread = k.tid("row|i|line_id|tid")
            self.threads = (gate(k, thread, self.first.shape(0)),)
        self._start, self.length = self._extent()

    def _extent(self) -> tuple[Term, Term]:
        k, first = self.k, self.first
        zero = number(0, INT)
        if self.layout == "flat":
            width = wp.max(k.scalar("width|length|n_steps", INT), 1)
            if k.c.chance(1, 2):
                width = k.let("w|span|count", width)
            start = k.let("start|base|begin", wp.min(wp.max(self.threads[0], 0) * width, first.shape(0)))
            return start, k.let("n|todo|steps", wp.min(width, first.shape(0) - start))
        axis = 0 if self.layout == "columns" else 1
        return zero, k.let("n|length|steps", first.shape(axis)) if k.c.chance(1, 2) else first.shape(axis)

    @property
    def what(self) -> str:
        """What the lines are, in words."""
        return _WORDS[self.layout]

    def input(self, words: str, type_: Value) -> Arr:
        """Declare another array of the same layout that the kernel reads."""
        return self.k.input(words, type_, self.ndim)

    def output(self, words: str, type_: Value) -> Arr:
        """Declare an array of the same layout that the kernel writes."""
        return self.k.output(words, type_, self.ndim)

    def inout(self, words: str, type_: Value) -> Arr:
        """Declare an array of the same layout that the kernel reads and writes."""
        return self.k.inout(words, type_, self.ndim)

    def at(self, j: Term) -> tuple[Term, ...] | Term:
        """Return the index of the line's element ``j``."""
        if self.layout == "flat":
            return self._start + j
        if self.layout == "depth":
            return (self.threads[0], j, self.threads[1])
        return (j, self.threads[0]) if self.layout == "columns" else (self.threads[0], j)

    @contextmanager
    def walk(self, words: str, *, back: bool = False) -> Iterator[Term]:
        """Write a loop along the line, forwards (or backwards); gives the element's number."""
        k, way = self.k, self.k.c.below(3)
        if way == 1:
            j = k.var(words, self.length - 1 if back else number(0, INT))
            with k.while_(j >= 0 if back else j < self.length):
                yield Term(j.e)
                j += -1 if back else 1
        elif back and way == 2:
            with k.for_("step_no|q|m", self.length) as q:
                yield k.let(words, self.length - 1 - q)
        elif back:
            with k.for_(words, self.length - 1, -1, step=-1) as counter:
                yield counter
        else:
            with k.for_(words, self.length) as counter:
                yield counter
