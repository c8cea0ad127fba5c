"""Runs each measurement in a fresh process, which prints one line of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

Figures = dict[str, float]


def child(module: str, task: str, *arguments: str | float, env: Mapping[str, str] | None = None) -> Figures:
    """Run ``python -m benchmarks.<module> <task> <arguments>`` and return what it printed."""
    command = [sys.executable, "-m", f"benchmarks.{module}", task, *map(str, arguments)]
    # Users have bytecode files; without them every worker would compile our sources first.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**inherited, **(env or {})})
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def answer(tasks: Mapping[str, Callable[..., Figures]]) -> None:
    """Do the task that the command line names, with its arguments, and print its figures."""
    print(json.dumps(tasks[sys.argv[1]](*sys.argv[2:])))


def resident() -> Figures:
    """Return this process's resident memory in MiB: all of it, and without mapped files."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {name: int(fields[key].split()[0]) / 1024 for name, key in (("rss", "VmRSS"), ("anonymous", "RssAnon"))}


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield an empty folder that is gone after the block."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        yield Path(folder)
