"""Helpers for vectors and matrices, component by component."""

from __future__ import annotations

from ..codegen.arguments import Block, Kind, Number
from ..errors import StandaloneRejection
from .helpers import Helpers, helper, plain
from .scalars import clamp, convert, fitted, math_call
from .types import BOOL, INT, count, is_float, is_small, literal, make, name_of, part, zero

_WORDS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "bit_and": "&", "bit_or": "|", "bit_xor": "^", "lshift": "<<",
    "rshift": ">>",
}  # fmt: skip


@helper
def operator(h: Helpers, word: str, result: Block, left: Kind, right: Kind) -> str:
    """An operator on blocks of one kind, or on a block and a number."""
    symbol = _WORDS[word]
    return h.elementwise(f"operator{symbol}", result, [(left, "a"), (right, "b")], lambda a, b: f"{a} {symbol} {b}")


@helper
def operator_in_place(h: Helpers, word: str, kind: Block, value: Kind) -> str:
    """An operator that changes a block."""
    h.need("operator", word, kind, kind, value)
    symbol = _WORDS[word]
    head = f"__device__ inline void operator{symbol}=({h.type(kind)} &a, {h.parameter(value, 'b')})"
    return f"{head} {{\n  a = a {symbol} b;\n}}\n"


@helper
def negative(h: Helpers, kind: Block) -> str:
    """The other sign."""
    return h.elementwise("operator-", kind, [(kind, "a")], lambda a: f"-{a}")


@helper
def invert(h: Helpers, kind: Block) -> str:
    """All bits the other way."""
    return h.elementwise("operator~", kind, [(kind, "a")], lambda a: f"~{a}")


@helper
def cw_mul(h: Helpers, kind: Block) -> str:
    """Products of components."""
    return h.elementwise("cw_mul", kind, [(kind, "a"), (kind, "b")], lambda a, b: f"{a} * {b}")


@helper
def cw_div(h: Helpers, kind: Block) -> str:
    """Quotients of components."""
    return h.elementwise("cw_div", kind, [(kind, "a"), (kind, "b")], lambda a, b: f"{a} / {b}")


@helper
def mod(h: Helpers, kind: Block) -> str:
    """Remainders of components."""

    def one(a: str, b: str) -> str:
        if is_float(kind.number):
            return math_call("mod", kind.number, plain(kind.number, a), plain(kind.number, b)).text
        return f"{a} % {b}"

    return h.elementwise("mod", kind, [(kind, "a"), (kind, "b")], one)


@helper
def lerp(h: Helpers, kind: Kind) -> str:
    """Between two values."""
    if isinstance(kind, Number):
        one = literal(kind, 1).text
        return h.function("lerp", kind, [(kind, "a"), (kind, "b"), (kind, "t")], f"return a * ({one} - t) + b * t;")
    assert isinstance(kind, Block)
    number, one = kind.number, literal(kind.number, 1).text
    return h.elementwise(
        "lerp", kind, [(kind, "a"), (kind, "b"), (number, "t")], lambda a, b, t: f"{a} * ({one} - {t}) + {b} * {t}"
    )


@helper
def smoothstep(h: Helpers, number: Number) -> str:
    """Hermite interpolation."""
    three, two = literal(number, 3).text, literal(number, 2).text
    inside = clamp(number, plain(number, "(x - edge0) / (edge1 - edge0)"), literal(number, 0), literal(number, 1))
    params: list[tuple[Kind, str]] = [(number, "edge0"), (number, "edge1"), (number, "x")]
    return h.function(
        "smoothstep", number, params, f"{name_of(number)} t = {inside.text};", f"return t * t * ({three} - {two} * t);"
    )


@helper
def dot(h: Helpers, kind: Block) -> str:
    """The sum of the products of components."""
    n = count(kind)
    params: list[tuple[Kind, str]] = [(kind, "a"), (kind, "b")]
    if n <= 4:
        text = " + ".join(f"{part(kind, 'a', i)} * {part(kind, 'b', i)}" for i in range(n))
        return h.function(
            "dot", kind.number, params, f"return {fitted(plain(kind.number, text, 10), kind.number).text};"
        )
    loops = [f"for (int i = 0; i < {kind.shape[0]}; ++i)", "  sum += a.c[i] * b.c[i];"]
    if kind.family == "matrix":
        loops = [
            f"for (int i = 0; i < {kind.shape[0]}; ++i)",
            f"  for (int j = 0; j < {kind.shape[1]}; ++j)",
            "    sum += a.m[i][j] * b.m[i][j];",
        ]
    first = f"{name_of(kind.number)} sum = {zero(kind.number)};"
    return h.function("dot", kind.number, params, first, *loops, "return sum;")


@helper
def length(h: Helpers, kind: Block) -> str:
    """The Euclidean length."""
    h.need("dot", kind)
    root = math_call("sqrt", kind.number, plain(kind.number, "dot(a, a)"))
    return h.function("length", kind.number, [(kind, "a")], f"return {root.text};")


