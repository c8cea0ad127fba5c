"""The typed program: what the grammar builds, and render, describe and later stages read.

Every expression carries its type. Nodes are immutable; a program is a tree without sharing of meaning,
so that it can be printed, widened to other types, or translated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .types import FLOAT, INT, Array, Scalar, Struct, Value

if TYPE_CHECKING:
    from .ops import Op

# --- expressions -------------------------------------------------------------------------------------


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

# --- statements --------------------------------------------------------------------------------------


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

# --- the module --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Arg:
    """An argument. ``generic`` writes ``Any`` in place of the type (or of the array's dtype)."""

    name: str
    type: Value
    generic: bool = False


@dataclass(frozen=True, slots=True)
class Constant:
    """A name of the module with a constant value; ``wrapped`` writes ``wp.constant(value)``."""

    name: str
    value: Expr
    wrapped: bool = True


@dataclass(frozen=True, slots=True)
class Snippet:
    """The body of a ``@wp.func_native``: C++ for the forward pass, the adjoint and the replay."""

    forward: str
    adjoint: str = ""
    replay: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """A ``@wp.func``, or a ``@wp.func_native`` where it has a snippet; several of one name are overloads.

    ``gradient`` is the body of its ``@wp.func_grad``, whose parameters are those of the function and then
    ``adj_ret`` (``adj_ret0``, ``adj_ret1``, ... for several results); empty where Warp derives the adjoint.
    ``replay`` is the body of its ``@wp.func_replay``: what runs in its place in the backward pass.
    ``returns`` writes the type of the result after ``->``. ``defaults`` are values of the last parameters.
    """

    name: str
    params: tuple[Arg, ...]
    result: Value | None
    body: Body = ()
    snippet: Snippet | None = None
    doc: str = ""
    gradient: Body = ()
    replay: Body = ()
    returns: bool = False
    defaults: tuple[Expr, ...] = ()


Option = bool | int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """One kernel and what it needs.

    Attributes:
        category: the category it was drawn from.
        name: the kernel's name.
        args: the kernel's arguments.
        tid: names of the thread indices, 1 to 4; empty where the kernel does not ask for them.
        body: its statements.
        options: arguments of ``@wp.kernel(...)``.
        constants, structs, functions: what stands above the kernel, in order.
        doc: the kernel's docstring, or nothing.
        family: the algorithm family it is of, or nothing.
        summary: one sentence that says what it computes, where its family knows; else it is derived.
        ndim: dimensions of the launch, where ``tid`` does not tell.
        overloaded: whether ``wp.overload(kernel, ...)`` gives its generic arguments their types.
        tiled: whether it is launched by ``wp.launch_tiled``, a block of threads for each index.
    """

    category: str
    name: str
    args: tuple[Arg, ...]
    tid: tuple[str, ...]
    body: Body
    options: tuple[tuple[str, Option], ...] = ()
    constants: tuple[Constant, ...] = ()
    structs: tuple[Struct, ...] = ()
    functions: tuple[Function, ...] = ()
    doc: str = ""
    family: str = ""
    summary: str = ""
    ndim: int = 0
    overloaded: bool = False
    tiled: bool = False


__all__ = [
    "Apply", "Arg", "Array", "Assign", "Atomic", "Body", "Call", "Constant", "Do", "Each", "Expr", "Extent", "Field",
    "For", "Function", "Give", "If", "Items", "Leave", "Let", "LetMany", "Literal", "Load", "Name", "Part", "Program",
    "Put", "Scalar", "Snippet", "Span", "Static", "Stmt", "Store", "Struct", "Value", "While", "Word",
]  # fmt: skip
