"""What a row of the ops table is, and what a program's node refers to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..types import Value
from .signature import Binding, Signature

# Python's precedence of the infix operators in use; a call or a name binds tightest.
PRECEDENCE = {
    "or": 1, "and": 2, "not": 3,
    "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4,
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "neg": 11, "pos": 11, "~": 11,
}  # fmt: skip
TIGHTEST = 20
PREFIXES = {"neg": "-", "pos": "+", "not": "not ", "~": "~"}


@dataclass(frozen=True, eq=False)
class Op:
    """One operation on one choice of types. ``symbol`` is an operator, ``neg``/``not``, or the callable's name.

    Attributes:
        guards: a guard name or None for each parameter (see ``guards.py``).
        family: what the categories select by.
        phrase: the operation in a description.
        smooth: whether the adjoint is defined almost everywhere in the guarded domain.
        extra: fixed keyword arguments of the call.
    """

    symbol: str
    params: tuple[Value, ...]
    result: Value
    family: str
    phrase: str
    guards: tuple[str | None, ...] = ()
    smooth: bool = True
    extra: str = ""

    @property
    def infix(self) -> bool:
        return self.symbol in PRECEDENCE and len(self.params) == 2

    @property
    def prefix(self) -> bool:
        return self.symbol in PREFIXES and len(self.params) == 1

    @cached_property
    def builtin(self) -> str | None:
        """The Warp builtin this row calls, or None for operators and conversions."""
        return self.symbol.removeprefix("wp.") if self.symbol.startswith("wp.") else None


@dataclass(frozen=True, eq=False)
class Row:
    """One row of the table: an operation for every choice of types that its signature allows.

    ``symbol`` and ``extra`` may hold ``{V}``, ``{M}``, ``{F}``, ``{N}``, ``{n}``: the texts of what is bound.
    """

    symbol: str
    signature: Signature
    family: str
    phrase: str
    guards: tuple[str | None, ...] = ()
    smooth: bool = True
    extra: str = ""

    def op(self, binding: Binding) -> Op:
        """Return the operation for a binding of the signature's variables."""
        params, result = self.signature.types(binding)
        texts = {name: str(getattr(value, "text", value)) for name, value in binding.items()}
        texts |= {"result": result.text}
        smooth = self.smooth and not all(getattr(p, "is_int", False) for p in params or (result,))
        return Op(
            self.symbol.format(**texts), params, result, self.family, self.phrase.format(**texts), self.guards, smooth,
            self.extra.format(**texts),
        )  # fmt: skip


def row(
    symbol: str,
    signature: str,
    family: str,
    phrase: str,
    *guards: str | None,
    smooth: bool = True,
    extra: str = "",
) -> Row:
    """Return a row of the table."""
    return Row(symbol, Signature.parse(signature), family, phrase, guards, smooth, extra)
