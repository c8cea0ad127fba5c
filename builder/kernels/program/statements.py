"""Statements, and bodies made of them."""

from __future__ import annotations

from dataclasses import dataclass

from .expressions import Apply, Call, Expr, Field, Load, Part


@dataclass(frozen=True, slots=True)
class Let:
    """The first assignment of a local. ``mutable`` ones are cast, so that Warp keeps them a variable."""

    name: str
    value: Expr
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class LetMany:
    """``a, b = value``: the first assignment of several locals."""

    names: tuple[str, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Assign:
    """A later assignment: ``name = value``, or ``name += value`` when ``op`` is ``+``."""

    name: str
    value: Expr
    op: str = ""


@dataclass(frozen=True, slots=True)
class Put:
    """An assignment to a part or a field of a local, or to an element of a tile."""

    target: Part | Field | Load
    value: Expr
    op: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """``array[index] = value``."""

    array: str
    index: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Atomic:
    """``kind`` is add, sub, min or max; ``augmented`` writes add and sub as ``a[i] += v``."""

    kind: str
    array: str
    index: tuple[Expr, ...]
    value: Expr
    augmented: bool = False


@dataclass(frozen=True, slots=True)
class Do:
    """A call for its effect. ``writes`` names the arrays it writes."""

    value: Apply | Call
    writes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """A chain of conditions with their bodies, and the body when none holds (may be empty)."""

    arms: tuple[tuple[Expr, Body], ...]
    otherwise: Body = ()


@dataclass(frozen=True, slots=True)
class For:
    """``for name in range(start, stop, step)``; a ``None`` start means 0, step is a constant other than 0."""

    name: str
    stop: Expr
    body: Body
    start: Expr | None = None
    step: int = 1


@dataclass(frozen=True, slots=True)
class Each:
    """``for name in query``: over what a query finds."""

    name: str
    over: Expr
    body: Body


@dataclass(frozen=True, slots=True)
class While:
    """``while test``."""

    test: Expr
    body: Body


@dataclass(frozen=True, slots=True)
class Leave:
    """``return``, ``break`` or ``continue``."""

    word: str


@dataclass(frozen=True, slots=True)
class Give:
    """``return value`` of a function; :class:`Items` gives several."""

    value: Expr


Stmt = Let | LetMany | Assign | Put | Store | Atomic | Do | If | For | Each | While | Leave | Give
Body = tuple[Stmt, ...]
