"""Calls the functions of a loaded harness with arguments in memory."""

from __future__ import annotations

import ctypes
import math
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..codegen.warp_adapter import BLOCK_DIM
from .harness import FORWARD
from .layout import Memory

# The rounding modes other than to nearest: down, up, towards zero (fenv.h).
DIRECTED = (0x800000, 0x400000, 0xC00000) if platform.machine() == "aarch64" else (0x400, 0x800, 0xC00)
_RUN = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int
)
_SIZE = ctypes.CFUNCTYPE(ctypes.c_size_t)


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch grid.

    Attributes:
        shape: its dimensions.
        same: how many threads have one place of it.
        fibers: whether the threads of a block wait for each other.
        few: whether there is one block only, whose threads go over the grid in a loop.
    """

    shape: tuple[int, ...]
    same: int
    fibers: bool
    few: bool = False

    @property
    def size(self) -> int:
        """The number of threads."""
        return math.prod(self.shape) * self.same


@cache
def _bounds(launch: Launch) -> np.ndarray[Any, np.dtype[Any]]:
    """Return Warp's launch bounds."""
    kind = np.dtype([("shape", np.uint32, len(launch.shape)), ("size", np.uint64), ("same", np.uint64)], align=True)
    bounds = np.zeros(1, kind)
    bounds["shape"] = launch.shape
    bounds["same"] = launch.same
    bounds["size"] = launch.size
    return bounds


class Machine:
    """The functions of one row.

    Args:
        addresses: by ``(variant, direction)``, and by ``(variant, "size")``: where the function lies.
    """

    def __init__(self, addresses: dict[tuple[str, str], int]) -> None:
        self._functions = {key: _RUN(at) for key, at in addresses.items() if key[1] != "size"}
        self._sizes = {key[0]: _SIZE(at) for key, at in addresses.items() if key[1] == "size"}

    def has(self, variant: str, direction: str) -> bool:
        """Say whether a function is there."""
        return (variant, direction) in self._functions

    def check(self, variant: str, memory: Memory) -> None:
        """Raise AssertionError unless our layout of the arguments is as long as the compiler's."""
        size = self._sizes[variant]()
        # An empty struct is one byte long in C++.
        if size != max(memory.record.dtype.itemsize, 1):
            raise AssertionError(f"arguments of {memory.record.dtype.itemsize} bytes; the compiler has {size}")

    def run(
        self,
        variant: str,
        launch: Launch,
        memory: Memory,
        adjoint: Memory | None = None,
        *,
        direction: str = FORWARD,
        rounding: int = 0,
        caught: bool = False,
    ) -> bool:
        """Launch a kernel: it changes the arrays of ``memory``, and backward those of ``adjoint``.

        Args:
            caught: come back where it would end the process, which is left with other signal handlers. Not for fibers.

        Returns:
            Whether it came to its end.
        """
        ended = self._functions[variant, direction](
            _bounds(launch).ctypes.data,
            launch.size,
            memory.record.ctypes.data,
            None if adjoint is None else adjoint.record.ctypes.data,
            rounding,
            int(launch.fibers) + 2 * int(launch.few) + 4 * int(caught and not launch.fibers),
        )
        return not ended


def sizes(ndims: Sequence[int], tiled: bool, together: bool, deep: bool) -> tuple[int, ...]:
    """Return the lengths that the dimensions of arrays and grids take: few, and no multiple of a block, among them.

    The second is what most is tried with: for blocks that work together a whole block, so that no two of its threads
    have one place. A row with a loop in a loop is ``deep``, and not run with the longest.
    """
    if together:
        return (7, BLOCK_DIM, 300) if max(ndims) < 2 else (7, BLOCK_DIM)
    if tiled:
        return (1, 3) if max(ndims) < 3 else (1, 2)
    return {1: (1, 7, 33, 65 if deep else 300), 2: (1, 7, 33), 3: (1, 5, 9), 4: (1, 3, 5)}[max(1, *ndims)]
