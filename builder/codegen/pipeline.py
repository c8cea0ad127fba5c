"""Kernel source -> canonical C++ and CUDA, forward and backward."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..errors import CodegenRejection
from ..record import Reason
from .canonical import canonical
from .kernel_source import parse
from .raw import RawCode
from .unset import read_before_set
from .warp_adapter import emit
from .warp_internals import BLOCK_DIM


@dataclass(frozen=True, slots=True)
class Generated:
    """Canonical code of one kernel.

    Attributes:
        kernel_name: the kernel's name, which its functions' names start with.
        args: ``(name, type as written in the source)`` of each kernel argument.
        launch_dim: 1 to 4, the dimensions of the launch grid.
        block_dim: threads of a block the code is generated for, 256.
        calls: ``name(type)`` of each Warp builtin called, with the type of its first argument; sorted. Operators
            are builtins too: ``a * b`` of two vectors of three is ``mul(vec3)``.
        cpp_forward, cuda_forward: structs, device functions and (C++) the argument struct that the kernel
            needs, then the kernel function. Compiles under :func:`preamble` as it stands.
        cpp_backward, cuda_backward: adjoints of the device functions, then the backward kernel: only what the
            forward text does not hold, so it compiles below the preamble and the forward text. Empty for
            a kernel with ``enable_backward=False``.
    """

    kernel_name: str
    args: tuple[tuple[str, str], ...]
    launch_dim: int
    block_dim: int
    calls: tuple[str, ...]
    cpp_forward: str
    cpp_backward: str
    cuda_forward: str
    cuda_backward: str


def generate(source: str, *, source_comments: bool = True, tree: ast.Module | None = None) -> Generated:
    """Return the canonical code that Warp generates for a kernel source.

    The result depends on the arguments and Warp's version only: not on what was generated before, nor on
    ``warp.config``. Nothing of the kernel stays in the process. Threads wait for each other.

    Args:
        source: Python text that defines exactly one ``@wp.kernel`` when run in an empty namespace.
        source_comments: keep the Python lines that Warp echoes as comments.
        tree: ``ast.parse(source)``, if the caller has it; read only.

    Raises:
        CodegenRejection: ``source_error`` if the source does not parse or run, or defines not exactly one
            kernel; ``codegen_error`` if Warp cannot translate the kernel, or its code reads what it has not set.
    """
    code = canonical_code(emit(parse(source, tree)), source_comments=source_comments)
    if unset := read_before_set(code.cpp_forward):
        raise CodegenRejection(Reason.CODEGEN_ERROR.value, f"Warp reads {unset} before it sets it")
    return code


def canonical_code(raw: RawCode, *, source_comments: bool = True) -> Generated:
    """Return the canonical form of what Warp generated for one kernel."""
    return Generated(
        kernel_name=raw.name,
        args=raw.args,
        launch_dim=raw.launch_dim,
        block_dim=BLOCK_DIM,
        calls=tuple(sorted(f"{name}({kind})" for name, kind in raw.calls)),
        cpp_forward=_plain(raw, raw.cpu.forward, source_comments),
        cpp_backward=_plain(raw, raw.cpu.backward, source_comments),
        cuda_forward=_plain(raw, raw.cuda.forward, source_comments),
        cuda_backward=_plain(raw, raw.cuda.backward, source_comments),
    )


def entry_point(source: str) -> str:
    """Return the C++ that makes a kernel callable on the CPU, to be put below its C++ text.

    It holds the loop over the launch grid and the ``extern "C"`` functions ``<name>_cpu_forward(dim, args)``
    and, unless ``enable_backward=False``, ``<name>_cpu_backward(dim, args, adj_args)``; with the latter it
    needs the backward text too.

    Raises:
        CodegenRejection: as :func:`generate`.
    """
    raw = emit(parse(source))
    return _plain(raw, raw.entry_point, True)


def _plain(raw: RawCode, text: str, source_comments: bool) -> str:
    return canonical(text, echoes=raw.echoes, renames=raw.structs, origins=raw.origins, source_comments=source_comments)
