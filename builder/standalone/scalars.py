"""Warp's functions of numbers, as CUDA's."""

from __future__ import annotations

from ..codegen.arguments import Number
from ..errors import StandaloneRejection
from .code import Code, call, cast, unary
from .types import FLOAT, FROM_NARROW, NUMBERS, TO_NARROW, is_float, is_int, is_narrow, is_small, literal, name_of

# Functions of floats: what CUDA calls them for float and for double.
SAME = (
    "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "exp", "log", "log2", "log10", "sqrt", "cbrt",
    "erf", "erfc", "erfinv", "erfcinv", "floor", "ceil", "trunc", "rint", "round", "atan2", "pow", "copysign",
)  # fmt: skip
MATH = {
    **{name: (f"{name}f", name) for name in SAME},
    **{name: (f"{name}f", name) for name in ("acos", "asin")},
    "mod": ("fmodf", "fmod"),
    "abs": ("fabsf", "fabs"),
    "min": ("fminf", "fmin"),
    "max": ("fmaxf", "fmax"),
}
# What has a meaning of its own in C++: the names that a program of ours must not give to others.
CUDA_NAMES = frozenset(name for pair in MATH.values() for name in pair) | {
    "min",
    "max",
    "abs",
    "isnan",
    "isinf",
    "isfinite",
}

_DEGREES, _RADIANS = "57.29577951308232087679", "0.01745329251994329577"


def to_float(code: Code) -> Code:
    """Return a narrow float as float, all else as it is."""
    if isinstance(code.kind, Number) and is_narrow(code.kind):
        return call(FROM_NARROW[code.kind.name], FLOAT, code)
    return code


def narrowed(code: Code, number: Number) -> Code:
    """Return a float as a number of a narrow kind."""
    return call(TO_NARROW[number.name], number, code) if is_narrow(number) else code


def math_call(name: str, number: Number, *args: Code) -> Code:
    """Return a call of one of :data:`MATH`."""
    single, double = MATH[name]
    if number.name == "float64":
        return call(double, number, *args)
    return narrowed(call(single, FLOAT, *map(to_float, args)), number)


def convert(code: Code, number: Number) -> Code:
    """Return a number as another kind, as C does it."""
    source = code.kind
    if not isinstance(source, Number):
        raise StandaloneRejection(f"conversion of {name_of(source)}")
    if source == number:
        return code
    code = to_float(code)
    if is_narrow(number):
        return narrowed(code if code.kind == FLOAT else cast("float", code, FLOAT), number)
    if number == code.kind:
        return code
    if number.name == "bool":
        return Code(f"{code.inside(8)} != {literal(code.kind, 0).text}", number, 7)  # type: ignore[arg-type]
    return cast(NUMBERS[number.name], code, number)


def fitted(code: Code, number: Number) -> Code:
    """Return what C++ has computed as int as the small whole number that Warp computes."""
    return cast(name_of(number), code, number) if is_small(number) else code


def truth(code: Code) -> Code:
    """Return a condition that C++ takes."""
    return to_float(code)


def negative(code: Code, number: Number) -> Code:
    """Return a number with the other sign."""
    return fitted(unary("-", code, number), number)


def _where(test: str, yes: Code, no: Code, number: Number) -> Code:
    return Code(f"{test} ? {yes.text} : {no.text}", number, 1)


def special(name: str, number: Number, args: tuple[Code, ...]) -> Code | None:
    """Return what stands for a function that CUDA has no name for; None if it is none of numbers."""
    one, nil = literal(number, 1), literal(number, 0)
    x = args[0]
    if name in ("degrees", "radians") and is_float(number):
        factor = _DEGREES if name == "degrees" else _RADIANS
        if number.name == "float64":
            return Code(f"{x.inside(11)} * {factor}", number, 11)
        return narrowed(Code(f"(float)({to_float(x).inside(11)} * {factor})", FLOAT, 12), number)
    if name == "tensordot":
        return Code(f"{x.inside(11)} * {args[1].inside(12)}", number, 11)
    if name == "div_approx":
        return Code(f"{x.inside(11)} / {args[1].inside(12)}", number, 11)
    if name == "sign" and number.name.startswith("u"):
        return one
    if name == "sign":
        return _where(f"{x.inside(9)} < {nil.text}", literal(number, -1), one, number)
    if name == "step":
        return nil if number.name.startswith("u") else _where(f"{x.inside(9)} < {nil.text}", one, nil, number)
    if name == "nonzero":
        return _where(f"{x.inside(8)} == {nil.text}", nil, one, number)
    return None


def absolute(number: Number, x: Code) -> Code:
    """Return the absolute value of a number."""
    if is_float(number):
        return math_call("abs", number, x)
    if number.name.startswith("u"):
        return x
    return fitted(call("llabs" if number.name == "int64" else "abs", number, x), number)


def least(name: str, number: Number, a: Code, b: Code) -> Code:
    """Return the ``min`` or ``max`` of two numbers."""
    if is_float(number):
        return math_call(name, number, a, b)
    return fitted(call(name, number, a, b), number)


def clamp(number: Number, x: Code, low: Code, high: Code) -> Code:
    """Return a number within limits."""
    return least("min", number, least("max", number, low, x), high)


def power(number: Number, a: Code, b: Code) -> Code:
    """Return a power of floats."""
    if is_int(number):
        raise StandaloneRejection("pow of whole numbers")
    return math_call("pow", number, a, b)
