"""A kernel's arguments in memory, as its C++ sees them: as they are, or with all floats widened to double."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..codegen.arguments import ARRAY_LAYOUT, INDEXED_LAYOUT, ArrayOf, Block, Kind, Number, Other, Record
from ..codegen.warp_internals import BLOCK_DIM

Values = NDArray[Any]
FLOATS = ("float16", "bfloat16", "float32", "float64")


class UnsupportedArgument(Exception):
    """A kernel takes what no value can be made for here; the message says what."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """Numbers of one type in a kernel's arguments.

    Attributes:
        name: the argument's name, with the field's behind it.
        number: the type's name as the kernel says it.
        family: ``number``, ``vector``, ``matrix``, ``quaternion`` or ``transformation``.
        buffer: which array of the arguments holds it, from 0; -1 if none does.
        values: a view of them. Those of bfloat16 are their bits, unless widened.
    """

    name: str
    number: str
    family: str
    buffer: int
    values: Values

    @property
    def is_float(self) -> bool:
        return self.number in FLOATS


def dtype_of(kind: Kind, wide: bool) -> np.dtype[Any]:
    """Return the memory layout of a kind; arrays are their descriptors."""
    match kind:
        case Number(name):
            if name in FLOATS and wide:
                return np.dtype(np.float64)
            return np.dtype("uint16" if name == "bfloat16" else name)
        case Block(_, shape, number):
            block: np.dtype[Any] = np.dtype((dtype_of(number, wide), shape))
            return block
        case Record(_, ()):
            return np.dtype([("_dummy_", np.uint8)])  # as Warp has it
        case Record(_, fields):
            return np.dtype([(name, dtype_of(field, wide)) for name, field in fields], align=True)
        case ArrayOf("array"):
            return ARRAY_LAYOUT
        case ArrayOf("indexedarray"):
            return INDEXED_LAYOUT
    raise UnsupportedArgument(f"no values are made for {getattr(kind, 'family', '') or getattr(kind, 'name', 'tiles')}")


def equal(size: int, ndim: int) -> tuple[int, ...]:
    """All dimensions as long as the launch grid's."""
    return (size,) * ndim


def wider(size: int, ndim: int) -> tuple[int, ...]:
    """All dimensions longer than the launch grid's by one number: room for neighbours and small tables."""
    return (size + 16,) * ndim


def longer(size: int, ndim: int) -> tuple[int, ...]:
    """As :func:`wider`, and lists with room for several numbers a thread."""
    return (8 * size + 64,) if ndim == 1 else wider(size, ndim)


def square(size: int, ndim: int) -> tuple[int, ...]:
    """As :func:`wider`, and lists with room for a number for each place of a table."""
    return ((size + 16) ** 2,) if ndim == 1 else wider(size, ndim)


def oblong(size: int, ndim: int) -> tuple[int, ...]:
    """Each dimension longer than the one before it."""
    return tuple(size + 3 * axis for axis in range(ndim))


def wider_oblong(size: int, ndim: int) -> tuple[int, ...]:
    """As :func:`oblong`, and all dimensions longer."""
    return tuple(length + 16 for length in oblong(size, ndim))


def tiles(size: int, ndim: int) -> tuple[int, ...]:
    """For a grid of tiles: whole tiles of the usual sizes, and one in part."""
    return {1: (BLOCK_DIM * size + 16,), 2: (16 * size + 8,) * 2}.get(ndim, (size + 16,) * ndim)


