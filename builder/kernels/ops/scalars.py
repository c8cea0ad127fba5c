"""Rows on scalars: arithmetic, elementary functions, comparisons, logic, bits, conversions."""

from __future__ import annotations

from collections.abc import Iterator

from ..types import BFLOAT, BOOL, HALF, NUMBERS
from .row import Row, row
from .signature import SHORT

_UNARY_MATH = (
    ("sin", "sine", None), ("cos", "cosine", None), ("tan", "tangent", "small"),
    ("asin", "arcsine", "unit"), ("acos", "arccosine", "unit"), ("atan", "arctangent", None),
    ("sinh", "hyperbolic sine", "bounded"), ("cosh", "hyperbolic cosine", "bounded"),
    ("tanh", "hyperbolic tangent", None), ("exp", "exponential", "bounded"),
    ("log", "natural logarithm", "positive"), ("log2", "base-2 logarithm", "positive"),
    ("log10", "base-10 logarithm", "positive"), ("sqrt", "square root", "positive"),
    ("cbrt", "cube root", "positive"), ("erf", "error function", None),
    ("erfc", "complementary error function", None), ("erfinv", "inverse error function", "unit"),
    ("erfcinv", "inverse complementary error function", "above_unit"),
)  # fmt: skip
_ROUNDING = (
    ("floor", "floor"), ("ceil", "ceiling"), ("round", "rounding"), ("rint", "rounding to even"),
    ("trunc", "truncation"), ("frac", "fractional part"),
)  # fmt: skip


def _arithmetic() -> Iterator[Row]:
    for symbol, phrase in (("+", "addition"), ("-", "subtraction"), ("*", "multiplication")):
        yield row(symbol, "F F -> F", "arith", phrase)
        yield row(symbol, "I I -> I", "int", f"integer {phrase}", None, "int_small" if symbol == "*" else None)
    yield row("/", "F F -> F", "arith", "division", None, "nonzero")
    yield row("neg", "F -> F", "arith", "negation")
    yield row("%", "F F -> F", "arith2", "floating-point remainder", None, "nonzero")
    yield row("wp.min", "F F -> F", "arith2", "minimum")
    yield row("wp.max", "F F -> F", "arith2", "maximum")
    yield row("wp.abs", "F -> F", "arith2", "absolute value")
    yield row("wp.sign", "F -> F", "arith2", "sign", smooth=False)
    yield row("wp.clamp", "F F F -> F", "arith2", "clamping", None, "low", "high")
    yield row("wp.lerp", "F F F -> F", "arith2", "linear interpolation")
    yield row("wp.step", "F -> F", "arith2", "unit step", smooth=False)
    yield row("wp.copysign", "F F -> F", "arith3", "copying of a sign", smooth=False)
    yield row("wp.nonzero", "F -> F", "arith3", "test against zero", smooth=False)
    yield row("wp.div_approx", "F F -> F", "arith3", "approximate division", None, "nonzero")
    yield row("neg", "I -> I", "int", "integer negation")
    yield row("//", "I I -> I", "int", "integer division", None, "int_nonzero")
    yield row("%", "I I -> I", "int", "integer remainder", None, "int_nonzero")
    for symbol, phrase in (("wp.min", "integer minimum"), ("wp.max", "integer maximum")):
        yield row(symbol, "I I -> I", "int", phrase)
    yield row("wp.abs", "I -> I", "int", "integer absolute value")
    yield row("wp.sign", "I -> I", "int2", "integer sign")
    yield row("wp.nonzero", "I -> I", "int2", "test against zero")
    yield row("wp.clamp", "I I I -> I", "int2", "integer clamping", None, "int_low", "int_high")
    yield row("//", "F F -> F", "arith3", "floor division", None, "nonzero", smooth=False)
    yield row("pos", "N -> N", "plus", "unary plus")


