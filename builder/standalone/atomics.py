"""Atomic changes: CUDA's where it has them for a type, small loops elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from ..codegen.arguments import Block, Number
from ..errors import StandaloneRejection
from .code import Code, call, unary
from .helpers import Helpers, helper
from .types import count, name_of, part

_NATIVE = {
    "add": ("int32", "uint32", "uint64", "float32", "float64", "float16", "bfloat16"),
    "min": ("int32", "uint32", "int64", "uint64"),
    "max": ("int32", "uint32", "int64", "uint64"),
    "and": ("int32", "uint32", "uint64"),
    "or": ("int32", "uint32", "uint64"),
    "xor": ("int32", "uint32", "uint64"),
    "exch": ("int32", "uint32", "uint64", "float32"),
    "cas": ("int32", "uint32", "uint64"),
}
_CALLED = {
    "add": "atomicAdd", "min": "atomicMin", "max": "atomicMax", "and": "atomicAnd", "or": "atomicOr",
    "xor": "atomicXor", "exch": "atomicExch", "cas": "atomicCAS",
}  # fmt: skip
# How the bits of a float are seen as a whole number and back.
_BITS = {
    "float32": ("int", "__float_as_int", "__int_as_float"),
    "float64": ("unsigned long long", "__double_as_longlong", "__longlong_as_double"),
}


def atomic(h: Helpers, word: str, place: Code, value: Code, expected: Code | None = None) -> Code:
    """Return an atomic change of a place; its value is what was there before.

    Args:
        word: ``add``, ``sub``, ``min``, ``max``, ``and``, ``or``, ``xor``, ``exch`` or ``cas``.
        expected: what must be there before, for ``cas``.
    """
    kind = place.kind
    if word == "sub":
        return atomic(h, "add", place, _negative(h, value))
    given = [value] if expected is None else [expected, value]
    target = unary("&", place, kind)
    if isinstance(kind, Number) and kind.name in _NATIVE[word]:
        return call(_CALLED[word], kind, target, *given)
    if isinstance(kind, Number):
        return call(h.need("atomic", word, kind) + f"_{word}", kind, target, *given)
    if isinstance(kind, Block) and word not in ("cas", "exch"):
        h.need("atomic_block", word, kind)
        return call(f"atomic_{word}", kind, target, *given)
    raise StandaloneRejection(f"atomic_{word} of {name_of(kind)}")


def _negative(h: Helpers, value: Code) -> Code:
    if isinstance(value.kind, Block):
        h.need("negative", value.kind)
    return unary("-", value, value.kind)


@helper
def atomic_block(h: Helpers, word: str, kind: Block) -> str:
    """An atomic change of each component."""
    lines = [
        atomic(h, word, Code(part(kind, "(*place)", i), kind.number), Code(part(kind, "value", i), kind.number)).text
        for i in range(count(kind))
    ]
    body = "".join(f"  {part(kind, 'old', i)} = {line};\n" for i, line in enumerate(lines))
    t = h.type(kind)
    head = f"__device__ inline {t} atomic_{word}({t} *place, {h.parameter(kind, 'value')})"
    return f"{head} {{\n  {t} old;\n{body}  return old;\n}}\n"


def _atomic(h: Helpers, word: str, kind: Number) -> str:
    t = name_of(kind)
    if kind.name == "int64" and word in ("add", "and", "or", "xor", "exch"):
        inner = f"{_CALLED[word]}((unsigned long long *)place, (unsigned long long)value)"
        return f"__device__ inline {t} atomic_{word}({t} *place, {t} value) {{\n  return ({t}){inner};\n}}\n"
    if kind.name == "int64" and word == "cas":
        inner = "atomicCAS((unsigned long long *)place, (unsigned long long)expected, (unsigned long long)value)"
        return f"__device__ inline {t} atomic_cas({t} *place, {t} expected, {t} value) {{\n  return ({t}){inner};\n}}\n"
    if kind.name not in _BITS or word not in ("min", "max"):
        raise StandaloneRejection(f"atomic_{word} of {name_of(kind)}")
    bits, to, back = _BITS[kind.name]
    symbol = "<" if word == "min" else ">"
    as_bits: Callable[[str], str] = lambda text: f"({bits}){to}({text})" if bits != "int" else f"{to}({text})"  # noqa: E731
    seen = f"atomicCAS(({bits} *)place, {as_bits('old')}, {as_bits('value')})"
    now = f"{back}({seen})" if bits == "int" else f"{back}((long long){seen})"
    return (
        f"__device__ inline {t} atomic_{word}({t} *place, {t} value) {{\n  {t} old = *place;\n"
        f"  while (value {symbol} old) {{\n    const {t} now = {now};\n"
        f"    if (now == old)\n      break;\n    old = now;\n  }}\n  return old;\n}}\n"
    )


_atomic.__name__ = "atomic"
helper(_atomic)


@helper
def atomic_add_at(h: Helpers) -> str:
    """An atomic sum by array and index."""
    return (
        "template <typename T, typename U>\n__device__ inline T atomic_add(T *array, int i, U value) {\n"
        "  return atomicAdd(&array[i], (T)value);\n}\n"
    )
