"""The typed grammar: expressions that are valid by construction.

An expression of a type is a leaf (a name in scope, an element of an input, a component, a literal) or a
row of the ops table whose arguments are expressions of its parameter types, each held to the domain
the row asks for. Names not yet used are preferred, so that programs have no dead code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from .draft import Draft, Input
from .guards import GUARDS, LIMITS, apply, identity, joined, number, unlike, unsigned, whole
from .indices import place
from .ops import Op, op, ops_for
from .program import Apply, Expr, Literal
from .types import BOOL, DOUBLE, FLOAT, HALF, INT, Mat, Scalar, Value, Vec, scalar_of, vec

ARITHMETIC = ("arith",)
NUMERIC = ("arith", "arith2")
INTEGER = ("int",)
BITS = ("int", "bits")
MATH = ("math", "arith", "math2")
VECTOR = ("vec", "vec_make", "vec_reduce", "arith")
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
    if type_ == FLOAT:
        parts = [
            local for local in draft.locals if isinstance(local.type, (Vec, Mat)) and (mutable or not local.mutable)
        ]
        if parts:
            options.append(lambda: draft.component(draft.read(c.pick(parts))))
    if literal and type_ in (FLOAT, INT):
        options.append(lambda: number(c) if type_ == FLOAT else whole(c))
    return c.pick(options)() if options else make(draft, type_)


def element(draft: Draft, array: Input) -> Expr:
    """Return an in-bounds element of an input."""
    return draft.load(array, place(draft, array))


def make(draft: Draft, type_: Value) -> Expr:
    """Return a value of a type from what the scope has, converting where it must."""
    c = draft.choices
    if type_ == BOOL:
        return condition(draft, 0)
    if isinstance(type_, Scalar) and type_ not in (FLOAT, INT):
        return _of_thread(draft, type_)
    if isinstance(type_, Vec):
        parts = tuple(leaf(draft, type_.dtype, literal=position > 0) for position in range(type_.n))
        return Apply(op(type_.text, *(type_.dtype,) * type_.n), parts)
    if isinstance(type_, Mat):
        column = vec(type_.n, type_.dtype)
        if c.chance(1, 2):
            return apply("wp.diag", leaf(draft, column))
        return apply("wp.outer", leaf(draft, column), leaf(draft, column))
    sources = [s for s in draft.locals if s.type is not type_ and _converts(s.type) and not (s.index or s.mutable)]
    if sources:
        return convert(draft, draft.read(c.pick(sources)), type_)
    loads = [array for array in draft.inputs if array.type.dtype not in (BOOL, type_)]
    if loads:
        return convert(draft, element(draft, c.pick(loads)), type_)
    return convert(draft, draft.threads()[0], type_) if type_ == FLOAT else draft.threads()[0]


def _converts(type_: Value) -> bool:
    """Say whether :func:`convert` takes a value of this type."""
    return type_ in (FLOAT, INT) or (isinstance(type_, (Vec, Mat)) and type_.dtype is FLOAT)


def _of_thread(draft: Draft, type_: Scalar) -> Expr:
    """Return a value of a scalar type that the scope has nothing of: the thread's index, in a function a literal."""
    threads = draft.threads()
    if threads and type_ in (DOUBLE, HALF):
        return Apply(op(type_.text, INT, result=type_), (threads[0],))
    return number(draft.choices, type_=type_) if type_.is_float else whole(draft.choices, type_=type_)


def convert(draft: Draft, value: Expr, type_: Value) -> Expr:
    """Return ``value`` as another type, by a conversion that keeps its information where one exists."""
    c = draft.choices
    source = value.type
    if source == type_:
        return value
    if source == BOOL:
        one, zero = (Literal(1.0, FLOAT), Literal(0.0, FLOAT)) if type_ != INT else (Literal(1, INT), Literal(0, INT))
        return convert(draft, apply("wp.where", value, one, zero), type_)
    if source == INT:
        return convert(draft, apply("float", value), type_)
    if isinstance(source, Vec):
        scalar = apply(c.pick(("wp.length", "wp.length_sq")), value) if c.chance(1, 2) else draft.component(value)
        return convert(draft, scalar, type_)
    if isinstance(source, Mat):
        return convert(draft, apply(c.pick(("wp.trace", "wp.determinant")), value), type_)
    if type_ == INT:
        return apply("int", GUARDS["bounded"](c, value))
    if isinstance(type_, Vec):
        return Apply(op(type_.text, FLOAT), (value,))
    return apply("*", identity(type_), value)


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
    return _rows_within(
        type_, families, frozenset([type_, FLOAT, INT, BOOL, *in_scope, *(a.type.dtype for a in draft.inputs)])
    )


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


def comparison(draft: Draft, families: tuple[str, ...]) -> Expr:
    """Return a comparison of a name or an input with a literal or another value."""
    c = draft.choices
    floats = any(a.type.dtype == FLOAT for a in draft.inputs) or draft.of_type(FLOAT, mutable=False)
    ints = any(a.type.dtype == INT for a in draft.inputs) or draft.of_type(INT, index=False, mutable=False)
    if ints and (not floats or c.chance(1, 3)):
        return _integer_test(draft)
    left = leaf(draft, FLOAT, literal=False, mutable=False)
    if c.chance(1, 3):
        left = joined(c, c.pick(("+", "-", "*")), left, expr(draft, FLOAT, c.below(2), families))
    right = number(c) if c.chance(2, 3) else leaf(draft, FLOAT)
    return joined(c, c.pick(_COMPARE_FLOAT), left, right)


def _integer_test(draft: Draft) -> Expr:
    c = draft.choices
    left = leaf(draft, INT, literal=False, mutable=False)
    if c.chance(1, 2):
        left = Apply(op("%", INT, INT), (left, whole(c, 2, 5)))
        return apply(c.pick(("==", "!=")), left, whole(c, 0, 1))
    return apply(c.pick(_COMPARE_INT), left, whole(c, 1, 9))