def _bits() -> Iterator[Row]:
    for symbol, phrase in (("&", "bitwise and"), ("|", "bitwise or"), ("^", "bitwise exclusive or")):
        yield row(symbol, "I I -> I", "bits", phrase)
    yield row("<<", "I I -> I", "bits", "left shift", "byte", "shift")
    yield row(">>", "I I -> I", "bits", "right shift", None, "shift")
    for kind in ("V.I", "M.I"):
        for symbol, phrase in (("&", "bitwise and"), ("|", "bitwise or"), ("^", "bitwise exclusive or")):
            yield row(symbol, f"{kind} {kind} -> {kind}", "bits_vec", f"component-wise {phrase}")
        yield row("<<", f"{kind} {kind} -> {kind}", "bits_vec", "component-wise left shift", "each_byte", "each_shift")
        yield row(">>", f"{kind} {kind} -> {kind}", "bits_vec", "component-wise right shift", None, "each_shift")
        yield row("~", f"{kind} -> {kind}", "bits_vec", "component-wise bitwise complement")
    yield row("~", "I -> I", "bits2", "bitwise complement")
    yield row("wp.bit_count", "I -> i32", "bits2", "count of set bits")


def _math() -> Iterator[Row]:
    for name, phrase, guard in _UNARY_MATH:
        yield row(f"wp.{name}", "F -> F", "math" if "inv" not in name else "math3", phrase, guard)
    for name, phrase in _ROUNDING:
        yield row(f"wp.{name}", "F -> F", "math2", phrase, smooth=name == "frac")
    yield row("wp.degrees", "F -> F", "math2", "radian-to-degree conversion")
    yield row("wp.radians", "F -> F", "math2", "degree-to-radian conversion")
    yield row("wp.atan2", "F F -> F", "math", "two-argument arctangent", None, "nonzero")
    yield row("wp.pow", "F F -> F", "math", "power", "positive", "small")
    yield row("wp.smoothstep", "F F F -> F", "math2", "smooth step", "low", "high", None)


def _logic() -> Iterator[Row]:
    words = {"<": "less-than", "<=": "at-most", ">": "greater-than", ">=": "at-least"}
    for symbol, phrase in words.items():
        yield row(symbol, "F F -> b", "compare", f"{phrase} comparison", smooth=False)
        yield row(symbol, "I I -> b", "compare", f"integer {phrase} comparison", smooth=False)
    yield row("==", "I I -> b", "compare", "integer equality", smooth=False)
    yield row("!=", "I I -> b", "compare", "integer inequality", smooth=False)
    yield row("==", "F F -> b", "equal", "equality", smooth=False)
    yield row("!=", "F F -> b", "equal", "inequality", smooth=False)
    yield row("==", "b b -> b", "equal", "equality", smooth=False)
    yield row("!=", "b b -> b", "equal", "inequality", smooth=False)
    for kind in ("V", "V.I", "M", "Q", "T"):
        # No "!=": Warp generates it, but its headers do not define it for these types, so nothing compiles.
        yield row("==", f"{kind} {kind} -> b", "equal_all", "equality of all components", smooth=False)
    yield row("and", "b b -> b", "logic", "logical and", smooth=False)
    yield row("or", "b b -> b", "logic", "logical or", smooth=False)
    yield row("not", "b -> b", "logic", "logical not", smooth=False)
    for name, phrase in (("isfinite", "finiteness"), ("isnan", "not-a-number"), ("isinf", "infinity")):
        for kind in ("F", "V", "M", "Q"):
            yield row(f"wp.{name}", f"{kind} -> b", "float_test", f"{phrase} test", smooth=False)
    for kind in ("F", "I", "b", "V", "V.I", "M", "Q", "T"):
        yield row("wp.where", f"b {kind} {kind} -> {kind}", "select", "conditional selection")


def _casts() -> Iterator[Row]:
    yield row("float", "i32 -> f32", "cast", "integer-to-float conversion", smooth=False)
    yield row("int", "f32 -> i32", "cast", "float-to-integer conversion", "bounded", smooth=False)
    for target in (*NUMBERS, BFLOAT, BOOL):
        smooth, phrase = target.is_float, f"conversion to {target.name}"
        for source in ("N", "bf16") if target not in (BFLOAT, BOOL) else ("N",):
            yield row(target.text, f"{source} -> {SHORT[target]}", "convert", phrase, smooth=smooth)
        if target not in (BOOL, BFLOAT, HALF):  # a bool makes no half: ambiguous in CUDA
            yield row(target.text, f"b -> {SHORT[target]}", "convert", "conversion of a truth value", smooth=False)


def rows() -> Iterator[Row]:
    """Yield the rows in table order."""
    for part in (_arithmetic, _bits, _math, _logic, _casts):
        yield from part()
