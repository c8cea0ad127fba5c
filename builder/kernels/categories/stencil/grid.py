"""A grid: threads on its points, neighbours by a rule for the boundary, as n-D arrays or flat ones."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...terms import Term, both, either, number, wp, zero
from ...types import INT, Value

_THREADS = ("i|ix|y", "j|iy|x", "k|iz|z", "l|it|w")
_RULES = {"clamp": "clamped", "wrap": "periodic", "skip": "left out", "mirror": "mirrored", "zero": "zero outside"}


class Grid:
    """The points of a grid of 1 to 4 dimensions, one thread each.

    Args:
        k: the kernel, with nothing declared yet but its name.
        words: alternatives for the name of the first array that is read.
        type_: type of its elements.
        ndim: dimensions.
        rules: the rules for the boundary to draw from.
        reach: how far neighbours may lie.
    """

    def __init__(
        self,
        k: Author,
        words: str,
        type_: Value,
        ndim: int,
        *,
        rules: tuple[str, ...] = ("clamp", "wrap", "skip", "mirror", "zero"),
        reach: int = 1,
    ) -> None:
        self.k, self.ndim, self.reach = k, ndim, reach
        self.flat = 1 < ndim < 4 and k.c.chance(1, 4)
        self.rule = k.c.pick(rules)
        self.first = self.input(words, type_)
        self.extents: list[Term] = []
        self.place: tuple[Term, ...] = self._flat_place() if self.flat else self._threads()
        if not self.extents:
            self.extents = self._extents()
        if self.rule == "skip":
            self._leave_border()
        self._named: dict[tuple[int, int], Term] = {}

    # --- where the threads are ---

    def _threads(self) -> tuple[Term, ...]:
        made = self.k.tid(*_THREADS[: self.ndim])
        return made if self.ndim > 1 else (made,)

    def _extents(self) -> list[Term]:
        k = self.k
        if k.c.chance(1, 2):
            return [self.first.shape(axis) for axis in range(self.ndim)]
        return [k.let(f"n{axis}|dim{axis}|{'nmpq'[axis]}", self.first.shape(axis)) for axis in range(self.ndim)]

    def _flat_place(self) -> tuple[Term, ...]:
        """Write the place of a thread in a flat array whose rows have a given width."""
        k = self.k
        width = wp.max(k.scalar("width|nx|w", INT), 1)
        width = k.let("row_len|stride|pitch", width)
        inner: list[Term] = [width]
        if self.ndim == 3:
            inner.insert(0, k.let("rows|slab|n_rows", wp.max(k.scalar("height|ny|h", INT), 1)))
        area = inner[0] * inner[1] if self.ndim == 3 else width
        outer = k.let("outer|depth|n_out", self.first.shape(0) // area)
        self.extents = [outer, *inner]
        if k.c.chance(1, 2):
            place = k.tid(*_THREADS[: self.ndim])
            tests = [p >= n for p, n in zip(place, self.extents, strict=True)]
        else:
            t = k.tid("tid|t|cell")
            made = [k.let("x|col|c0", t % width), t // width]
            if self.ndim == 3:
                made = [made[0], k.let("y|row|r0", made[1] % inner[0]), made[1] // inner[0]]
            made[-1] = k.let("z|top|s0" if self.ndim == 3 else "y|row|r0", made[-1])
            place, tests = tuple(reversed(made)), [made[-1] >= outer]
        with k.if_(either(*tests) if len(tests) > 1 else tests[0]):
            k.leave()
        return place  # type: ignore[no-any-return]

    def _leave_border(self) -> None:
        """Leave where a neighbour would lie outside."""
        k, c = self.k, self.k.c
        tests: list[Term] = []
        for p, n in zip(self.place, self.extents, strict=True):
            tests += [p < self.reach, p >= n - self.reach if c.chance(1, 2) else p + self.reach > n - 1]
        if c.chance(1, 3) and self.ndim > 1:
            for low, high in zip(tests[::2], tests[1::2], strict=True):
                with k.if_(either(low, high)):
                    k.leave()
        else:
            with k.if_(either(*tests)):
                k.leave()

    # --- arrays on the grid ---

    def input(self, words: str, type_: Value) -> Arr:
        """Declare an array on the grid that the kernel reads."""
        return self.k.input(words, type_, 1 if self.flat else self.ndim)

    def output(self, words: str, type_: Value) -> Arr:
        """Declare an array on the grid that the kernel writes."""
        return self.k.output(words, type_, 1 if self.flat else self.ndim)

    def inout(self, words: str, type_: Value) -> Arr:
        """Declare an array on the grid that the kernel reads and writes."""
        return self.k.inout(words, type_, 1 if self.flat else self.ndim)

    @property
    def here(self) -> Term | tuple[Term, ...]:
        """The index of the thread's own point."""
        return self._index(self.place)

    def _index(self, place: tuple[Term, ...]) -> Term | tuple[Term, ...]:
        if not self.flat:
            return place if self.ndim > 1 else place[0]
        index = place[0]
        for p, n in zip(place[1:], self.extents[1:], strict=True):
            index = index * n + p
        return index

    # --- neighbours ---

    def beside(self, axis: int, step: int | Term) -> Term:
        """Return the coordinate ``step`` away along an axis, by the rule for the boundary."""
        if isinstance(step, int) and step == 0:
            return self.place[axis]
        if isinstance(step, int) and (axis, step) in self._named:
            return self._named[axis, step]
        made = self._beside(axis, step)
        if isinstance(step, int) and self.rule != "skip" and self.k.c.chance(2, 3):
            side = f"{'m' if step < 0 else 'p'}{abs(step) if abs(step) > 1 else ''}"
            made = self.k.let(f"{'ijkl'[axis]}{side}|{'yxzw'[axis]}{side}", made)
            self._named[axis, step] = made
        return made

    def _beside(self, axis: int, step: int | Term) -> Term:
        p, n = self.place[axis], self.extents[axis]
        moved = p - (-step) if isinstance(step, int) and step < 0 else p + step
        if self.rule in ("skip", "zero"):
            return moved
        if self.rule == "clamp":
            return _clamped(moved, n, step)
        if self.rule == "wrap":
            return (moved + n) % n if not isinstance(step, int) or step < 0 else moved % n
        return self._mirrored(moved, n, step)

    def _mirrored(self, moved: Term, n: Term, step: int | Term) -> Term:
        last = n - 1
        if isinstance(step, int):
            folded = wp.abs(moved) if step < 0 else last - wp.abs(last - moved)
            return wp.clamp(folded, 0, last)
        return wp.clamp(last - wp.abs(last - wp.abs(moved)), 0, last)

    def near(self, array: Arr, *steps: int | Term, scope: Scope | None = None) -> Term:
        """Return the element ``steps`` away along each axis (missing ones 0), by the rule for the boundary."""
        k = scope or self.k
        full = (*steps, *(0,) * (self.ndim - len(steps)))
        place = tuple(self.beside(axis, step) for axis, step in enumerate(full))
        moved = [axis for axis, step in enumerate(full) if not isinstance(step, int) or step]
        if self.rule != "zero" or not moved:
            return array[self._index(place)]
        tests: list[Term] = []
        for axis in moved:
            step = full[axis]
            if not isinstance(step, int) or step < 0:
                tests.append(place[axis] >= 0)
            if not isinstance(step, int) or step > 0:
                tests.append(place[axis] < self.extents[axis])
        value = k.var("nb|side|outer_v|read", zero(array.type.dtype))  # type: ignore[union-attr]
        with k.if_(both(*tests) if len(tests) > 1 else tests[0]):
            value.set(array[self._index(place)])
        return Term(value.e)

    @property
    def what(self) -> str:
        """The grid in words."""
        return f"a {self.ndim}-D grid, its boundary {_RULES[self.rule]}"


def steps_along(axis: int, step: int | Term) -> tuple[int | Term, ...]:
    """Return the steps to a neighbour along one axis, for :meth:`Grid.near`."""
    return (*(0,) * axis, step)


def _clamped(moved: Term, n: Term, step: int | Term) -> Term:
    if isinstance(step, int):
        return wp.max(moved, 0) if step < 0 else wp.min(moved, n - 1)
    return wp.clamp(moved, 0, n - 1)


def parity(place: tuple[Term, ...]) -> Term:
    """Return the sum of the coordinates modulo 2."""
    total = place[0]
    for p in place[1:]:
        total = total + p
    return total % number(2, INT)
