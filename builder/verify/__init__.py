"""Compiles, runs and differentiates rows, and says what came of it."""

from .facade import verify
from .verdict import LEVELS, Verdict, Verification

__all__ = ["LEVELS", "Verdict", "Verification", "verify"]
