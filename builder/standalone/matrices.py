"""Helpers for matrices."""

from __future__ import annotations

from ..codegen.arguments import Block, Kind
from .helpers import Helpers, helper
from .types import INT, count, literal, make, matrix, name_of, part, vector, zero


@helper
def matmul(h: Helpers, left: Block, right: Block) -> str:
    """The product of two matrices, or of a matrix and a vector on either side of it."""
    number = left.number
    t, nil = name_of(number), zero(number)
    params: list[tuple[Kind, str]] = [(left, "a"), (right, "b")]
    if right.family == "vector":
        result = vector(left.shape[0], number)
        parts = [
            " + ".join(f"a.m[{i}][{k}] * {part(right, 'b', k)}" for k in range(left.shape[1]))
            for i in range(left.shape[0])
        ]
        return h.function("operator*", result, params, f"return {make(result, parts)};")
    if left.family == "vector":
        result = vector(right.shape[1], number)
        parts = [
            " + ".join(f"{part(left, 'a', k)} * b.m[{k}][{j}]" for k in range(right.shape[0]))
            for j in range(right.shape[1])
        ]
        return h.function("operator*", result, params, f"return {make(result, parts)};")
    result = matrix(left.shape[0], right.shape[1], number)
    lines = [
        f"{name_of(result)} out;",
        f"for (int i = 0; i < {left.shape[0]}; ++i)",
        f"  for (int j = 0; j < {right.shape[1]}; ++j) {{",
        f"    {t} sum = {nil};",
        f"    for (int k = 0; k < {left.shape[1]}; ++k)",
        "      sum += a.m[i][k] * b.m[k][j];",
        "    out.m[i][j] = sum;",
        "  }",
        "return out;",
    ]
    return h.function("operator*", result, params, *lines)


@helper
def transpose(h: Helpers, kind: Block) -> str:
    """Rows as columns."""
    rows, columns = kind.shape
    result = matrix(columns, rows, kind.number)
    lines = [
        f"{h.type(result)} out;",
        f"for (int i = 0; i < {columns}; ++i)",
        f"  for (int j = 0; j < {rows}; ++j)",
        "    out.m[i][j] = a.m[j][i];",
        "return out;",
    ]
    return h.function("transpose", result, [(kind, "a")], *lines)


@helper
def trace(h: Helpers, kind: Block) -> str:
    """The sum of the diagonal."""
    text = " + ".join(f"a.m[{i}][{i}]" for i in range(kind.shape[0]))
    return h.function("trace", kind.number, [(kind, "a")], f"return {text};")


@helper
def get_diag(h: Helpers, kind: Block) -> str:
    """The diagonal."""
    result = vector(kind.shape[0], kind.number)
    parts = [f"a.m[{i}][{i}]" for i in range(kind.shape[0])]
    return h.function("get_diag", result, [(kind, "a")], f"return {make(result, parts)};")


@helper
def diag(h: Helpers, kind: Block) -> str:
    """A matrix with a diagonal."""
    n = kind.shape[0]
    result = matrix(n, n, kind.number)
    nil = zero(kind.number)
    parts = [part(kind, "a", i) if i == j else nil for i in range(n) for j in range(n)]
    return h.function("diag", result, [(kind, "a")], f"return {make(result, parts)};")


@helper
def skew(h: Helpers, kind: Block) -> str:
    """The matrix that takes the cross product."""
    result, nil = matrix(3, 3, kind.number), zero(kind.number)
    parts = [nil, "-a.z", "a.y", "a.z", nil, "-a.x", "-a.y", "a.x", nil]
    return h.function("skew", result, [(kind, "a")], f"return {make(result, parts)};")


@helper
def row(h: Helpers, kind: Block) -> str:
    """One row."""
    result = vector(kind.shape[1], kind.number)
    parts = [f"a.m[i][{j}]" for j in range(kind.shape[1])]
    return h.function("row", result, [(kind, "a"), (INT, "i")], f"return {make(result, parts)};")


@helper
def column(h: Helpers, kind: Block) -> str:
    """One column."""
    result = vector(kind.shape[0], kind.number)
    parts = [f"a.m[{i}][j]" for i in range(kind.shape[0])]
    return h.function("column", result, [(kind, "a"), (INT, "j")], f"return {make(result, parts)};")


@helper
def set_row(h: Helpers, kind: Block) -> str:
    """Change one row."""
    source = vector(kind.shape[1], kind.number)
    lines = "".join(f"  a.m[i][{j}] = {part(source, 'v', j)};\n" for j in range(kind.shape[1]))
    return f"__device__ inline void set_row({h.type(kind)} &a, int i, {h.parameter(source, 'v')}) {{\n{lines}}}\n"


def _from(name: str, rows: bool) -> None:
    def write(h: Helpers, kind: Block) -> str:
        n, m = kind.shape
        source = vector(m if rows else n, kind.number)
        given = [(source, f"r{i}" if rows else f"c{i}") for i in range(n if rows else m)]
        parts = [part(source, f"r{i}", j) if rows else part(source, f"c{j}", i) for i in range(n) for j in range(m)]
        return h.function(name, kind, given, f"return {make(kind, parts)};")

    write.__name__ = name
    helper(write)


_from("matrix_from_rows", True)
_from("matrix_from_cols", False)


@helper
def identity(h: Helpers, kind: Block) -> str:
    """The identity matrix."""
    n = kind.shape[0]
    one, nil = literal(kind.number, 1).text, zero(kind.number)
    parts = [one if i == j else nil for i in range(n) for j in range(n)]
    return h.function(f"identity_{name_of(kind)}", kind, [], f"return {make(kind, parts)};")


@helper
def ddot(h: Helpers, kind: Block) -> str:
    """The sum of the products of all entries."""
    h.need("dot", kind)
    return h.function("ddot", kind.number, [(kind, "a"), (kind, "b")], "return dot(a, b);")


@helper
def spatial_adjoint(h: Helpers, kind: Block) -> str:
    """The 6 by 6 matrix of a rotation and a skew matrix."""
    result, nil = matrix(6, 6, kind.number), zero(kind.number)
    parts = []
    for i in range(6):
        for j in range(6):
            diagonal = i // 3 == j // 3
            below = i >= 3 > j
            parts.append(f"r.m[{i % 3}][{j % 3}]" if diagonal else f"s.m[{i - 3}][{j}]" if below else nil)
    assert len(parts) == count(result)
    return h.function("spatial_adjoint", result, [(kind, "r"), (kind, "s")], f"return {make(result, parts)};")
