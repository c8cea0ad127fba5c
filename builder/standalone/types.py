"""The C++ types of Warp's: CUDA's own where it has them, small structs elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

from ..codegen.arguments import ArrayOf, Block, Kind, Number, Record, TileOf
from ..errors import StandaloneRejection
from .code import UNARY, Code

INT, FLOAT, DOUBLE, BOOL, UINT = Number("int32"), Number("float32"), Number("float64"), Number("bool"), Number("uint32")
HALF, BFLOAT = Number("float16"), Number("bfloat16")

NUMBERS = {
    "bool": "bool", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "uint16": "uint16_t", "int32": "int",
    "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long", "float16": "__half",
    "bfloat16": "__nv_bfloat16", "float32": "float", "float64": "double",
}  # fmt: skip
_SUFFIXES = {
    "float16": "h", "bfloat16": "bf", "float32": "", "float64": "d", "int8": "b", "uint8": "ub", "int16": "s",
    "uint16": "us", "int32": "i", "uint32": "ui", "int64": "l", "uint64": "ul", "bool": "bool",
}  # fmt: skip
# Vectors that CUDA has. Its vectors of four 64-bit numbers are deprecated.
_CUDA = {
    **{("float32", n): f"float{n}" for n in (2, 3, 4)},
    **{("float64", n): f"double{n}" for n in (2, 3)},
    **{("int32", n): f"int{n}" for n in (2, 3, 4)},
    **{("uint32", n): f"uint{n}" for n in (2, 3, 4)},
}
_SPATIAL = 4  # components that have letters


def is_float(kind: Kind) -> bool:
    """Say whether a kind is a floating-point number."""
    return isinstance(kind, Number) and "float" in kind.name


def is_narrow(kind: Kind) -> bool:
    """Say whether a kind is a float of half the length."""
    return isinstance(kind, Number) and kind.name in ("float16", "bfloat16")


def is_int(kind: Kind) -> bool:
    """Say whether a kind is a whole number."""
    return isinstance(kind, Number) and "int" in kind.name


def is_small(kind: Kind) -> bool:
    """Say whether C++ would widen numbers of a kind to int before it computes with them."""
    return isinstance(kind, Number) and kind.name in ("int8", "uint8", "int16", "uint16")


def is_vector(kind: Kind) -> bool:
    """Say whether a kind is a vector."""
    return isinstance(kind, Block) and kind.family == "vector"


def is_matrix(kind: Kind) -> bool:
    """Say whether a kind is a matrix."""
    return isinstance(kind, Block) and kind.family == "matrix"


def vector(n: int, number: Number) -> Block:
    """Return the kind of a vector."""
    return Block("vector", (n,), number)


def matrix(rows: int, columns: int, number: Number) -> Block:
    """Return the kind of a matrix."""
    return Block("matrix", (rows, columns), number)


def quaternion(number: Number) -> Block:
    """Return the kind of a quaternion."""
    return Block("quaternion", (4,), number)


def number_of(kind: Kind) -> Number:
    """Return the kind of a number itself, or of a block's numbers."""
    if isinstance(kind, Number):
        return kind
    if isinstance(kind, Block):
        return kind.number
    raise StandaloneRejection(f"numbers of {type(kind).__name__}")


def name_of(kind: Kind) -> str:
    """Return the C++ name of a kind."""
    if isinstance(kind, Number):
        if kind.name not in NUMBERS:
            raise StandaloneRejection(f"type {kind.name}")
        return NUMBERS[kind.name]
    if isinstance(kind, Record):
        return kind.name
    if isinstance(kind, Block):
        suffix = _SUFFIXES[kind.number.name]
        if kind.family == "vector":
            return _CUDA.get((kind.number.name, kind.shape[0])) or f"vec{kind.shape[0]}{suffix}"
        if kind.family == "matrix":
            joint = "x" if max(kind.shape) > 9 else ""
            return f"mat{kind.shape[0]}{joint}{kind.shape[1]}{suffix}"
        return {"quaternion": "quat", "transformation": "transform"}[kind.family] + suffix
    if isinstance(kind, ArrayOf):
        raise StandaloneRejection(f"an {kind.family} as a value")
    if isinstance(kind, TileOf):
        raise StandaloneRejection("a tile as a value")
    raise StandaloneRejection(f"type {' '.join(kind.name.split()[:3])}")


@cache
def type_names() -> frozenset[str]:
    """Return the names that types of ours, or CUDA's, may have."""
    names = {f"{family}{suffix}" for family in ("quat", "transform") for suffix in _SUFFIXES.values()}
    names |= {f"vec{n}{suffix}" for n in range(1, 10) for suffix in _SUFFIXES.values()}
    names |= {f"mat{r}{c}{s}" for r in range(1, 10) for c in range(1, 10) for s in _SUFFIXES.values()}
    return frozenset(names | set(_CUDA.values()))


def is_cuda(kind: Kind) -> bool:
    """Say whether CUDA itself has a type."""
    return isinstance(kind, Block) and kind.family == "vector" and (kind.number.name, kind.shape[0]) in _CUDA


