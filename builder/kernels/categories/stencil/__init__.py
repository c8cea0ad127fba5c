"""stencil: each element from its neighbours, in 1 to 4 dimensions: steps of equations, filters, rules, boundaries."""

from __future__ import annotations

from ...families import one_of
from . import cells, equations, filters, fronts, staggered

build = one_of(
    "stencil", *equations.FAMILIES, *fronts.FAMILIES, *staggered.FAMILIES, *filters.FAMILIES, *cells.FAMILIES
)
