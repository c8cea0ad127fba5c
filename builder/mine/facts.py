"""What a mined kernel source says of itself: features in the tag forms of synthetic kernels, and one true sentence."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from typing import Any

import warp as wp

from ..codegen import objects
from ..codegen.pipeline import Generated

_CONTROL = {ast.For: "for", ast.While: "while", ast.Break: "break", ast.Continue: "continue", ast.IfExp: "ifexp"}
_PYTHON_TYPES = {float: "float32", int: "int32"}
_LONGEST = 200
_SHOWN = 4


def features(tree: ast.Module, kernel: Any, code: Generated) -> tuple[str, ...]:
    """Return the sorted tags of a kernel source.

    Args:
        tree: its syntax tree.
        kernel: the kernel it was made from, for the types of the arguments.
        code: what it generates, for the launch.
    """
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    tags = {f"builtin:{name}" for function in functions for name in _builtins(function)}
    for kind in kernel.adj.arg_types.values():
        tags.update(_type_tags(kind))
    for node in (inner for function in functions for inner in ast.walk(function)):
        if type(node) in _CONTROL:
            tags.add(f"control:{_CONTROL[type(node)]}")
        elif isinstance(node, ast.If):
            chained = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            tags.add("control:elif" if chained else "control:if")
    body = functions[-1].body
    if any(isinstance(node, ast.Return) for statement in body for node in ast.walk(statement)):
        tags.add("control:return")
    depth = max((_depth(function) for function in functions), default=0)
    if depth > 1:
        tags.add(f"loop_depth:{depth}")
    if kernel.options.get("grid_stride") is False:
        tags.add("launch:lean")
    if len(functions) > 1:
        tags.add("calls:func")
    if any(isinstance(node, ast.ClassDef) and node.decorator_list for node in tree.body):
        tags.add("dtype:struct")
    return tuple(sorted({*tags, f"launch:{code.launch_dim}d"}))


def _builtins(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the builtins that a function calls or hands on; constructors of types are none."""
    for node in (inner for statement in function.body for inner in ast.walk(statement)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "wp":
            is_type = isinstance(getattr(wp, node.attr, None), type)
            if node.attr in objects.builtin_names() and node.attr != "static" and not is_type:
                yield node.attr


def _type_tags(kind: Any) -> Iterator[str]:
    if objects.is_array(kind):
        yield f"array:{kind.ndim}d"
        family = objects.array_family(kind)
        if family != "array":
            yield f"array:{family}"
        yield from _type_tags(kind.dtype)
    elif isinstance(kind, objects.Struct):
        yield "dtype:struct"
    elif objects.is_scalar_type(kind):
        yield f"dtype:{_PYTHON_TYPES.get(kind, kind.__name__)}"
    elif objects.is_composite_type(kind):
        yield f"dtype:{_composite_name(kind)}"


def _composite_name(kind: type) -> str:
    """Return ``vec3``, ``mat33``, ``quat`` or ``transform``, and a scalar type other than float32: ``vec3_float64``."""
    family, shape, scalar = objects.composite(kind)
    names = {"vector": "vec", "matrix": "mat", "quaternion": "quat", "transformation": "transform"}
    size = "" if family in ("quaternion", "transformation") else "".join(map(str, shape))
    if family == "matrix" and max(shape) > 9:
        size = f"{shape[0]}x{shape[1]}"
    name = getattr(scalar, "__name__", "any")
    return f"{names[family]}{size}" + ("" if name == "float32" else f"_{name}")


def _depth(node: ast.AST) -> int:
    inner = max((_depth(child) for child in ast.iter_child_nodes(node)), default=0)
    return inner + isinstance(node, (ast.For, ast.While))


def describe(tree: ast.Module, tags: Iterable[str], code: Generated) -> str:
    """Return the first sentence of the kernel's docstring, or a sentence made of its arguments and features."""
    kernel = [node for node in tree.body if isinstance(node, ast.FunctionDef)][-1]
    sentence = _first_sentence(ast.get_docstring(kernel, clean=True) or "")
    if sentence:
        return sentence
    arguments = ", ".join(name for name, _ in code.args)
    called = [tag.partition(":")[2] for tag in tags if tag.startswith("builtin:") and tag != "builtin:tid"]
    using = f" using {', '.join(called[:_SHOWN])}" if called else ""
    more = f" and {len(called) - _SHOWN} more builtins" if len(called) > _SHOWN else ""
    loops = " in loops" if "control:for" in tags or "control:while" in tags else ""
    over = f"over {arguments}" if arguments else "without arguments"
    return f"The {code.launch_dim}-D kernel {code.kernel_name} {over}{using}{more}{loops}."


def _first_sentence(docstring: str) -> str:
    paragraph = " ".join(inspect.cleandoc(docstring).split("\n\n")[0].split())
    end = paragraph.find(". ")
    sentence = paragraph if end < 0 else paragraph[: end + 1]
    sentence = "".join(c for c in sentence if c.isprintable()).strip()
    if len(sentence) > _LONGEST:
        sentence = sentence[: _LONGEST - 3].rsplit(" ", 1)[0] + "..."
    return sentence
