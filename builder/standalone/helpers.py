"""The small device functions that a program needs, written once each and only when used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..codegen.arguments import Block, Kind, Number, Record
from ..errors import StandaloneRejection
from .code import Code
from .scalars import fitted
from .types import count, definition, is_narrow, is_small, make, name_of, needed, part

Writer = Callable[..., str]
WRITERS: dict[str, Writer] = {}


def helper(function: Writer) -> Writer:
    """Register a function that writes the helper of its name, for kinds."""
    WRITERS[function.__name__.strip("_")] = function
    return function


class Helpers:
    """What stands above the kernel: types and helpers, in the order in which they need each other."""

    def __init__(self) -> None:
        self.types: dict[Kind, str] = {}
        self.texts: dict[tuple[Any, ...], str] = {}
        self.names: set[str] = set()
        self.narrow: set[str] = set()

    def type(self, kind: Kind) -> str:
        """Return the name of a type, whose definition the program then holds."""
        for one in needed(kind):
            if one not in self.types:
                self.types[one] = definition(one)
                if isinstance(one, Block):
                    self._number(one.number)
                elif isinstance(one, Record):
                    for _, inner in one.fields:
                        self._number(inner)
        self._number(kind)
        return name_of(kind)

    def _number(self, kind: Kind) -> None:
        kind = getattr(kind, "element", kind)
        if isinstance(kind, Number) and is_narrow(kind):
            self.narrow.add(kind.name)

    def need(self, name: str, *kinds: Any) -> str:
        """Return the name to call a helper by, which the program then holds."""
        key = (name, *kinds)
        self.names.add(name)
        if key not in self.texts:
            if name not in WRITERS:
                raise StandaloneRejection(f"builtin {name}")
            text = WRITERS[name](self, *kinds)
            self.texts[key] = text
        return name

    def function(self, name: str, result: Kind, params: Sequence[tuple[Kind, str]], *body: str) -> str:
        """Return the text of a device function; its name is a helper's, or an operator."""
        given = ", ".join(self.parameter(kind, param) for kind, param in params)
        lines = "".join(f"  {line}\n" for line in body)
        return f"__device__ inline {self.type(result)} {name}({given}) {{\n{lines}}}\n"

    def parameter(self, kind: Kind, name: str) -> str:
        """Return a parameter: what is large goes by reference."""
        large = isinstance(kind, Record) or (isinstance(kind, Block) and count(kind) > 4)
        if name.startswith("&"):
            return f"{self.type(kind)} &{name[1:]}"
        return f"const {self.type(kind)} &{name}" if large else f"{self.type(kind)} {name}"

    def elementwise(self, name: str, result: Block, params: Sequence[tuple[Kind, str]], of: Callable[..., str]) -> str:
        """Return a device function whose result's components are ``of`` the components of its parameters."""

        def given(at: Callable[[Block, str], str]) -> str:
            texts = [at(kind, param) if isinstance(kind, Block) else param for kind, param in params]
            text = of(*texts)
            cast = f"({name_of(result.number)})"
            done = not is_small(result.number) or text in texts or text.startswith(cast)
            return text if done else f"{cast}({text})"

        if count(result) <= 4 or result.family == "transformation":
            parts = [given(lambda kind, text, n=n: part(kind, text, n)) for n in range(count(result))]  # type: ignore[misc]
            return self.function(name, result, params, f"return {make(result, parts)};")
        return self.function(name, result, params, *_loops(result, given))


def _loops(result: Block, given: Callable[[Callable[[Block, str], str]], str]) -> list[str]:
    if result.family == "matrix":
        rows, columns = result.shape
        return [
            f"{name_of(result)} out;",
            f"for (int i = 0; i < {rows}; ++i)",
            f"  for (int j = 0; j < {columns}; ++j)",
            f"    out.m[i][j] = {given(lambda _, text: f'{text}.m[i][j]')};",
            "return out;",
        ]
    return [
        f"{name_of(result)} out;",
        f"for (int i = 0; i < {result.shape[0]}; ++i)",
        f"  out.c[i] = {given(lambda _, text: f'{text}.c[i]')};",
        "return out;",
    ]


def plain(number: Number, text: str, binds: int = 13) -> Code:
    """Return text as a number."""
    return Code(text, number, binds)


def small(number: Number, text: str, binds: int = 13) -> str:
    """Return text that computes a small whole number, as one."""
    return fitted(Code(text, number, binds), number).text
