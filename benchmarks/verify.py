"""How many rows a process verifies in a second at a level, and how much of the time the native compilers take.

Making the rows is not timed; starting the processes that kernels run in is. The native compilers' time is that inside
Warp's NVRTC and clang on the rows' own texts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
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
    """Return seconds, those of them inside the native compilers, and how many of the rows no check failed."""
    from builder.codegen import native
    from builder.verify import verify

    inside = 0.0

    def timed(build: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any) -> None:
            nonlocal inside
            start = time.perf_counter()
            try:
                build(*arguments)
            finally:
                inside += time.perf_counter() - start

        return call

    rows = _rows(int(count), _SEED)
    native.build_object, native.build_ptx = timed(native.build_object), timed(native.build_ptx)  # type: ignore[attr-defined]
    start = time.perf_counter()
    verdicts = verify(rows, level=level)
    seconds = time.perf_counter() - start
    checks = ("compile", "execute", "gradient")
    kept = sum(all(getattr(one, check).state != "failed" for check in checks) for one in verdicts)
    return {"seconds": seconds, "native": inside, "kept": kept}


if __name__ == "__main__":
    answer({"measure": measure})
