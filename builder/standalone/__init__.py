"""A Warp kernel as a CUDA program of its own: typed translation, host side, checks."""

from __future__ import annotations

from .making import Made, checked_programs, standalone
from .program import Expected, program
from .translate import Translation, translate

__all__ = ["Expected", "Made", "Translation", "checked_programs", "program", "standalone", "translate"]
