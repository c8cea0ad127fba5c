"""The command line. Thin: every command is one call into the layers below."""

from __future__ import annotations

from . import build, folder, mine
from .common import app

__all__ = ["build", "folder", "main", "mine"]


def main() -> None:
    """Run the command line."""
    app()
