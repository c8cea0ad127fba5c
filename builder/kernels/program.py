"""The typed program: what the grammar builds, and render, describe and later stages read.

Every expression carries its type. Nodes are immutable; a program is a tree without sharing of meaning,
so that it can be printed, widened to other types, or translated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .ops import Op

# --- types -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar; ``name`` is Warp's dtype name, ``text`` how kernels write it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Vec:
    """A vector of ``n`` float32."""

    n: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Mat:
    """A square matrix of ``n`` by ``n`` float32."""

    n: int
    name: str
    text: str


FLOAT = Scalar("float32", "float")
INT = Scalar("int32", "int")
BOOL = Scalar("bool", "bool")
VEC2, VEC3, VEC4 = (Vec(n, f"vec{n}", f"wp.vec{n}") for n in (2, 3, 4))
MAT22, MAT33, MAT44 = (Mat(n, f"mat{n}{n}", f"wp.mat{n}{n}") for n in (2, 3, 4))
VEC_OF = {2: VEC2, 3: VEC3, 4: VEC4}
MAT_OF = {2: MAT22, 3: MAT33, 4: MAT44}

Value = Scalar | Vec | Mat


@dataclass(frozen=True, slots=True)
class Array:
    """A dense array of 1 to 4 dimensions."""

    dtype: Value
    ndim: int

    @property
    def text(self) -> str:
        return f"wp.array{'' if self.ndim == 1 else f'{self.ndim}d'}(dtype={self.dtype.text})"


# --- expressions -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    value: float | int | bool
    type: Value


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    type: Value


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of the ops table on arguments of the types it declares."""

    op: Op
    args: tuple[Expr, ...]

    @property
    def type(self) -> Value:
        return self.op.result


@dataclass(frozen=True, slots=True)
class Load:
    """The element of an array at one index per dimension."""

    array: str
    index: tuple[Expr, ...]
    type: Value


@dataclass(frozen=True, slots=True)
class Part:
    """A component of a vector (one index) or a matrix (two), each a constant in range."""

    base: Expr
    index: tuple[int, ...]
    type: Value = FLOAT


@dataclass(frozen=True, slots=True)
class Extent:
    """The length of an array along one axis."""

    array: str
    axis: int
    type: Value = INT


Expr = Literal | Name | Apply | Load | Part | Extent

# --- statements --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Let:
    """The first assignment of a local. ``mutable`` ones are cast, so that Warp keeps them a variable."""

    name: str
    value: Expr
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class Assign:
    """A later assignment: ``name = value``, or ``name += value`` when ``op`` is ``+``."""

    name: str
    value: Expr
    op: str = ""


@dataclass(frozen=True, slots=True)
class Store:
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
class If:
    """A chain of conditions with their bodies, and the body when none holds (may be empty)."""

    arms: tuple[tuple[Expr, Body], ...]
    otherwise: Body = ()


@dataclass(frozen=True, slots=True)
class For:
    """``for name in range(start, stop, step)``; a ``None`` start means 0, step is a positive constant."""

    name: str
    stop: Expr
    body: Body
    start: Expr | None = None
    step: int = 1


@dataclass(frozen=True, slots=True)
class Leave:
    """``return``, ``break`` or ``continue``."""

    word: str


Stmt = Let | Assign | Store | Atomic | If | For | Leave
Body = tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Arg:
    name: str
    type: Value | Array


@dataclass(frozen=True, slots=True)
class Program:
    """One kernel: its arguments, its thread indices (1 to 4) and its body."""

    category: str
    name: str
    args: tuple[Arg, ...]
    tid: tuple[str, ...]
    body: Body
    options: tuple[tuple[str, bool | int], ...] = field(default=())
