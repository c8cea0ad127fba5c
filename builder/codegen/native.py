"""Compiles generated code with the compilers inside Warp: no GPU, driver or CUDA toolkit is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from ..errors import CodegenRejection
from ..record import Reason
from .kernel_source import one_line
from .warp_native import build_object, build_ptx, module_headers


@cache
def preamble(device: str) -> str:
    """Return what stands above every row's code to compile it: Warp's module header and cast macros.

    Args:
        device: ``cpu`` or ``cuda``.
    """
    headers = module_headers()
    if device not in headers:
        raise ValueError(f"unknown device {device!r}; allowed: {', '.join(headers)}")
    return headers[device].strip() + "\n\n"


def compile_cuda(code: str, arch: int = 80, *, optimization_level: int = 3) -> bytes:
    """Return the PTX of CUDA code.

    Args:
        code: one or more CUDA code columns, without the preamble.
        arch: compute capability, for example 80.
        optimization_level: 0 to 3; Warp's own is 3.

    Raises:
        CodegenRejection: the code does not compile (``codegen_error``), with the first error NVRTC prints.
    """
    return _compile("cuda", code, lambda source, target: build_ptx(source, target, arch, optimization_level))


def compile_cpp(code: str, *, optimization_level: int = 2, checked: bool = False) -> bytes:
    """Return the object file of C++ code.

    Args:
        code: one or more C++ code columns, without the preamble; :func:`entry_point` below makes it callable.
        optimization_level: 0 to 3; Warp's own is 2.
        checked: not optimised, and an index beyond its array ends the process that runs it.

    Raises:
        CodegenRejection: the code does not compile (``codegen_error``), with the first error clang prints.
    """
    return _compile("cpu", code, lambda source, target: build_object(source, target, optimization_level, checked))


def _compile(device: str, code: str, build: Callable[[Path, Path], None]) -> bytes:
    # Warp's own rule; without bfloat16 its header compiles faster.
    define = "" if "bfloat16" in code else "#define WP_NO_BFLOAT16\n"
    with TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        source = Path(folder, "kernel.cpp" if device == "cpu" else "kernel.cu")
        target = Path(folder, "kernel.o" if device == "cpu" else "kernel.ptx")
        source.write_text(define + preamble(device) + code, encoding="utf-8")
        with _printed() as printed:
            try:
                build(source, target)
            except MemoryError:
                raise
            except Exception as error:  # Warp's builders raise plain Exception
                why = _first_error(printed) or one_line(error)
                raise CodegenRejection(Reason.CODEGEN_ERROR.value, f"does not compile: {why}") from error
        return target.read_bytes()


@contextmanager
def _printed() -> Iterator[IO[bytes]]:
    """Have a file take what is printed, by native code too; a batch that does not compile prints without end."""
    with TemporaryFile() as file:
        sys.stderr.flush()
        sys.stdout.flush()
        kept = {number: os.dup(number) for number in (1, 2)}
        try:
            for number in kept:
                os.dup2(file.fileno(), number)
            yield file
        finally:
            sys.stderr.flush()
            sys.stdout.flush()
            for number, copy in kept.items():
                os.dup2(copy, number)
                os.close(copy)


def _first_error(printed: IO[bytes]) -> str:
    printed.seek(0)
    lines = printed.read().decode(errors="replace").splitlines()
    return next((line.partition("error: ")[2] for line in lines if "error: " in line), "")