def blocks(size: int, ndim: int) -> tuple[int, ...]:
    """As :func:`wider`, and lists with room for the whole blocks that a grid is rounded up to."""
    return (-(-size // BLOCK_DIM) * BLOCK_DIM + 16,) if ndim == 1 else wider(size, ndim)


# What a kernel assumes of its arrays' shapes stands nowhere; the first of those for its kind that it stays within is
# taken.
SHAPES = {shape.__name__: shape for shape in (equal, wider, longer, square, tiles, blocks)}
ORDINARY_SHAPES = ("equal", "wider", "longer", "square")
TILED_SHAPES = ("tiles", "wider", "longer", "square", "equal")
TOGETHER_SHAPES = ("equal", "wider", "blocks", "longer", "square")
# Those, and others that few kernels stay within.
ALL_SHAPES = SHAPES | {shape.__name__: shape for shape in (oblong, wider_oblong)}


class Memory:
    """Zeroed arguments of a kernel.

    Args:
        kinds: ``(name, kind)`` of each argument.
        size: the length of each dimension of the launch grid.
        shapes: a name in :data:`ALL_SHAPES`.
        wide: lay floats out as doubles.
        uneven: let some arrays be shorter.

    Attributes:
        record: the argument struct, one element long.
        buffers: the arrays' contents, in the order in which they come in the arguments.
        names: the arrays' names.
        leaves: all numbers; the same ones in the same order whether wide or not.
    """

    def __init__(
        self, kinds: Sequence[tuple[str, Kind]], size: int, shapes: str, *, wide: bool, uneven: bool = False
    ) -> None:
        self._uneven = uneven
        self._size, self._shape, self._wide = size, ALL_SHAPES[shapes], wide
        self.record = np.zeros(1, np.dtype([(name, dtype_of(kind, wide)) for name, kind in kinds], align=True))
        self.buffers: list[Values] = []
        self.names: list[str] = []
        self.leaves: list[Leaf] = []
        self._kept: list[Values] = []
        self._descriptors: list[Values] = []
        for name, kind in kinds:
            self._take(name, kind, self.record[name], -1)

    def _take(self, name: str, kind: Kind, at: Values, buffer: int) -> None:
        match kind:
            case Number(number):
                self.leaves.append(Leaf(name, number, "number", buffer, at))
            case Block(family, _, number):
                self.leaves.append(Leaf(name, number.name, family, buffer, at))
            case Record(_, fields):
                for field, inner in fields:
                    self._take(f"{name}.{field}", inner, at[field], buffer)
            case ArrayOf(family, element, ndim):
                if buffer >= 0:
                    raise UnsupportedArgument("no values are made for arrays of structs that hold arrays")
                self._array(name, family, element, ndim, at)
            case Other(what):
                raise UnsupportedArgument(f"no values are made for {what}")

    def _array(self, name: str, family: str, element: Kind, ndim: int, at: Values) -> None:
        shape = self._shape(self._size, ndim)
        if self._uneven:
            # Some arrays shorter by one than others, along some axes.
            shape = tuple(max(length - (len(self.buffers) + axis) % 2, 1) for axis, length in enumerate(shape))
        inner = dtype_of(element, self._wide)
        data = np.zeros(shape, inner)
        strides = data.strides[:ndim]
        descriptor = at if family == "array" else at["data"]
        descriptor["data"] = data.ctypes.data
        descriptor["shape"][0, :ndim] = shape
        descriptor["strides"][0, :ndim] = strides
        descriptor["ndim"] = ndim
        if family == "indexedarray":
            at["shape"][0, :ndim] = shape
            for axis in range(ndim):
                # An index list in reverse order: legal, and not the identity.
                places = np.arange(shape[axis] - 1, -1, -1, dtype=np.int32)
                self._kept.append(places)
                at["indices"][0, axis] = places.ctypes.data
        self.buffers.append(data)
        self._descriptors.append(descriptor)
        self.names.append(name)
        self._take(name, element, data, len(self.buffers) - 1)

    def attach(self, adjoint: Memory) -> None:
        """Let each array's gradient be the array of ``adjoint`` in its place, as Warp's tape has them."""
        for descriptor, buffer in zip(self._descriptors, adjoint.buffers, strict=True):
            descriptor["grad"] = buffer.ctypes.data

    def save(self) -> list[bytes]:
        """Return the contents of all arrays."""
        return [buffer.tobytes() for buffer in self.buffers]

    def restore(self, saved: Sequence[bytes]) -> None:
        """Put back what :meth:`save` returned."""
        for buffer, contents in zip(self.buffers, saved, strict=True):
            buffer[...] = np.frombuffer(contents, buffer.dtype).reshape(buffer.shape)

    def floats(self) -> Iterator[Leaf]:
        """Yield the leaves of floats."""
        return (leaf for leaf in self.leaves if leaf.is_float)


def numbers(leaf: Leaf) -> Values:
    """Return a copy of a leaf's numbers; those of bfloat16 as float32."""
    if leaf.number == "bfloat16" and leaf.values.dtype == np.uint16:
        bits = np.asarray(leaf.values.astype(np.uint32) << 16)
        return np.asarray(bits.view(np.float32))
    return np.array(leaf.values)


def put(leaf: Leaf, values: Values) -> None:
    """Give a leaf numbers, rounded to its type."""
    if leaf.number == "bfloat16" and leaf.values.dtype == np.uint16:
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        leaf.values[...] = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    else:
        leaf.values[...] = values
