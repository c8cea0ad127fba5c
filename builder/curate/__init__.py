"""Which candidates become rows: keys to compare them by, the in-order rule, splits without leakage."""

from __future__ import annotations

from .decide import Decider, Kept
from .edges import EDGES_SCHEMA, edges_table
from .keys import Keys, analyse
from .split import split_of

__all__ = ["EDGES_SCHEMA", "Decider", "Kept", "Keys", "analyse", "edges_table", "split_of"]
