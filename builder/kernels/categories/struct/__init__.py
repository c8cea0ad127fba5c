"""struct: records by value, in arrays, nested, as arguments, as results of functions, with arrays in them."""

from __future__ import annotations

from ...families import one_of
from .bodies import boxes, particles, rays, settings
from .values import colours, complex_numbers, dual_numbers, nested, records, statistics

build = one_of(
    "struct", particles, rays, boxes, settings, complex_numbers, dual_numbers, statistics, nested, records, colours
)
