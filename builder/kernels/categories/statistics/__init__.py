"""statistics: descriptive statistics, sampling, filters, hidden states, fits; prices, rates and risks of finance."""

from __future__ import annotations

from ...families import one_of
from .dependence import covariance, density, quantile
from .descriptive import histogram, moments
from .filters import hidden_markov, kalman, smoothing
from .fits import logistic_gradient, mixture
from .grids import finite_difference, lattice
from .indicators import indicator, order_book
from .lattices import ising
from .options import black_scholes, implied_volatility
from .paths import monte_carlo, rate_path
from .risk import bond, curve, portfolio
from .sampling import metropolis, resample, walk

_STATISTICS = (
    histogram, moments, covariance, density, quantile, metropolis, resample, ising, walk, smoothing, kalman,
    hidden_markov, logistic_gradient, mixture,
)  # fmt: skip
_FINANCE = (
    black_scholes, implied_volatility, monte_carlo, lattice, finite_difference, rate_path, bond, curve, portfolio,
    indicator, order_book,
)  # fmt: skip

build = one_of("statistics", *_STATISTICS, *_FINANCE)
