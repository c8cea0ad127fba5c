"""What in a row's source Warp's adjoints are known not to be right for: the likely cause of a failed gradient.

Five of them are seen with Warp's own tape in ``tests/verify/test_warps_limits.py``; the others were told from rows that
failed. These words explain a verdict; they never decide it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from ..codegen import builtins

# Warp's own rule: a loop over so many numbers known beforehand is written out (warp.config: max_unroll).
_UNROLLED = 16
# No adjoint is needed: their derivatives are zero wherever they exist, or they give whole numbers, or make values.
_FLAT = {
    *("sign", "nonzero", "step", "round", "rint", "trunc", "floor", "ceil", "isfinite", "isnan", "isinf", "bool"),
    *("identity", "quat_identity", "transform_identity", "tid", "block_dim", "range", "static", "len", "bit_count"),
    *("argmin", "argmax", "tile_zeros", "tile_ones", "tile_empty", "tile_full", "tile_arange", "zeros", "array"),
    *("int", "printf", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "floordiv", "invert"),
    *("rand_init", "randi", "randu", "randf", "randn", "tile_randi", "tile_randf", "tile_argmin", "tile_argmax"),
}


@cache
def _without_adjoint() -> frozenset[str]:
    """Return the builtins that Warp says have no adjoint though what they compute has derivatives."""
    return frozenset(builtin.name for builtin in builtins() if not builtin.differentiable) - _FLAT


def known_limits(source: str) -> list[str]:
    """Return, in words and in a fixed order, what in a kernel source Warp does not differentiate rightly."""
    found: set[str] = set()
    tree = ast.parse(source)
    found.update(_of_expressions(tree))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            found.update(_of_loops(function, _constants(tree)))
            found.update(_in_place(function))
            found.update(_scattered(function))
    return sorted(found)


def _of_expressions(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="grad")):
                yield "a gradient of a gradient"
            case ast.Attribute(attr="func_grad" | "func_replay"):
                yield "its source gives the gradient of a function by hand"
            case ast.Call(func=ast.Attribute(attr=name)) if name in _without_adjoint():
                yield f"{name} has no adjoint"
            case ast.BinOp(op=ast.Mod(), right=right) if isinstance(right, ast.Call | ast.BinOp):
                yield "the second operand of %"
            case ast.Call(func=ast.Attribute(attr="func_native"), args=args, keywords=words):
                if len(args) < 2 and all(word.arg != "adj_snippet" for word in words):
                    yield "a native snippet without an adjoint"


def _of_loops(function: ast.FunctionDef, constants: Mapping[str, int]) -> Iterator[str]:
    before: set[str] = set()
    for statement in function.body:
        yield from _of_statement(statement, before, constants)


def _of_statement(statement: ast.stmt, before: set[str], constants: Mapping[str, int]) -> Iterator[str]:
    """Yield what is wrong in a statement, and add the names that it assigns to those that were before."""
    if isinstance(statement, ast.While):
        yield "a while loop"
    elif isinstance(statement, ast.For) and not _unrolled(statement, constants) and _changed(statement) & before:
        yield "a variable that a loop of unknown length changes"
    if isinstance(statement, ast.For) and any(isinstance(node, ast.Break) for node in ast.walk(statement)):
        yield "a loop that is left early"
    for inner in ast.iter_child_nodes(statement):
        if isinstance(inner, ast.stmt):
            yield from _of_statement(inner, before, constants)
    before.update(_changed(statement))


def _unrolled(loop: ast.For, constants: Mapping[str, int]) -> bool:
    """Say whether Warp writes a loop out: the numbers it runs over are known and few, and nothing leaves it early."""
    jumps = any(isinstance(node, ast.Break | ast.Continue) for node in ast.walk(loop))
    if jumps or not isinstance(loop.iter, ast.Call):
        return False
    known = [_number(arg, constants) for arg in loop.iter.args]
    numbers = [number for number in known if number is not None]
    return len(numbers) == len(known) and len(range(*numbers)) <= _UNROLLED


def _number(node: ast.expr, constants: Mapping[str, int]) -> int | None:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return constants.get(name)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            positive = _number(inner, constants)
            return None if positive is None else -positive
    return None


def _constants(tree: ast.Module) -> dict[str, int]:
    """Return a module's whole numbers by name, ``wp.constant(...)`` around them or not."""
    found: dict[str, int] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int(number))):
                found[name] = number
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Constant(value=int(number))])):
                found[name] = number
    return found


def _changed(node: ast.AST) -> set[str]:
    """Return the variables that are given values in a node, wholly or in part; a tile product changes its third."""
    names: set[str] = set()
    for inner in ast.walk(node):
        match inner:
            case ast.Assign(targets=targets):
                names.update(name for target in targets for name in _targets(target))
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                names.update(_targets(target))
            case ast.Call(func=ast.Attribute(attr="tile_matmul"), args=[_, _, ast.Name(id=name), *_]):
                names.add(name)
    return names


def _targets(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts):
            for part in parts:
                yield from _targets(part)
        case ast.Attribute(value=inner) | ast.Subscript(value=inner):
            yield from _targets(inner)


def _in_place(function: ast.FunctionDef) -> Iterator[str]:
    """Yield if a function overwrites what it has read: places of an array, a part of a variable; or takes tickets."""
    arguments = {arg.arg for arg in function.args.args}
    read: set[str] = set()
    written: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=context) if name in arguments:
                (read if isinstance(context, ast.Load) else written).add(name)
            case ast.Subscript(value=ast.Name() | ast.Attribute(), ctx=ast.Store()):
                yield "a part of a variable that is overwritten"
            case ast.Attribute(value=ast.Name(), attr="p" | "q" | "x" | "y" | "z" | "w", ctx=ast.Store()):
                yield "a part of a variable that is overwritten"
            case ast.Call(func=ast.Attribute(attr=attr)) if attr.startswith("transform_set_"):
                yield "a part of a variable that is overwritten"
            case ast.Call(func=ast.Attribute(attr="atomic_min" | "atomic_max")):
                yield "equal numbers in an atomic minimum or maximum"
            case ast.Assign(value=ast.Call(func=ast.Attribute(attr=attr))) if attr.startswith("atomic_"):
                yield "what an atomic operation returns"
    if read & written:
        yield "an array that is read and written"


def _scattered(function: ast.FunctionDef) -> Iterator[str]:
    """Yield if a function stores at a place that it has read: two threads may store there, and the last one stays."""
    arguments = {arg.arg for arg in function.args.args}
    read: set[str] = set()
    for statement in ast.walk(function):
        if isinstance(statement, ast.Assign) and _reads_any(statement.value, arguments, read):
            read.update(name for target in statement.targets for name in _targets(target))
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            match target:
                case ast.Subscript(value=ast.Name(id=name), slice=index) if name in arguments:
                    if _reads_any(index, arguments, read):
                        yield "a place that several threads may store at"


def _reads_any(node: ast.expr, arrays: Collection[str], names: Collection[str]) -> bool:
    """Say whether an expression has an element of one of the arrays in it, or one of the names."""
    for inner in ast.walk(node):
        match inner:
            case ast.Subscript(value=ast.Name(id=name)) if name in arrays:
                return True
            case ast.Name(id=name) if name in names:
                return True
    return False
