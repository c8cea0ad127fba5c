"""Helpers for gradient noise in one to four dimensions."""

from __future__ import annotations

import ast

from ..codegen.arguments import Kind
from ..codegen.typed import Called
from .builtins import builtin
from .code import Code, call
from .expressions import Expressions
from .helpers import Helpers, helper
from .types import FLOAT, INT, UINT, count, part, vector

_HASHED = {
    1: "const float gradient[1] = {randf(hash, -1.0f, 1.0f)};",
    0: """float gradient[D];
    float length = 0.0f;
    for (int k = 0; k < D; ++k) {
      gradient[k] = randf(hash) - 0.5f;
    }
    for (int k = 0; k < D; ++k) {
      length += gradient[k] * gradient[k];
    }
    length = sqrtf(length);
    for (int k = 0; k < D; ++k) {
      gradient[k] = length > 0.0f ? gradient[k] / length : 0.0f;
    }""",
}
_TEXT = """// Gradient noise in dimension D: corners of the cell, blended with a quintic.
__device__ inline float noise_in_cell(unsigned int state, const int *low, const int *high, const float *d) {
  const unsigned int primes[4] = {73856093u, 19349663u, 53471161u, 10000019u};
  float value[CORNERS];
  for (int corner = 0; corner < CORNERS; ++corner) {
    unsigned int hash = 0u;
    for (int k = 0; k < D; ++k) {
      const unsigned int term = (unsigned int)(corner >> k & 1 ? high[k] : low[k]) * primes[k];
      hash ^= k < LAST ? term : term + state;
    }
    HASHED
    float sum = 0.0f;
    for (int k = 0; k < D; ++k) {
      sum += (d[k] - (float)(corner >> k & 1)) * gradient[k];
    }
    value[corner] = sum;
  }
  for (int k = 0; k < D; ++k) {
    const float t = d[k];
    const float blend = t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
    for (int corner = 0; corner < CORNERS >> (k + 1); ++corner) {
      value[corner] = (value[2 * corner + 1] - value[2 * corner]) * blend + value[2 * corner];
    }
  }
  return value[0];
}
"""


@helper
def noise_in_cell(h: Helpers, dim: int) -> str:
    """Noise in one cell of the lattice."""
    h.need("randf_3" if dim == 1 else "randf")
    text = _TEXT.replace("HASHED", _HASHED[int(dim == 1)])
    return (
        text.replace("CORNERS", str(1 << dim))
        .replace("LAST", str(dim - 1))
        .replace("[D]", f"[{dim}]")
        .replace("< D", f"< {dim}")
        .replace("dimension D", f"{dim} dimension{'s' * (dim > 1)}")
    )


def _noise(name: str, periodic: bool) -> None:
    def write(h: Helpers, dim: int) -> str:
        h.need("noise_in_cell", dim)
        kind: Kind = FLOAT if dim == 1 else vector(dim, FLOAT)
        parts = ["x"] if dim == 1 else [part(vector(dim, FLOAT), "x", k) for k in range(dim)]
        params: list[tuple[Kind, str]] = [(UINT, "state"), (kind, "x")]
        lows = [f"(int)floorf({one})" for one in parts]
        highs = [f"low[{k}] + 1" for k in range(dim)]
        if periodic:
            params += [(INT, f"p{k}") for k in range(dim)]
            lows = [f"{low} % p{k}" for k, low in enumerate(lows)]
            highs = [f"(low[{k}] + 1) % p{k}" for k in range(dim)]
        rest = [f"{one} - floorf({one})" for one in parts]
        return h.function(
            name, FLOAT, params, f"const int low[{dim}] = {{{', '.join(lows)}}};",
            f"const int high[{dim}] = {{{', '.join(highs)}}};", f"const float d[{dim}] = {{{', '.join(rest)}}};",
            "return noise_in_cell(state, low, high, d);",
        )  # fmt: skip

    write.__name__ = name
    helper(write)


_noise("noise", False)
_noise("pnoise", True)


@builtin("noise", "pnoise")
def _call_noise(p: Expressions, node: ast.Call, called: Called, _: list[Code], kind: Kind) -> Code:
    args = p.arguments(called)
    given = args[1].kind
    p.helpers.need(called.name, 1 if given == FLOAT else count(given))  # type: ignore[arg-type]
    return call(called.name, FLOAT, *args)
