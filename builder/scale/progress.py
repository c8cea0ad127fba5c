"""Progress of a build: kernels done, rate, rejected so far, time left."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

# Without a terminal, one plain line this often (seconds) and one at the end.
_PLAIN_EVERY = 60.0


class Reporter(Protocol):
    """What a build tells about itself."""

    def start(self, total: int) -> None: ...

    def update(self, kept: int, rejected: int) -> None: ...

    def stop(self) -> None: ...


class Silent:
    """Says nothing."""

    def start(self, total: int) -> None: ...

    def update(self, kept: int, rejected: int) -> None: ...

    def stop(self) -> None: ...


class Terminal:
    """A live bar on standard error; plain lines where standard error is no terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bar: Progress | None = None
        self._total = 0
        self._started = self._said = time.monotonic()

    def start(self, total: int) -> None:
        self._total = total
        self._started = self._said = time.monotonic()
        if self._console.is_terminal or self._console.is_jupyter:
            self._bar = Progress(
                TextColumn("kernels"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]:.0f}/s"),
                TextColumn("{task.fields[rejected]} rejected"),
                TimeRemainingColumn(),
                console=self._console,
            )
            self._bar.start()
            self._bar.add_task("kernels", total=total, rate=0.0, rejected=0)

    def update(self, kept: int, rejected: int) -> None:
        now = time.monotonic()
        rate = kept / max(now - self._started, 1e-9)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=kept, rate=rate, rejected=rejected)
        elif now - self._said >= _PLAIN_EVERY or kept >= self._total:
            self._said = now
            left = (self._total - kept) / rate if rate else float("inf")
            line = f"{kept}/{self._total} kernels, {rate:.0f}/s, {rejected} rejected, {left:.0f} s left"
            print(line, file=sys.stderr, flush=True)

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


class reporting:
    """Start a reporter, and stop it whatever happens."""

    def __init__(self, reporter: Reporter, total: int) -> None:
        self._reporter = reporter
        self._total = total

    def __enter__(self) -> Reporter:
        self._reporter.start(self._total)
        return self._reporter

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reporter.stop()
