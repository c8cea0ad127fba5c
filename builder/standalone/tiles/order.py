"""Scans and sorting in shared memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...codegen.typed import Called
from ..code import Code, binary
from ..helpers import Helpers, helper
from ..scalars import least
from ..types import BOOL, INT, number_of, zero
from .loops import Loop
from .places import Place
from .printing import Tiles
from .table import does, makes
from .values import Formula, Tile, Variable
from .views import near

_SCANS = {"tile_scan_max_inclusive": "max", "tile_scan_min_inclusive": "min"}


@makes("tile_scan_inclusive", "tile_scan_exclusive", *_SCANS)
def _scanned(p: Tiles, node: ast.expr, called: Called) -> Tile:
    hint, p.hint = p.hint, ""
    source = p.tile(called.nodes["t"] if "t" in called.nodes else called.nodes["a"])
    number, like = number_of(source.element), (source.element, source.shape, source.dims)
    exclusive = called.name == "tile_scan_exclusive"
    scan = Variable((hint if not exclusive else "") or p.work("scan"), like)
    p.share(scan)
    p.fill(scan, source)
    before = Variable(p.work("before"), like)
    p.share(before)
    n = scan.dims[0]
    word = _SCANS.get(called.name, "")

    def joined(a: str, b: str) -> str:
        left, right = Code(a, number), Code(b, number)
        return least(word, number, left, right).text if word else binary("+", left, right, number).text

    def lines() -> Iterator[str]:
        s, b = scan.name, before.name
        yield f"for (int step = 1; step < {n}; step *= 2) {{"
        yield f"  for (int i = threadIdx.x; i < {n}; i += blockDim.x) {{"
        yield f"    {b}[i] = i >= step ? {joined(f'{s}[i - step]', f'{s}[i]')} : {s}[i];"
        yield "  }"
        yield "  __syncthreads();"
        yield f"  for (int i = threadIdx.x; i < {n}; i += blockDim.x) {{"
        yield f"    {s}[i] = {b}[i];"
        yield "  }"
        yield "  __syncthreads();"
        yield "}"

    p.together("Scan by doubling steps.", [], [scan, before], lambda: list(lines()))
    return _shifted(p, scan) if exclusive else scan


def _shifted(p: Tiles, scan: Variable) -> Tile:
    """Return what comes before each element of a scan."""

    def at(loop: Loop | None, place: Place) -> Code:
        index = place.number()
        left = scan.at(p, loop, place.moved(scan.shape, [lambda: binary("-", index, Code("1", INT), INT)]))
        test = binary(">", index, Code("0", INT), BOOL)
        return p.choice(test, left, Code(zero(scan.element), scan.element), scan.element)

    return Formula((scan.element, scan.shape, scan.dims), at, cheap=True)


@helper
def block_sort(h: Helpers) -> str:
    """Batcher's bitonic network, the one that Warp sorts with: equal keys end up in the same order."""
    return """// Sorts keys with their values, a power of two of them, by a bitonic network.
template <typename K, typename V>
__device__ inline void block_sort(K *keys, V *values, int count) {
  for (int run = 2; run <= count; run *= 2) {
    for (int stride = run / 2; stride > 0; stride /= 2) {
      for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const int j = i ^ stride;
        if (j > i && ((i & run) == 0 ? keys[i] > keys[j] : keys[i] < keys[j])) {
          const K key = keys[i];
          const V value = values[i];
          keys[i] = keys[j];
          values[i] = values[j];
          keys[j] = key;
          values[j] = value;
        }
      }
      __syncthreads();
    }
  }
}
"""


@does("tile_sort")
def _sorted(p: Tiles, node: ast.Call, called: Called) -> None:
    keys, values = (near(p, p.tile(one), "keys") for one in node.args[:2])
    if not (isinstance(keys, Variable) and isinstance(values, Variable)) or keys.count & (keys.count - 1):
        raise p.refused("wp.tile_sort of a view, or of no power of two")
    for tile in (keys, values):
        p.share(tile)
    name = p.helpers.need("block_sort")
    p.together("", [], [keys, values], lambda: [f"{name}({keys.name}, {values.name}, {keys.dims[0]});"])
