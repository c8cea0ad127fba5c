"""Statements, written in order into the innermost body."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..choices import Choices
from ..draft import Draft, Local
from ..grammar import expr
from ..program import Apply, Atomic, Call, Do, Each, For, If, Leave, LetMany, Name, Put, While
from ..terms import Like, Term, lift, make
from ..types import FLOAT, INT, Array, Scalar, Several, Struct, Tile, Value
from ..vocabulary import NUMERIC
from .locals import Arr, Tiled, Var, places_of

if TYPE_CHECKING:
    from .scope import Module

_ENDINGS = (
    "_i", "_j", "_k", "_n", "_t", "_val", "_cur", "_new", "_here", "_loc", "_raw", "_next", "_0", "_1", "_a", "_b",
    "_in", "_est", "_eff", "_tmp", "_acc", "_s", "_v", "_own", "_at", "_fin", "_mod", "_adj",
)  # fmt: skip


class Statements:
    """Statements and locals of a kernel or of a function."""

    def __init__(self, draft: Draft, module: Module) -> None:
        self.draft = draft
        self.c: Choices = draft.choices
        self.module = module

    # --- names and locals ---

    def word(self, words: str) -> str:
        """Return an identifier not yet used in this scope, from alternatives separated by ``|``."""
        return self.draft.names.fresh(tuple(words.split("|")))

    def _local(self, words: str) -> str:
        """Return an identifier for a local: one of the words, as it is or with an ending that people add."""
        if self.c.chance(2, 3):
            return self.word(words)
        ending = self.c.pick(_ENDINGS)
        return self.word("|".join(f"{word}{ending}" for word in words.split("|")))

    def let(self, words: str, value: Like) -> Any:
        """Emit ``name = value``; return the local: a term, or an :class:`Arr` for a view or a tile.

        A scalar that has a name already, and keeps its value, keeps its name.
        """
        given = lift(value, FLOAT)
        if isinstance(given, Name) and isinstance(given.type, Scalar) and not self._changes(given.name):
            return Term(given)
        local = self.draft.let(given, name=self._local(words))
        local.uses = 1
        # A state is passed on; as a number it would say nothing.
        local.index = isinstance(given, Apply) and given.op.symbol == "wp.rand_init"
        return self._named(local.name, local.type)

    def _changes(self, name: str) -> bool:
        return any(local.name == name and local.mutable for local in self.draft.locals)

    def var(self, words: str, value: Like) -> Var:
        """Emit ``name = value`` for a local that later statements change."""
        local = self.draft.let(lift(value, FLOAT), name=self._local(words), mutable=True)
        local.uses = 1
        return Var(self, local.name, local.type)

    def many(self, words: tuple[str, ...], value: Term) -> tuple[Any, ...]:
        """Emit ``a, b = value`` for a value of several; return the locals."""
        types = value.type
        assert isinstance(types, Several)
        names = tuple(map(self.word, words))
        self.draft.emit(LetMany(names, value.e))
        self.draft.locals += [Local(name, type_, uses=1) for name, type_ in zip(names, types.items, strict=True)]
        return tuple(self._named(name, type_) for name, type_ in zip(names, types.items, strict=True))

    def new(self, words: str, struct: Struct) -> Term:
        """Emit ``name = Struct()``; its fields are assigned with :meth:`put`."""
        return Term(Name(self.draft.let(make(struct).e, name=self.word(words)).name, struct))

    def _named(self, name: str, type_: Value) -> Term:
        if isinstance(type_, Tile):
            return Tiled(self, name, type_)
        return Arr(self, name, type_) if isinstance(type_, Array) else Term(Name(name, type_))

    def hole(self, type_: Value, depth: int = 1, families: tuple[str, ...] = NUMERIC) -> Term:
        """Return a random expression of the grammar over what is in scope."""
        return Term(expr(self.draft, type_, depth, families))

    # --- statements ---

    def put(self, target: Term, value: Like, symbol: str = "") -> None:
        """Emit ``target = value`` (``target += value`` with ``+``) for a component, field or element."""
        self.draft.emit(Put(target.e, lift(value, target.type), symbol))  # type: ignore[arg-type]

    def do(self, term: Term, *writes: Arr) -> None:
        """Emit a call for its effect; name the arrays it writes."""
        assert isinstance(term.e, (Apply, Call))
        self.draft.emit(Do(term.e, tuple(array.name for array in writes)))

    def atomic(self, kind: str, array: Arr, index: Like, value: Like, *, augmented: bool = False) -> None:
        """Emit an atomic update; ``kind`` is add, sub, min or max."""
        type_ = array.type
        assert isinstance(type_, Array)
        self.draft.emit(Atomic(kind, array.name, places_of(index), lift(value, type_.dtype), augmented))

    @contextmanager
    def if_(self, test: Term) -> Iterator[None]:
        """Write the body of ``if test:``."""
        with self.draft.block() as body:
            yield
        self.draft.emit(If(((test.e, tuple(body)),)))

    @contextmanager
    def elif_(self, test: Term) -> Iterator[None]:
        """Write the next arm of the branch just written."""
        before = self._last_branch()
        with self.draft.block() as body:
            yield
        self.draft.emit(If((*before.arms, (test.e, tuple(body)))))

    @contextmanager
    def else_(self) -> Iterator[None]:
        """Write the last arm of the branch just written."""
        before = self._last_branch()
        with self.draft.block() as body:
            yield
        self.draft.emit(If(before.arms, tuple(body)))

    def _last_branch(self) -> If:
        last = self.draft.take_last()
        if not isinstance(last, If) or last.otherwise:
            raise ValueError("elif_ and else_ come right after if_ or elif_")
        return last

    @contextmanager
    def for_(self, words: str, *bounds: Like, step: int = 1) -> Iterator[Term]:
        """Write the body of ``for name in range(stop)`` or ``range(start, stop, step)``; gives the counter."""
        start, stop = (None, bounds[0]) if len(bounds) == 1 else bounds
        with self.draft.block() as body:
            name = self.word(words)
            self.draft.locals.append(Local(name, INT, uses=1, index=True))
            yield Term(Name(name, INT))
        first = None if start is None else lift(start, INT)
        self.draft.emit(For(name, lift(stop, INT), tuple(body), first, step))

    @contextmanager
    def each(self, words: str, query: Term, type_: Value = INT) -> Iterator[Term]:
        """Write the body of ``for name in query``."""
        with self.draft.block() as body:
            name = self.word(words)
            self.draft.locals.append(Local(name, type_, uses=1, index=True))
            yield Term(Name(name, type_))
        self.draft.emit(Each(name, query.e, tuple(body)))

    @contextmanager
    def while_(self, test: Term) -> Iterator[None]:
        """Write the body of ``while test``."""
        with self.draft.block() as body:
            yield
        self.draft.emit(While(test.e, tuple(body)))

    def leave(self, word: str = "return") -> None:
        """Emit ``return``, ``break`` or ``continue``."""
        self.draft.emit(Leave(word))
