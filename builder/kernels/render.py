"""Program -> kernel source text."""

from __future__ import annotations

from .ops.row import PRECEDENCE, PREFIXES, TIGHTEST
from .program import (
    Apply,
    Arg,
    Assign,
    Atomic,
    Body,
    Call,
    Do,
    Each,
    Expr,
    Extent,
    Field,
    For,
    Function,
    Give,
    If,
    Items,
    Leave,
    Let,
    LetMany,
    Literal,
    Load,
    Name,
    Part,
    Program,
    Put,
    Span,
    Static,
    Stmt,
    Store,
    Struct,
    While,
    Word,
)
from .reading import Reading
from .types import BOOL, FLOAT, INT, Array, Several, Value

_INDENT = "    "
_WIDTH = 100


def _apply(e: Apply, outer: int) -> str:
    op = e.op
    if op.infix:
        prec = PRECEDENCE[op.symbol]
        # The right operand of a chain needs parentheses unless the operator associates.
        right = prec if op.symbol in ("and", "or") else prec + 1
        # Python chains comparisons: `a < b == c` means something else.
        left = prec + 1 if prec == PRECEDENCE["<"] else prec
        text = f"{expr(e.args[0], left)} {op.symbol} {expr(e.args[1], right)}"
        return f"({text})" if prec < outer else text
    if op.prefix:
        prec = PRECEDENCE[op.symbol]
        text = PREFIXES[op.symbol] + expr(e.args[0], prec + (op.symbol == "neg"))
        return f"({text})" if prec < outer else text
    keywords = [f"{name}={expr(value)}" for name, value in e.keywords]
    args = ", ".join([*(expr(arg) for arg in e.args), *keywords, *([op.extra] if op.extra else [])])
    return f"{op.symbol}({args})"


def _literal(e: Literal) -> str:
    if e.type in (FLOAT, INT, BOOL):
        return repr(e.value)
    return f"{e.type.text}({e.value!r})"


def _span(e: Span) -> str:
    ends = [expr(end) if end is not None else "" for end in (e.start, e.stop)]
    return ":".join([*ends, *([str(e.step)] if e.step is not None else [])])


def _part(e: Part) -> str:
    index = ", ".join(str(k) if isinstance(k, int) else expr(k) for k in e.index)
    return f"{expr(e.base, TIGHTEST)}[{index}]"


def expr(e: Expr, outer: int = 0) -> str:
    """Return an expression's text, in parentheses if it binds looser than ``outer``."""
    if isinstance(e, Name):
        return e.name
    if isinstance(e, Apply):
        return _apply(e, outer)
    if isinstance(e, Literal):
        text = _literal(e)
        return f"({text})" if text.startswith("-") and outer else text
    if isinstance(e, Load):
        return f"{e.array}[{', '.join(expr(i) for i in e.index)}]"
    if isinstance(e, Part):
        return _part(e)
    if isinstance(e, Call):
        return f"{e.function}({', '.join(expr(arg) for arg in e.args)})"
    if isinstance(e, Field):
        return f"{expr(e.base, TIGHTEST)}.{e.name}"
    if isinstance(e, Extent):
        return f"{e.array}.shape[{e.axis}]"
    if isinstance(e, Span):
        return _span(e)
    if isinstance(e, Static):
        return f"wp.static({expr(e.value)})"
    if isinstance(e, Items):
        items = ", ".join(expr(item) for item in e.items)
        return f"({items},)" if len(e.items) == 1 else f"({items})"
    assert isinstance(e, Word)
    return e.text


def _let(s: Let) -> str:
    value = expr(s.value)
    if s.mutable and isinstance(s.value, Literal) and s.value.type in (FLOAT, INT, BOOL):
        # Warp treats a bare literal as a constant, which a dynamic loop may not change.
        value = f"{s.value.type.text}({value})"
    return f"{s.name} = {value}"


def _atomic(s: Atomic) -> str:
    index = ", ".join(expr(i) for i in s.index)
    if s.augmented:
        return f"{s.array}[{index}] {'+' if s.kind == 'add' else '-'}= {expr(s.value)}"
    return f"wp.atomic_{s.kind}({s.array}, {index}, {expr(s.value)})"


def _range(s: For) -> str:
    if s.step != 1:
        return f"range({expr(s.start or Literal(0, INT))}, {expr(s.stop)}, {s.step})"
    return f"range({expr(s.stop)})" if s.start is None else f"range({expr(s.start)}, {expr(s.stop)})"


def _give(s: Give) -> str:
    if isinstance(s.value, Items):
        return f"return {', '.join(expr(item) for item in s.value.items)}"
    return f"return {expr(s.value)}"


