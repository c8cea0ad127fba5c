"""Statements of the grammar: locals, bounded updates, branches, loops and what ends a kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .draft import Draft, Local
from .grammar import comparison, condition, convert, expr, leaf
from .in_scope import element
from .pieces import apply, joined, unsigned
from .program import Assign, Atomic, Expr, For, If, Leave, Literal, Name, Stmt, Store
from .types import FLOAT, Scalar, Transform, Value, scalar_of
from .vocabulary import ARITHMETIC


def let(draft: Draft, type_: Value, depth: int, families: tuple[str, ...], *, mutable: bool = False) -> Local:
    """Emit ``name = expression`` and return the new local."""
    return draft.let(expr(draft, type_, depth, families, top=True), mutable=mutable)


def variable(draft: Draft, type_: Value) -> Expr:
    """Return a value that is not an accumulator."""
    return leaf(draft, type_, literal=False, mutable=False)


def update(draft: Draft, local: Local, depth: int, families: tuple[str, ...]) -> Stmt:
    """Return an assignment to a mutable local that stays bounded when repeated: add, min, max or blend."""
    c = draft.choices
    local.uses += 1
    local.updates += 1
    name = Name(local.name, local.type)
    term = expr(draft, local.type, depth, families)
    if unsigned(term) == name:
        term = variable(draft, local.type)
    scalar = isinstance(local.type, Scalar)
    way = c.below(5) if scalar else c.below(2)
    if way in (0, 1, 4):
        sign = "-" if (way == 1) != (unsigned(term) is not term) else "+"
        return Assign(local.name, unsigned(term), sign)
    if way == 2:
        return Assign(local.name, apply(c.pick(("wp.min", "wp.max")), name, term))
    type_ = scalar_of(local.type)
    if type_.is_int:
        return Assign(local.name, apply("^", name, term))
    return Assign(local.name, apply("+", apply("*", name, Literal(c.pick((0.5, 0.9, 0.25)), type_)), term))


def branch(draft: Draft, arms: int, otherwise: bool, body: Callable[[], None], *, depth: int = 0) -> None:
    """Emit an if/elif/else chain whose bodies are written by ``body``."""
    made: list[tuple[Expr, tuple[Stmt, ...]]] = []
    for _ in range(arms):
        test = condition(draft, depth)
        if any(test == earlier for earlier, _ in made):
            test = comparison(draft, ARITHMETIC)  # the same test again would make a dead branch
        with draft.block() as block:
            body()
        made.append((test, tuple(block)))
    last: tuple[Stmt, ...] = ()
    if otherwise:
        with draft.block() as block:
            body()
        last = tuple(block)
    draft.emit(If(tuple(made), last))


def loop(draft: Draft, stop: Expr, body: Callable[[Local], None], *, start: Expr | None = None, step: int = 1) -> None:
    """Emit a for loop whose body is written by ``body`` with the counter in scope."""
    with draft.block() as block:
        counter = draft.counter()
        body(counter)
    draft.emit(For(counter.name, stop, tuple(block), start, step))


def combine(draft: Draft, type_: Value, value: Expr | None = None) -> Expr:
    """Return one value of a type that depends on every name and input not yet used."""
    for local in [local for local in draft.locals if not local.uses and not local.index]:
        value = _join(draft, type_, value, convert(draft, draft.read(local), type_))
    for array in [array for array in draft.inputs if not array.uses]:
        value = _join(draft, type_, value, convert(draft, element(draft, array), type_))
    return value if value is not None else leaf(draft, type_, literal=False)


def _join(draft: Draft, type_: Value, left: Expr | None, right: Expr) -> Expr:
    if left is None:
        return right
    real = isinstance(type_, Scalar) and type_.is_float
    symbols = ("+", "-", "*", "wp.max", "wp.min") if real else ("*",) if isinstance(type_, Transform) else ("+", "-")
    return joined(draft.choices, draft.choices.pick(symbols), left, right)


def store(draft: Draft, value: Expr, dtype: Value) -> None:
    """Declare an output of the launch's shape and emit the store of ``value`` at the thread's element."""
    out = draft.output(dtype)
    draft.emit(Store(out.name, draft.threads(), value))


def state(draft: Draft, type_: Value, *, start: Expr | None = None) -> Local:
    """Emit the initial value of an accumulator, which later statements update."""
    c = draft.choices
    if start is None:
        scalar = scalar_of(type_)
        zero = Literal(0, scalar) if scalar.is_int else Literal(c.pick((0.0, 1.0, 0.5)), scalar)
        start = convert(draft, zero, type_)
    return draft.let(start, name=draft.names.accumulator(), mutable=True)


def finish(draft: Draft, states: Sequence[Local]) -> None:
    """Emit an update of each state that no statement has changed yet, so that none stays constant."""
    for local in states:
        if not local.updates:
            local.updates += 1
            draft.emit(Assign(local.name, variable(draft, local.type), "+"))


def settle(draft: Draft, target: Local) -> None:
    """Emit updates of ``target`` by the locals of the innermost body that nothing has read."""
    for local in draft.dangling():
        target.uses += 1
        target.updates += 1
        draft.emit(Assign(target.name, convert(draft, draft.read(local), target.type), "+"))


def steps(draft: Draft, states: Sequence[Local], families: tuple[str, ...], depth: int = 2) -> None:
    """Emit a small body: perhaps a local, then one or two updates of the states."""
    c = draft.choices
    if c.chance(1, 3):
        scalar = scalar_of(states[0].type)
        real = scalar if scalar.is_float else FLOAT
        let(draft, real if c.chance(2, 3) else states[0].type, c.between(1, depth), families)
    made: list[Stmt] = []
    for _ in range(c.pick((1, 1, 2))):
        stmt = update(draft, c.pick(states), c.between(1, depth), families)
        if stmt not in made:
            draft.emit(stmt)
            made.append(stmt)
    settle(draft, states[0])


def leave_early(draft: Draft, word: str = "return") -> None:
    """Emit ``if condition: return`` (or break, continue)."""
    draft.emit(If(((condition(draft, 0), (Leave(word),)),)))


def atomic(draft: Draft, kind: str, array: str, index: tuple[Expr, ...], value: Expr) -> None:
    """Emit an atomic update, in either of the two ways Warp writes additions and subtractions."""
    augmented = kind in ("add", "sub") and draft.choices.chance(1, 3)
    draft.emit(Atomic(kind, array, index, value, augmented))
