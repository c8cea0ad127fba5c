"""The proof: a self-contained source generates, byte for byte, the code of the kernel it came from.

What is compared: forward and backward text for CPU and CUDA, canonical (as rows hold it) and without the Python
lines that Warp echoes as comments, since those are the source itself. Before the original is generated its
kernel, functions and structs are given the names they have in the new source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..codegen.pipeline import Generated, canonical_code, generate
from ..codegen.warp_adapter import emit_kernel
from ..errors import CodegenRejection
from .assemble import assemble
from .values import Unwritable


@dataclass(frozen=True, slots=True)
class Proved:
    text: str
    code: Generated


class MiningRejection(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


def prove(kernel: Any) -> Proved:
    try:
        emit_kernel(kernel)
    except CodegenRejection as refusal:
        raise MiningRejection("not_generated", refusal.detail) from None
    failure = None
    for by_value in (False, True):
        try:
            return _attempt(kernel, by_value)
        except MiningRejection as rejection:
            failure = failure or rejection
    raise failure


def _attempt(kernel, by_value):
    try:
        assembled = assemble(kernel, by_value=by_value)
    except Unwritable as error:
        raise MiningRejection("unwritable", str(error)) from None
    original = canonical_code(emit_kernel(kernel, assembled.names), source_comments=False)
    try:
        again = generate(assembled.text, source_comments=False)
    except CodegenRejection as refusal:
        raise MiningRejection("source_" + refusal.reason, refusal.detail + "\n" + assembled.text) from None
    for name in ("cpp_forward", "cpp_backward", "cuda_forward", "cuda_backward"):
        if getattr(original, name) != getattr(again, name):
            import difflib
            d="\n".join(list(difflib.unified_diff(getattr(original, name).splitlines(), getattr(again, name).splitlines(), lineterm="", n=1))[:30])
            raise MiningRejection("different_code", name + "\n" + d + "\n" + assembled.text)
    return Proved(assembled.text, again)
