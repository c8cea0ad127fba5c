"""Launches rows on a device, one after another; for ``python -m builder.verify.device_worker``.

Reads one job (JSON) from standard input and writes one JSON line for each row to standard output. A kernel that breaks
the device, which nothing after it in this process could use, ends the process; the caller goes on with the next row.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from ..codegen.arguments import argument_kinds
from ..codegen.warp_native import load_object, start_runtime
from .device import on_device
from .launching import Launcher, imported
from .machine import Machine
from .subject import subject_of
from .worker import addresses


def main() -> None:
    """Serve one job."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job = json.load(sys.stdin)
    start_runtime()
    print("ready", file=out, flush=True)
    load_object(Path(job["object"]), "verify")
    for row in job["rows"]:
        print(json.dumps({"id": row["id"], "gpu": _launched(row, job)}), file=out, flush=True)


def _launched(row: dict[str, Any], job: dict[str, Any]) -> list[Any]:
    kinds = argument_kinds(row["python_source"])
    subject = subject_of(Machine(addresses(row["number"], row)), kinds, row, job["seed"], row["shapes"])
    with imported(row["python_source"]) as kernel:
        verdict = on_device(subject, Launcher(kernel, kinds, job["device"]), backward=row["backward"])
    return [verdict.state, verdict.reason, verdict.details]


if __name__ == "__main__":
    main()
