"""Runs a worker over some modules, and starts another where one hangs or dies."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import WorkerError
from .distribution import Module
from .reasons import KernelReason, ModuleReason

_LISTEN = 0.25  # seconds between two looks at whether to stop
_START_LIMIT = 120.0  # seconds that importing Warp may take
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV")
# No windows, no GPU, no threads that fight for the machine, and the same order of sets in every run.
_VARIABLES = {
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "PYGLET_HEADLESS": "true",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "QT_QPA_PLATFORM": "offscreen",
    "SDL_VIDEODRIVER": "dummy",
    "WARP_CUDA_PAIRS_NO_HOOK": "1",
}
_COMMAND = "from builder.mine.worker import main; main()"


class _Ended(Exception):
    """The worker ended, or said nothing for too long."""

    def __init__(self, timed_out: bool, detail: str) -> None:
        super().__init__(detail)
        self.timed_out = timed_out
        self.detail = detail


@dataclass(slots=True)
class Findings:
    """What some modules gave.

    Attributes:
        kernels: one mapping for each registered kernel: a proved source with its facts and code, or a ``reason``.
        modules: ``(path, reason, detail)`` of each module that could not be imported.
    """

    kernels: list[dict[str, Any]] = field(default_factory=list)
    modules: list[tuple[str, str, str]] = field(default_factory=list)


class Stopped(Exception):
    """The caller of :func:`look_at` asked it to stop."""


def look_at(modules: Sequence[Module], timeout: float, stop: threading.Event | None = None) -> Findings:
    """Import modules in worker processes and return what was found.

    Args:
        modules: modules of one distribution, in the order in which to import them.
        timeout: seconds that one import, or the proof of one kernel, may take.
        stop: may be set by another thread; workers end at once.

    Raises:
        Stopped: ``stop`` was set.
        WorkerError: a worker does not even start.
    """
    findings = Findings()
    worker: _Worker | None = None
    with TemporaryDirectory(prefix="warp_cuda_pairs_mine_") as scratch:
        try:
            for module in modules:
                skip: int | None = 0
                while skip is not None:
                    worker = worker or _Worker(module, scratch, stop or threading.Event())
                    skip = _one(worker, module, skip, timeout, findings)
                    if not worker.alive:
                        worker = None
        finally:
            if worker is not None:
                worker.kill()
    return findings


def _one(worker: _Worker, module: Module, skip: int, timeout: float, findings: Findings) -> int | None:
    """Have a worker look at a module; return how many kernels to skip when it has to be looked at again."""
    imported, number = False, skip
    try:
        worker.ask({"name": module.name, "path": module.path, "skip": skip})
        while True:
            message = worker.answer(timeout)
            if "kernel" in message:
                findings.kernels.append(message["kernel"])
                number += 1
            elif "imported" in message:
                imported = True
            else:
                if message["done"]:
                    findings.modules.append((module.path, message["done"]["reason"], message["done"]["detail"]))
                return None
    except _Ended as ended:
        worker.kill()
        if imported:
            row = {"path": module.path, "line": 0, "key": f"kernel {number + 1} of the module"}
            findings.kernels.append(row | {"reason": KernelReason.WORKER_DIED.value, "detail": ended.detail})
            return number + 1
        reason = ModuleReason.TIMEOUT if ended.timed_out else ModuleReason.CRASH
        findings.modules.append((module.path, reason.value, ended.detail))
        return None


class _Worker:
    """One worker process.

    Args:
        module: a module of the distribution, which tells where it is installed.
        scratch: the folder it runs in.
        stop: when it is set, no answer is waited for.
    """

    def __init__(self, module: Module, scratch: str, stop: threading.Event) -> None:
        self.alive = True
        self._stop = stop
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        own = Path(__file__).resolve().parents[2]
        path = os.pathsep.join(dict.fromkeys([str(own), *(str(Path(entry).absolute()) for entry in sys.path)]))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=scratch,
            env={**environment, **_VARIABLES, "HOME": scratch, "TMPDIR": scratch, "PYTHONPATH": path},
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        self._buffer = b""
        depth = module.path.count("/")
        root = module.file.absolute().parents[depth]
        try:
            self.ask({"root": str(root)})
            self.answer(_START_LIMIT)
        except _Ended as ended:
            self.kill()
            raise WorkerError(
                f"a mining worker does not start: {ended.detail}; run `python -c 'import warp'`"
            ) from None

    def ask(self, message: dict[str, Any]) -> None:
        """Send a message.

        Raises:
            _Ended: the worker has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._end() from None

    def answer(self, timeout: float) -> dict[str, Any]:
        """Return the next message.

        Raises:
            _Ended: there is none within ``timeout`` seconds, or the worker has ended.
            Stopped: the caller does not want one any more.
        """
        assert self._process.stdout is not None
        limit = time.monotonic() + timeout
        while b"\n" not in self._buffer:
            if self._stop.is_set():
                raise Stopped
            left = limit - time.monotonic()
            if left <= 0:
                raise _Ended(True, f"no end within {timeout:g} s")
            if not self._selector.select(min(left, _LISTEN)):
                continue
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                raise self._end()
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def _end(self) -> _Ended:
        code = self._process.wait()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return _Ended(False, f"the process ended with {how}")

    def kill(self) -> None:
        """End the worker and whatever it started."""
        self.alive = False
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
