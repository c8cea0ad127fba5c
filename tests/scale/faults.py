"""Builds through the command line that are disturbed, and what is compared afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-c", "from builder.cli import main; main()"]
SPEC = ["paired", "-n", "300", "--seed", "5", "--categories", "arithmetic,math,vector,control_flow,struct"]
VERIFIED = [*SPEC[:2], "60", *SPEC[3:], "--verify", "compile"]  # of one unit, whose checks take half a minute
STAGES = ("paired: generate", "paired: measure", "write")


def environment(store: Path, **extra: str) -> dict[str, str]:
    own = {"PYTHONPATH": str(ROOT), "WARP_CUDA_PAIRS_CACHE": str(store), "HF_HOME": str(store.parent / "hf")}
    return {**os.environ, "HF_HUB_OFFLINE": "1", "COLUMNS": "80", **own, **extra}


def arguments(out: Path, num_proc: int, spec: Sequence[str] = SPEC) -> list[str]:
    return [*COMMAND, "build", *spec, "--out", str(out), "--num-proc", str(num_proc)]


def build(
    store: Path, out: Path, *, num_proc: int = 1, env: dict[str, str] | None = None, spec: Sequence[str] = SPEC
) -> subprocess.CompletedProcess[str]:
    """Build to a folder, undisturbed, and return how that ended."""
    extra = environment(store, **(env or {}))
    return subprocess.run(arguments(out, num_proc, spec), env=extra, capture_output=True, text=True, check=False)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, by its path in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@dataclass
class Running:
    """A build in its own process group, and when each of its stages began."""

    process: subprocess.Popen[str]
    began: dict[str, float] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    @classmethod
    def start(cls, store: Path, out: Path, *, num_proc: int, spec: Sequence[str] = SPEC) -> Running:
        process = subprocess.Popen(
            arguments(out, num_proc, spec),
            env=environment(store),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        running = cls(process)
        threading.Thread(target=running._listen, daemon=True).start()
        return running

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.said.append(line)
                for stage in STAGES:
                    if line.startswith(stage):
                        self.began.setdefault(stage, time.monotonic())

    def wait_for(self, stage: str) -> None:
        while stage not in self.began and self.process.poll() is None:
            time.sleep(0.002)

    def workers(self) -> list[int]:
        """Return the worker processes, as far as there are any."""
        pid = self.process.pid
        try:
            found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            return [int(pid) for pid in found if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        except (FileNotFoundError, ProcessLookupError):
            return []

    def kill(self, whom: str, pick: Callable[[list[int]], int]) -> None:
        """Kill -9 ``worker`` (the parent where there is none), ``parent`` or ``everything``."""
        workers = self.workers()
        if whom == "everything":
            os.killpg(self.process.pid, signal.SIGKILL)
        elif whom == "worker" and workers:
            os.kill(pick(workers), signal.SIGKILL)
        else:
            self.process.kill()
