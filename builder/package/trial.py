"""The process that tries one candidate, started by :mod:`builder.package.attempts`: a job as JSON on standard input."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path

from .. import codegen
from ..errors import CodegenRejection
from .attempts import NO_MEMORY


def main() -> None:
    """Generate the kernel source of the job; exit 0 where this process lives to say so."""
    job = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("ready", flush=True)
    size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + job["bytes"],) * 2)
    signal.setitimer(signal.ITIMER_REAL, job["seconds"])
    try:
        codegen.generate(job["text"], source_comments=job["comments"])
    except CodegenRejection:
        pass  # a refusal is an answer, and comes again where the unit is made
    except MemoryError:
        sys.exit(NO_MEMORY)