def _simple(s: Stmt) -> str:
    if isinstance(s, Let):
        return _let(s)
    if isinstance(s, Assign):
        return f"{s.name} {s.op}= {expr(s.value)}"
    if isinstance(s, Store):
        return f"{s.array}[{', '.join(expr(i) for i in s.index)}] = {expr(s.value)}"
    if isinstance(s, Atomic):
        return _atomic(s)
    if isinstance(s, LetMany):
        return f"{', '.join(s.names)} = {expr(s.value)}"
    if isinstance(s, Put):
        return f"{expr(s.target)} {s.op}= {expr(s.value)}"
    if isinstance(s, Do):
        return expr(s.value)
    if isinstance(s, Give):
        return _give(s)
    assert isinstance(s, Leave)
    return s.word


def _stmt(s: Stmt, indent: str, lines: list[str]) -> None:
    if isinstance(s, If):
        for position, (condition, body) in enumerate(s.arms):
            lines.append(f"{indent}{'elif' if position else 'if'} {expr(condition)}:")
            _body(body, indent + _INDENT, lines)
        if s.otherwise:
            lines.append(f"{indent}else:")
            _body(s.otherwise, indent + _INDENT, lines)
    elif isinstance(s, For):
        lines.append(f"{indent}for {s.name} in {_range(s)}:")
        _body(s.body, indent + _INDENT, lines)
    elif isinstance(s, Each):
        lines.append(f"{indent}for {s.name} in {expr(s.over)}:")
        _body(s.body, indent + _INDENT, lines)
    elif isinstance(s, While):
        lines.append(f"{indent}while {expr(s.test)}:")
        _body(s.body, indent + _INDENT, lines)
    else:
        lines.append(indent + _simple(s))


def _body(body: Body, indent: str, lines: list[str]) -> None:
    for stmt in body:
        _stmt(stmt, indent, lines)


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
    return f"def {name}(\n" + "".join(f"{_INDENT}{arg},\n" for arg in args) + f"){after}"


def _doc(text: str, lines: list[str]) -> None:
    if text:
        lines.append(f'{_INDENT}"""{text}"""')


def _struct(struct: Struct) -> list[str]:
    return ["@wp.struct", f"class {struct.name}:", *(f"{_INDENT}{name}: {t.text}" for name, t in struct.fields)]


def _function(function: Function) -> list[str]:
    if function.snippet is not None:
        return _native(function)
    result = function.result.text if function.returns and function.result is not None else ""
    lines = ["@wp.func", _signature(function.name, function.params, result, function.defaults)]
    _doc(function.doc, lines)
    _body(function.body, _INDENT, lines)
    if function.gradient:
        params = (*function.params, *_adjoints(function.result))
        lines += ["", "", f"@wp.func_grad({function.name})", _signature(f"adj_{function.name}", params)]
        _body(function.gradient, _INDENT, lines)
    if function.replay:
        lines += ["", "", f"@wp.func_replay({function.name})", _signature(f"replay_{function.name}", function.params)]
        _body(function.replay, _INDENT, lines)
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
        lines += [f'{name} = """', *(f"{_INDENT}{line}" for line in text.strip("\n").splitlines()), f'{_INDENT}"""']
    keywords = [
        name if part == "snippet" else f"{part}={name}"
        for part, name in zip([part for part, text in parts.items() if text], given, strict=True)
    ]
    result = function.result.text if function.result is not None else ""
    lines += ["", "", f"@wp.func_native({', '.join(keywords)})", _signature(function.name, function.params, result)]
    return [*lines, f"{_INDENT}..."]


def _kernel(program: Program) -> list[str]:
    options = ", ".join(f"{name}={value}" for name, value in program.options)
    lines = [f"@wp.kernel{f'({options})' if options else ''}", _signature(program.name, program.args)]
    _doc(program.doc, lines)
    if program.tid:
        lines.append(f"{_INDENT}{', '.join(program.tid)} = wp.tid()")
    _body(program.body, _INDENT, lines)
    return lines


def _overload(program: Program) -> list[str]:
    """Return the call that gives a generic kernel its types, by name."""
    types = ", ".join(f'"{arg.name}": {arg.type.text}' for arg in program.args if arg.generic)
    line = f"wp.overload({program.name}, {{{types}}})"
    if len(line) <= _WIDTH:
        return [line]
    items = (f'{_INDENT * 2}"{arg.name}": {arg.type.text},' for arg in program.args if arg.generic)
    return ["wp.overload(", f"{_INDENT}{program.name},", f"{_INDENT}{{", *items, f"{_INDENT}}},", ")"]


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
