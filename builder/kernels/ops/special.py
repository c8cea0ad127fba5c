"""Operations whose result depends on more than the types of their arguments: on shapes, fields, element types.

Each is a function from arguments and keywords to the result's type, registered under Warp's name of the builtin. It
raises ValueError for arguments that Warp would refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ..types import Value
from .row import Op

if TYPE_CHECKING:
    from ..program import Expr

Infer = Callable[["tuple[Expr, ...]", "Mapping[str, Expr]"], Value]


@dataclass(frozen=True)
class Special:
    """A builtin of this kind.

    Attributes:
        infer: gives the result's type.
        phrase: the operation in a description.
        family: as for the rows of the table.
        smooth: whether Warp has an adjoint for it.
    """

    infer: Infer
    phrase: str
    family: str
    smooth: bool = True


SPECIALS: dict[str, Special] = {}


def special(name: str, phrase: str, family: str, *, smooth: bool = True) -> Callable[[Infer], Infer]:
    """Register the decorated function as what ``wp.<name>`` gives."""

    def register(infer: Infer) -> Infer:
        SPECIALS[name] = Special(infer, phrase, family, smooth)
        return infer

    return register


@cache
def _op(name: str, params: tuple[Value, ...], result: Value) -> Op:
    found = SPECIALS[name]
    return Op(f"wp.{name}", params, result, found.family, found.phrase, smooth=found.smooth)


def special_op(name: str, args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Op:
    """Return the operation for these arguments.

    Raises:
        KeyError: nothing of this name is registered.
        ValueError: the arguments do not fit.
    """
    result = SPECIALS[name].infer(args, keywords)
    return _op(name, tuple(arg.type for arg in args), result)
