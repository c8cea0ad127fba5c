"""Kernels on tiles as CUDA: loops of a block's threads over elements, shared memory, barriers where they are needed."""

from __future__ import annotations

from . import block, elements, factors, gathers, memory, order, products, reductions, threads, transforms, views  # noqa: F401 (they fill the table)
from .statements import TilePrinter

__all__ = ["TilePrinter"]
