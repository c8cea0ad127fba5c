"""The chain of stages: mine -> prepare (generate, edges, programs, verify, tokens) -> decide -> compare, compress,
summarise -> rows.

Each stage is a pure function of the spec and a rank, and leaves one file in the store; the file's
existence says that the stage is done. One process, a pool of processes and streaming run these same
functions, which is why they give the same bytes.
"""

from .decided import offer, rows, save_decision, saved_decision, stream
from .ranked import AFTER, PREPARE, is_done, ranks_of, run
from .units import count_tokens, edges, generate, is_prepared, mined_sources, prepare, programs, ptx, verify
from .whole import GROUP, statistics

__all__ = [
    "AFTER",
    "GROUP",
    "PREPARE",
    "count_tokens",
    "edges",
    "generate",
    "is_done",
    "is_prepared",
    "mined_sources",
    "offer",
    "prepare",
    "programs",
    "ptx",
    "ranks_of",
    "rows",
    "run",
    "save_decision",
    "saved_decision",
    "statistics",
    "stream",
    "verify",
]
