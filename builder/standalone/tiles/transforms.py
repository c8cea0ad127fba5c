"""Fourier transforms in shared memory."""

from __future__ import annotations

import ast

from ...codegen.arguments import Block, Number
from ...codegen.typed import Called
from ..code import Code
from ..helpers import Helpers, helper
from ..scalars import math_call
from ..types import INT, literal, vector
from .places import fixed
from .printing import Tiles
from .table import does
from .values import Variable
from .views import near


@helper
def block_fft(h: Helpers, number: Number) -> str:
    """The transform of one row by Cooley and Tukey, all threads of the block together."""
    c, t = h.type(vector(2, number)), h.type(number)
    pi = "3.14159265358979323846" + ("f" if number.name == "float32" else "")
    cos, sin = (math_call(name, number, Code("angle", number)).text for name in ("cos", "sin"))
    return (
        "// The Fourier transform of count numbers, a power of two; the sign is that of the exponent.\n"
        f"__device__ inline void block_fft({c} *values, int count, {t} sign) {{\n"
        "  // Order by reversed bits.\n"
        "  for (int i = threadIdx.x; i < count; i += blockDim.x) {\n"
        "    int j = 0;\n"
        "    for (int bit = 1, rest = i; bit < count; bit *= 2, rest /= 2) {\n      j = 2 * j + rest % 2;\n    }\n"
        f"    if (i < j) {{\n      const {c} swapped = values[i];\n      values[i] = values[j];\n"
        "      values[j] = swapped;\n    }\n  }\n"
        "  __syncthreads();\n"
        "  for (int half = 1; half < count; half *= 2) {\n"
        "    for (int i = threadIdx.x; i < count / 2; i += blockDim.x) {\n"
        "      const int place = i % half, low = i / half * 2 * half + place, high = low + half;\n"
        f"      const {t} angle = sign * {pi} * ({t})place / ({t})half;\n"
        f"      const {t} c = {cos}, s = {sin};\n"
        f"      const {c} a = values[low], b = values[high];\n"
        f"      const {t} x = c * b.x - s * b.y, y = c * b.y + s * b.x;\n"
        f"      values[low] = {_pair(c, 'a.x + x', 'a.y + y')};\n"
        f"      values[high] = {_pair(c, 'a.x - x', 'a.y - y')};\n"
        "    }\n    __syncthreads();\n  }\n}\n"
    )


def _pair(type_: str, x: str, y: str) -> str:
    return f"make_{type_}({x}, {y})"


@does("tile_fft", "tile_ifft")
def _transform(p: Tiles, node: ast.Call, called: Called) -> None:
    tile = near(p, p.tile(node.args[0]), "work")
    kind = tile.element
    if not isinstance(kind, Block) or not isinstance(tile, Variable) or not 1 <= len(tile.shape) <= 2:
        raise p.refused(f"wp.{called.name} of a view")
    sign = literal(kind.number, -1 if called.name == "tile_fft" else 1).text
    name = p.helpers.need("block_fft", kind.number)
    length, rows = tile.dims[-1], tile.shape[0] if len(tile.shape) == 2 else 1

    def lines() -> list[str]:
        if rows == 1:
            p.share(tile)
            return [f"{name}({tile.name}, {length}, {sign});"]
        row = tile.at(p, None, fixed(tile.shape, [Code("row", INT), Code("0", INT)])).text.removesuffix("[0]")
        return [
            f"for (int row = 0; row < {tile.dims[0]}; ++row) {{", f"  {name}({row}, {length}, {sign});", "}",
        ]  # fmt: skip

    p.together("", [], [tile], lines)
