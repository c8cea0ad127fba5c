"""dynamic_loop: loops whose number of turns the data decides."""

from __future__ import annotations

from ...families import one_of
from .integers import collatz, gcd, power
from .pictures import escape, march, rejection
from .roots import bisection, newton, series
from .walks import binary_search, chase, fixed_point, scan_rows

build = one_of(
    "dynamic_loop", collatz, gcd, power, bisection, newton, series, escape, march, binary_search, chase, fixed_point,
    scan_rows, rejection,
)  # fmt: skip
