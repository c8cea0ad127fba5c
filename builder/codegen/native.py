"""Compiles generated code with the compilers inside Warp: no GPU, driver or CUDA toolkit is needed."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

from ..errors import CodegenRejection, WorkerError
from ..record import Reason
from ..surroundings import surroundings
from .warp_native import module_headers

# How often a text may end the compiler's process before it is taken to be what does it: once may be anything.
_TRIES = 2
# What the process writes when it has loaded the compilers.
READY = "ready"
_ERROR = "error: "


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
        WorkerError: the compiler's process does not start.
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
        WorkerError: the compiler's process does not start.
    """
    return _compile("cpu", code, optimization_level=optimization_level, checked=checked)


def compiler_seconds() -> float:
    """Return how long NVRTC and clang themselves have run for this process, in seconds of wall time."""
    return _compiler(os.getpid()).seconds


def _compile(device: str, code: str, **options: Any) -> bytes:
    # Warp's own rule; without bfloat16 its header compiles faster.
    define = "" if "bfloat16" in code else "#define WP_NO_BFLOAT16\n"
    with TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        source = Path(folder, "kernel.cpp" if device == "cpu" else "kernel.cu")
        target = Path(folder, "kernel.o" if device == "cpu" else "kernel.ptx")
        source.write_text(define + preamble(device) + code, encoding="utf-8")
        why = _compiler(os.getpid()).build({"source": str(source), "target": str(target), **options})
        if why:
            raise CodegenRejection(Reason.CODEGEN_ERROR.value, f"does not compile: {why}")
        return target.read_bytes()


@cache
def _compiler(process: int) -> _Compiler:
    """Return the compiler of a process; one that is forked has its own."""
    return _Compiler()


class _Compiler:
    """A process that compiles for this one (``compiler.py``): a text that ends it, or has no end, is that text's fault.

    It is started when first needed, and again when it has ended.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._printed: IO[str] = StringIO()
        atexit.register(self._close)

    def build(self, job: dict[str, Any]) -> str:
        """Compile; return why that cannot be done, or nothing."""
        with self._lock:
            for _ in range(_TRIES):
                answer = self._ask(job)
                if answer is not None:
                    self.seconds += answer["seconds"]
                    return (self._first_error() or str(answer["error"])) if answer["error"] else ""
                why = self._end()
            return why

    def _ask(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer, or None if the process ended before it gave one."""
        process = self._process or self._start()
        assert process.stdin
        assert process.stdout
        self._printed.seek(0)
        self._printed.truncate()
        try:
            print(json.dumps(job), file=process.stdin, flush=True)
            line = process.stdout.readline()
        except BrokenPipeError:
            return None
        except BaseException:  # Ctrl-C: what it answers later belongs to no other text
            process.kill()
            self._end()
            raise
        answer: dict[str, Any] | None = json.loads(line) if line.endswith("\n") else None
        return answer

    def _start(self) -> subprocess.Popen[str]:
        # A batch that does not compile prints without end: into a file.
        self._printed = TemporaryFile("w+", errors="replace")  # noqa: SIM115 (open as long as the process)
        # In a session of its own: Ctrl-C is for this process, whose end it sees.
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "builder.codegen.compiler"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            text=True,
            env=surroundings(CUDA_VISIBLE_DEVICES=""),
            start_new_session=True,
        )
        assert process.stdout
        if process.stdout.readline().strip() != READY:
            why = self._end()
            raise WorkerError(f"the process that compiles does not start: {why}")
        return process

    def _end(self) -> str:
        """Take leave of a process that has ended; return what it died of."""
        assert self._process
        code, said = self._process.wait(), self._first_error()
        self._close()
        self._process = None
        if -code == signal.SIGPROF:
            return "takes the compiler too long"
        died = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return f"ends the compiler ({', '.join(filter(None, (died, said)))})"

    def _close(self) -> None:
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe
                with contextlib.suppress(BrokenPipeError):  # what it had not read
                    pipe.close()
            self._process.wait()
            self._printed.close()

    def _first_error(self) -> str:
        self._printed.seek(0)
        places = ((line, line.lower().find(_ERROR)) for line in self._printed)
        return next((line[at + len(_ERROR) :].strip() for line, at in places if at >= 0), "")
