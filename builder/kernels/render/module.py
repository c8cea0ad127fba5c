"""The text of functions, kernels and whole modules."""

from __future__ import annotations

from ..program import Arg, Expr, Function, Program, Struct
from ..reading import Reading
from ..types import Array, Several, Value
from .expressions import expr
from .statements import INDENT, write_body

_WIDTH = 100


def _annotation(arg: Arg) -> str:
    if not arg.generic:
        return arg.type.text
    return arg.type.text.replace(arg.type.dtype.text, "Any") if isinstance(arg.type, Array) else "Any"


def _signature(name: str, params: tuple[Arg, ...], result: str = "", defaults: tuple[Expr, ...] = ()) -> str:
    args = [f"{arg.name}: {_annotation(arg)}" for arg in params]
    first = len(args) - len(defaults)
    args[first:] = [f"{arg} = {expr(value)}" for arg, value in zip(args[first:], defaults, strict=True)]
    after = f" -> {result}:" if result else ":"
    line = f"def {name}({', '.join(args)}){after}"
    if len(line) <= _WIDTH:
        return line
    return f"def {name}(\n" + "".join(f"{INDENT}{arg},\n" for arg in args) + f"){after}"


def _doc(text: str, lines: list[str]) -> None:
    if text:
        lines.append(f'{INDENT}"""{text}"""')


def _struct(struct: Struct) -> list[str]:
    return ["@wp.struct", f"class {struct.name}:", *(f"{INDENT}{name}: {t.text}" for name, t in struct.fields)]


def _function(function: Function) -> list[str]:
    if function.snippet is not None:
        return _native(function)
    result = function.result.text if function.returns and function.result is not None else ""
    lines = ["@wp.func", _signature(function.name, function.params, result, function.defaults)]
    _doc(function.doc, lines)
    write_body(function.body, INDENT, lines)
    if function.gradient:
        params = (*function.params, *_adjoints(function.result))
        lines += ["", "", f"@wp.func_grad({function.name})", _signature(f"adj_{function.name}", params)]
        write_body(function.gradient, INDENT, lines)
    if function.replay:
        lines += ["", "", f"@wp.func_replay({function.name})", _signature(f"replay_{function.name}", function.params)]
        write_body(function.replay, INDENT, lines)
    return lines


def _adjoints(result: Value | None) -> list[Arg]:
    """Return the parameters of a gradient that hold the adjoints of the results."""
    if isinstance(result, Several):
        return [Arg(f"adj_ret{k}", item) for k, item in enumerate(result.items)]
    return [] if result is None else [Arg("adj_ret", result)]


def _native(function: Function) -> list[str]:
    assert function.snippet is not None
    parts = {"snippet": function.snippet.forward, "adj_snippet": function.snippet.adjoint}
    parts["replay_snippet"] = function.snippet.replay
    lines: list[str] = []
    given = {f"{function.name}_{name}": text for name, text in parts.items() if text}
    for name, text in given.items():
        lines += [f'{name} = """', *(f"{INDENT}{line}" for line in text.strip("\n").splitlines()), f'{INDENT}"""']
    keywords = [
        name if part == "snippet" else f"{part}={name}"
        for part, name in zip([part for part, text in parts.items() if text], given, strict=True)
    ]
    result = function.result.text if function.result is not None else ""
    lines += ["", "", f"@wp.func_native({', '.join(keywords)})", _signature(function.name, function.params, result)]
    return [*lines, f"{INDENT}..."]


def _kernel(program: Program) -> list[str]:
    options = ", ".join(f"{name}={value}" for name, value in program.options)
    lines = [f"@wp.kernel{f'({options})' if options else ''}", _signature(program.name, program.args)]
    _doc(program.doc, lines)
    if program.tid:
        lines.append(f"{INDENT}{', '.join(program.tid)} = wp.tid()")
    write_body(program.body, INDENT, lines)
    return lines


def _overload(program: Program) -> list[str]:
    """Return the call that gives a generic kernel its types, by name."""
    types = ", ".join(f'"{arg.name}": {arg.type.text}' for arg in program.args if arg.generic)
    line = f"wp.overload({program.name}, {{{types}}})"
    if len(line) <= _WIDTH:
        return [line]
    items = (f'{INDENT * 2}"{arg.name}": {arg.type.text},' for arg in program.args if arg.generic)
    return ["wp.overload(", f"{INDENT}{program.name},", f"{INDENT}{{", *items, f"{INDENT}}},", ")"]


def _imports(program: Program) -> list[str]:
    params = [*program.args, *(arg for function in program.functions for arg in function.params)]
    generic = any(arg.generic for arg in params)
    return ["from typing import Any", "", "import warp as wp"] if generic else ["import warp as wp"]


def render(program: Program, reading: Reading | None = None) -> str:
    """Return the canonical kernel source of a program, whose reading the caller may have already.

    Imports, names of types, constants, structs and functions, then the kernel; one newline at the end.
    """
    named = [f"{type_.name} = {type_.alias}" for type_ in (reading or Reading(program)).aliases()]
    for constant in program.constants:
        value = expr(constant.value)
        named.append(f"{constant.name} = {f'wp.constant({value})' if constant.wrapped else value}")
    blocks = [["\n".join(_imports(program)), *(["", *named] if named else [])]]
    blocks += [_struct(struct) for struct in program.structs]
    blocks += [_function(function) for function in program.functions]
    blocks.append(_kernel(program))
    if program.overloaded:
        blocks.append(_overload(program))
    return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"
