"""Helpers for determinants and inverses."""

from __future__ import annotations

from ..codegen.arguments import Block, Number
from .helpers import Helpers, helper, plain
from .scalars import convert
from .types import DOUBLE, literal, make, name_of, zero


@helper
def determinant(h: Helpers, kind: Block) -> str:
    """The determinant."""
    n = kind.shape[0]
    if n == 2:
        return h.function(
            "determinant", kind.number, [(kind, "a")], "return a.m[0][0] * a.m[1][1] - a.m[1][0] * a.m[0][1];"
        )
    if n == 3:
        lines = [
            "return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) +",
            "       a.m[0][1] * (a.m[1][2] * a.m[2][0] - a.m[1][0] * a.m[2][2]) +",
            "       a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);",
        ]
        return h.function("determinant", kind.number, [(kind, "a")], *lines)
    h.need("cofactors", kind)
    return h.function(
        "determinant",
        kind.number,
        [(kind, "a")],
        "double det;",
        "cofactors(a, det);",
        f"return {_single(kind.number, 'det')};",
    )


@helper
def cofactors(h: Helpers, kind: Block) -> str:
    """The transposed cofactors of a 4 by 4 matrix, and its determinant, in double precision."""
    t = h.type(kind)
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    lines = ["double d[4][4];", "for (int i = 0; i < 4; ++i)", "  for (int j = 0; j < 4; ++j)"]
    lines.append(f"    d[i][j] = {_double(kind.number, 'a.m[i][j]')};")
    for letter, first in (("s", 0), ("c", 2)):
        for n, (i, j) in enumerate(pairs):
            products = f"d[{first}][{i}] * d[{first + 1}][{j}] - d[{first}][{j}] * d[{first + 1}][{i}]"
            lines.append(f"const double {letter}{n} = {products};")
    lines.append("det = s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0;")
    lines.append(f"{t} out;")
    for i, other, letter in ((0, 1, "c"), (1, 0, "c"), (2, 3, "s"), (3, 2, "s")):
        for j in range(4):
            p, q, r = [k for k in range(4) if k != j]
            terms = [f"d[{other}][{a}] * {letter}{pairs.index(b)}" for a, b in ((p, (q, r)), (q, (p, r)), (r, (p, q)))]
            sign = "-" if (i + j) % 2 else ""
            lines.append(f"out.m[{j}][{i}] = {_single(kind.number, f'{sign}({terms[0]} - {terms[1]} + {terms[2]})')};")
    body = "".join(f"  {line}\n" for line in [*lines, "return out;"])
    return f"__device__ inline {t} cofactors(const {t} &a, double &det) {{\n{body}}}\n"


def _double(number: Number, text: str) -> str:
    return convert(plain(number, text), DOUBLE).text


def _single(number: Number, text: str) -> str:
    return convert(plain(DOUBLE, text, 12), number).text


@helper
def inverse(h: Helpers, kind: Block) -> str:
    """The inverse; zero for a singular matrix."""
    n, number = kind.shape[0], name_of(kind.number)
    one, nil = literal(kind.number, 1).text, zero(kind.number)
    h.need("operator", "mul", kind, kind, kind.number)
    if n == 4:
        h.need("cofactors", kind)
        lines = [
            "double det;",
            f"const {h.type(kind)} out = cofactors(a, det);",
            f"return fabs(det) > 0.0 ? out * {_single(kind.number, '(1.0 / det)')} : {zero(kind)};",
        ]
        return h.function("inverse", kind, [(kind, "a")], *lines)
    h.need("determinant", kind)
    if n == 2:
        parts = ["a.m[1][1]", "-a.m[0][1]", "-a.m[1][0]", "a.m[0][0]"]
    else:
        parts = []
        for i in range(3):
            for j in range(3):
                r, s = (j + 1) % 3, (j + 2) % 3
                p, q = (i + 1) % 3, (i + 2) % 3
                parts.append(f"a.m[{r}][{p}] * a.m[{s}][{q}] - a.m[{r}][{q}] * a.m[{s}][{p}]")
    lines = [
        f"const {number} det = determinant(a);",
        f"if (det == {nil})",
        f"  return {zero(kind)};",
        f"return {make(kind, parts)} * ({one} / det);",
    ]
    return h.function("inverse", kind, [(kind, "a")], *lines)
