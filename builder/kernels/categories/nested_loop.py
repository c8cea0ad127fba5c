"""nested_loop: two or three nested loops over array axes, counts and windows, with accumulators."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft, Input, Local
from ..grammar import NUMERIC, expr
from ..guards import whole
from ..indices import wrapped
from ..program import FLOAT, INT, VEC3, Expr, Extent, Name, Program, Value
from ..statements import branch, combine, finish, leave_early, loop, settle, state, steps, store, update


def _stop(draft: Draft, array: Input, axis: int, counts: list[Local]) -> Expr:
    c = draft.choices
    way = c.below(3)
    if way == 0:
        return Extent(array.name, axis)
    if way == 1 and counts:
        return draft.read(c.pick(counts))
    return whole(c, 2, 4)


def _window(draft: Draft, array: Input, counters: list[Local]) -> None:
    """Emit a local that reads the array under the loop counters, in bounds by wrapping."""
    c = draft.choices
    own = list(draft.threads())
    index: list[Expr] = []
    for axis in range(array.type.ndim):
        term: Expr = Name(counters[axis % len(counters)].name, INT)
        if c.chance(1, 2):
            index.append(wrapped(array, axis, c.pick(own), term))
        else:
            index.append(wrapped(array, axis, term))
    draft.let(draft.load(array, tuple(index)))


def _nest(
    draft: Draft, states: list[Local], array: Input, depth: int, counters: list[Local], counts: list[Local]
) -> None:
    c = draft.choices

    def body(counter: Local) -> None:
        inner = [*counters, counter]
        if depth > 1:
            if c.chance(1, 4):
                draft.emit(update(draft, c.pick(states), 1, NUMERIC))
            _nest(draft, states, array, depth - 1, inner, counts)
            if c.chance(1, 4):
                draft.emit(update(draft, c.pick(states), 1, NUMERIC))
            return
        _window(draft, array, inner)
        if c.chance(1, 4):
            branch(draft, 1, c.chance(1, 2), lambda: steps(draft, states, NUMERIC, 1))
        else:
            steps(draft, states, NUMERIC)
        settle(draft, states[0])

    start = whole(c, 1, 2) if c.chance(1, 6) else None
    stop = _stop(draft, array, (len(counters)) % array.type.ndim, counts)
    step = 2 if start is None and c.chance(1, 8) else 1
    loop(draft, stop, body, start=start, step=step)


def build(c: Choices) -> Program:
    draft = Draft(c, "nested_loop", c.pick((1, 1, 2)))
    kind: Value = VEC3 if c.chance(1, 5) else FLOAT
    grid = draft.input(kind, c.pick((2, 1, 2, 3)))
    if c.chance(1, 2):
        draft.input(FLOAT)
    counts = [draft.scalar(INT) for _ in range(c.below(3))]
    if c.chance(1, 6):
        leave_early(draft)
    states = [state(draft, FLOAT)]
    if c.chance(1, 3):
        states.append(state(draft, kind))
    for _ in range(c.pick((1, 1, 1, 2))):
        _nest(draft, states, grid, c.pick((2, 2, 3)), [], counts)
    finish(draft, states)
    result = states[-1].type
    store(draft, combine(draft, result, draft.read(states[-1])), result)
    if len(states) > 1:
        store(draft, expr(draft, FLOAT, 1, NUMERIC), FLOAT)
    return draft.program()
