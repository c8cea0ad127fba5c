"""random: the counter-based generator, sampling, noise, Monte-Carlo estimates."""

from __future__ import annotations

from ...families import one_of
from .estimates import dice, integral, poisson_events, walk
from .fields import dither, flow, noise_texture, octaves
from .offsets import jitter, samples

build = one_of("random", integral, walk, dice, poisson_events, jitter, dither, noise_texture, octaves, flow, samples)
