"""The kernels that importing a package's modules registers. For a worker process: package code runs here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..codegen import objects
from ..codegen.existing import watch_kernels
from ..codegen.kernel_source import FILENAME


@dataclass(frozen=True, slots=True)
class Found:
    """One kernel to be made self-contained.

    Attributes:
        kernel: the kernel, or one overload of a generic kernel; a generic kernel itself if it has none.
        file: the file it is written in.
        line: its line there, from 1: that of its first decorator.
    """

    kernel: Any
    file: str
    line: int


class Collector:
    """Sees every kernel that is registered after it was made.

    A kernel belongs to the module whose import made it: for a kernel that a function of another module makes,
    that is the caller. So each is found once, whichever module is imported first.
    """

    def __init__(self) -> None:
        self._kernels: list[tuple[Any, str | None]] = []
        self._done: set[int] = set()
        watch_kernels(self._see)

    def _see(self, kernel: Any) -> None:
        # Proving defines kernels too; they are nobody's, and kept they would fill the memory.
        if kernel.func.__code__.co_filename != FILENAME:
            self._kernels.append((kernel, _importing_file()))

    def of(self, file: Path) -> Iterator[Found]:
        """Yield the kernels of a module that has been imported, and instances made since the last call."""
        owner = os.path.realpath(file)
        for kernel, maker in self._kernels:
            new = id(kernel) not in self._done
            if new and maker is not None and os.path.realpath(maker) != owner:
                continue  # it is another module's, whose turn has been or will come
            self._done.add(id(kernel))
            instances = objects.kernel_overloads(kernel) if kernel.is_generic else [kernel] * new
            for one in instances or [kernel] * new:
                if one is kernel or id(one) not in self._done:
                    self._done.add(id(one))
                    yield Found(one, kernel.func.__code__.co_filename, kernel.func.__code__.co_firstlineno)


def _importing_file() -> str | None:
    """Return the file of the module that is being imported now, or None."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            return str(frame.f_code.co_filename)
        frame = frame.f_back
    return None
