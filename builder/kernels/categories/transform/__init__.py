"""transform: rigid frames and chains of them, skinning, twists, wrenches and spatial inertia."""

from __future__ import annotations

from ...families import one_of
from .frames import blend, chain, frames, matrices, skinning
from .spatial import inertia, motion, twists, wrenches

build = one_of("transform", frames, chain, skinning, blend, matrices, twists, wrenches, motion, inertia)
