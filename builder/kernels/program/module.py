"""The module: arguments, constants, functions, and the program of one kernel."""

from __future__ import annotations

from dataclasses import dataclass

from ..types import Struct, Value
from .expressions import Expr
from .statements import Body


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
