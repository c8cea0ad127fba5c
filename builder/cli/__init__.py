"""The command line. Thin: every command is one call into the layers below."""

from __future__ import annotations

from . import build, folder, mine
from .common import run_app

__all__ = ["build", "folder", "main", "mine"]


def main() -> None:
    """Run the command line."""
    run_app()
