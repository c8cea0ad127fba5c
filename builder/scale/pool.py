"""A process pool for stages on one machine: spawned workers, in-order results, nothing left behind.

Workers are spawned, not forked: the user's process may hold threads, locks or a CUDA context. Unlike plain
``spawn``, they do not run the user's ``__main__`` again, so a script without an
``if __name__ == "__main__":`` line works. A worker that is killed costs its task, which runs again; a
worker whose parent dies ends by itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, TypeVar

from ..errors import WorkerError

T = TypeVar("T")

# A pool that breaks this often without finishing one task is not bad luck. Each candidate that ends the process
# which generates it costs one break.
_MAX_BREAKS = 10


class _Process(SpawnProcess):
    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        # What spawn sends to the child about __main__ is read here; an empty module sends nothing.
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            return SpawnProcess._Popen(process_obj)
        finally:
            sys.modules["__main__"] = main


class _Context(SpawnContext):
    Process = _Process


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="end-with-parent", daemon=True).start()


def _start(setup: Callable[[], None]) -> None:
    # Ctrl-C reaches the whole process group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    setup()


class Pool:
    """Runs tasks in ``num_proc`` processes and gives their results in the order of submission.

    Args:
        num_proc: worker processes, at least 1.
        setup: run once in each worker before its first task; must be importable.
    """

    def __init__(self, num_proc: int, setup: Callable[[], None]) -> None:
        self._num_proc = num_proc
        self._setup = setup
        self._executor = self._open()

    def _open(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._num_proc, mp_context=_Context(), initializer=_start, initargs=(self._setup,))

    def close(self) -> None:
        """End the workers now, whatever they are doing."""
        processes = list((self._executor._processes or {}).values())
        self._executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        for process in processes:
            process.join()

    def in_order(self, function: Callable[..., T], tasks: Iterable[tuple[Any, ...]]) -> Iterator[T]:
        """Yield ``function(*task)`` for each task in order, a few ahead of the consumer.

        ``tasks`` is read lazily, so that a consumer can stop the supply.

        Raises:
            WorkerError: the pool broke :data:`_MAX_BREAKS` times without finishing a task.
        """
        supply = iter(tasks)
        ahead: deque[tuple[tuple[Any, ...], Future[T]]] = deque()
        breaks = 0
        while True:
            while len(ahead) < 2 * self._num_proc and (task := next(supply, None)) is not None:
                ahead.append((task, self._submit(function, task)))
            if not ahead:
                return
            try:
                result = ahead[0][1].result()
            except BrokenProcessPool as error:
                breaks += 1
                if breaks >= _MAX_BREAKS:
                    raise WorkerError(
                        f"worker processes died {breaks} times in a row without finishing a task (out of memory?); "
                        "use fewer processes (num_proc), or run again: finished units are kept"
                    ) from error
                self.close()
                self._executor = self._open()
                waiting = [task for task, _ in ahead]
                ahead = deque((task, self._submit(function, task)) for task in waiting)
                continue
            breaks = 0
            ahead.popleft()
            yield result

    def _submit(self, function: Callable[..., T], task: tuple[Any, ...]) -> Future[T]:
        try:
            return self._executor.submit(function, *task)
        except BrokenProcessPool as error:
            # The break is met again, and dealt with, where the result is waited for.
            future: Future[T] = Future()
            future.set_exception(error)
            return future
