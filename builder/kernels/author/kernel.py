"""The kernel being written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..choices import Choices
from ..draft import Draft, Local
from ..program import (
    Arg,
    Name,
    Option,
    Program,
)
from ..terms import Term
from ..types import INT, UINT64, Array, Value
from .locals import Arr
from .scope import Module, Scope

_ENDINGS = ("_kernel", "_k", "_step", "_pass", "_op", "_fused", "_batch", "_gpu", "_each", "_stage", "_impl", "_update")


class Author(Scope):
    """The kernel being written.

    Args:
        choices: where decisions come from.
        category: the kernel's category.
        family: the algorithm family, or nothing.
    """

    def __init__(self, choices: Choices, category: str, family: str = "") -> None:
        draft = Draft(choices, category, 0)
        super().__init__(draft, Module(draft))
        self._family = family
        self._name = self._summary = self._doc = ""
        self._options: dict[str, Option] = {}
        self._ndim = 0
        self._generic: tuple[str, ...] = ()
        self._tiled = False

    @property
    def scalar_count(self) -> int:
        """How many arguments are passed by value so far."""
        return self.draft.scalar_count

    # --- what it is ---

    def name(self, words: str) -> None:
        """Name the kernel, from alternatives, as they are or with an ending that people add."""
        ending = self.c.pick(_ENDINGS) if self.c.chance(1, 3) else ""
        self._name = self.word("|".join(f"{word}{ending}" for word in words.split("|")))

    def summary(self, text: str) -> None:
        """Say in one true sentence what the kernel computes."""
        self._summary = text

    def doc(self, text: str) -> None:
        """Give the kernel a docstring."""
        self._doc = text

    def option(self, name: str, value: Option) -> None:
        """Set an argument of ``@wp.kernel``."""
        self._options[name] = value

    # --- arguments and threads ---

    def tid(self, *words: str) -> Any:
        """Emit ``i, j = wp.tid()`` as the first statement; return the indices, one alone as it is."""
        self.draft.tid = tuple(map(self.word, words))
        self.draft.locals += [Local(name, INT, uses=1, index=True) for name in self.draft.tid]
        terms = tuple(Term(Name(name, INT)) for name in self.draft.tid)
        return terms if len(terms) > 1 else terms[0]

    def blocks(self, *words: str) -> Any:
        """Emit ``i, j = wp.tid()`` for a kernel that ``wp.launch_tiled`` starts: one block of threads for each index.

        With one word more than the launch has dimensions the last is the thread's place in its block.
        """
        self._tiled = True
        return self.tid(*words)

    def launch(self, ndim: int) -> None:
        """Say how many dimensions the launch has, for a kernel that does not ask for its thread index."""
        self._ndim = ndim

    def input(self, words: str, dtype: Value, ndim: int = 1, *, kind: str = "array") -> Arr:
        """Declare an array the kernel reads."""
        return self._array(self.draft.inputs_named, words, dtype, ndim, kind)

    def output(self, words: str, dtype: Value, ndim: int = 1) -> Arr:
        """Declare an array the kernel writes."""
        return self._array(self.draft.outputs, words, dtype, ndim, "array")

    def inout(self, words: str, dtype: Value, ndim: int = 1) -> Arr:
        """Declare an array the kernel reads and writes."""
        return self._array(self.draft.outputs, words, dtype, ndim, "array")

    def _array(self, into: list[Arg], words: str, dtype: Value, ndim: int, kind: str) -> Arr:
        type_ = Array(dtype, ndim, kind)
        arg = Arg(self.word(words), type_)
        into.append(arg)
        return Arr(self, arg.name, type_)

    def scalar(self, words: str, type_: Value) -> Term:
        """Declare an argument passed by value: a scalar, a vector, a struct."""
        local = self.draft.scalar(type_, name=self.word(words))
        local.uses = 1
        return Term(Name(local.name, type_))

    def handle(self, words: str) -> Term:
        """Declare the id of a mesh, a tree, a grid or a volume: a number that no expression computes with."""
        handle = self.scalar(words, UINT64)
        self.draft.locals[-1].index = True
        return handle

    def generic(self, *args: Term) -> None:
        """Write ``Any`` in place of these arguments' types (or their elements'); ``wp.overload`` gives the types."""
        self._generic += tuple(arg.e.name for arg in args if isinstance(arg.e, Name))

    def program(self) -> Program:
        """Return the finished program."""
        made = self.draft.program()
        args = tuple(replace(arg, generic=arg.name in self._generic) for arg in made.args)
        return Program(
            made.category,
            self._name,
            args,
            made.tid,
            made.body,
            tuple(self._options.items()),
            tuple(self.module.constants),
            tuple(self.module.structs),
            tuple(self.module.functions),
            self._doc,
            self._family,
            self._summary,
            self._ndim,
            bool(self._generic),
            self._tiled,
        )
