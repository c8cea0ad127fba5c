"""The Python side of a kernel source: parsed and compiled once, with the text of each function at hand."""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import CodegenRejection
from ..record import Reason

FILENAME = "<kernel source>"
MODULE = "warp_cuda_pairs_kernel"


@dataclass(frozen=True, slots=True)
class FunctionText:
    """One function at the top level of a kernel source.

    Attributes:
        code: the function's code object, the one that running the source uses.
        node: its syntax tree, with the line numbers of the whole source.
        first_line: line of its first decorator, or of ``def``; 1-based.
        padded: the function's own lines after ``first_line - 1`` empty ones, so that the line numbers
            of ``node`` are line numbers of this text.
    """

    code: types.CodeType
    node: ast.FunctionDef
    first_line: int
    padded: str


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel source that parses: its text, lines (with line ends), syntax tree and code object."""

    text: str
    lines: list[str]
    tree: ast.Module
    code: types.CodeType


def one_line(error: BaseException | str, limit: int = 300) -> str:
    """Return an error's message on one line, without memory addresses, at most ``limit`` characters."""
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    # An address differs from run to run, and details of rejections are data.
    text = re.sub(r"\b0x[0-9a-fA-F]+", "0x", " ".join(text.split()))
    return text if len(text) <= limit else text[: limit - 3] + "..."


def parse(text: str, tree: ast.Module | None = None) -> Program:
    """Return the program of a kernel source.

    Args:
        text: the kernel source.
        tree: ``ast.parse(text)`` if the caller has it already; it is read, never changed.

    Raises:
        CodegenRejection: the text is not Python (``source_error``).
    """
    try:
        if tree is None:
            tree = ast.parse(text, FILENAME)
        code = compile(tree, FILENAME, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CodegenRejection(Reason.SOURCE_ERROR.value, one_line(error)) from None
    # Not str.splitlines: Python ends lines at \n only (after universal newlines), never at \f or \x1c.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return Program(text, [line + "\n" for line in lines], tree, code)


def functions(program: Program) -> Iterator[FunctionText]:
    """Yield the plain functions at the top level of a program whose code object is certain."""
    codes = {
        (const.co_name, const.co_firstlineno): const
        for const in program.code.co_consts
        if isinstance(const, types.CodeType)
    }
    for node in program.tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        first = min((node.lineno, *(d.lineno for d in node.decorator_list)))
        code = codes.get((node.name, first))
        end = node.end_lineno
        if code is not None and end is not None and node.col_offset == 0:
            own = "".join(program.lines[first - 1 : end])
            yield FunctionText(code, node, first, "\n" * (first - 1) + own)


def annotation_texts(lines: Sequence[str], function: ast.FunctionDef) -> tuple[tuple[str, str], ...]:
    """Return ``(name, annotation as written)`` for each argument of a function whose text is ``lines``."""
    return tuple((arg.arg, _segment(lines, arg.annotation)) for arg in function.args.args)


def _segment(lines: Sequence[str], node: ast.expr | None) -> str:
    if node is None:
        return ""
    line = lines[node.lineno - 1]
    if node.end_lineno == node.lineno and line.isascii():
        return line[node.col_offset : node.end_col_offset]
    return ast.unparse(node)
