"""statistics: descriptive statistics, sampling, filters, hidden states, fits."""

from __future__ import annotations

from ...families import tidy_one_of
from .dependence import covariance, density, quantile
from .descriptive import histogram, moments
from .filters import hidden_markov, kalman, smoothing
from .fits import logistic_gradient, mixture
from .lattices import ising
from .sampling import metropolis, resample, walk

build = tidy_one_of(
    "statistics",
    histogram, moments, covariance, density, quantile, metropolis, resample, ising, walk, smoothing, kalman,
    hidden_markov, logistic_gradient, mixture,
)  # fmt: skip
