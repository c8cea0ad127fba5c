"""sorting_searching: sorting, searching, scans, matching, dynamic programming, graphs."""

from __future__ import annotations

from ...families import one_of
from .automata import automaton
from .dynamic import alignment, knapsack
from .graphs import rank, relax
from .hashing import hashing
from .labels import labels
from .matching import pattern, runs
from .node_pairs import all_pairs
from .row_sorts import row_sort
from .scans import scan
from .searching import merge, search
from .sorting import digits, exchange, rank_sort

build = one_of(
    "sorting_searching",
    exchange, rank_sort, digits, row_sort, search, merge, scan, pattern, hashing, runs, alignment, knapsack, all_pairs,
    automaton, relax, rank, labels,
)  # fmt: skip
