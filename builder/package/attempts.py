"""Finds the candidate that ends or stops the process that generates it, so that only this one is left out.

While a process makes a unit it notes at which candidate it is, in a file of the store. A file that is there when
a unit is begun, and that nobody holds, was left by a process that died (or was stopped) at that candidate. The
candidate is then tried in a process of its own, with limits on time and memory: if that process dies too, the
candidate is rejected; if not, it was not to blame. So a unit's bytes do not depend on who was killed when.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ..errors import WorkerError
from ..spec import UNIT
from .store import Store

# What generating one candidate may take; it takes 0.01 s and 0.2 GiB.
SECONDS, BYTES = 60.0, 4 << 30
# How the process that tries a candidate says that memory ran out.
NO_MEMORY = 3
_RUNNING, _DONE = b"\x01", b"\x00"
# The first statement, before Warp is imported, is prctl(PR_SET_PDEATHSIG, SIGKILL): whoever kills us ends it too.
_COMMAND = "import ctypes; ctypes.CDLL(None).prctl(1, 9); from builder.package.trial import main; main()"

_limited = False


def limit_candidates() -> None:
    """Let a candidate that takes longer than :data:`SECONDS` end this process. For workers, whose parent goes on."""
    global _limited
    _limited = True
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process even where native code never returns


class Attempt:
    """Notes at which candidate of a unit this process is. Without a file it notes nothing."""

    def __init__(self, file: int | None = None, suspects: frozenset[int] = frozenset()) -> None:
        self._file, self._suspects = file, suspects

    def refusal(self, place: int, text: str, comments: bool) -> str | None:
        """Return why a candidate cannot be generated in this process; None if it can, or nothing speaks against it.

        Args:
            place: of the candidate in its unit, 0 to 127.
            text: its kernel source.
            comments: whether the generated code keeps lines of the source.

        Raises:
            WorkerError: the process that should try it does not start.
        """
        return tried(text, comments) if place in self._suspects else None

    @contextlib.contextmanager
    def at(self, place: int) -> Iterator[None]:
        """Note that the block generates a candidate; an exception of the block that is an error ends the note too."""
        self._note(place, _RUNNING)
        if _limited:
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            yield
        except Exception:
            self._note(place, _DONE)
            raise
        finally:
            if _limited:
                signal.setitimer(signal.ITIMER_REAL, 0)
        self._note(place, _DONE)

    def _note(self, place: int, state: bytes) -> None:
        # A suspect stays one until the unit is made: the attempt after this one must not run it either.
        if self._file is not None and place not in self._suspects:
            os.pwrite(self._file, state, place)


@contextlib.contextmanager
def attempt(store: Store, key: str, rank: int) -> Iterator[Attempt]:
    """Attempt to make a unit; the note is removed when the block ends well.

    Two processes may attempt one unit; the second notes nothing.

    Raises:
        StoreError: the note cannot be written.
    """
    path = store.root / "attempts" / key / f"{rank:08d}"
    with store.errors("write to"):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        with store.errors("write to"):
            held = _hold(file)
            suspects = _suspects(file) if held else frozenset()
        yield Attempt(file if held else None, suspects)
        if held:
            path.unlink(missing_ok=True)
    finally:
        os.close(file)


def _hold(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by another process; or a file system without locks, where nothing can be noted
        return False
    return True


def _suspects(file: int) -> frozenset[int]:
    """Return the places noted by those who died, and give the file its whole length, so that no note needs space."""
    noted = os.pread(file, UNIT, 0)
    os.pwrite(file, bytes(UNIT - len(noted)), len(noted))
    return frozenset(place for place, state in enumerate(noted) if state == _RUNNING[0])


def tried(text: str, comments: bool) -> str | None:
    """Generate a kernel source in a process of its own; return how that died, or None where it did not.

    Raises:
        WorkerError: the process does not start.
    """
    job = json.dumps({"text": text, "comments": comments, "seconds": SECONDS, "bytes": BYTES})
    root = str(Path(__file__).resolve().parents[2])
    # No device: its driver reserves more addresses than the limit on memory allows.
    environment = os.environ | {
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH")))),
    }
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND], input=job, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return None
    if done.returncode == NO_MEMORY:
        return f"takes more than {BYTES >> 30} GiB of memory"
    if done.returncode == -signal.SIGALRM:
        return f"takes longer than {SECONDS:g} s"
    if done.returncode < 0:
        return f"ends the process that generates it ({signal.Signals(-done.returncode).name})"
    if "ready" not in done.stdout:
        last = (done.stderr.strip() or "no word").splitlines()[-1]
        raise WorkerError(f"the process that tries a suspected candidate does not start: {last}")
    return f"ends the process that generates it (exit code {done.returncode})"
