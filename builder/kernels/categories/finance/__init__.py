"""finance: option pricing, rates and bonds, risk, indicators of price series."""

from __future__ import annotations

from ...families import tidy_one_of
from .grids import finite_difference, lattice
from .indicators import indicator, order_book
from .options import black_scholes, implied_volatility
from .paths import monte_carlo, rate_path
from .risk import bond, curve, portfolio

build = tidy_one_of(
    "finance",
    black_scholes, implied_volatility, monte_carlo, lattice, finite_difference, rate_path, bond, curve, portfolio,
    indicator, order_book,
)  # fmt: skip
