"""Program -> kernel source text."""

from __future__ import annotations

from .expressions import expr
from .module import render

__all__ = ["expr", "render"]
