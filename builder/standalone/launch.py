"""The launch grid: how many threads, and how each finds its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..codegen.typed import TypedFunction, TypedKernel
from .signatures import Signature

if TYPE_CHECKING:
    from .statements import Statements

BLOCK = 256
# The threads of a block along x, y and z by the dimensions of the grid.
BLOCKS = {1: (BLOCK, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}
_AXES = "xyz"
# What a program holds whose threads wait for each other.
WAITING = ("__sync", "__shfl", "_sync(", "__activemask")


@dataclass(frozen=True, slots=True)
class Grid:
    """A launch grid.

    Attributes:
        ndim: its dimensions.
        indices: what a thread's place in each is called.
        limits: the parameters that hold their lengths.
        linear: whether threads are numbered through, whatever the dimensions are.
        stride: whether threads go through it in strides.
        statement: the assignment in the source that names the indices, or None.
        python_names: what the indices are called there.
        blocks: how many of the dimensions count blocks, whose threads share a place; 0 if threads have places.
    """

    ndim: int
    indices: tuple[str, ...]
    limits: tuple[str, ...]
    linear: bool
    stride: bool
    statement: ast.stmt | None
    python_names: tuple[str, ...]
    blocks: int = 0


def grid_of(typed: TypedKernel, signature: Signature, together: bool, tiled: bool = False, lanes: bool = False) -> Grid:
    """Return the grid of a kernel; ``lanes`` if the last index of one on tiles is the thread's place in its block."""
    ndim = typed.launch_dim
    own = typed.kernel
    calls = [node for node in own.nodes if isinstance(node, ast.Call) and _is_tid(own, node)]
    statement, names = _naming(own, calls, ndim)
    python_names = tuple(names)
    if not names:
        names = [signature.fresh(f"thread{axis}" if ndim > 1 else "thread") for axis in range(ndim)]
    else:
        names = [signature.rename(name) for name in names]
    if tiled:
        return Grid(ndim, tuple(names), (), False, False, statement, python_names, ndim - lanes)
    limits = ["n"] if ndim == 1 else [f"n{axis}" for axis in range(ndim)]
    limits = [_limit(signature, limit) for limit in limits]
    linear = ndim in (1, 4) or together or typed.grid_stride
    return Grid(ndim, tuple(names), tuple(limits), linear, typed.grid_stride, statement, python_names)


def _limit(signature: Signature, name: str) -> str:
    """Return what the parameter for the length of a dimension is called: ``n``, if that is free."""
    return name if signature.fresh(name) == name else signature.fresh(name.replace("n", "threads", 1))


def _is_tid(own: TypedFunction, node: ast.Call) -> bool:
    return any(called.name == "tid" and called.function is None for called in own.calls.get(node, ()))


def _naming(own: TypedFunction, calls: Sequence[ast.Call], ndim: int) -> tuple[ast.stmt | None, list[str]]:
    for statement in own.node.body:
        if isinstance(statement, ast.Assign) and statement.value in calls:
            target = statement.targets[0]
            elements = target.elts if isinstance(target, ast.Tuple) else [target]
            names = [one.id for one in elements if isinstance(one, ast.Name)]
            stores = [n.id for n in own.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            if len(names) == len(elements) == ndim and all(stores.count(name) == 1 for name in names):
                return statement, names
    return None, []


def prologue(printer: Statements, grid: Grid) -> tuple[list[str], list[str]]:
    """Return the lines before and after a kernel's body; sets how the body is indented and left."""
    printer.signature.counters.update(grid.indices)
    printer.threads = grid.indices
    if grid.blocks:
        return list(_blocks(grid)), []
    if grid.stride:
        printer.indent, printer.leaves = "    ", "continue;"
        return list(_striding(printer, grid)), ["  }"]
    if not grid.linear:
        return list(_places(grid)), []
    if grid.ndim == 1:
        index = grid.indices[0]
        return [
            f"  const int {index} = blockIdx.x * blockDim.x + threadIdx.x;",
            *_guard(f"{index} >= {grid.limits[0]}"),
        ], []
    index = printer.signature.fresh("index")
    lines = [f"  const int {index} = blockIdx.x * blockDim.x + threadIdx.x;", *_guard(f"{index} >= {_product(grid)}")]
    return [*lines, *(f"  {line}" for line in _split(grid, index))], []


def _blocks(grid: Grid) -> Iterator[str]:
    for axis, index in enumerate(grid.indices):
        place = f"blockIdx.{_AXES[grid.blocks - 1 - axis]}" if axis < grid.blocks else "threadIdx.x"
        yield f"  const int {index} = {place};"


def _guard(test: str) -> list[str]:
    return [f"  if ({test}) {{", "    return;", "  }"]


def _places(grid: Grid) -> Iterator[str]:
    for axis in range(grid.ndim):
        letter = _AXES[grid.ndim - 1 - axis]
        yield f"  const int {grid.indices[axis]} = blockIdx.{letter} * blockDim.{letter} + threadIdx.{letter};"
    tests = [f"{index} >= {limit}" for index, limit in zip(grid.indices, grid.limits, strict=True)]
    yield from _guard(" || ".join(tests))


def _product(grid: Grid) -> str:
    return " * ".join(grid.limits)


def _split(grid: Grid, index: str) -> Iterator[str]:
    for axis in range(grid.ndim):
        rest = grid.limits[axis + 1 :]
        text = f"{index} / {rest[0] if len(rest) == 1 else '(' + ' * '.join(rest) + ')'}" if rest else index
        yield f"const int {grid.indices[axis]} = {text}{f' % {grid.limits[axis]}' if axis else ''};"


def _striding(printer: Statements, grid: Grid) -> Iterator[str]:
    index = grid.indices[0] if grid.ndim == 1 else printer.signature.fresh("index")
    start, step = "blockIdx.x * blockDim.x + threadIdx.x", "gridDim.x * blockDim.x"
    yield f"  for (int {index} = {start}; {index} < {_product(grid)}; {index} += {step}) {{"
    if grid.ndim > 1:
        yield from (f"    {line}" for line in _split(grid, index))
