"""Expressions: every one carries its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..types import FLOAT, INT, Scalar, Value

if TYPE_CHECKING:
    from ..ops import Op


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or truth value; of other types than float, int and bool it is written with its type."""

    value: float | int | bool
    type: Scalar


@dataclass(frozen=True, slots=True)
class Name:
    """A local, an argument (arrays too), a loop counter, a constant of the module, whose ``value`` is known."""

    name: str
    type: Value
    value: float | int | bool | None = None


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of the ops table on arguments of the types it declares; keywords after positions."""

    op: Op
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str, Expr], ...] = ()

    @property
    def type(self) -> Value:
        return self.op.result


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of the program's own functions."""

    function: str
    args: tuple[Expr, ...]
    type: Value


@dataclass(frozen=True, slots=True)
class Load:
    """The element of an array (or a tile) at one index per dimension; fewer give a view of lower dimension."""

    array: str
    index: tuple[Expr, ...]
    type: Value


@dataclass(frozen=True, slots=True)
class Part:
    """A component of a vector or quaternion (one index), of a matrix (two; one gives a row)."""

    base: Expr
    index: tuple[int | Expr, ...]
    type: Value = FLOAT


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct or of a query's result."""

    base: Expr
    name: str
    type: Value


@dataclass(frozen=True, slots=True)
class Extent:
    """The length of an array along one axis."""

    array: str
    axis: int
    type: Value = INT


@dataclass(frozen=True, slots=True)
class Span:
    """``start:stop:step`` as an index; what is None is left out."""

    start: Expr | None = None
    stop: Expr | None = None
    step: int | None = None
    type: Value = INT


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple as an argument: a shape, an offset; or the several results of a function."""

    items: tuple[Expr, ...]
    type: Value = INT


@dataclass(frozen=True, slots=True)
class Word:
    """A name that is no value: a type or a function as an argument, a string; ``text`` as written."""

    text: str
    type: Value = INT


@dataclass(frozen=True, slots=True)
class Static:
    """``wp.static(value)``: worked out once, when the code is generated."""

    value: Expr

    @property
    def type(self) -> Value:
        return self.value.type


Expr = Literal | Name | Apply | Call | Load | Part | Field | Extent | Span | Items | Word | Static
