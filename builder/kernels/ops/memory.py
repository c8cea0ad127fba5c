"""Operations on memory: atomics that give the old value, arrays made in a kernel, searches, what is printed or checked.

The specials here take arrays, so their types depend on the array's elements and dimensions (see ``special.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..types import BOOL, INT, UINT64, Array, Mat, Quat, Scalar, Tile, Transform, Value, Vec, scalar_of
from .row import Row, row
from .special import special

if TYPE_CHECKING:
    from ..program import Expr

_BITS = ("int32", "uint32", "int64", "uint64")
_ORDERED = ("float32", "float64", "int32", "uint32", "int64", "uint64")


def rows() -> Iterator[Row]:
    """Yield the rows in table order."""
    for kind, what in (("M", "matrix"), ("Q", "quaternion"), ("T", "transform")):
        yield row("wp.lerp", f"{kind} {kind} F -> {kind}", "blend", f"{what} interpolation")
    yield row("wp.block_dim", "-> i32", "launch", "number of threads of a block", smooth=False)


def _updated(args: tuple[Expr, ...], operands: int, allowed: tuple[str, ...]) -> Value:
    """Return the element type of ``array, index..., operand...``; check the arguments."""
    array = args[0].type
    if not isinstance(array, Array) or array.kind != "array":
        raise ValueError(f"an atomic works on an array, not on a {array.name}")
    index, values = args[1 : len(args) - operands], args[len(args) - operands :]
    if len(index) != array.ndim or any(not isinstance(k.type, Scalar) or not k.type.is_int for k in index):
        raise ValueError(f"an array of {array.ndim} dimensions takes as many whole indices")
    if any(value.type != array.dtype for value in values):
        raise ValueError(f"the array holds {array.dtype.name}, not {values[-1].type.name}")
    if scalar_of(array.dtype).name not in allowed:
        raise ValueError(f"no such atomic on {array.dtype.name}; allowed: {', '.join(allowed)}")
    return array.dtype


@special("atomic_add", "atomic addition", "atomic")
def _add(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _updated(args, 1, ("float16", *_ORDERED))


@special("atomic_sub", "atomic subtraction", "atomic")
def _sub(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _updated(args, 1, ("float16", *_ORDERED))


@special("atomic_min", "atomic minimum", "atomic")
def _min(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _updated(args, 1, _ORDERED)


@special("atomic_max", "atomic maximum", "atomic")
def _max(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _updated(args, 1, _ORDERED)


@special("atomic_exch", "atomic exchange", "atomic", smooth=False)
def _exch(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _updated(args, 1, _ORDERED)


@special("atomic_cas", "atomic compare-and-swap", "atomic", smooth=False)
def _cas(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _updated(args, 2, _ORDERED)


@special("atomic_and", "atomic bitwise and", "atomic", smooth=False)
def _and(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _updated(args, 1, _BITS)


@special("atomic_or", "atomic bitwise or", "atomic", smooth=False)
def _or(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _updated(args, 1, _BITS)


@special("atomic_xor", "atomic bitwise exclusive or", "atomic", smooth=False)
def _xor(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _updated(args, 1, _BITS)


@special("lower_bound", "search in a sorted array", "search", smooth=False)
def _lower_bound(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    array = args[0].type
    if not isinstance(array, Array) or array.ndim != 1 or args[-1].type != array.dtype:
        raise ValueError("lower_bound() searches a 1-D array for a value of its type")
    if len(args) not in (2, 4) or any(bound.type is not INT for bound in args[1:-1]):
        raise ValueError("lower_bound() takes an array, perhaps two whole bounds, and a value")
    return INT


@special("array", "array over memory", "memory", smooth=False)
def _array(_: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    if keywords["ptr"].type is not UINT64:
        raise ValueError("array() needs an address of uint64")
    return Array(keywords["dtype"].type, len(_shape(keywords["shape"])))


@special("zeros", "array of the thread's own", "memory", smooth=False)
def _zeros(_: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    return Array(keywords["dtype"].type, len(_shape(keywords["shape"])))


def _shape(shape: Expr) -> tuple[Expr, ...]:
    return getattr(shape, "items", (shape,))


@special("len", "length", "memory", smooth=False)
def _len(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    if len(args) != 1 or not isinstance(args[0].type, (Array, Tile, Vec, Mat, Quat, Transform)):
        raise ValueError("len() takes an array, a tile, a vector, a matrix, a quaternion or a transform")
    return INT


@special("cast", "reading of the same bits as another type", "convert", smooth=False)
def _cast(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    before, after = args[0].type, args[1].type
    if not isinstance(before, Scalar) or not isinstance(after, Scalar) or before.bits != after.bits:
        raise ValueError(f"cast() keeps the bits: no {after.name} from a {before.name}")
    return after


@special("printf", "formatted printing", "debug", smooth=False)
def _printf(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    if any(not isinstance(arg.type, Scalar) or arg.type is BOOL for arg in args[1:]):
        raise ValueError("printf() takes a format and numbers")
    return INT


@special("print", "printing", "debug", smooth=False)
def _print(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    if len(args) != 1:
        raise ValueError("print() takes one value")
    return INT


def _same(args: tuple[Expr, ...]) -> Value:
    if len(args) < 2 or args[0].type != args[1].type:
        raise ValueError(f"no comparison of {', '.join(arg.type.name for arg in args)}")
    return INT


@special("expect_eq", "check of equality", "debug", smooth=False)
def _expect_eq(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _same(args)


@special("expect_neq", "check of inequality", "debug", smooth=False)
def _expect_neq(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    return _same(args)


@special("expect_near", "check of nearness", "debug", smooth=False)
def _expect_near(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    if not scalar_of(args[0].type).is_float or (len(args) == 3 and args[2].type is not scalar_of(args[0].type)):
        raise ValueError("expect_near() compares floats, with a tolerance of their scalar type")
    return _same(args)
