"""Typed expressions in Python's own notation.

A :class:`Term` holds an expression; its operators and the functions of :data:`wp` look the operation up in the ops
table, so what does not type-check cannot be written down.
"""

from __future__ import annotations

from .calls import both, builtin, either, no, quoted, where, wp
from .construction import cast, constant_value, identity, make, number, zero
from .term import Like, Term, lift

__all__ = [
    "Like",
    "Term",
    "both",
    "builtin",
    "cast",
    "constant_value",
    "either",
    "identity",
    "lift",
    "make",
    "no",
    "number",
    "quoted",
    "where",
    "wp",
    "zero",
]
