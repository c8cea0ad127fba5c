"""quaternion: attitudes integrated, interpolated, split, converted, compared, averaged, applied."""

from __future__ import annotations

from ...families import one_of
from .attitudes import integrate, slerp, swing_twist
from .uses import average, control, convert, look_at, rotate_points

build = one_of("quaternion", integrate, slerp, swing_twist, control, convert, average, look_at, rotate_points)
