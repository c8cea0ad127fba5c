"""Kernel source -> the C++ and CUDA that NVIDIA Warp generates for it.

``warp_adapter`` is the only module of the project that touches Warp's internals.
"""

from .collector import fewer_collections
from .native import compile_cpp, compile_cuda, preamble
from .pipeline import Generated, entry_point, generate
from .raw import Builtin
from .warp_adapter import builtins, measure_bound

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
]
