"""How long Warp itself takes: the bound that generation is measured against."""

from __future__ import annotations

import time
from collections.abc import Iterable

from .kernel_source import parse
from .warp_internals import INTERNALS
from .warp_process import define, isolated, options_of

wcontext, _, _ = INTERNALS


def measure_bound(sources: Iterable[str]) -> float:
    """Return the seconds Warp itself takes to build kernels and generate their code for both devices.

    Timed is what Warp does to compile a kernel, up to the text: ModuleHasher, ModuleBuilder, codegen("cpu")
    and codegen("cuda"), as Warp ships them. Importing the sources is not timed.

    Raises:
        CodegenRejection: a source defines no single kernel.
    """
    total = 0.0
    for source in sources:
        with isolated():
            kernel, _ = define(parse(source), shortcuts=False)
            options = options_of(kernel.module)
            start = time.perf_counter()
            hasher = wcontext.ModuleHasher([kernel], options)
            builder = wcontext.ModuleBuilder(kernel.module, options, hasher)
            builder.codegen("cpu")
            builder.codegen("cuda")
            total += time.perf_counter() - start
    return total
