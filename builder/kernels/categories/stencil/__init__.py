"""stencil: each element from its neighbours, in 1 to 4 dimensions: fields of physics, filters, rules, boundaries."""

from __future__ import annotations

from ...families import one_of
from . import cells, equations, filters, fronts, staggered
from .automata import lattice_automaton, sandpile
from .flow import advect_field, confinement, projection, shallow_water
from .lattice import lattice_boltzmann
from .laws import burgers, euler_flux
from .phases import level_set_field, llg, multigrid, phase_field
from .waves import fdtd, heat_field, reaction_diffusion, wave_field

_FIELDS = (
    heat_field, wave_field, reaction_diffusion, fdtd, projection, advect_field, confinement, shallow_water,
    lattice_boltzmann, burgers, euler_flux, phase_field, level_set_field, llg, multigrid, lattice_automaton, sandpile,
)  # fmt: skip

build = one_of(
    "stencil", *equations.FAMILIES, *fronts.FAMILIES, *staggered.FAMILIES, *filters.FAMILIES, *cells.FAMILIES, *_FIELDS
)