@helper
def normalize(h: Helpers, kind: Block) -> str:
    """A block of length 1; zero, or the identity of rotations, stays for one of length 0."""
    h.need("length", kind)
    number, nil = name_of(kind.number), zero(kind.number)
    if kind.family == "quaternion":
        h.need("operator", "mul", kind, kind, kind.number)
        one = literal(kind.number, 1).text
        lines = [f"return l > {nil} ? a * ({one} / l) : {make(kind, [nil, nil, nil, one])};"]
    else:
        h.need("operator", "div", kind, kind, kind.number)
        lines = [f"return l > {nil} ? a / l : {zero(kind)};"]
    return h.function("normalize", kind, [(kind, "a")], f"{number} l = length(a);", *lines)


@helper
def cross(h: Helpers, kind: Block) -> str:
    """The cross product."""
    parts = ["a.y * b.z - a.z * b.y", "a.z * b.x - a.x * b.z", "a.x * b.y - a.y * b.x"]
    if is_small(kind.number):
        parts = [f"({name_of(kind.number)})({text})" for text in parts]
    return h.function("cross", kind, [(kind, "a"), (kind, "b")], f"return {make(kind, parts)};")


@helper
def equal(h: Helpers, kind: Block) -> str:
    """Whether all components are equal."""
    text = " && ".join(f"{part(kind, 'a', i)} == {part(kind, 'b', i)}" for i in range(count(kind)))
    return h.function("equal", BOOL, [(kind, "a"), (kind, "b")], f"return {text};")


@helper
def at(h: Helpers, kind: Block) -> str:
    """A component by an index that is not known before; counted from the end if it is negative."""
    n = count(kind)
    if kind.family not in ("vector", "quaternion") or n > 4:
        raise StandaloneRejection(f"index into {name_of(kind)}")
    texts = []
    for const in ("", "const "):
        tests = "".join(f"  if (i == {k})\n    return a.{'xyzw'[k]};\n" for k in range(n - 1))
        head = f"__device__ inline {const}{name_of(kind.number)} &at({const}{h.type(kind)} &a, int i) {{\n"
        texts.append(f"{head}  i = i < 0 ? i + {n} : i;\n{tests}  return a.{'xyzw'[n - 1]};\n}}\n")
    return "".join(texts)


@helper
def wrapped(h: Helpers) -> str:
    """An index that counts from the end if it is negative."""
    return h.function("wrapped", INT, [(INT, "i"), (INT, "n")], "return i < 0 ? i + n : i;")


@helper
def floordiv(h: Helpers, number: Number) -> str:
    """Division that rounds down, as Python's."""
    a, t = name_of(number), "return q;"
    if is_float(number):
        inner = math_call("floor", number, plain(number, "a / b"))
        return h.function("floordiv", number, [(number, "a"), (number, "b")], f"return {inner.text};")
    lines = [f"{a} q = a / b;", "if (a % b != 0 && (a < 0) != (b < 0))", "  --q;", t]
    return h.function("floordiv", number, [(number, "a"), (number, "b")], *lines)


@helper
def outer(h: Helpers, left: Block, right: Block) -> str:
    """The outer product."""
    kind = Block("matrix", (left.shape[0], right.shape[0]), left.number)
    n, m = kind.shape
    parts = [f"{part(left, 'a', i)} * {part(right, 'b', j)}" for i in range(n) for j in range(m)]
    return h.function("outer", kind, [(left, "a"), (right, "b")], f"return {make(kind, parts)};")


@helper
def fill(h: Helpers, kind: Block) -> str:
    """A block of one number."""
    n = count(kind)
    return h.function(f"fill_{name_of(kind)}", kind, [(kind.number, "a")], f"return {make(kind, ['a'] * n)};")


@helper
def converted(h: Helpers, kind: Block, source: Block) -> str:
    """A block of another kind of numbers."""
    name = f"to_{name_of(kind)}"
    return h.elementwise(name, kind, [(source, "a")], lambda a: convert(plain(source.number, a), kind.number).text)


@helper
def length_sq(h: Helpers, kind: Block) -> str:
    """The square of the length."""
    h.need("dot", kind)
    return h.function("length_sq", kind.number, [(kind, "a")], "return dot(a, a);")


@helper
def frac(h: Helpers, number: Number) -> str:
    """What lies behind the point."""
    whole = math_call("trunc", number, plain(number, "x"))
    return h.function("frac", number, [(number, "x")], f"return x - {whole.text};")


@helper
def lower_bound(h: Helpers, number: Number) -> str:
    """The first place from ``begin`` whose number is not less than a value; the last place if there is none."""
    t = h.type(number)
    return (
        f"__device__ inline int lower_bound(const {t} *a, int begin, int end, {t} value) {{\n"
        "  int low = begin, high = end - 1;\n"
        "  while (low < high) {\n    const int middle = low + (high - low) / 2;\n"
        "    if (a[middle] < value)\n      low = middle + 1;\n    else\n      high = middle;\n  }\n"
        "  return low;\n}\n"
    )
