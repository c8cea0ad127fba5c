"""What a process that compiles or runs kernels is told of the one that starts it."""

from __future__ import annotations

import os
from pathlib import Path

# Kernels run foreign code: what such names hold is none of their business.
_SECRET = ("TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "API_KEY", "ACCESS_KEY")


def surroundings(**more: str) -> dict[str, str]:
    """Return this process's environment without what looks like a secret, with our modules to import, and ``more``."""
    kept = {name: value for name, value in os.environ.items() if not any(word in name.upper() for word in _SECRET)}
    root = str(Path(__file__).resolve().parents[1])
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, (root, kept.get("PYTHONPATH", ""))))} | more
