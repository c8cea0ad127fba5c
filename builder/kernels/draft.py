"""A program while it is being written: arguments, names in scope and how often each was used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .choices import Choices
from .names import Names
from .program import Arg, Expr, Let, Load, Name, Part, Program, Stmt
from .types import INT, Array, Mat, Quat, Value, Vec, scalar_of


@dataclass(slots=True)
class Local:
    """A name with a value: a local, a scalar argument, a thread index or a loop counter."""

    name: str
    type: Value
    uses: int = 0
    mutable: bool = False
    index: bool = False
    updates: int = 0


@dataclass(slots=True)
class Input:
    """An array argument that the kernel reads."""

    name: str
    type: Array
    uses: int = 0


class Draft:
    """State of one kernel under construction. Categories write statements into it in order."""

    def __init__(self, choices: Choices, category: str, ndim: int) -> None:
        self.choices = choices
        self.category = category
        self.names = Names(choices)
        self.tid: tuple[str, ...] = self.names.threads(ndim) if ndim else ()
        self.locals = [Local(name, INT, uses=1, index=True) for name in self.tid]
        self.inputs: list[Input] = []
        self.inputs_named: list[Arg] = []
        self.outputs: list[Arg] = []
        self._scalars: list[Arg] = []
        self._block: list[Stmt] = []
        self._opened = len(self.locals)

    # --- arguments ---

    def input(self, dtype: Value, ndim: int | None = None) -> Input:
        """Declare an array the kernel reads; by default it has the launch's dimensions."""
        array = Input(self.names.input(dtype), Array(dtype, ndim or len(self.tid)))
        self.inputs.append(array)
        return array

    def scalar(self, type_: Value, *, name: str | None = None) -> Local:
        """Declare an argument passed by value."""
        local = Local(name or self.names.scalar(type_), type_)
        self._scalars.append(Arg(local.name, type_))
        self.locals.append(local)
        return local

    @property
    def scalar_count(self) -> int:
        """How many arguments are passed by value so far."""
        return len(self._scalars)

    def output(self, dtype: Value, ndim: int | None = None, *, name: str | None = None) -> Arg:
        """Declare an array the kernel writes."""
        arg = Arg(name or self.names.output(), Array(dtype, ndim or len(self.tid)))
        self.outputs.append(arg)
        return arg

    # --- statements and scopes ---

    def emit(self, stmt: Stmt) -> None:
        self._block.append(stmt)

    def take_last(self) -> Stmt | None:
        """Remove and return the last statement of the innermost body."""
        return self._block.pop() if self._block else None

    def statements(self) -> tuple[Stmt, ...]:
        """Return the statements written so far."""
        return tuple(self._block)

    def let(self, value: Expr, *, name: str | None = None, mutable: bool = False) -> Local:
        """Emit the first assignment of a new local and return it."""
        local = Local(name or self.names.local(value.type), value.type, mutable=mutable)
        self.emit(Let(local.name, value, mutable))
        self.locals.append(local)
        return local

    def counter(self) -> Local:
        """Bring a loop counter into scope."""
        local = Local(self.names.loop(), INT, index=True)
        self.locals.append(local)
        return local

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Collect the statements of a nested body; its locals go out of scope at the end."""
        outer, self._block = self._block, []
        opened, self._opened = self._opened, len(self.locals)
        try:
            yield self._block
        finally:
            del self.locals[self._opened :]
            self._block, self._opened = outer, opened

    def dangling(self) -> list[Local]:
        """Return the locals of the innermost body that nothing has read yet."""
        return [local for local in self.locals[self._opened :] if not local.uses and not local.index]

    # --- reading ---

    def kind(self, *options: Value) -> Value:
        """Return one of some types, the first being the simplest."""
        return self.choices.pick(options)

    def read(self, local: Local) -> Name:
        local.uses += 1
        return Name(local.name, local.type)

    def threads(self) -> tuple[Expr, ...]:
        return tuple(Name(name, INT) for name in self.tid)

    def load(self, array: Input, index: tuple[Expr, ...]) -> Load:
        array.uses += 1
        return Load(array.name, index, array.type.dtype)

    def of_type(self, type_: Value, *, unused: bool = False, index: bool = True, mutable: bool = True) -> list[Local]:
        """Return the names in scope of a type, oldest first, without those a flag leaves out."""
        return [
            local
            for local in self.locals
            if local.type == type_
            and (index or not local.index)
            and (mutable or not local.mutable)
            and not (unused and local.uses)
        ]

    def component(self, base: Expr) -> Part:
        """Return one component of a vector, matrix, quaternion or transform."""
        type_ = base.type
        if isinstance(type_, Mat):
            sizes: tuple[int, ...] = (type_.rows, type_.cols)
        else:
            sizes = (type_.n if isinstance(type_, Vec) else 4 if isinstance(type_, Quat) else 7,)
        return Part(base, tuple(self.choices.below(n) for n in sizes), scalar_of(type_))

    # --- the end ---

    def program(self) -> Program:
        """Return the finished program, not yet named; inputs come first, then scalars, then outputs."""
        arrays = [*self.inputs_named, *(Arg(array.name, array.type) for array in self.inputs)]
        args = (*arrays, *self._scalars, *self.outputs)
        return Program(self.category, "", args, self.tid, tuple(self._block))
