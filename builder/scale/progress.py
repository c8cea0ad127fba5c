"""Progress of a build: its stage, kernels done, rate, rejected so far, time left."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

# Without a terminal: one plain line when a stage starts, one this often (seconds), one when its last kernel is done.
_PLAIN_EVERY = 60.0
# The rate is that of the last so many seconds: what was found in the store would make it a lie.
_WINDOW = 120.0


class Reporter(Protocol):
    """What a build tells about itself."""

    def start(self, stage: str, total: int) -> None:
        """Begin a stage of ``total`` kernels; 0 where its length is not known. The stage before it is over."""

    def update(self, kept: int, rejected: int) -> None: ...

    def stop(self) -> None: ...


class Silent:
    """Says nothing."""

    def start(self, stage: str, total: int) -> None: ...

    def update(self, kept: int, rejected: int) -> None: ...

    def stop(self) -> None: ...


class _State:
    """How far a stage is."""

    def __init__(self, stage: str, total: int) -> None:
        self.stage, self.total = stage, total
        self.kept = self.rejected = 0
        self.started = time.monotonic()
        self._seen = deque([(self.started, 0)])

    def update(self, kept: int, rejected: int) -> None:
        now = time.monotonic()
        self.kept, self.rejected = kept, rejected
        self._seen.append((now, kept))
        while len(self._seen) > 2 and now - self._seen[0][0] > _WINDOW:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """Kernels a second, of late."""
        first, before = self._seen[0]
        return (self.kept - before) / max(time.monotonic() - first, 1e-9)

    def line(self) -> str:
        spent = time.monotonic() - self.started
        if not self.total:
            return f"{self.stage}: {spent:.0f} s so far" if spent >= 1 else self.stage
        told = f"{self.stage}: {self.kept}/{self.total} kernels"
        if not self.kept:
            return f"{told}, {spent:.0f} s so far"
        left = f"{(self.total - self.kept) / self.rate:.0f} s left" if self.rate else "standing still"
        return f"{told}, {self.rate:.1f}/s, {self.rejected} rejected, {left}"


class _Plain:
    """Lines on standard error, from a thread of its own: a stage that brings nothing for minutes is told too."""

    def __init__(self, state: _State) -> None:
        self._state = state
        self._over = threading.Event()
        self._said_all = False
        self._say()
        self._thread = threading.Thread(target=self._tick, name="progress", daemon=True)
        self._thread.start()

    def update(self) -> None:
        if self._state.kept >= self._state.total > 0 and not self._said_all:
            self._said_all = True
            self._say()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _say(self) -> None:
        print(self._state.line(), file=sys.stderr, flush=True)

    def _tick(self) -> None:
        while not self._over.wait(_PLAIN_EVERY):
            self._say()


class _Bar:
    """A live bar on a terminal."""

    def __init__(self, state: _State, console: Console) -> None:
        self._state = state
        columns = (
            (
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]:.0f}/s"),
                TextColumn("{task.fields[rejected]} rejected"),
                TimeRemainingColumn(),
            )
            if state.total
            else (TimeElapsedColumn(),)
        )
        self._bar = Progress(TextColumn("{task.description}"), BarColumn(), *columns, console=console)
        self._task = self._bar.add_task(state.stage, total=state.total or None, rate=0.0, rejected=0)
        self._bar.start()

    def update(self) -> None:
        state = self._state
        self._bar.update(self._task, completed=state.kept, rate=state.rate, rejected=state.rejected)

    def stop(self) -> None:
        self._bar.stop()


class Terminal:
    """A live bar on standard error; plain lines where standard error is no terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._state = _State("", 0)
        self._shown: _Bar | _Plain | None = None

    def start(self, stage: str, total: int) -> None:
        self.stop()
        self._state = _State(stage, total)
        live = self._console.is_terminal or self._console.is_jupyter
        self._shown = _Bar(self._state, self._console) if live else _Plain(self._state)

    def update(self, kept: int, rejected: int) -> None:
        self._state.update(kept, rejected)
        if self._shown is not None:
            self._shown.update()

    def stop(self) -> None:
        if self._shown is not None:
            self._shown.stop()
            self._shown = None


class reporting:
    """Start a stage of a reporter, and stop it whatever happens."""

    def __init__(self, reporter: Reporter, stage: str, total: int = 0) -> None:
        self._reporter, self._stage, self._total = reporter, stage, total

    def __enter__(self) -> Reporter:
        self._reporter.start(self._stage, self._total)
        return self._reporter

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reporter.stop()
