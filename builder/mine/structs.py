"""The definition of a struct: as its author wrote it, or from its fields."""

from __future__ import annotations

import ast
import sys
import textwrap
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .items import Item, Text
from .rewrite import Rewriter
from .scopes import Scope, Source
from .values import Unwritable, type_expression

if TYPE_CHECKING:
    from .closure import Closure


def struct_text(struct: Any, item: Item, closure: Closure, *, by_value: bool = False) -> Text:
    """Return the text of a struct's definition.

    Raises:
        Unwritable: a field has a type that cannot be written down.
    """
    if not by_value:
        written = _as_written(struct, item, closure)
        if written is not None:
            return written
    parts: list[Any] = ["@wp.struct\nclass ", item, ":\n"]
    for name, var in struct.vars.items():
        parts += [f"    {name}: ", *type_expression(var.type, closure.define), "\n"]
    if not struct.vars:
        parts.append("    pass\n")
    return Text(tuple(parts))


def _as_written(struct: Any, item: Item, closure: Closure) -> Text | None:
    module = sys.modules.get(struct.cls.__module__)
    path = getattr(module, "__file__", None)
    if module is None or path is None:
        return None
    for start, end in _classes(path).get(struct.cls.__qualname__, ()):
        lines = _lines(path)[start - 1 : end]
        text = textwrap.dedent("".join(lines))
        tree = ast.parse(text)
        node = tree.body[0]
        if not isinstance(node, ast.ClassDef) or not _is_plain(node, list(struct.vars)):
            continue
        source = Source(text, tree)
        scope = Scope({}, vars(module), frozenset())
        rewriter = Rewriter(source, scope, closure)
        name_at = text.index(node.name, len("class"))
        rewriter.replace_span(name_at, name_at + len(node.name), (item,))
        try:
            for statement in node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    rewriter.annotation(statement.annotation, struct.vars[statement.target.id].type)
        except Unwritable:
            return None
        body = rewriter.text(0, source.span(node)[1])
        return Text(("@wp.struct\n", *body.parts, "\n"), body.bound, body.free)
    return None


def _is_plain(node: ast.ClassDef, fields: list[str]) -> bool:
    names: list[str] = []
    if node.bases or node.keywords:
        return False
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value is None:
            names.append(statement.target.id)
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            return False
    return names == fields


@lru_cache(maxsize=64)
def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines(keepends=True)


@lru_cache(maxsize=64)
def _classes(path: str) -> dict[str, list[tuple[int, int]]]:
    """Return where in a file each class stands, by qualified name: lines of ``class`` and of its end, from 1."""
    found: dict[str, list[tuple[int, int]]] = {}

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                found.setdefault(prefix + child.name, []).append((child.lineno, child.end_lineno or child.lineno))
                walk(child, f"{prefix}{child.name}.")
            elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                walk(child, f"{prefix}{child.name}.<locals>.")
            else:
                walk(child, prefix)

    walk(ast.parse("".join(_lines(path))), "")
    return found
