"""nested_loop: two or three nested loops over array axes, counts and windows, with accumulators."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft, Input, Local
from ..grammar import expr
from ..indices import wrapped
from ..pieces import whole
from ..program import Expr, Extent, Literal, Name, Program
from ..statements import branch, combine, finish, leave_early, loop, settle, state, steps, store, update
from ..types import DOUBLE, FLOAT, INT, Value, vec
from ..vocabulary import NUMERIC


def _stop(draft: Draft, array: Input, axis: int, counts: list[Local], fixed: bool) -> Expr:
    """Return a loop bound; ``fixed`` allows a constant, which Warp unrolls."""
    c = draft.choices
    if fixed and c.chance(1, 3):
        return whole(c, 2, 4)
    return draft.read(c.pick(counts)) if counts and c.chance(1, 2) else Extent(array.name, axis)


def _window(draft: Draft, array: Input, counters: list[Local]) -> None:
    """Emit a local that reads the array under the loop counters, in bounds by wrapping."""
    c = draft.choices
    own = list(draft.threads())
    index: list[Expr] = []
    ndim = array.type.ndim
    for axis in range(ndim):
        chosen = counters[axis::ndim] or [counters[axis % len(counters)]]
        terms: list[Expr] = [Name(counter.name, INT) for counter in chosen]
        if c.chance(1, 2):
            terms.insert(0, c.pick(own))
        index.append(wrapped(array, axis, *terms))
    draft.let(draft.load(array, tuple(index)))


class _Nest:
    """A loop nest over one array that updates some states."""

    def __init__(self, draft: Draft, states: list[Local], array: Input, counts: list[Local]) -> None:
        self.draft, self.states, self.array, self.counts = draft, states, array, counts

    def emit(self, depth: int, outer: list[Local], fixed: bool = True) -> None:
        """Emit ``depth`` nested loops; at most one of them has a constant bound, or code would explode."""
        c = self.draft.choices
        stop = _stop(self.draft, self.array, len(outer) % self.array.type.ndim, self.counts, fixed)
        inner_fixed = fixed and not isinstance(stop, Literal)
        start = whole(c, 1, 2) if c.chance(1, 6) else None
        step = 2 if start is None and c.chance(1, 8) else 1
        loop(
            self.draft,
            stop,
            lambda counter: self._body(depth, [*outer, counter], inner_fixed),
            start=start,
            step=step,
        )

    def _body(self, depth: int, counters: list[Local], fixed: bool) -> None:
        if depth > 1:
            self._maybe_update()
            self.emit(depth - 1, counters, fixed)
            self._maybe_update()
            return
        draft, c = self.draft, self.draft.choices
        _window(draft, self.array, counters)
        if c.chance(1, 4):
            branch(draft, 1, c.chance(1, 2), lambda: steps(draft, self.states, NUMERIC, 1))
        else:
            steps(draft, self.states, NUMERIC)
        settle(draft, self.states[0])

    def _maybe_update(self) -> None:
        if self.draft.choices.chance(1, 4):
            self.draft.emit(update(self.draft, self.draft.choices.pick(self.states), 1, NUMERIC))


def build(c: Choices) -> Program:
    draft = Draft(c, "nested_loop", c.pick((1, 1, 2)))
    real = c.weighted({FLOAT: 8, DOUBLE: 2})
    kind: Value = vec(c.pick((3, 2)), real) if c.chance(1, 5) else real
    grid = draft.input(kind, c.pick((2, 1, 2, 3)))
    if c.chance(1, 2):
        draft.input(real)
    counts = [draft.scalar(INT) for _ in range(c.below(3))]
    if c.chance(1, 6):
        leave_early(draft)
    states = [state(draft, real)]
    if c.chance(1, 3):
        states.append(state(draft, kind))
    for _ in range(c.pick((1, 1, 1, 2))):
        _Nest(draft, states, grid, counts).emit(c.pick((2, 2, 3)), [])
    finish(draft, states)
    result = states[-1].type
    store(draft, combine(draft, result, draft.read(states[-1])), result)
    if len(states) > 1:
        store(draft, expr(draft, real, 1, NUMERIC), real)
    return draft.program()
