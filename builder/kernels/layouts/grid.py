"""Cells of a grid of two or three dimensions: how they lie in memory, and what stands beyond the edges."""

from __future__ import annotations

from collections.abc import Sequence

from ..author import Arr, Author, Callee, Scope
from ..fusion import gate
from ..terms import Like, Term, both, either, where, wp, zero
from ..types import INT, Array, Value
from .edges import RULE_WORDS, RULES, place, row_major, shifted

__all__ = ["RULES", "Grid"]

_INDICES = {2: ("i|row|y|iy", "j|col|x|ix"), 3: ("i|z|iz", "j|y|iy", "l|x|ix")}
_EXTENTS = {2: ("h|ny|rows|height", "w|nx|cols|width"), 3: ("nz|depth|d0", "ny|d1|height", "nx|d2|width")}
_LEADS = ("b|batch|n", "ch|channel|plane")


class Grid:
    """A launch over the cells of a grid. Declare its arrays, then :meth:`enter`, then read :meth:`at` offsets.

    Args:
        k: the kernel.
        ndim: 2 or 3 dimensions that offsets move along.
        radius: the largest offset.
        rules: what may stand beyond the edges; one is drawn.
        lead: leading dimensions (a batch, channels) without offsets; they exclude a flat layout.
    """

    def __init__(
        self, k: Author, ndim: int = 2, *, radius: int = 1, rules: Sequence[str] = RULES, lead: int = 0
    ) -> None:
        c = k.c
        self._k, self.ndim, self._radius, self._lead = k, ndim, radius, lead
        self.rule: str = c.pick(tuple(rules))
        self._flat = not lead and c.chance(1, 3)
        self._style = c.weighted({"inline": 2, "locals": 2, "function": 1})
        self._first: Arr | None = None
        self._near: dict[tuple[int, int], Term] = {}
        self._functions: dict[Value, Callee] = {}
        self._where: tuple[Term, ...] = ()
        self.cell: tuple[Term, ...] = ()
        self.extents: tuple[Term, ...] = ()

    @property
    def edge(self) -> str:
        """The rule in words, for a summary."""
        return RULE_WORDS[self.rule]

    # --- arrays ---

    def input(self, words: str, dtype: Value) -> Arr:
        """Declare values of the cells that are read."""
        made = self._k.input(words, dtype, 1 if self._flat else self.ndim + self._lead)
        self._first = made if self._first is None else self._first
        return made

    def output(self, words: str, dtype: Value) -> Arr:
        """Declare values of the cells that are written."""
        return self._k.output(words, dtype, 1 if self._flat else self.ndim + self._lead)

    def inout(self, words: str, dtype: Value) -> Arr:
        """Declare values that a thread reads of its own cell alone, and writes."""
        made = self._k.inout(words, dtype, 1 if self._flat else self.ndim + self._lead)
        self._first = made if self._first is None else self._first
        return made

    # --- threads ---

    def enter(self, *, gated: bool = True) -> tuple[Term, ...]:
        """Emit the thread indices, extents, the test of the border; return the cell's indices."""
        assert self._first is not None
        k = self._k
        if self._flat:
            self._enter_flat(gated)
        else:
            tid = k.tid(*_LEADS[: self._lead], *_INDICES[self.ndim])
            self._where, self.cell = tid[: self._lead], tid[self._lead :]
            shape = [self._first.shape(self._lead + axis) for axis in range(self.ndim)]
            named = k.c.chance(1, 2)
            self.extents = tuple(k.let(_EXTENTS[self.ndim][a], e) if named else e for a, e in enumerate(shape))
            if gated:
                self.cell = (gate(k, self.cell[0], self.extents[0]), *self.cell[1:])
        if self.rule == "skip":
            self._skip_border()
        if self._style == "locals" and self._radius and self.rule not in ("skip", "zero"):
            self._name_neighbours()
        return self.cell

    def _enter_flat(self, gated: bool) -> None:
        k = self._k
        assert self._first is not None
        n = self._first.shape(0)
        i = k.tid("tid|idx|gid|cell")
        i = gate(k, i, n) if gated else i
        extents: list[Term] = []
        left = n
        for axis in reversed(range(1, self.ndim)):
            words = _EXTENTS[self.ndim][axis]
            if k.c.chance(1, 3):
                e = k.constant(words.upper(), k.c.pick((8, 16, 32, 64)))
            else:
                e = k.let(words, wp.max(k.scalar(f"{words.split('|')[0]}_in|{words.split('|')[1]}_arg", INT), 1))
            extents.insert(0, e)
            left = left // e
        first = k.let(_EXTENTS[self.ndim][0], left)
        self.extents = (first, *extents)
        names = _INDICES[self.ndim]
        if self.ndim == 2:
            self.cell = (k.let(names[0], i // extents[0]), k.let(names[1], i % extents[0]))
        else:
            plane = k.let("rest|q|r2", i // extents[1])
            cell = k.let(names[2], i % extents[1])
            self.cell = (k.let(names[0], plane // extents[0]), k.let(names[1], plane % extents[0]), cell)
        with k.if_(self.cell[0] >= first):
            k.leave()

    def _skip_border(self) -> None:
        k, r = self._k, self._radius
        low = [at < r for at in self.cell] if r > 1 or k.c.chance(1, 2) else [at == 0 for at in self.cell]
        high = [at >= e - r for at, e in zip(self.cell, self.extents, strict=True)]
        if k.c.chance(1, 2):
            with k.if_(either(*(test for pair in zip(low, high, strict=True) for test in pair))):
                k.leave()
            return
        for a, b in zip(low, high, strict=True):
            with k.if_(either(a, b)):
                k.leave()

    def _name_neighbours(self) -> None:
        words = (("up|ym|i0", "down|yp|i1"), ("left|xm|j0", "right|xp|j1")) if self.ndim == 2 else (
            ("zm|back|i0", "zp|front|i1"), ("ym|below|j0", "yp|above|j1"), ("xm|west|l0", "xp|east|l1"),
        )  # fmt: skip
        pairs = [(axis, d) for axis in range(self.ndim) for d in (-1, 1)]
        for axis, d in pairs:
            place = self._edge(self._k, self.cell[axis], d, self.extents[axis])
            self._near[axis, d] = self._k.let(words[axis][d > 0], place)

    # --- reading and writing ---

    def at(self, array: Arr, *offsets: Like, scope: Scope | None = None) -> Term:
        """Return the value at an offset from the cell (constant, or terms of loops), by the rule of the edges."""
        still = all(isinstance(d, int) and d == 0 for d in offsets)
        if still:
            return array[self.here]
        type_ = array.type
        assert isinstance(type_, Array)
        moved = [
            at if isinstance(d, int) and d == 0 else shifted(at, d) for at, d in zip(self.cell, offsets, strict=True)
        ]
        if self._style == "function" and not self._lead and self.rule != "skip":
            sizes = self.extents if self._flat else ()
            return self._function(type_)(array, *moved, *sizes)
        scope = scope or self._k
        places = tuple(
            self._place(scope, axis, d) for axis, d in enumerate(offsets)
        )  # fmt: skip
        value = array[self._index(places)]
        if self.rule == "zero":
            return where(self._inside(offsets, moved), value, zero(type_.dtype))
        return value

    def get(self, array: Arr, *places: Term) -> Term:
        """Return the value of a cell by its own indices, which must lie in the grid."""
        return array[self._index(places)]

    def put(self, array: Arr, value: Term) -> None:
        """Emit the store of the thread's own cell."""
        array[self.here] = value

    @property
    def here(self) -> Like:
        """The index of the thread's own cell."""
        return self._index(self.cell)

    def add(self, array: Arr, places: Sequence[Term], value: Term) -> None:
        """Emit an atomic addition at a cell by its indices."""
        self._k.atomic("add", array, self._index(tuple(places)), value, augmented=self._k.c.chance(1, 2))

    def _index(self, places: tuple[Term, ...]) -> Like:
        if not self._flat:
            return (*self._where, *places)
        return row_major(places, self.extents)

    def _inside(self, offsets: Sequence[Like], moved: Sequence[Term]) -> Term:
        tests = []
        for d, at, extent in zip(offsets, moved, self.extents, strict=True):
            if isinstance(d, int):
                tests += [at >= 0] if d < 0 else [at < extent] if d > 0 else []
            else:
                tests += [at >= 0, at < extent]
        return both(*tests)

    def _place(self, k: Scope, axis: int, d: Like) -> Term:
        if isinstance(d, int):
            if d == 0:
                return self.cell[axis]
            if (axis, d) in self._near:
                return self._near[axis, d]
        return self._edge(k, self.cell[axis], d, self.extents[axis])

    def _edge(self, k: Scope, at: Term, d: Like, extent: Term) -> Term:
        return place(k, self.rule, at, d, extent, self._radius)

    def _function(self, type_: Array) -> Callee:
        """Return a function of the module that reads a cell by the rule of the edges."""
        if type_.dtype in self._functions:
            return self._functions[type_.dtype]
        params: dict[str, Value] = {"a|field|src_array": type_}
        params |= dict.fromkeys(_INDICES[self.ndim], INT)
        params |= dict.fromkeys(_EXTENTS[self.ndim], INT) if self._flat else {}

        def body(f: Scope, array: Arr, *rest: Term) -> Term:
            cell, sizes = rest[: self.ndim], rest[self.ndim :]
            extents = sizes or tuple(array.shape(axis) for axis in range(self.ndim))
            if self.rule == "zero":
                outside = either(*(test for at, e in zip(cell, extents, strict=True) for test in (at < 0, at >= e)))
                with f.if_(outside):
                    f.give(zero(type_.dtype))  # type: ignore[attr-defined]
                places = cell
            else:
                places = tuple(place(f, self.rule, at, None, e, 2) for at, e in zip(cell, extents, strict=True))
            return array[row_major(places, extents) if self._flat else places]

        made = self._k.function("at|fetch|sample_at|read_cell|cell_at", params, body)
        self._functions[type_.dtype] = made
        return made
