"""generic: functions and kernels whose types are ``Any``, given by the call or by ``wp.overload``."""

from __future__ import annotations

from ...families import one_of
from .folds import compare, reduce, rotations
from .maps import axpy, functions, stencil

build = one_of("generic", axpy, reduce, functions, stencil, rotations, compare)
