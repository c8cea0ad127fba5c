"""Compiles, runs and differentiates rows, and says what came of it."""

from .facade import verify
from .rows import row_of
from .verdict import LEVELS, Verdict, Verification

__all__ = ["LEVELS", "Verdict", "Verification", "row_of", "verify"]
