"""The typed grammar: expressions that are valid by construction.

An expression of a type is a leaf (a name in scope, an element of an input, a component, a literal) or a
row of the ops table whose arguments are expressions of its parameter types, each held to the domain
the row asks for. Names not yet used are preferred, so that programs have no dead code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from .draft import Draft, Input
from .guards import GUARDS, LIMITS, apply, built, identity, joined, number, unlike, unsigned, whole
from .indices import place
from .ops import Op, op, ops_for
from .program import Apply, Expr, Literal
from .types import (
    BOOL,
    FLOAT,
    INT,
    Array,
    Mat,
    Opaque,
    Quat,
    Scalar,
    Several,
    Struct,
    Tile,
    Transform,
    Value,
    Vec,
    quat,
    scalar_of,
    vec,
)

ARITHMETIC = ("arith",)
NUMERIC = ("arith", "arith2")
INTEGER = ("int",)
BITS = ("int", "bits")
MATH = ("math", "arith", "math2")
VECTOR = ("vec", "vec_make", "vec_reduce", "arith")
INTEGER_MORE = ("int", "bits", "int2", "bits2")
ARITHMETIC_MORE = ("arith", "arith2", "arith3")
MATH_MORE = ("math", "arith", "math2", "math3")
VECTOR_MORE = ("vec", "vec_make", "vec_reduce", "arith", "vec2")
INTEGER_VECTOR = ("ivec", "ivec_make", "ivec_reduce", "ivec2", "bits_vec", "int")
MATRIX_MORE = ("mat", "mat_make", "mat_vec", "mat_reduce", "vec", "arith", "mat_more", "rect", "rect_vec", "rect_make")
_BASIC = ("arith", "int", "vec", "mat")
_MAKERS = ("vec_make", "mat_make")
MATRIX = ("mat", "mat_make", "mat_vec", "mat_reduce", "vec", "arith")


def _unused_leaf(draft: Draft, type_: Value, mutable: bool) -> Expr | None:
    fresh = draft.of_type(type_, unused=True, mutable=mutable)
    if fresh:
        return draft.read(draft.choices.pick(fresh))
    arrays = [array for array in draft.inputs if array.type.dtype == type_ and not array.uses]
    if arrays:
        array = draft.choices.pick(arrays)
        return draft.load(array, place(draft, array))
    return None


def leaf(draft: Draft, type_: Value, *, literal: bool = True, mutable: bool = True) -> Expr:
    """Return an expression of a type without an operation where the scope has one.

    ``literal=False`` and ``mutable=False`` leave out literals and accumulators, which may still be constant.
    """
    c = draft.choices
    if not c.chance(1, 4):
        found = _unused_leaf(draft, type_, mutable)
        if found is not None:
            return found
    options: list[Callable[[], Expr]] = []
    names = draft.of_type(type_, index=type_ == INT, mutable=mutable)
    if names:
        options.append(lambda: draft.read(c.pick(names)))
    arrays = [array for array in draft.inputs if array.type.dtype == type_]
    if arrays:
        options.append(lambda: element(draft, c.pick(arrays)))
    if isinstance(type_, Scalar) and type_.is_float:
        parts = [
            local
            for local in draft.locals
            if isinstance(local.type, (Vec, Mat, Quat)) and local.type.dtype is type_ and (mutable or not local.mutable)
        ]
        if parts:
            options.append(lambda: draft.component(draft.read(c.pick(parts))))
    if literal and isinstance(type_, Scalar) and type_ is not BOOL:
        options.append(lambda: number(c, type_=type_) if type_.is_float else whole(c, type_=type_))
    return c.pick(options)() if options else make(draft, type_)


def element(draft: Draft, array: Input) -> Expr:
    """Return an in-bounds element of an input."""
    return draft.load(array, place(draft, array))


def make(draft: Draft, type_: Value) -> Expr:
    """Return a value of a type from what the scope has, converting where it must."""
    if type_ == BOOL:
        return condition(draft, 0)
    if not isinstance(type_, Scalar):
        return _compound(draft, type_)
    c = draft.choices
    sources = [s for s in draft.locals if convertible(s.type, type_) and not (s.index or s.mutable)]
    if sources:
        return convert(draft, draft.read(c.pick(sources)), type_)
    loads = [array for array in draft.inputs if convertible(array.type.dtype, type_)]
    if loads:
        return convert(draft, element(draft, c.pick(loads)), type_)
    if draft.tid:
        return convert(draft, draft.threads()[0], type_)
    return number(c, type_=type_) if type_.is_float else whole(c, type_=type_)


def _compound(draft: Draft, type_: Value) -> Expr:
    """Return a vector, matrix, quaternion or transform made of its parts."""
    c = draft.choices
    if isinstance(type_, Vec):
        parts = tuple(leaf(draft, type_.dtype, literal=position > 0) for position in range(type_.n))
        return built(type_, parts)
    if isinstance(type_, Mat):
        rows, columns = vec(type_.rows, type_.dtype), vec(type_.cols, type_.dtype)
        if rows is columns and c.chance(1, 2):
            return apply("wp.diag", leaf(draft, rows))
        return apply("wp.outer", leaf(draft, rows), leaf(draft, columns))
    if isinstance(type_, Quat):
        angles = tuple(leaf(draft, type_.dtype, literal=position > 0) for position in range(3))
        return apply("wp.quat_rpy", *angles)
    if isinstance(type_, Transform):
        return built(type_, (leaf(draft, vec(3, type_.dtype)), leaf(draft, quat(type_.dtype))))
    raise TypeError(f"no value of {type_.name} can be made of others")


def convertible(source: Value, target: Value) -> bool:
    """Say whether :func:`convert` turns ``source`` into another type ``target``."""
    if source in (target, BOOL) or isinstance(source, (Array, Struct, Tile, Opaque, Several)):
        return False
    return not (isinstance(source, (Vec, Mat)) and not source.dtype.is_float)


def convert(draft: Draft, value: Expr, type_: Value) -> Expr:
    """Return ``value`` as another type, by a conversion that keeps its information where one exists."""
    c = draft.choices
    source = value.type
    if source == type_:
        return value
    if isinstance(source, Scalar) and isinstance(type_, Scalar):
        return _cast(draft, value, source, type_)
    if source == BOOL:
        return convert(draft, _flag(value, scalar_of(type_)), type_)
    if isinstance(source, Vec):
        ways = ("wp.length", "wp.length_sq") if source.dtype.is_float else ("wp.max", "wp.min")
        scalar = apply(c.pick(ways), value) if c.chance(1, 2) else draft.component(value)
        return convert(draft, scalar, type_)
    if isinstance(source, Mat):
        square = source.rows == source.cols
        forms = ("wp.trace", "wp.determinant") if square and source.rows < 5 else ("wp.trace",)
        scalar = apply(c.pick(forms), value) if square else draft.component(value)
        return convert(draft, scalar, type_)
    if isinstance(source, (Quat, Transform)):
        return convert(draft, draft.component(value), type_)
    return _spread(draft, convert(draft, value, scalar_of(type_)), type_)


def _flag(value: Expr, type_: Scalar) -> Expr:
    one, zero = (1, 0) if type_.is_int else (1.0, 0.0)
    return apply("wp.where", value, Literal(one, type_), Literal(zero, type_))


def _cast(draft: Draft, value: Expr, source: Scalar, type_: Scalar) -> Expr:
    if source is BOOL:
        return _flag(value, type_)
    if source.is_float and type_.is_int:
        value = GUARDS["bounded"](draft.choices, value)
    return Apply(op(type_.text, source, result=type_), (value,))


def _spread(draft: Draft, value: Expr, type_: Value) -> Expr:
    """Return a compound type of one scalar."""
    if isinstance(type_, Vec):
        return built(type_, (value,))
    if isinstance(type_, Mat) and type_.rows == type_.cols:
        return apply("*", identity(type_), value)
    if isinstance(type_, Mat):
        return apply("*", _compound(draft, type_), value)
    if isinstance(type_, Quat):
        return apply("wp.quat_rpy", value, value, value)
    return apply("*", _compound(draft, type_), value)


def _arguments(draft: Draft, row: Op, depth: int, families: tuple[str, ...]) -> tuple[Expr, ...]:
    c = draft.choices
    args: list[Expr] = []
    for position, type_ in enumerate(row.params):
        guard = row.guards[position] if position < len(row.guards) else None
        if guard in LIMITS:
            args.append(LIMITS[guard](c, scalar_of(type_)))
            continue
        deeper = depth - 1 if position == 0 else c.below(depth) if depth > 0 else 0
        literal = position > 0 and not all(isinstance(arg, Literal) for arg in args)
        arg = expr(draft, type_, deeper, families, literal=literal)
        if args and row.family not in _MAKERS and unsigned(arg) == unsigned(args[0]):
            arg = unlike(c, unsigned(arg))
        if len(row.params) == 1 and isinstance(arg, Apply) and arg.op is row:
            arg = arg.args[0]  # f(f(x)) of a projection or an involution says nothing new
        args.append(GUARDS[guard](c, arg) if guard else arg)
    return tuple(args)


@lru_cache(maxsize=4096)
def _rows_within(type_: Value, families: tuple[str, ...], known: frozenset[Value]) -> tuple[Op, ...]:
    return tuple(row for row in ops_for(type_, families) if known.issuperset(row.params))


def _fitting(draft: Draft, type_: Value, families: tuple[str, ...]) -> tuple[Op, ...]:
    """Return the rows whose vector and matrix parameters the scope can fill with what it has."""
    in_scope = [local.type for local in draft.locals]
    known = [type_, _scalar(type_), FLOAT, INT, BOOL, *in_scope, *(a.type.dtype for a in draft.inputs)]
    return _rows_within(type_, families, frozenset(known))


def _scalar(type_: Value) -> Value:
    return type_.dtype if isinstance(type_, (Vec, Mat, Quat, Transform)) else type_


def expr(
    draft: Draft,
    type_: Value,
    depth: int,
    families: tuple[str, ...],
    *,
    literal: bool = False,
    top: bool = False,
) -> Expr:
    """Return an expression of a type, at most ``depth`` operations deep, from these families of ops.

    ``top`` asks for at least one operation, ``literal`` allows a bare literal.
    """
    c = draft.choices
    if type_ == BOOL:
        return condition(draft, max(depth - 1, 0), families)
    if depth <= 0 or (not top and c.chance(1, 6)):
        return leaf(draft, type_, literal=literal)
    rows = _fitting(draft, type_, families) or _fitting(draft, type_, _BASIC)
    if not rows:
        return leaf(draft, type_, literal=literal)
    row = c.pick(rows)
    args = _arguments(draft, row, depth, families)
    return apply(row.symbol, *args) if row.infix else Apply(row, args)


_COMPARE_FLOAT = ("<", ">", "<=", ">=")
_COMPARE_INT = ("<", ">", "==", "!=", "<=", ">=")


def condition(draft: Draft, depth: int, families: tuple[str, ...] = ARITHMETIC) -> Expr:
    """Return a boolean expression that depends on a name or an input."""
    c = draft.choices
    if depth > 0 and c.chance(1, 2):
        word = c.pick(("and", "or", "not"))
        first = condition(draft, depth - 1, families)
        if word == "not":
            return apply("not", first)
        second = condition(draft, depth - 1, families)
        return apply(word, first, second if second != first else comparison(draft, families))
    flags = draft.of_type(BOOL)
    if flags and c.chance(1, 3):
        return draft.read(c.pick(flags))
    return comparison(draft, families)


def _reals(draft: Draft) -> list[Scalar]:
    """Return the float types of the inputs and of the locals that are no accumulators."""
    types = [a.type.dtype for a in draft.inputs] + [local.type for local in draft.locals if not local.mutable]
    return [t for t in dict.fromkeys(types) if isinstance(t, Scalar) and t.is_float]


def _wholes(draft: Draft) -> list[Scalar]:
    """Return the integer types likewise, without thread indices and loop counters."""
    types = [a.type.dtype for a in draft.inputs]
    types += [local.type for local in draft.locals if not (local.mutable or local.index)]
    return [t for t in dict.fromkeys(types) if isinstance(t, Scalar) and t.is_int]


def comparison(draft: Draft, families: tuple[str, ...]) -> Expr:
    """Return a comparison of a name or an input with a literal or another value."""
    c = draft.choices
    floats, ints = _reals(draft), _wholes(draft)
    if ints and (not floats or c.chance(1, 3)):
        return _integer_test(draft, ints[0] if len(ints) == 1 else c.pick(ints))
    real = _real(draft, floats)
    left = leaf(draft, real, literal=False, mutable=False)
    if c.chance(1, 3):
        left = joined(c, c.pick(("+", "-", "*")), left, expr(draft, real, c.below(2), families))
    right = number(c, type_=real) if c.chance(2, 3) else leaf(draft, real)
    return joined(c, c.pick(_COMPARE_FLOAT), left, right)


def _real(draft: Draft, floats: list[Scalar]) -> Scalar:
    """Return one of these float types; where there is none, that of the vectors in scope, or float32."""
    if floats:
        return floats[0] if len(floats) == 1 else draft.choices.pick(floats)
    types = [a.type.dtype for a in draft.inputs] + [local.type for local in draft.locals]
    inner = [t.dtype for t in types if isinstance(t, (Vec, Mat, Quat, Transform)) and t.dtype.is_float]
    return inner[0] if inner else FLOAT


def _integer_test(draft: Draft, type_: Scalar = INT) -> Expr:
    c = draft.choices
    left = leaf(draft, type_, literal=False, mutable=False)
    if c.chance(1, 2):
        left = Apply(op("%", type_, type_), (left, whole(c, 2, 5, type_)))
        return apply(c.pick(("==", "!=")), left, whole(c, 0, 1, type_))
    return apply(c.pick(_COMPARE_INT), left, whole(c, 1, 9, type_))
