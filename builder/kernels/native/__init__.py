"""Writing the bodies of native functions: typed pieces of C++ from which the families of block and warp code are made.

Everything below writes statements into a :class:`Cpp`; a number's C++ type, the operation that folds and the form of
a loop are values, not text. What needs the threads of a block stands under ``__CUDA_ARCH__``; beside it stands what a
block of one thread computes, which is what Warp's CPU code runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..author import Author, Callee
from ..types import Value
from .blocks import block_fold, shared, thread
from .cpp import BLOCK, MAX, MIN, PRODUCT, SUM, Cpp, Fold, Pre, ctype, literal, pre
from .warps import Lanes, lanes, offsets, warp_fold


def native(k: Author, words: str, params: Mapping[str, Value], result: Value | None, *texts: Cpp | None) -> Callee:
    """Add a native function; ``texts`` are its forward body and, where it has one, its adjoint."""
    forward, adjoint = (*texts, None)[:2]
    assert forward is not None
    return k.native(words, params, result, forward.text, adjoint=adjoint.text if adjoint is not None else "")


__all__ = [
    "BLOCK", "MAX", "MIN", "PRODUCT", "SUM", "Cpp", "Fold", "Lanes", "Pre", "block_fold", "ctype", "lanes", "literal",
    "native", "offsets", "pre", "shared", "thread", "warp_fold",
]  # fmt: skip
