"""The kernel categories: one module each, with ``build(choices) -> Program``.

A category is registered by its line under ``categories:`` in ``configs/default.yaml``; its module here
has the same name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from ..choices import Choices
from ..program import Program

Build = Callable[[Choices], Program]


@cache
def category(name: str) -> Build:
    """Return the ``build`` function of a registered category."""
    build: Build = import_module(f".{name}", __name__).build
    return build
