"""The proof: a self-contained source generates, byte for byte, the code of the kernel it came from.

What is compared: forward and backward text for CPU and CUDA, canonical (as rows hold it) and without the Python
lines that Warp echoes as comments, since those are the source itself. Before the original is generated its
kernel, functions and structs are given the names they have in the new source.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from ..codegen.existing import emit_kernel
from ..codegen.kernel_source import one_line, parse
from ..codegen.pipeline import Generated, canonical_code
from ..codegen.raw import RawCode
from ..codegen.warp_adapter import emit
from ..errors import CodegenRejection
from ..record import CODE_COLUMNS
from .assemble import Assembled, assemble
from .reasons import KernelReason, MiningRejection
from .values import Unwritable


@dataclass(frozen=True, slots=True)
class Proved:
    """A self-contained kernel source, its syntax tree and its canonical code."""

    text: str
    tree: ast.Module
    code: Generated


def prove(kernel: Any) -> Proved:
    """Return the self-contained source of a kernel, with the proof made.

    The author's own expressions are tried first, then the values and types that they stand for.

    Args:
        kernel: a kernel with concrete arguments, or one overload of a generic kernel.

    Raises:
        MiningRejection: Warp refuses the kernel, or no source was found that generates its code.
    """
    try:
        return _attempt(kernel, by_value=False)
    except MiningRejection as first:
        if first.reason is KernelReason.CODEGEN_ERROR:
            raise
        try:
            return _attempt(kernel, by_value=True)
        except MiningRejection:
            raise first from None


def _attempt(kernel: Any, by_value: bool) -> Proved:
    try:
        assembled = assemble(kernel, by_value=by_value)
    except Exception as error:  # noqa: BLE001 (a package's objects may raise anything when they are looked at)
        _original(kernel, None)  # if Warp refuses it too, that is the reason
        detail = str(error) if isinstance(error, Unwritable) else one_line(error)
        raise MiningRejection(KernelReason.UNWRITABLE, detail) from None
    original = canonical_code(_original(kernel, assembled), source_comments=False)
    try:
        program = parse(assembled.text)
        raw = emit(program)
    except CodegenRejection as refusal:
        raise MiningRejection(KernelReason.SOURCE_ERROR, refusal.detail) from None
    again = canonical_code(raw, source_comments=False)
    for name in CODE_COLUMNS:
        if getattr(original, name) != getattr(again, name):
            where = _first_difference(getattr(original, name), getattr(again, name))
            raise MiningRejection(KernelReason.DIFFERENT_CODE, f"{name}, {where}")
    return Proved(assembled.text, program.tree, canonical_code(raw))


def _original(kernel: Any, assembled: Assembled | None) -> RawCode:
    try:
        return emit_kernel(kernel, None if assembled is None else assembled.names)
    except CodegenRejection as refusal:
        raise MiningRejection(KernelReason.CODEGEN_ERROR, refusal.detail) from None
    except Exception as error:  # noqa: BLE001 (code of the package runs here: wp.static, types, defaults)
        raise MiningRejection(KernelReason.CODEGEN_ERROR, one_line(error)) from None


def _first_difference(a: str, b: str) -> str:
    ours, theirs = b.split("\n"), a.split("\n")
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=False), 1):
        if mine != other:
            return one_line(f"line {number}: {other.strip()!r} became {mine.strip()!r}")
    return f"{len(theirs)} lines became {len(ours)}"
