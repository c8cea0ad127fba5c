"""The ops table: every operation a program may use is one row.

A row says the types it takes and gives, how it is written, which domain each argument must be held to
(a guard the grammar applies), a family the categories choose by, a phrase for descriptions, and
whether its adjoint is defined. Adding a Warp builtin is adding a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from .program import BOOL, FLOAT, INT, MAT22, MAT33, MAT44, VEC2, VEC3, VEC4, VEC_OF, Mat, Value, Vec

VECS = (VEC2, VEC3, VEC4)
MATS = (MAT22, MAT33, MAT44)

# Python's precedence of the infix operators in use; a call or a name binds tightest.
PRECEDENCE = {
    "or": 1, "and": 2, "not": 3,
    "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4,
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "neg": 11,
}  # fmt: skip
TIGHTEST = 20


@dataclass(frozen=True, eq=False)
class Op:
    """One row. ``symbol`` is an infix operator, ``neg``/``not``, or the callable's name.

    Attributes:
        guards: a guard name or None for each parameter (see ``guards.py``).
        family: what the categories select by.
        phrase: the operation in a description.
        smooth: whether the adjoint is defined almost everywhere in the guarded domain.
        extra: fixed keyword arguments of the call.
    """

    symbol: str
    params: tuple[Value, ...]
    result: Value
    family: str
    phrase: str
    guards: tuple[str | None, ...] = ()
    smooth: bool = True
    extra: str = ""

    @property
    def infix(self) -> bool:
        return self.symbol in PRECEDENCE and len(self.params) == 2

    @property
    def prefix(self) -> bool:
        return self.symbol in ("neg", "not")

    @cached_property
    def builtin(self) -> str | None:
        """The Warp builtin this row calls, or None for operators and conversions."""
        return self.symbol.removeprefix("wp.") if self.symbol.startswith("wp.") else None


def _scalar_rows() -> Iterator[Op]:
    f, i = FLOAT, INT
    for symbol, phrase in (("+", "addition"), ("-", "subtraction"), ("*", "multiplication")):
        yield Op(symbol, (f, f), f, "arith", phrase)
        guards = (None, "int_small" if symbol == "*" else None)
        yield Op(symbol, (i, i), i, "int", f"integer {phrase}", guards, smooth=False)
    yield Op("/", (f, f), f, "arith", "division", (None, "nonzero"))
    yield Op("neg", (f,), f, "arith", "negation")
    yield Op("%", (f, f), f, "arith2", "floating-point remainder", (None, "nonzero"))
    yield Op("wp.min", (f, f), f, "arith2", "minimum")
    yield Op("wp.max", (f, f), f, "arith2", "maximum")
    yield Op("wp.abs", (f,), f, "arith2", "absolute value")
    yield Op("wp.sign", (f,), f, "arith2", "sign", smooth=False)
    yield Op("wp.clamp", (f, f, f), f, "arith2", "clamping", (None, "low", "high"))
    yield Op("wp.lerp", (f, f, f), f, "arith2", "linear interpolation")
    yield Op("wp.step", (f,), f, "arith2", "unit step", smooth=False)
    yield Op("//", (i, i), i, "int", "integer division", (None, "int_nonzero"), smooth=False)
    yield Op("%", (i, i), i, "int", "integer remainder", (None, "int_nonzero"), smooth=False)
    for symbol, phrase in (("wp.min", "integer minimum"), ("wp.max", "integer maximum")):
        yield Op(symbol, (i, i), i, "int", phrase, smooth=False)
    yield Op("wp.abs", (i,), i, "int", "integer absolute value", smooth=False)
    for symbol, phrase in (("&", "bitwise and"), ("|", "bitwise or"), ("^", "bitwise exclusive or")):
        yield Op(symbol, (i, i), i, "bits", phrase, smooth=False)
    yield Op("<<", (i, i), i, "bits", "left shift", ("byte", "shift"), smooth=False)
    yield Op(">>", (i, i), i, "bits", "right shift", (None, "shift"), smooth=False)
    yield Op("float", (i,), f, "cast", "integer-to-float conversion", smooth=False)
    yield Op("int", (f,), i, "cast", "float-to-integer conversion", ("bounded",), smooth=False)


_UNARY_MATH = (
    ("sin", "sine", None), ("cos", "cosine", None), ("tan", "tangent", "small"),
    ("asin", "arcsine", "unit"), ("acos", "arccosine", "unit"), ("atan", "arctangent", None),
    ("sinh", "hyperbolic sine", "bounded"), ("cosh", "hyperbolic cosine", "bounded"),
    ("tanh", "hyperbolic tangent", None), ("exp", "exponential", "bounded"),
    ("log", "natural logarithm", "positive"), ("log2", "base-2 logarithm", "positive"),
    ("log10", "base-10 logarithm", "positive"), ("sqrt", "square root", "positive"),
    ("cbrt", "cube root", "positive"), ("erf", "error function", None),
    ("erfc", "complementary error function", None),
)  # fmt: skip
_ROUNDING = (
    ("floor", "floor"), ("ceil", "ceiling"), ("round", "rounding"), ("rint", "rounding to even"),
    ("trunc", "truncation"), ("frac", "fractional part"),
)  # fmt: skip
_ANGLES = (("degrees", "radian-to-degree conversion"), ("radians", "degree-to-radian conversion"))


def _math_rows() -> Iterator[Op]:
    f = FLOAT
    for name, phrase, guard in _UNARY_MATH:
        yield Op(f"wp.{name}", (f,), f, "math", phrase, (guard,))
    for name, phrase in _ROUNDING:
        yield Op(f"wp.{name}", (f,), f, "math2", phrase, smooth=name == "frac")
    for name, phrase in _ANGLES:
        yield Op(f"wp.{name}", (f,), f, "math2", phrase)
    yield Op("wp.atan2", (f, f), f, "math", "two-argument arctangent", (None, "nonzero"))
    yield Op("wp.pow", (f, f), f, "math", "power", ("positive", "small"))
    yield Op("wp.smoothstep", (f, f, f), f, "math2", "smooth step", ("low", "high", None))


def _logic_rows() -> Iterator[Op]:
    words = {"<": "less-than", "<=": "at-most", ">": "greater-than", ">=": "at-least"}
    for symbol, phrase in words.items():
        yield Op(symbol, (FLOAT, FLOAT), BOOL, "compare", f"{phrase} comparison", smooth=False)
        yield Op(symbol, (INT, INT), BOOL, "compare", f"integer {phrase} comparison", smooth=False)
    yield Op("==", (INT, INT), BOOL, "compare", "integer equality", smooth=False)
    yield Op("!=", (INT, INT), BOOL, "compare", "integer inequality", smooth=False)
    yield Op("and", (BOOL, BOOL), BOOL, "logic", "logical and", smooth=False)
    yield Op("or", (BOOL, BOOL), BOOL, "logic", "logical or", smooth=False)
    yield Op("not", (BOOL,), BOOL, "logic", "logical not", smooth=False)
    for kind in (FLOAT, INT, *VECS):
        yield Op("wp.where", (BOOL, kind, kind), kind, "select", "conditional selection", smooth=kind is not INT)


def _vec_rows(v: Vec) -> Iterator[Op]:
    f = FLOAT
    yield Op("+", (v, v), v, "vec", "vector addition")
    yield Op("-", (v, v), v, "vec", "vector subtraction")
    yield Op("*", (v, f), v, "vec", "vector scaling")
    yield Op("*", (f, v), v, "vec", "vector scaling")
    yield Op("/", (v, f), v, "vec", "vector division by a scalar", (None, "nonzero"))
    yield Op("neg", (v,), v, "vec", "vector negation")
    yield Op("wp.cw_mul", (v, v), v, "vec", "component-wise product")
    yield Op("wp.cw_div", (v, v), v, "vec", "component-wise quotient", (None, "vec_nonzero"))
    yield Op("wp.normalize", (v,), v, "vec", "normalisation")
    yield Op("wp.min", (v, v), v, "vec", "component-wise minimum")
    yield Op("wp.max", (v, v), v, "vec", "component-wise maximum")
    yield Op("wp.abs", (v,), v, "vec", "component-wise absolute value")
    yield Op("wp.sign", (v,), v, "vec", "component-wise sign", smooth=False)
    yield Op("wp.lerp", (v, v, f), v, "vec", "vector interpolation")
    yield Op(v.text, (f,) * v.n, v, "vec_make", f"{v.n}-vector construction")
    yield Op(v.text, (f,), v, "vec_make", f"{v.n}-vector broadcast")
    yield Op("wp.dot", (v, v), f, "vec_reduce", "dot product")
    yield Op("wp.length", (v,), f, "vec_reduce", "vector length")
    yield Op("wp.length_sq", (v,), f, "vec_reduce", "squared vector length")
    yield Op("wp.min", (v,), f, "vec_reduce", "smallest component")
    yield Op("wp.max", (v,), f, "vec_reduce", "largest component")
    if v.n == 3:
        yield Op("wp.cross", (v, v), v, "vec", "cross product")


def _mat_rows(m: Mat) -> Iterator[Op]:
    f, v = FLOAT, VEC_OF[m.n]
    yield Op("+", (m, m), m, "mat", "matrix addition")
    yield Op("-", (m, m), m, "mat", "matrix subtraction")
    yield Op("*", (m, m), m, "mat", "matrix product")
    yield Op("*", (m, f), m, "mat", "matrix scaling")
    yield Op("*", (f, m), m, "mat", "matrix scaling")
    yield Op("/", (m, f), m, "mat", "matrix division by a scalar", (None, "nonzero"))
    yield Op("neg", (m,), m, "mat", "matrix negation")
    yield Op("wp.transpose", (m,), m, "mat", "transposition")
    yield Op("wp.cw_mul", (m, m), m, "mat", "element-wise matrix product")
    yield Op("wp.cw_div", (m, m), m, "mat", "element-wise matrix quotient", (None, "mat_nonzero"))
    yield Op("wp.inverse", (m,), m, "mat", "matrix inverse", ("mat_regular",))
    yield Op("wp.outer", (v, v), m, "mat_make", "outer product")
    yield Op("wp.diag", (v,), m, "mat_make", "diagonal matrix construction")
    yield Op("wp.identity", (), m, "constant", "identity matrix", extra=f"n={m.n}, dtype=float")
    yield Op("wp.matrix_from_rows", (v,) * m.n, m, "mat_make", "matrix construction from rows")
    yield Op("wp.matrix_from_cols", (v,) * m.n, m, "mat_make", "matrix construction from columns")
    yield Op("*", (m, v), v, "mat_vec", "matrix-vector product")
    yield Op("*", (v, m), v, "mat_vec", "vector-matrix product")
    yield Op("wp.get_diag", (m,), v, "mat_vec", "matrix diagonal")
    yield Op("wp.determinant", (m,), f, "mat_reduce", "determinant")
    yield Op("wp.trace", (m,), f, "mat_reduce", "trace")
    yield Op("wp.ddot", (m, m), f, "mat_reduce", "double-dot product")


def _rows() -> Iterator[Op]:
    yield from _scalar_rows()
    yield from _math_rows()
    yield from _logic_rows()
    for vec in VECS:
        yield from _vec_rows(vec)
    for mat in MATS:
        yield from _mat_rows(mat)


TABLE: tuple[Op, ...] = tuple(_rows())


@cache
def ops_for(result: Value, families: tuple[str, ...]) -> tuple[Op, ...]:
    """Return the rows of these families that give this type, in table order."""
    return tuple(op for op in TABLE if op.result == result and op.family in families)


@cache
def op(symbol: str, *params: Value, result: Value | None = None) -> Op:
    """Return the row for this symbol on these parameter types (and result, where those do not tell).

    Raises:
        KeyError: the table has no such row.
    """
    for row in TABLE:
        if row.symbol == symbol and row.params == params and result in (None, row.result):
            return row
    raise KeyError(f"no op {symbol} on {', '.join(p.name for p in params)}")
