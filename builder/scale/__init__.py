"""Runs the stages at scale: worker processes on one machine."""

from __future__ import annotations

from ..curate.decision import Decision
from .local import build

__all__ = ["Decision", "build"]
