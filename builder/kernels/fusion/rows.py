"""One row of numbers per thread, in one of the layouts kernels keep tables in."""

from __future__ import annotations

from ..author import Arr, Author
from ..terms import Like, Term, wp
from ..types import INT, Value

_WAYS = {"plain": 4, "flat": 2, "columns": 1, "constant": 2, "view": 1, "ragged": 1, "batched": 1}
_DIMENSIONS = {"plain": 2, "columns": 2, "view": 2, "batched": 3}


class RowArray:
    """An array of :class:`Rows`: ``x[j]`` reads element ``j`` of the thread's row, ``x[j] = v`` stores it."""

    def __init__(self, rows: Rows, array: Arr, view: Arr | None = None) -> None:
        self._rows, self.array, self._view = rows, array, view

    def __getitem__(self, j: Like) -> Term:
        return self._view[j] if self._view is not None else self.array[self._rows.at(j)]

    def __setitem__(self, j: Like, value: Like) -> None:
        self.array[self._rows.at(j)] = value


class Rows:
    """The rows of tables of one layout; the first array declared opens the kernel with its bounds test.

    Args:
        k: the kernel, before its thread indices.
        words: alternatives for the row's index.
        counts: alternatives for the length of a row.
        leave_out: layouts that do not suit, of ``plain flat columns constant view ragged batched``.

    Attributes:
        place: where a result of one number per row goes: an index, or two in a batch.
        row: the row's index.
        count: how many elements a row has; may be 0 in the ragged layout. Known once an array is declared.
        way: the layout.
        result_ndim: dimensions of an array of one number per row.
    """

    def __init__(self, k: Author, words: str, counts: str = "cols|width|dim|n", leave_out: tuple[str, ...] = ()):
        self._k, self._counts = k, counts
        self.way = k.c.weighted({way: weight for way, weight in _WAYS.items() if way not in leave_out})
        self.ndim = _DIMENSIONS.get(self.way, 1)
        if self.way == "batched":
            batch, self.row = k.tid("b|batch|sample|slab", words)
            self.place: Like = (batch, self.row)
        else:
            self.place = self.row = k.tid(words)
        self.result_ndim = 2 if self.way == "batched" else 1
        self._base: Term | None = None
        self.count: Term = self.row
        self._open = False

    def input(self, words: str, dtype: Value) -> RowArray:
        """Declare a table the kernel reads."""
        array = self._k.input(words, dtype, self.ndim)
        self._opened(array)
        view = self._k.let("xs|line|view|vals|rowv", array[self.row]) if self.way == "view" else None
        return RowArray(self, array, view)

    def output(self, words: str, dtype: Value) -> RowArray:
        """Declare a table the kernel writes."""
        array = self._k.output(words, dtype, self.ndim)
        self._opened(array)
        return RowArray(self, array)

    def result(self, words: str, dtype: Value) -> Arr:
        """Declare an array of one element per row that the kernel writes, at ``place``."""
        return self._k.output(words, dtype, self.result_ndim)

    def per_row(self, words: str, dtype: Value) -> Term:
        """Declare an array of one element per row that the kernel reads; return the row's element."""
        return self._k.input(words, dtype, self.result_ndim)[self.place]

    def place_of(self, j: int) -> Like:
        """Return the index of result ``j`` where a row has several."""
        return (*self.place, j) if isinstance(self.place, tuple) else (self.place, j)

    def at(self, j: Like) -> Like:
        """Return the index of element ``j`` of the row."""
        if self.way == "batched":
            return (*self.place, j)
        if self.way == "columns":
            return (j, self.row)
        return (self.row, j) if self._base is None else self._base + j

    def _opened(self, array: Arr) -> None:
        if self._open:
            return
        self._open = True
        k, c, way = self._k, self._k.c, self.way
        if way in ("plain", "view", "columns", "batched"):
            axis = {"columns": 0, "batched": 2}.get(way, 1)
            self.count = k.let(self._counts, array.shape(axis)) if c.chance(1, 2) else array.shape(axis)
            if c.chance(1, 4):
                with k.if_(self.row >= array.shape(1 if way in ("columns", "batched") else 0)):
                    k.leave()
        elif way == "ragged":
            offsets = k.input("offsets|indptr|row_ptr|starts|splits", INT)
            after = wp.min(self.row + 1, offsets.shape(0) - 1)
            self._base = k.let("start|begin|lo_index", wp.max(offsets[self.row], 0))
            stop = k.let("stop|end|hi_index", wp.min(offsets[after], array.shape(0)))
            self.count = k.let("length|size|n_items", stop - self._base)
        else:
            self._flat(array)

    def _flat(self, array: Arr) -> None:
        k, c = self._k, self._k.c
        if self.way == "flat":
            self.count = k.scalar(self._counts, INT)
        else:
            self.count = k.constant("WIDTH|DIM|N_COLS|STRIDE|ROW", c.pick((20, 24, 32, 40, 48, 64, 96, 128)))
        base = self.row * self.count
        if c.chance(1, 2):
            with k.if_(base + self.count > array.shape(0)):
                k.leave()
            self._base = k.let("base|first|offset|begin", base) if c.chance(2, 3) else base
        else:
            self._base = k.let("base|first|offset|begin", base)
            with k.if_(array.shape(0) < self._base + self.count):
                k.leave()
