"""scan: prefix sums and what is made of them, recurrences along a line, steps of parallel scans, compaction."""

from __future__ import annotations

from ...families import one_of
from . import lines, places, recurrences, steps

build = one_of("scan", *lines.FAMILIES, *recurrences.FAMILIES, *steps.FAMILIES, *places.FAMILIES)
