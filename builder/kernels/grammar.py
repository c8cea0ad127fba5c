"""The typed grammar: expressions that are valid by construction.

An expression of a type is a leaf (a name in scope, an element of an input, a component, a literal) or a
row of the ops table whose arguments are expressions of its parameter types, each held to the domain
the row asks for. Names not yet used are preferred, so that programs have no dead code.
"""

from __future__ import annotations

from collections.abc import Callable

from .conversions import cast_scalar, convertible, flag_as
from .draft import Draft
from .guards import GUARDS, LIMITS
from .in_scope import element, real_of, reals, unused_leaf, wholes
from .ops import Op, op
from .pieces import apply, built, identity, joined, number, unlike, unsigned, whole
from .program import Apply, Expr, Literal
from .types import BOOL, INT, Mat, Quat, Scalar, Transform, Value, Vec, quat, scalar_of, vec
from .vocabulary import ARITHMETIC, BASIC, MAKERS, fitting


def leaf(draft: Draft, type_: Value, *, literal: bool = True, mutable: bool = True) -> Expr:
    """Return an expression of a type without an operation where the scope has one.

    ``literal=False`` and ``mutable=False`` leave out literals and accumulators, which may still be constant.
    """
    c = draft.choices
    if not c.chance(1, 4):
        found = unused_leaf(draft, type_, mutable)
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


def convert(draft: Draft, value: Expr, type_: Value) -> Expr:
    """Return ``value`` as another type, by a conversion that keeps its information where one exists."""
    c = draft.choices
    source = value.type
    if source == type_:
        return value
    if isinstance(source, Scalar) and isinstance(type_, Scalar):
        return cast_scalar(draft, value, source, type_)
    if source == BOOL:
        return convert(draft, flag_as(value, scalar_of(type_)), type_)
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
        if args and row.family not in MAKERS and unsigned(arg) == unsigned(args[0]):
            arg = unlike(c, unsigned(arg))
        if len(row.params) == 1 and isinstance(arg, Apply) and arg.op is row:
            arg = arg.args[0]  # f(f(x)) of a projection or an involution says nothing new
        args.append(GUARDS[guard](c, arg) if guard else arg)
    return tuple(args)


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
    rows = fitting(draft, type_, families) or fitting(draft, type_, BASIC)
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
    floats, ints = reals(draft), wholes(draft)
    if ints and (not floats or c.chance(1, 3)):
        return _integer_test(draft, ints[0] if len(ints) == 1 else c.pick(ints))
    real = real_of(draft, floats)
    left = leaf(draft, real, literal=False, mutable=False)
    if c.chance(1, 3):
        left = joined(c, c.pick(("+", "-", "*")), left, expr(draft, real, c.below(2), families))
    right = number(c, type_=real) if c.chance(2, 3) else leaf(draft, real)
    return joined(c, c.pick(_COMPARE_FLOAT), left, right)


def _integer_test(draft: Draft, type_: Scalar = INT) -> Expr:
    c = draft.choices
    left = leaf(draft, type_, literal=False, mutable=False)
    if c.chance(1, 2):
        left = Apply(op("%", type_, type_), (left, whole(c, 2, 5, type_)))
        return apply(c.pick(("==", "!=")), left, whole(c, 0, 1, type_))
    return apply(c.pick(_COMPARE_INT), left, whole(c, 1, 9, type_))
