"""Folds over the threads of a block, in shared memory."""

from __future__ import annotations

from ..types import Scalar
from .cpp import BLOCK, Cpp, Fold, ctype


def block_fold(cpp: Cpp, fold: Fold, T: Scalar, name: str, room: str) -> None:
    """Fold the values of ``name`` of all threads of the block, in shared memory ``room``; all get the result."""
    t, c = "t", cpp.c
    cpp(f"{room}[{t}] = {name};", "__syncthreads();")
    way = c.below(5)
    if way == 0:
        with cpp.block(
            c.pick((f"for (int s = {BLOCK // 2}; s > 0; s >>= 1)", f"for (int s = {BLOCK // 2}; s > 0; s /= 2)"))
        ):
            with cpp.block(f"if ({t} < s)"):
                cpp(fold.into(c, f"{room}[{t}]", f"{room}[{t} + s]"))
            cpp("__syncthreads();")
    elif way == 1:
        with cpp.block(f"for (int s = 1; s < {BLOCK}; s *= 2)"):
            cpp(f"const int at = 2 * s * {t};")
            with cpp.block(f"if (at < {BLOCK})"):
                cpp(fold.into(c, f"{room}[at]", f"{room}[at + s]"))
            cpp("__syncthreads();")
    elif way == 2:
        with cpp.block(f"for (int s = 1; s < {BLOCK}; s <<= 1)"):
            with cpp.block(f"if (({t} & (2 * s - 1)) == 0)" if c.chance(1, 2) else f"if ({t} % (2 * s) == 0)"):
                cpp(fold.into(c, f"{room}[{t}]", f"{room}[{t} + s]"))
            cpp("__syncthreads();")
    elif way == 3:
        with cpp.block(f"if ({t} == 0)"), cpp.block(f"for (int n = 1; n < {BLOCK}; ++n)"):
            cpp(fold.into(c, f"{room}[0]", f"{room}[n]"))
        cpp("__syncthreads();")
    else:
        _by_warps(cpp, fold, t, room)
    cpp(f"{name} = {room}[0];", "__syncthreads();")


def _by_warps(cpp: Cpp, fold: Fold, t: str, room: str) -> None:
    """Every warp folds its part by itself, then the first thread the parts."""
    with cpp.block("for (int s = 16; s > 0; s >>= 1)"):
        with cpp.block(f"if (({t} & 31) < s)"):
            cpp(fold.into(cpp.c, f"{room}[{t}]", f"{room}[{t} + s]"))
        cpp("__syncwarp();")
    cpp("__syncthreads();")
    with cpp.block(f"if ({t} == 0)"), cpp.block(f"for (int w = 32; w < {BLOCK}; w += 32)"):
        cpp(fold.into(cpp.c, f"{room}[0]", f"{room}[w]"))
    cpp("__syncthreads();")


def shared(cpp: Cpp, T: Scalar, name: str, count: int = BLOCK) -> None:
    """Declare an array in shared memory, with or without a little padding."""
    size = f"{count} + {cpp.c.pick((1, 8, 32))}" if cpp.c.chance(1, 4) else str(count)
    cpp(f"__shared__ {ctype(T)} {name}[{size}];")


def thread(cpp: Cpp) -> None:
    """Name the thread's place in its block ``t``."""
    cpp(cpp.c.pick(("const int t = threadIdx.x;", "int t = threadIdx.x;", "const int t = (int)threadIdx.x;")))
