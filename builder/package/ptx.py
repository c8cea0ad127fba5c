"""The column ``ptx``: what NVRTC, which needs no GPU, makes of each row's CUDA text."""

from __future__ import annotations

import pyarrow as pa

from ..codegen import compile_cuda
from ..errors import CodegenRejection

# The oldest architecture that the checks compile for: its PTX runs on that one and all later ones.
ARCH = 80


def ptx_table(unit: pa.Table) -> pa.Table:
    """Return a table with the column ``ptx`` (string), a row for each of a unit's, in their order.

    It is of the row's own CUDA text, forward and backward, below the preamble, as Warp compiles it (``-O3``), for
    :data:`ARCH`; null where that does not compile.
    """
    texts = zip(*(unit.column(name).to_pylist() for name in ("cuda_forward", "cuda_backward")), strict=True)
    return pa.table({"ptx": pa.array([_ptx(f"{forward}\n{backward}\n") for forward, backward in texts], pa.string())})


def _ptx(code: str) -> str | None:
    try:
        return compile_cuda(code, ARCH).decode().rstrip("\0")
    except CodegenRejection:
        return None
