"""How many rows a process verifies in a second at a level, and how much of the time the native compilers take.

Making the rows is not timed; starting the processes that kernels run in is. The native compilers' time is that inside
Warp's NVRTC and clang on the rows' own texts.
"""

from __future__ import annotations

import resource
import time
from typing import Any

from .children import Figures, answer

_SEED = 1


def _rows(count: int, seed: int) -> list[dict[str, Any]]:
    from builder.codegen import generate
    from builder.errors import CodegenRejection
    from builder.kernels import candidate
    from builder.spec import load_spec
    from builder.verify import row_of

    categories = load_spec("forward_backward").categories
    rows: dict[str, dict[str, Any]] = {}
    index = 0
    while len(rows) < count:
        source = candidate(seed, index, categories).text
        index += 1
        try:
            row = row_of(source, generate(source))
        except CodegenRejection:
            continue
        rows.setdefault(row["id"], row)
    return list(rows.values())


def measure(level: str, count: str) -> Figures:
    """Return seconds, processor seconds, those inside the native compilers, and how many rows no check failed."""
    from builder.codegen.native import compiler_seconds
    from builder.served import close_all
    from builder.verify import verify

    rows = _rows(int(count), _SEED)
    before = _processor()
    start = time.perf_counter()
    verdicts = verify(rows, level=level)
    seconds = time.perf_counter() - start
    checks = ("compile", "execute", "gradient")
    kept = sum(all(getattr(one, check).state != "failed" for check in checks) for one in verdicts)
    close_all()  # what a process took is known when it has ended
    return {"seconds": seconds, "processor": _processor() - before, "native": compiler_seconds(), "kept": kept}


def _processor() -> float:
    """Return the processor time of this process and of those it has started and seen end, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    answer({"measure": measure})
