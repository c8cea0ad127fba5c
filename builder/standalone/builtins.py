"""Warp's builtins in C++: the table of what is translated, each a function of the call."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..codegen.arguments import ArrayOf, Block, Kind, Number
from ..codegen.typed import Called
from .atomics import atomic
from .code import Code, call
from .expressions import BUILTINS, Expressions
from .operators import binary_op, unary_op
from .scalars import SAME, absolute, clamp, convert, least, math_call, special, to_float, truth
from .types import BOOL, FLOAT, INT, UINT, literal, name_of, number_of

Handler = Callable[[Expressions, ast.Call, Called, list[Code], Kind], Code]


def builtin(*names: str) -> Callable[[Handler], Handler]:
    """Register what translates calls of these builtins."""

    def register(handler: Handler) -> Handler:
        BUILTINS.update(dict.fromkeys(names, handler))
        return handler

    return register


@builtin(*SAME)
def _math(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    number = kind if isinstance(kind, Number) else None
    if number is None or "float" not in number.name:
        raise p.rejection(f"wp.{called.name} of {name_of(kind)}", node)
    return math_call(called.name, number, *p.arguments(called))


@builtin("acos", "asin")
def _arc(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    number = number_of(kind)
    return math_call(called.name, number, clamp(number, x, literal(number, -1), literal(number, 1)))


@builtin("degrees", "radians", "step", "nonzero", "sign", "div_approx", "tensordot")
def _special(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    args = p.arguments(called)
    if isinstance(args[0].kind, Block) or isinstance(args[-1].kind, Block):
        if called.name == "sign" and isinstance(kind, Block):
            return call(p.helpers.need("sign", kind), kind, args[0])
        if called.name == "div_approx":
            return binary_op(p.helpers, "div", args[0], args[1], kind)
        raise p.rejection(f"wp.{called.name} of {name_of(kind)}", node)
    found = special(called.name, number_of(args[0].kind), tuple(args)) if isinstance(kind, Number) else None
    if found is None:
        raise p.rejection(f"wp.{called.name} of {name_of(kind)}", node)
    return found


@builtin("abs")
def _abs(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    if isinstance(kind, Block):
        return call(p.helpers.need("abs", kind), kind, x)
    return absolute(number_of(kind), x)


@builtin("min", "max")
def _least(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    args = p.arguments(called)
    if isinstance(args[0].kind, Block):
        name = called.name if len(args) == 2 else f"{called.name}_of"
        p.helpers.need(name, args[0].kind)
        return call(called.name, kind, *args)
    return least(called.name, number_of(kind), args[0], args[1])


@builtin("argmin", "argmax")
def _best(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    return call(p.helpers.need(called.name, x.kind), UINT, x)


@builtin("clamp")
def _clamp(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    x, low, high = p.arguments(called)
    return clamp(number_of(kind), x, low, high)


@builtin("frac")
def _frac(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    return call(p.helpers.need("frac", number_of(kind)), kind, x)


@builtin("lerp", "smoothstep")
def _between(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    args = p.arguments(called)
    return call(p.helpers.need(called.name, kind), kind, *args)


@builtin("where")
def _where(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    names = list(called.kinds)
    test = truth(p.argument(called, names[0]))
    p.eager += 1
    yes, no = (p.argument(called, name) for name in names[1:3])
    p.eager -= 1
    return p.choice(test, yes, no, kind)


_CASTS = {"float": FLOAT, "int": INT, "bool": BOOL}
_NUMBERS = (
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
)


@builtin(*_CASTS, *_NUMBERS)
def _cast(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    number = _CASTS.get(called.name) or Number(called.name)
    if not called.kinds:
        return literal(number, 0)
    name = next(iter(called.kinds))
    value = called.values.get(name)
    if isinstance(value, (bool, int, float)) and not p.varies(called.nodes.get(name)):
        whole = "int" in number.name
        return literal(number, int(value) if whole and abs(value) < 2**64 else value)
    return convert(p.argument(called, name), number)


@builtin("isnan", "isinf", "isfinite")
def _predicate(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    if isinstance(x.kind, Block):
        p.helpers.need("predicate", called.name, x.kind)
        return call(f"{called.name}_{'all' if called.name == 'isfinite' else 'any'}", BOOL, x)
    if "int" in number_of(x.kind).name:
        return literal(BOOL, called.name == "isfinite")
    return call(called.name, BOOL, to_float(x))


@builtin("bit_count")
def _bits(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    number = number_of(x.kind)
    if number.name.endswith("64"):
        return call("__popcll", INT, convert(x, Number("uint64")))
    unsigned = Number("u" + number.name.lstrip("u"))
    return call("__popc", INT, convert(x, unsigned))


_OPERATORS = ("add", "sub", "mul", "div", "mod", "floordiv", "bit_and", "bit_or", "bit_xor", "lshift", "rshift")


@builtin(*_OPERATORS)
def _operator(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    left, right = p.arguments(called)
    return binary_op(p.helpers, called.name, left, right, kind)


@builtin("neg", "pos", "invert", "unot")
def _unary(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    (x,) = p.arguments(called)
    operator = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert, "unot": ast.Not}[called.name]
    return unary_op(p.helpers, operator, x, kind)


@builtin("tid")
def _tid(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    if len(p.threads) != 1:
        raise p.rejection("one index of a grid of several dimensions", node)
    return Code(p.threads[0], INT)


@builtin("block_dim")
def _block_dim(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    return Code("(int)blockDim.x", INT, 12)


@builtin("len")
def _len(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    held = p.kind(node.args[0])
    if isinstance(held, ArrayOf):
        array = p.array(node.args[0])
        p.signature.use_dim(array.root, array.skipped)
        return Code(array.dims[0], INT)
    if not isinstance(held, Block):
        raise p.rejection("the length of what is no array, vector or matrix", node)
    return literal(INT, held.shape[0])


_ATOMICS = ("add", "sub", "min", "max", "and", "or", "xor", "exch", "cas")


@builtin(*(f"atomic_{word}" for word in _ATOMICS))
def _atomic(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    word = called.name.removeprefix("atomic_")
    given = list(called.nodes)
    values = 2 if word == "cas" else 1
    array = p.array(called.nodes[given[0]])
    indices = [p.expr(called.nodes[name]) for name in given[1 : len(given) - values]]
    if len(indices) != array.kind.ndim:
        raise p.rejection("an atomic change of no element", node)
    p.use_dims(array)
    p.signature.write(array.root)
    last = [p.argument(called, name) for name in given[len(given) - values :]]
    place = array.element(indices)
    changed = atomic(p.helpers, word, place, last[-1], last[0] if word == "cas" else None)
    return changed if p.is_statement(node) else p.effect(changed, node)


@builtin("lower_bound")
def _lower_bound(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    array = p.array(node.args[0])
    given = [p.expr(one) for one in node.args[1:]]
    if len(given) == 1:
        p.signature.use_dim(array.root, array.skipped)
        given = [literal(INT, 0), Code(array.dims[0], INT), *given]
    name = p.helpers.need("lower_bound", array.kind.element)
    return call(name, INT, array.pointer, *given)
