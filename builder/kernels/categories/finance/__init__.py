"""finance: option pricing, rates and bonds, risk, indicators of price series."""

from __future__ import annotations

from ...families import one_of
from .options import black_scholes, finite_difference, implied_volatility, lattice

build = one_of("finance", black_scholes, implied_volatility, lattice, finite_difference)
