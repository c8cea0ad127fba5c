"""reduction: many values to few, per row, column, segment, key, window or for the whole array."""

from __future__ import annotations

from ...families import one_of
from . import across, ranges, tables

build = one_of("reduction", *ranges.FAMILIES, *tables.FAMILIES, *across.FAMILIES)
