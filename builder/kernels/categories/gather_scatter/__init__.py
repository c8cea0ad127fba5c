"""gather_scatter: elements read and written where other elements say: indices, tables, sparse rows, hashes, bits."""

from __future__ import annotations

from ...families import one_of
from . import claims, gathers, holders, scatters, sparse, tables

build = one_of(
    "gather_scatter",
    *gathers.FAMILIES,
    *scatters.FAMILIES,
    *sparse.FAMILIES,
    *tables.FAMILIES,
    *claims.FAMILIES,
    *holders.FAMILIES,
)
