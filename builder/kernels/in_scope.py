"""What a scope offers to an expression: names not yet used, elements of inputs, types to compare."""

from __future__ import annotations

from .draft import Draft, Input
from .indices import place
from .program import Expr
from .types import FLOAT, Mat, Quat, Scalar, Transform, Value, Vec


def unused_leaf(draft: Draft, type_: Value, mutable: bool) -> Expr | None:
    """Return a name or an element of an input that nothing has read yet, or None."""
    fresh = draft.of_type(type_, unused=True, mutable=mutable)
    if fresh:
        return draft.read(draft.choices.pick(fresh))
    arrays = [array for array in draft.inputs if array.type.dtype == type_ and not array.uses]
    if arrays:
        array = draft.choices.pick(arrays)
        return draft.load(array, place(draft, array))
    return None


def element(draft: Draft, array: Input) -> Expr:
    """Return an in-bounds element of an input."""
    return draft.load(array, place(draft, array))


def reals(draft: Draft) -> list[Scalar]:
    """Return the float types of the inputs and of the locals that are no accumulators."""
    types = [a.type.dtype for a in draft.inputs] + [local.type for local in draft.locals if not local.mutable]
    return [t for t in dict.fromkeys(types) if isinstance(t, Scalar) and t.is_float]


def wholes(draft: Draft) -> list[Scalar]:
    """Return the integer types likewise, without thread indices and loop counters."""
    types = [a.type.dtype for a in draft.inputs]
    types += [local.type for local in draft.locals if not (local.mutable or local.index)]
    return [t for t in dict.fromkeys(types) if isinstance(t, Scalar) and t.is_int]


def real_of(draft: Draft, floats: list[Scalar]) -> Scalar:
    """Return one of these float types; where there is none, that of the vectors in scope, or float32."""
    if floats:
        return floats[0] if len(floats) == 1 else draft.choices.pick(floats)
    types = [a.type.dtype for a in draft.inputs] + [local.type for local in draft.locals]
    inner = [t.dtype for t in types if isinstance(t, (Vec, Mat, Quat, Transform)) and t.dtype.is_float]
    return inner[0] if inner else FLOAT
