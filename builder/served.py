"""Processes that do jobs for this one, and may end or hang: compilers, and kernels that run.

:class:`Served` is this side of such a process, :func:`serve` the other. Jobs and answers are lines of JSON; what the
other process prints goes to a file.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from io import StringIO
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any, NoReturn, TypeAlias

from .errors import WorkerError
from .surroundings import surroundings

_READY, _DONE = "ready\n", "done\n"
Answer: TypeAlias = dict[str, Any]
_all: list[Served] = []


def served(module: str) -> Served:
    """Return this process's ``python -m module``, started when it is first asked; one that is forked has its own."""
    return _served(module, os.getpid())


@cache
def _served(module: str, process: int) -> Served:
    _all.append(found := Served(module))
    return found


def close_all() -> None:
    """End all processes that serve this one; each is started again when it is asked."""
    for one in _all:
        one.close()


class Served:
    """A process that runs one of our modules; it is started again when it has ended.

    Args:
        module: by its full name; it calls :func:`serve`.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._printed: IO[str] = StringIO()
        self._scratch: TemporaryDirectory[str] | None = None

    def ask(self, job: Mapping[str, Any]) -> tuple[list[Answer], str]:
        """Return the answers to a job, and what ended the process before it was done: a signal, exit code or nothing.

        Raises:
            WorkerError: the process does not start.
        """
        with self._lock:
            process = self._process
            if process is not None and process.poll() is not None:  # killed since, or out of memory
                self.close()
            process = self._process or self._start()
            try:
                return self._exchange(process, json.dumps(job))
            except BaseException:  # Ctrl-C: what it answers later belongs to no other job
                process.kill()
                self.close()
                raise

    def _exchange(self, process: subprocess.Popen[str], job: str) -> tuple[list[Answer], str]:
        assert process.stdin
        assert process.stdout
        self._printed.seek(0)
        self._printed.truncate()
        answers: list[Answer] = []
        with contextlib.suppress(BrokenPipeError):
            print(job, file=process.stdin, flush=True)
            for line in process.stdout:
                if line == _DONE:
                    return answers, ""
                if line.endswith("\n"):
                    answers.append(json.loads(line))
        code = process.wait()
        return answers, signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def _start(self) -> subprocess.Popen[str]:
        # Compilers print without end; so into a file.
        self._printed = TemporaryFile("w+", errors="replace")  # noqa: SIM115 (open as long as the process)
        # NVRTC leaves its precompiled headers, hundreds of megabytes, where it found room for them.
        self._scratch = TemporaryDirectory(prefix="warp_cuda_pairs_", ignore_cleanup_errors=True)
        # In a session of its own: Ctrl-C is for this process, whose end the other sees. And without a device: a
        # process that has used one must not fork.
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", self._module, self._scratch.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            text=True,
            env=surroundings(CUDA_VISIBLE_DEVICES="", TMPDIR=self._scratch.name),
            start_new_session=True,
        )
        assert process.stdout
        if process.stdout.readline() != _READY:
            process.kill()  # had it ended by itself, this would do nothing
            said = f"exit code {process.wait()}; {self.printed().splitlines()[-1:]}"
            self.close()
            raise WorkerError(f"{self._module}, which works in a process of its own, does not start: {said}")
        return process

    def printed(self) -> str:
        """Return what the process has printed since it was last asked."""
        self._printed.seek(0)
        return self._printed.read().strip()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                assert pipe
                with contextlib.suppress(BrokenPipeError):  # what it had not read
                    pipe.close()
            process.wait()
            self._printed.close()
            assert self._scratch
            self._scratch.cleanup()


atexit.register(close_all)


def serve(do: Callable[[Answer], Iterable[Answer]]) -> NoReturn:
    """Answer the jobs that come on standard input, and end with it; the argument is a folder for this process alone."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what is printed does not belong to the answers
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    jobs: SimpleQueue[str] = SimpleQueue()
    # Reading while a job is done, too: that would go on for minutes after the other process has been killed.
    threading.Thread(target=_read, args=(jobs,), daemon=True).start()
    out.write(_READY)
    out.flush()
    while True:
        _write(do(json.loads(jobs.get())), out)
        out.write(_DONE)
        out.flush()


def _read(jobs: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        jobs.put(line)
    shutil.rmtree(sys.argv[1], ignore_errors=True)  # the other process may have been killed
    os._exit(0)


def _write(answers: Iterable[Answer], out: IO[str]) -> None:
    for answer in answers:
        print(json.dumps(answer), file=out, flush=True)


def forked(do: Callable[[Answer], Iterable[Answer]], job: Answer) -> Iterator[Answer]:
    """Yield the answers to a job that is done in a process forked for it, as far as that comes."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            end_with_parent()
            os.close(read)
            with os.fdopen(write, "w", encoding="utf-8") as out:
                _write(do(job), out)
            code = 0
        except BaseException:  # noqa: BLE001 (a forked process must not return into its parent's code)
            traceback.print_exc()
        os._exit(code)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        yield from (json.loads(line) for line in pipe if line.endswith("\n"))
    os.waitpid(child, 0)


def end_with_parent() -> None:
    """Have Linux kill this process when its parent ends: a build that is killed leaves nothing running."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def confine(seconds: float, size: int) -> None:
    """Have this process end when it has used so many seconds, or twenty times as long, or so many bytes more."""
    # Its own time decides, so that a busy machine does not; one that only waits ends too.
    for number, timer, limit in (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, 20 * seconds),
    ):
        signal.signal(number, signal.SIG_DFL)
        signal.setitimer(timer, limit)
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    most = pages * resource.getpagesize() + size
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
