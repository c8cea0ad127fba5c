"""fields: continuum physics on grids: waves, fluids, reactions, conservation laws, automata."""

from __future__ import annotations

from ...families import one_of
from .automata import automaton, sandpile
from .flow import advect, confinement, projection, shallow_water
from .fronts import level_set, llg, multigrid, phase_field
from .lattice import lattice_boltzmann
from .laws import burgers, euler_flux
from .waves import fdtd, heat, reaction_diffusion, wave

_FAMILIES = (
    heat, wave, reaction_diffusion, fdtd, projection, advect, confinement, shallow_water, lattice_boltzmann, burgers,
    euler_flux, phase_field, level_set, llg, multigrid, automaton, sandpile,
)  # fmt: skip

build = one_of("fields", *_FAMILIES)
