"""Device functions whose body is CUDA already: Warp's native snippets."""

from __future__ import annotations

from ..codegen.arguments import ArrayOf, Kind
from ..codegen.typed import TypedFunction, TypedKernel
from ..errors import StandaloneRejection
from .heads import head
from .names import WORDS
from .signatures import Signature
from .snippets import laid_out, on_device
from .unit import Unit

_NOT_PLAIN = (".data", ".shape", "adj_", "var_", "cooperative_groups.h", "asm")
# What snippets call of Warp's that CUDA has for all types under one name.
_OF_WARP = frozenset(["min", "max", "abs", "exp", "log", "sqrt", "sin", "cos", "tanh", "pow", "floor", "ceil"])


def snippet(unit: Unit, typed: TypedKernel, function: TypedFunction, signature: Signature) -> str:
    """Return a function whose body is CUDA already."""
    text = on_device(function.snippet or "")
    line = function.node.lineno
    for word in _NOT_PLAIN:
        if word in text:
            raise StandaloneRejection(f"a native snippet with {word}", line)
    if any(name in WORDS for name in signature.kinds):
        raise StandaloneRejection("a native snippet with a reserved name", line)
    signature.taken = set()
    signature.has_effect = False
    arrays = [name for name, kind in function.args if isinstance(kind, ArrayOf)]
    signature.written.update(name for name in arrays if _may_write(text, name))
    function.returns = _snippet_returns(typed, function)
    signature.returns = function.returns
    body = laid_out(_without_warp(unit, text, line))
    return f"{head(unit, function, signature)} {{\n{body}\n}}\n"


def _may_write(text: str, name: str) -> bool:
    """Say whether a snippet may change an array: it does more with it than to look up ``name[...]`` on its own."""
    for before, after in zip(text.split(name), text.split(name)[1:], strict=False):
        alone = not (before[-1:].isalnum() or before[-1:] == "_" or after[:1].isalnum() or after[:1] == "_")
        if alone and (not after.startswith("[") or before.rstrip().endswith("&") or _is_target(after)):
            return True
    return False


def _is_target(after: str) -> bool:
    depth = 0
    for place, letter in enumerate(after):
        depth += (letter == "[") - (letter == "]")
        if depth == 0:
            rest = after[place + 1 :].lstrip()
            changes = rest[:2] in ("+=", "-=", "*=", "/=", "++", "--", "|=", "&=", "^=") or rest[:3] in ("<<=", ">>=")
            return changes or (rest.startswith("=") and not rest.startswith("=="))
    return True


def _without_warp(unit: Unit, text: str, line: int) -> str:
    """Return a snippet without Warp's namespace."""
    first, *rest = text.split("wp::")
    for piece in rest:
        name = piece[: len(piece) - len(piece.lstrip("abcdefghijklmnopqrstuvwxyz_0123456789"))]
        if name == "atomic_add":
            unit.helpers.need("atomic_add_at")
        elif name not in _OF_WARP:
            raise StandaloneRejection(f"a native snippet with wp::{name}", line)
    return first + "".join(rest)


def _snippet_returns(typed: TypedKernel, function: TypedFunction) -> tuple[Kind, ...]:
    if function.node.returns is None:
        return ()
    for caller in (typed.kernel, *typed.functions):
        for node, calls in caller.calls.items():
            if any(called.function is function for called in calls) and node in caller.kinds:
                return (caller.kinds[node],)
    raise StandaloneRejection("a native snippet whose result has no type", function.node.lineno)
