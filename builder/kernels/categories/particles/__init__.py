"""particles: forces, constraints, contacts, transfers to grids, and the integration of their motion."""

from __future__ import annotations

from ...families import one_of
from .bonded import bonded, constraints, springs
from .contacts import collide, granular
from .motion import boris, integrate, langevin
from .pairs import boids, pair_forces, sph
from .transfers import grid_to_particles, material_stress, particles_to_grid

_FAMILIES = (
    integrate, pair_forces, sph, springs, constraints, bonded, granular, collide, boids, langevin, boris,
    particles_to_grid, grid_to_particles, material_stress,
)  # fmt: skip

build = one_of("particles", *_FAMILIES)
