"""The chain of stages: mine -> generate -> edges -> programs -> verify -> tokens -> decide -> rows, and measurements.

Each stage is a pure function of the spec and a rank, and leaves one file in the store; the file's
existence says that the stage is done. One process, a pool of processes and streaming run these same
functions, which is why they give the same bytes.
"""

from .decided import offer, rows, save_decision, saved_decision, stream
from .units import count_tokens, edges, generate, is_prepared, mined_sources, prepare, programs, ptx, verify
from .whole import measured, statistics

__all__ = [
    "count_tokens",
    "edges",
    "generate",
    "is_prepared",
    "measured",
    "mined_sources",
    "offer",
    "prepare",
    "programs",
    "ptx",
    "rows",
    "save_decision",
    "saved_decision",
    "statistics",
    "stream",
    "verify",
]
