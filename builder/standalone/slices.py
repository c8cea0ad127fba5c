"""Assignments to slices of vectors and matrices, whose limits are known before."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..codegen.arguments import Block
from .code import ATOM, Code
from .known import indices_of
from .types import count, is_matrix, is_vector, part

if TYPE_CHECKING:
    from .assignments import Assignments


def store_slice(p: Assignments, target: ast.Subscript, value: Code) -> bool:
    """Print the assignment of a vector to a slice, component by component; say whether it is one."""
    kind, indices = p.kind(target.value), indices_of(target)
    if not isinstance(kind, Block) or not any(isinstance(one, ast.Slice) for one in indices):
        return False
    if not isinstance(value.kind, Block) or not is_vector(value.kind):
        return False
    base = p.place(target.value, stores=True)
    places = list(_places(p, base, kind, indices))
    if len(places) != count(value.kind):
        return False
    taken = value.kind
    if not value.text.isidentifier():
        p.temporaries += 1
        name = p.signature.fresh(f"part{p.temporaries}")
        p.line(f"const {p.helpers.type(taken)} {name} = {value.text};")
        value = Code(name, taken)
    for number, place in enumerate(places):
        p.line(f"{place} = {part(taken, value.text, number)};")
    return True


def _places(p: Assignments, base: Code, kind: Block, indices: list[ast.expr]) -> Iterator[str]:
    """Yield the components that a slice stands for; none if it is of another form."""
    text = base.inside(ATOM)
    if is_vector(kind) and len(indices) == 1 and isinstance(indices[0], ast.Slice):
        for place in p.chosen(indices[0], count(kind)):
            yield part(kind, text, place)
    elif is_matrix(kind) and len(indices) == 2:
        row, column = indices
        if isinstance(row, ast.Slice) and not isinstance(column, ast.Slice):
            j = p.wrapped(p.expr(column), kind.shape[1])
            yield from (f"{text}.m[{i}][{j}]" for i in p.chosen(row, kind.shape[0]))
        elif isinstance(column, ast.Slice) and not isinstance(row, ast.Slice):
            i_ = p.wrapped(p.expr(row), kind.shape[0])
            yield from (f"{text}.m[{i_}][{j}]" for j in p.chosen(column, kind.shape[1]))
