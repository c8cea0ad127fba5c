"""Compiles for another process, which ``native.py`` has start this one: ``python -m builder.codegen.compiler``.

Reads a job (JSON) from each line of standard input and answers with a line (JSON) on standard output; what compilers
print goes to standard error. Ends when the other does.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from .kernel_source import one_line
from .native import READY
from .warp_native import build_object, build_ptx, start_runtime

# What one file may take of a processor, in seconds.
_SECONDS = 300.0


def main() -> None:
    """Serve until standard input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    start_runtime()
    jobs: SimpleQueue[str] = SimpleQueue()
    # While a compiler runs too: it would go on for minutes after the other process has been killed.
    threading.Thread(target=_read, args=(jobs,), daemon=True).start()
    print(READY, file=out, flush=True)
    while True:
        job = json.loads(jobs.get())
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
        start = time.perf_counter()
        error = _build(**job)
        print(json.dumps({"error": error, "seconds": time.perf_counter() - start}), file=out, flush=True)


def _read(jobs: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        jobs.put(line)
    os._exit(0)


def _build(source: str, target: str, **options: Any) -> str:
    """Compile; return what Warp says where that cannot be done, or nothing."""
    build = build_ptx if source.endswith(".cu") else build_object
    try:
        build(Path(source), Path(target), **options)
    except Exception as error:  # noqa: BLE001 (Warp's builders raise plain Exception; what this one is, goes to the other process)
        return one_line(error) or type(error).__name__
    return ""


if __name__ == "__main__":
    main()
