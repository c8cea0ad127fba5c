"""The compilers inside Warp, and what they made in this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import warp as wp

from .warp_internals import BLOCK_DIM, COMPILERS, INTERNALS, runtime

_, wcodegen, _ = INTERNALS


def module_headers() -> dict[str, str]:
    """Return by device (``cpu``, ``cuda``) the text that Warp puts above the code of every module."""
    headers = {"cpu": wcodegen.cpu_module_header, "cuda": wcodegen.cuda_module_header}
    return {
        device: header.format(block_dim=BLOCK_DIM) + wcodegen.codegen_cast_macros for device, header in headers.items()
    }


def build_ptx(source: Path, target: Path, arch: int, optimization_level: int) -> None:
    """Compile a CUDA file to a PTX file with the NVRTC inside Warp; Exception if it does not compile."""
    COMPILERS.build_cuda(
        str(source),
        arch,
        str(target),
        optimization_level=optimization_level,
        pch_dir=runtime().get_nvrtc_pch_dir(),
    )


def build_object(source: Path, target: Path, optimization_level: int, checked: bool = False) -> None:
    """Compile a C++ file to an object file with the clang inside Warp; Exception if it does not compile.

    ``checked`` is Warp's debug mode: not optimised, and every index into an array is checked.
    """
    COMPILERS.build_cpu(
        str(target),
        str(source),
        mode="debug" if checked else "release",
        optimization_level=optimization_level,
        extra_flags="-w",  # no warnings; and not for this machine's own CPU: the same object everywhere
        use_precompiled_headers=True,
        pch_dir=runtime().get_clang_pch_dir(),
        block_dim=BLOCK_DIM,
    )


def start_runtime() -> None:
    """Load Warp's native libraries, in a process of ours: that there is no driver, which they print, goes nowhere."""
    sys.stderr.flush()
    stderr = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        runtime()
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)


def load_object(path: Path, handle: str) -> None:
    """Load an object file of :func:`build_object` into this process; OSError if it cannot be.

    Args:
        handle: a name for :func:`address`, which no other object in this process has.
    """
    if runtime().llvm.wp_load_obj(str(path).encode(), handle.encode(), wp.config.legacy_cpu_linker) != 0:
        raise OSError(f"{path} cannot be loaded")


def address(handle: str, symbol: str) -> int:
    """Return where a function of a loaded object lies; OSError if it is not there or needs what is not there."""
    found = int(runtime().llvm.wp_lookup(handle.encode(), symbol.encode()))
    if not found:
        raise OSError(f"{handle} has no {symbol}")
    return found