def definition(kind: Kind) -> str:
    """Return the definition of a struct for a kind, or nothing where CUDA has it."""
    if isinstance(kind, Record):
        lines = [line for field, inner in kind.fields for line in _field(field, inner)]
        return f"struct {kind.name} {{\n{''.join(lines)}}};\n"
    if not isinstance(kind, Block) or is_cuda(kind):
        return ""
    name, number = name_of(kind), NUMBERS[kind.number.name]
    if kind.family == "matrix":
        return f"struct {name} {{\n  {number} m[{kind.shape[0]}][{kind.shape[1]}];\n}};\n"
    if kind.family == "transformation":
        parts = vector(3, kind.number), quaternion(kind.number)
        return f"struct {name} {{\n  {name_of(parts[0])} p;\n  {name_of(parts[1])} q;\n}};\n"
    if kind.shape[0] <= _SPATIAL:
        return f"struct {name} {{\n  {number} {', '.join('xyzw'[: kind.shape[0]])};\n}};\n"
    return f"struct {name} {{\n  {number} c[{kind.shape[0]}];\n}};\n"


def _field(name: str, kind: Kind) -> Iterator[str]:
    if isinstance(kind, ArrayOf):
        yield f"  {name_of(kind.element)}* {name};\n"
        for axis in range(kind.ndim):
            yield f"  int {name}_dim{axis};\n"
    else:
        yield f"  {name_of(kind)} {name};\n"


def needed(kind: Kind) -> Iterator[Kind]:
    """Yield the kinds whose definitions a kind needs, its own last."""
    if isinstance(kind, ArrayOf):
        yield from needed(kind.element)
    elif isinstance(kind, Record):
        for _, inner in kind.fields:
            yield from needed(inner)
        yield kind
    elif isinstance(kind, Block):
        if kind.family == "transformation":
            yield from needed(vector(3, kind.number))
            yield from needed(quaternion(kind.number))
        yield kind


def part(kind: Block, text: str, index: int) -> str:
    """Return component ``index`` of a block's text, in storage order."""
    if kind.family == "matrix":
        return f"{text}.m[{index // kind.shape[1]}][{index % kind.shape[1]}]"
    if kind.family == "transformation":
        return f"{text}.p.{'xyz'[index]}" if index < 3 else f"{text}.q.{'xyzw'[index - 3]}"
    return f"{text}.{'xyzw'[index]}" if kind.shape[0] <= _SPATIAL else f"{text}.c[{index}]"


def count(kind: Block) -> int:
    """Return how many numbers a block has."""
    return math.prod(kind.shape)


def make(kind: Block, parts: list[str]) -> str:
    """Return a block made of its components."""
    if is_cuda(kind):
        return f"make_{name_of(kind)}({', '.join(parts)})"
    if kind.family == "transformation":
        return (
            f"{name_of(kind)}{{{make(vector(3, kind.number), parts[:3])}, {make(quaternion(kind.number), parts[3:])}}}"
        )
    if kind.family == "matrix":
        columns = kind.shape[1]
        rows = [f"{{{', '.join(parts[at : at + columns])}}}" for at in range(0, len(parts), columns)]
        return f"{name_of(kind)}{{{{{', '.join(rows)}}}}}"
    text = ", ".join(parts)
    return f"{name_of(kind)}{{{text}}}" if kind.shape[0] <= _SPATIAL else f"{name_of(kind)}{{{{{text}}}}}"


def zero(kind: Kind) -> str:
    """Return the zero of a kind."""
    if isinstance(kind, Number):
        return literal(kind, 0).text
    if is_cuda(kind):
        assert isinstance(kind, Block)
        return make(kind, [zero(kind.number)] * kind.shape[0])
    return f"{name_of(kind)}{{}}"


def literal(kind: Number, value: Any) -> Code:
    """Return a number of a kind; what Warp would round or wrap, it is here."""
    value = getattr(value, "value", value)
    if kind.name == "bool":
        return Code("true" if value else "false", kind)
    if is_float(kind):
        return _float(kind, float(value))
    bits = int(kind.name.lstrip("uint"))
    value = int(value) & ((1 << bits) - 1)
    if not kind.name.startswith("u") and value >> (bits - 1):
        value -= 1 << bits
    suffix = {"uint32": "u", "int64": "LL", "uint64": "ULL"}.get(kind.name, "")
    if bits >= 32 and value == -(1 << (bits - 1)):
        return Code(f"(-{-(value + 1)}{suffix} - 1)", kind)
    return Code(f"{value}{suffix}", kind, UNARY if value < 0 else 13)


def _float(kind: Number, value: float) -> Code:
    suffix = "" if kind.name == "float64" else "f"
    if math.isnan(value):
        text = "NAN"
    elif math.isinf(value):
        text = "INFINITY"
    else:
        text = repr(abs(value)) + suffix
    negative = math.copysign(1.0, value) < 0.0 and not math.isnan(value)
    text = f"-{text}" if negative else text
    if is_narrow(kind):
        return Code(f"{TO_NARROW[kind.name]}({text})", kind)
    return Code(text, kind, UNARY if negative else 13)


TO_NARROW = {"float16": "__float2half", "bfloat16": "__float2bfloat16"}
FROM_NARROW = {"float16": "__half2float", "bfloat16": "__bfloat162float"}
