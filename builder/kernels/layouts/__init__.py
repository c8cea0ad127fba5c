"""How data lies in memory and which threads work on it: vectors of particles, records, cells of grids.

One algorithm is written in many forms because its data is: an array of vectors or an array per component, structs,
rows of a 2-D array or a flat one, grids of two or three dimensions that end in one way or another.
"""

from .factors import chain_of, divisor, factor, kept, let, precise, random_state, switch
from .grid import Grid
from .points import Layout, Points
from .records import Records

__all__ = [
    "Grid", "Layout", "Points", "Records", "chain_of", "divisor", "factor", "kept", "let", "precise", "random_state",
    "switch",
]  # fmt: skip
