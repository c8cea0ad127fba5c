"""Compiles generated code with the compilers inside Warp: no GPU, driver or CUDA toolkit is needed."""

from __future__ import annotations

import signal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import CodegenRejection, WorkerError
from ..record import Reason
from ..served import served
from .warp_native import module_headers

# How often a text may end the compiler's process before it is taken to be what does it: once may be anything.
_TRIES = 2
_ERROR = "error: "
_spent = 0.0


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
        WorkerError: the compiler's process does not start, or lacks memory or disk.
    """
    return _compile("cuda", code, arch=arch, optimization_level=optimization_level)


def compile_cpp(code: str, *, optimization_level: int = 2, checked: bool = False) -> bytes:
    """Return the object file of C++ code.

    Args:
        code: one or more C++ code columns, without the preamble; :func:`entry_point` below makes it callable.
        optimization_level: 0 to 3; Warp's own is 2.
        checked: not optimised, and an index beyond its array ends the process that runs it.

    Raises:
        CodegenRejection: the code does not compile (``codegen_error``), with the first error clang prints.
        WorkerError: the compiler's process does not start, or lacks memory or disk.
    """
    return _compile("cpu", code, optimization_level=optimization_level, checked=checked)


def compiler_seconds() -> float:
    """Return what NVRTC and clang themselves have taken of a processor for this process, in seconds."""
    return _spent


def _compile(device: str, code: str, **options: Any) -> bytes:
    # Warp's own rule; without bfloat16 its header compiles faster.
    define = "" if "bfloat16" in code else "#define WP_NO_BFLOAT16\n"
    with TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        source = Path(folder, "kernel.cpp" if device == "cpu" else "kernel.cu")
        target = Path(folder, "kernel.o" if device == "cpu" else "kernel.ptx")
        source.write_text(define + preamble(device) + code, encoding="utf-8")
        why = _refusal({"source": str(source), "target": str(target), **options})
        if why:
            raise CodegenRejection(Reason.CODEGEN_ERROR.value, f"does not compile: {why}")
        return target.read_bytes()


def _refusal(job: dict[str, Any]) -> str:
    """Have a process of its own compile; return why that cannot be done, or nothing."""
    global _spent
    compiler = served("builder.codegen.compiler")
    for _ in range(_TRIES):
        answers, ended = compiler.ask(job)
        first = _first_error(compiler.printed())
        if not ended:
            answer = answers[0]
            _spent += answer["seconds"]
            if answer["broken"]:
                raise WorkerError(f"nothing can be compiled here: {answer['broken']}; make room, and run again")
            return (first or str(answer["error"])) if answer["error"] else ""
        if ended == signal.SIGPROF.name:
            return "takes the compiler too long"
    return f"ends the compiler ({', '.join(filter(None, (ended, first)))})"


def _first_error(printed: str) -> str:
    places = ((line, line.lower().find(_ERROR)) for line in printed.splitlines())
    return next((line[at + len(_ERROR) :].strip() for line, at in places if at >= 0), "")
