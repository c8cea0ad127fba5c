"""What a kernel takes, in words of our own: enough to lay out its arguments in memory and to draw values for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .kernel_source import one_line
from .objects import Struct, array_family, composite, is_array, is_composite_type, is_scalar_type, is_tile
from .warp_internals import INTERNALS
from .warp_process import defined, isolated

_, _, wtypes = INTERNALS
_PYTHON = {bool: "bool", int: "int32", float: "float32"}

# How Warp lays out an array and an array seen through indices.
ARRAY_LAYOUT: np.dtype[Any] = np.dtype(wtypes.array_t)
INDEXED_LAYOUT: np.dtype[Any] = np.dtype(
    [("data", ARRAY_LAYOUT), ("indices", np.uint64, 4), ("shape", np.int32, 4)],
    align=True,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar: ``bool``, ``int8`` to ``uint64``, ``float16``, ``bfloat16``, ``float32`` or ``float64``."""

    name: str


@dataclass(frozen=True, slots=True)
class Block:
    """A ``vector``, ``matrix``, ``quaternion`` or ``transformation``: ``shape`` numbers, rows first."""

    family: str
    shape: tuple[int, ...]
    number: Number


@dataclass(frozen=True, slots=True)
class Record:
    """A struct."""

    name: str
    fields: tuple[tuple[str, Kind], ...]


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """An ``array`` or ``indexedarray`` of 1 to 4 dimensions."""

    family: str
    element: Kind
    ndim: int


@dataclass(frozen=True, slots=True)
class TileOf:
    """A tile that a block of threads works on together; never an argument of a kernel."""

    element: Kind
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """What has no layout of ours, such as a texture."""

    name: str


Kind: TypeAlias = Number | Block | Record | ArrayOf | TileOf | Other


def argument_kinds(source: str) -> tuple[tuple[str, Kind], ...]:
    """Return ``(name, kind)`` of each argument of the kernel that a source defines.

    Raises:
        CodegenRejection: as :func:`~builder.codegen.generate`.
    """
    with isolated():
        kernel = defined(source)
        return tuple((arg.label, kind_of(arg.type)) for arg in kernel.adj.args)


def kind_of(type_: Any) -> Kind:
    """Return the kind of one of Warp's types."""
    if is_array(type_):
        return ArrayOf(array_family(type_), kind_of(type_.dtype), type_.ndim)
    if isinstance(type_, Struct):
        return Record(type_.key, tuple((name, kind_of(var.type)) for name, var in type_.vars.items()))
    if is_scalar_type(type_):
        return _number(type_)
    if is_composite_type(type_):
        family, shape, number = composite(type_)
        return Block(family, shape, _number(number))
    if is_tile(type_):
        return TileOf(kind_of(type_.dtype), tuple(type_.shape))
    return Other(getattr(type_, "__name__", None) or one_line(str(type_)))


def _number(type_: Any) -> Number:
    return Number(_PYTHON.get(type_) or type_.__name__)
