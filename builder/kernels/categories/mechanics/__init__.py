"""mechanics: particles and rigid bodies: forces, constraints, contacts, joints, and the integration of motion."""

from __future__ import annotations

from ...families import one_of
from .bonded import bonded, constraints, springs
from .charges import boris
from .contacts import collide, granular
from .control import actuators, drag_forces, suspension
from .flocks import boids
from .fluids import sph
from .joints import joint_constraint, kinematics
from .materials import material_stress
from .motion import integrate, langevin
from .pairs import pair_forces
from .rigid_contact import contact_points, impulse
from .rigid_motion import accumulate_inertia, integrate_bodies, strapdown
from .transfers import grid_to_particles, particles_to_grid

_PARTICLES = (
    integrate, pair_forces, sph, springs, constraints, bonded, granular, collide, boids, langevin, boris,
    particles_to_grid, grid_to_particles, material_stress,
)  # fmt: skip
_BODIES = (
    integrate_bodies, strapdown, accumulate_inertia, kinematics, joint_constraint, impulse, contact_points, suspension,
    actuators, drag_forces,
)  # fmt: skip

build = one_of("mechanics", *_PARTICLES, *_BODIES)
