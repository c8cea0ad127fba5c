"""Compiles for another process, which ``native.py`` has start this one: ``python -m builder.codegen.compiler``."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..served import serve
from .kernel_source import one_line
from .warp_native import build_object, build_ptx, start_runtime

# What one file may take of a processor, in seconds.
_SECONDS = 300.0


def main() -> None:
    """Serve the other process."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    start_runtime()
    serve(_compile)


def _compile(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)
    start = time.process_time()
    answer: dict[str, Any] = {"error": "", "broken": ""}
    try:
        answer["error"] = _build(**job)
    except (MemoryError, OSError) as error:  # a full disk is no fault of the text's
        answer["broken"] = one_line(error)
    yield {**answer, "seconds": time.process_time() - start}


def _build(source: str, target: str, **options: Any) -> str:
    """Compile; return what Warp says where that cannot be done, or nothing."""
    build = build_ptx if source.endswith(".cu") else build_object
    try:
        build(Path(source), Path(target), **options)
    except (MemoryError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 (Warp's builders raise plain Exception; the other process is told)
        return one_line(error)
    return ""


if __name__ == "__main__":
    main()
