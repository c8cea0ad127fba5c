"""The command line. Thin: every command is one call into the layers below."""

from __future__ import annotations

from . import build, folder, mine, verify
from .common import run_app

__all__ = ["build", "folder", "main", "mine", "verify"]


def main() -> None:
    """Run the command line."""
    run_app()
