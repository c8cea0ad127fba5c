"""combined: loops, branches, vectors, elementary functions and atomics in one kernel."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft, Local
from ..grammar import convert, expr
from ..indices import wrapped
from ..pieces import apply, whole
from ..program import Expr, Extent, Literal, Name, Program
from ..statements import atomic, branch, combine, finish, let, loop, settle, state, steps, store
from ..types import DOUBLE, INT, QUAT, VEC2, VEC3, Quat, Scalar, Value, Vec, vec
from ..vocabulary import MATH, VECTOR

_KINDS: tuple[Vec | Quat, ...] = (VEC3, VEC2, vec(3, DOUBLE), QUAT, VEC3, vec(4))
QUATERNION = ("quat", "quat_sum", "quat_make", "quat_fill", "quat_reduce", "arith")


def _write(draft: Draft, states: list[Local], real: Scalar, kind: Value) -> None:
    """Store what the loop has made, or add it to bins."""
    c = draft.choices
    for local in states[1:]:
        store(draft, draft.read(local), kind)
    total = combine(draft, real, draft.read(states[0]))
    if c.chance(1, 3):
        bins = draft.output(real, 1, name=draft.names.bins())
        index = apply("%", c.pick(draft.threads()), Extent(bins.name, 0)) if c.chance(1, 2) else Literal(0, INT)
        atomic(draft, c.pick(("add", "max")), bins.name, (index,), convert(draft, total, real))
    else:
        store(draft, total, real)


def build(c: Choices) -> Program:
    draft = Draft(c, "combined", c.pick((1, 1, 2)))
    kind = c.pick(_KINDS)
    real = kind.dtype
    families = QUATERNION if kind is QUAT else VECTOR
    points = draft.input(kind, 1)
    draft.input(real)
    if c.chance(1, 3):
        draft.input(INT)
    if c.chance(1, 2):
        draft.scalar(real)
    count = draft.scalar(INT) if c.chance(1, 3) else None
    let(draft, kind, c.between(1, 2), families)
    states = [state(draft, real)]
    if c.chance(1, 3):
        states.append(state(draft, kind))

    def body(counter: Local) -> None:
        terms = (Name(draft.tid[0], INT), Name(counter.name, INT))
        other = draft.load(points, (wrapped(points, 0, *terms[c.below(2) :]),))
        draft.let(other if c.chance(1, 2) else apply("-", other, expr(draft, kind, 0, families)))
        if c.chance(1, 2):
            branch(draft, 1, c.chance(1, 2), lambda: steps(draft, states, (*families, "math", "arith2")))
        else:
            steps(draft, states, (*families, "math", "arith2"))
        settle(draft, states[0])

    bound: Expr = Extent(points.name, 0) if c.chance(1, 2) else whole(c, 2, 4)
    stop = draft.read(count) if count else bound
    loop(draft, stop, body)
    if c.chance(1, 2):
        branch(draft, c.between(1, 2), c.chance(1, 2), lambda: steps(draft, states, MATH, 1), depth=c.below(2))
    finish(draft, states)
    _write(draft, states, real, kind)
    return draft.program()
