"""Device functions of a whole block: each thread gives a value and gets what comes of all."""

from __future__ import annotations

from ...codegen.arguments import Number
from ..code import Code
from ..helpers import Helpers, helper
from ..launch import BLOCK as THREADS
from ..scalars import least

_FOLD = """// Folds the values of the block's first count threads; every thread gets the result.
template <typename T, typename Op>
__device__ inline T block_fold(T value, int count, Op op) {
  __shared__ T values[THREADS];
  const int thread = threadIdx.x;
  values[thread] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (thread < half && thread + half < count) {
      values[thread] = op(values[thread], values[thread + half]);
    }
    __syncthreads();
  }
  const T result = values[0];
  __syncthreads();
  return result;
}
"""


@helper
def block_fold(h: Helpers) -> str:
    """A fold with any function."""
    return _FOLD.replace("THREADS", str(THREADS))


def _reduction(name: str, what: str, step: str) -> None:
    def write(h: Helpers, number: Number) -> str:
        t = h.type(number)
        value, other = Code("value", number), Code("__shfl_down_sync(0xffffffff, value, offset)", number)
        partial = Code("partial[warp]", number)
        if step == "+":
            in_warp, in_block = f"value += {other.text};", f"value += {partial.text};"
        else:
            in_warp = f"value = {least(step, number, value, other).text};"
            in_block = f"value = {least(step, number, value, partial).text};"
        return (
            f"// {what} of a value over the threads of the block; every thread gets it.\n"
            f"__device__ inline {t} {name}({t} value) {{\n"
            f"  __shared__ {t} partial[32];\n"
            "  for (int offset = 16; offset > 0; offset /= 2) {\n"
            f"    {in_warp}\n  }}\n"
            "  if (threadIdx.x % 32 == 0) {\n    partial[threadIdx.x / 32] = value;\n  }\n"
            "  __syncthreads();\n"
            f"  value = partial[0];\n"
            "  for (int warp = 1; warp < (int)blockDim.x / 32; ++warp) {\n"
            f"    {in_block}\n  }}\n"
            "  __syncthreads();\n"
            "  return value;\n}\n"
        )

    write.__name__ = name
    helper(write)


_reduction("block_sum", "The sum", "+")
_reduction("block_min", "The least", "min")
_reduction("block_max", "The greatest", "max")


def _search(name: str, what: str, symbol: str) -> None:
    def write(h: Helpers, number: Number) -> str:
        t = h.type(number)
        return (
            f"// The index that comes with the {what} value in the block; every thread gets it.\n"
            f"__device__ inline int {name}({t} value, int index) {{\n"
            f"  __shared__ {t} values[32];\n  __shared__ int indices[32];\n"
            "  for (int offset = 16; offset > 0; offset /= 2) {\n"
            f"    const {t} other = __shfl_down_sync(0xffffffff, value, offset);\n"
            "    const int other_index = __shfl_down_sync(0xffffffff, index, offset);\n"
            f"    if (other {symbol} value) {{\n      value = other;\n      index = other_index;\n    }}\n  }}\n"
            "  if (threadIdx.x % 32 == 0) {\n"
            "    values[threadIdx.x / 32] = value;\n    indices[threadIdx.x / 32] = index;\n  }\n"
            "  __syncthreads();\n"
            "  value = values[0];\n  index = indices[0];\n"
            "  for (int warp = 1; warp < (int)blockDim.x / 32; ++warp) {\n"
            f"    if (values[warp] {symbol} value) {{\n"
            "      value = values[warp];\n      index = indices[warp];\n    }\n  }\n"
            "  __syncthreads();\n"
            "  return index;\n}\n"
        )

    write.__name__ = name
    helper(write)


_search("block_argmin", "least", "<")
_search("block_argmax", "greatest", ">")
