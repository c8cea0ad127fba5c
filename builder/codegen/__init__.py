"""Kernel source -> the C++ and CUDA that NVIDIA Warp generates for it.

``warp_internals`` names all of Warp's internals; the modules ``warp_*`` and ``objects`` are where they are used.
"""

from .collector import fewer_collections
from .native import compile_cpp, compile_cuda, preamble
from .pipeline import Generated, entry_point, generate
from .raw import Builtin
from .warp_bound import measure_bound
from .warp_native import start_runtime
from .warp_table import builtins

__all__ = [
    "Builtin",
    "Generated",
    "builtins",
    "compile_cpp",
    "compile_cuda",
    "entry_point",
    "fewer_collections",
    "generate",
    "measure_bound",
    "preamble",
    "start_runtime",
]
