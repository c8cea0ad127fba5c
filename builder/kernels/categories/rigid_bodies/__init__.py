"""rigid_bodies: motion, contacts, joints, kinematics, control and sensing of rigid bodies."""

from __future__ import annotations

from ...families import one_of
from .contact import contact_points, impulse
from .control import actuators, drag_forces, suspension
from .joints import joint_constraint, kinematics
from .motion import accumulate_inertia, integrate_bodies, strapdown

_FAMILIES = (
    integrate_bodies, strapdown, accumulate_inertia, kinematics, joint_constraint, impulse, contact_points, suspension,
    actuators, drag_forces,
)  # fmt: skip

build = one_of("rigid_bodies", *_FAMILIES)
