"""A kernel source as CUDA that a programmer would write: types, device functions, the kernel."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..codegen.arguments import ArrayOf, Kind
from ..codegen.typed import TypedFunction, TypedKernel, typed_kernel
from ..errors import StandaloneRejection
from ..verify.subject import in_lanes, in_tiles
from . import (  # noqa: F401 (they fill the tables)
    bits,
    blocks,
    components,
    drawing,
    inverses,
    linear,
    makers,
    matrices,
    noise,
    printing,
    rotations,
    transforms,
)
from .heads import head, parameters
from .launch import Grid, grid_of, prologue
from .native import snippet
from .scalars import CUDA_NAMES
from .signatures import Signature
from .statements import Statements
from .tiles import TilePrinter
from .types import INT, name_of
from .unit import Unit

# Bytes that a block has without a further request of the host, and with room for what helpers use.
_MOST_SHARED = 46 << 10


@dataclass(frozen=True, slots=True)
class Translation:
    """A translated kernel.

    Attributes:
        name: the kernel's name.
        types: struct definitions.
        constants: definitions of constants.
        helpers: small device functions.
        functions: the kernel source's own device functions.
        kernel: the kernel.
        args: ``(name, kind)`` of each argument of the Python kernel.
        values: what to pass for each parameter, but those of the grid: ``(argument, -1)`` for itself,
            ``(argument, axis)`` for the length of a dimension.
        written: the array arguments that it changes.
        grid: how it is launched.
        narrow: the kinds of floats of half length in it.
        summary: its docstring.
        together: whether threads of a block may work together.
        nodes: those of its syntax tree.
        names: the Python names of the thread's indices.
    """

    name: str
    types: tuple[str, ...]
    constants: tuple[str, ...]
    helpers: tuple[str, ...]
    functions: tuple[str, ...]
    kernel: str
    args: tuple[tuple[str, Kind], ...]
    values: tuple[tuple[str, int], ...]
    written: frozenset[str]
    grid: Grid
    narrow: frozenset[str]
    summary: str
    together: bool
    nodes: tuple[ast.AST, ...]
    names: tuple[str, ...]


def translate(source: str, tree: ast.Module | None = None) -> Translation:
    """Return the translation of a kernel source.

    Raises:
        CodegenRejection: Warp itself refuses the kernel.
        StandaloneRejection: it has no translation; says why and where.
    """
    return translated(typed_kernel(source, tree))


def translated(typed: TypedKernel) -> Translation:
    """Return the translation of a kernel whose types are known; raises as :func:`translate`."""
    unit = Unit()
    for _ in range(8):
        before = _found(unit)
        printed = _print(unit, typed)
        _note_conflicts(unit)
        if _found(unit) == before:
            if unit.shared_bytes > _MOST_SHARED:
                raise StandaloneRejection("more shared memory than a block has")
            return printed
    raise StandaloneRejection("names that do not settle")


def _found(unit: Unit) -> tuple[object, ...]:
    return tuple(
        (s.name, len(s.written), len(s.dims), s.has_effect, len(s.taken), len(s.shared), len(s.reads), len(s.late))
        for s in unit.signatures.values()
    )


def _note_conflicts(unit: Unit) -> None:
    """Note for each function which of its names something else in the program has."""
    names = unit.helpers.names | {name_of(kind) for kind in unit.helpers.types}
    names |= {signature.name for signature in unit.signatures.values()} | set(CUDA_NAMES)
    for signature in unit.signatures.values():
        signature.taken = signature.locals & names


def _print(unit: Unit, typed: TypedKernel) -> Translation:
    functions = []
    for function in _called(typed):
        signature = unit.signatures.get(id(function)) or unit.declare(function)
        functions.append(_function(unit, typed, function, signature))
    own = typed.kernel
    signature = unit.signatures.get(id(own)) or unit.declare(own)
    together = any(function.snippet for function in _called(typed))
    tiled = in_tiles(own.node)
    grid = grid_of(typed, signature, together, tiled, tiled and in_lanes(own.node))
    text, values = _kernel(unit, typed, signature, grid)
    return Translation(
        name=signature.name,
        types=tuple(text for text in unit.helpers.types.values() if text),
        constants=tuple(unit.constant_lines()),
        helpers=tuple(unit.helpers.texts.values()),
        functions=tuple(functions),
        kernel=text,
        args=own.args,
        values=values,
        written=frozenset(signature.written),
        grid=grid,
        narrow=frozenset(unit.helpers.narrow),
        summary=ast.get_docstring(own.node) or "",
        together=together,
        nodes=own.nodes,
        names=grid.python_names,
    )


def _called(typed: TypedKernel) -> list[TypedFunction]:
    """Return the functions that the kernel reaches, those that are called before their callers."""
    reached: set[int] = set()
    waiting = [typed.kernel]
    while waiting:
        for calls in waiting.pop().calls.values():
            for called in calls:
                function = called.function or called.values.get("op")
                if isinstance(function, TypedFunction) and id(function) not in reached:
                    reached.add(id(function))
                    waiting.append(function)
    return [function for function in typed.functions if id(function) in reached]


def _function(unit: Unit, typed: TypedKernel, function: TypedFunction, signature: Signature) -> str:
    for arg in function.node.args.args:
        if isinstance(arg.annotation, ast.Subscript) and ast.unparse(arg.annotation.value).split(".")[-1] == "ref":
            raise StandaloneRejection("a reference to a variable", arg.lineno)
    if function.snippet is not None:
        return snippet(unit, typed, function, signature)
    printer = Statements(unit, function, signature)
    printer.body(function.node.body)
    _end(printer)
    return f"{head(unit, function, signature)} {{\n" + "".join(f"{line}\n" for line in printer.lines) + "}\n"


def _end(printer: Statements) -> None:
    """Take a return away that nothing follows."""
    if printer.lines and printer.lines[-1] in ("  return;", "    continue;"):
        printer.lines.pop()


def _kernel(
    unit: Unit, typed: TypedKernel, signature: Signature, grid: Grid
) -> tuple[str, tuple[tuple[str, int], ...]]:
    if grid.blocks:
        tiles = TilePrinter(unit, typed.kernel, signature, lanes=grid.blocks < grid.ndim)
        printer: Statements = tiles
    else:
        printer = Statements(unit, typed.kernel, signature)
    printer.tid = grid.statement
    opening, closing = prologue(printer, grid)
    printer.body(typed.kernel.node.body)
    _end(printer)
    if grid.blocks:
        opening += tiles.shared_lines()
    params = parameters(unit, signature, restrict="__restrict__ ")
    values: list[tuple[str, int]] = []
    for name, kind in signature.kinds.items():
        values.append((name, -1))
        if isinstance(kind, ArrayOf):
            values += [(name, axis) for axis in signature.used_dims(name)]
    params += [f"{name_of(INT)} {name}" for name in grid.limits]
    lines = [*opening, *printer.lines, *closing]
    text = (
        f"__global__ void {signature.name}({', '.join(params)}) {{\n" + "".join(f"{line}\n" for line in lines) + "}\n"
    )
    return text, tuple(values)
