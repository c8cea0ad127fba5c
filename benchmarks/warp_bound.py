"""The bound: how fast Warp itself builds kernels and generates their code, in one process."""

from __future__ import annotations

from collections.abc import Sequence

from builder.codegen import measure_bound


def warp_bound(sources: Sequence[str]) -> float:
    """Return the seconds that Warp's own build and code generation take for kernel sources.

    Timed are ModuleHasher, ModuleBuilder and codegen for ``cpu`` and ``cuda``, forward and backward, with
    Python's default settings; importing the sources is not. It is what Warp's own compile step costs, so the rate
    of a whole build is quoted as a fraction of ``len(sources) / warp_bound(sources)``.

    Raises:
        CodegenRejection: a source defines no single kernel, or Warp refuses it.
    """
    return measure_bound(sources)
