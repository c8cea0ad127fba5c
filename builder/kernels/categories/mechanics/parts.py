"""How rigid bodies lie in memory: poses as transforms, or as places and rotations; twists as spatial vectors or two."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...layouts import Layout, Points, let
from ...terms import Like, Term, make, wp
from ...types import FLOAT, Scalar, quat, transform, vec


class Poses:
    """The poses of bodies: an array of transforms, or vectors and quaternions.

    Args:
        k: the kernel.
        dtype: the scalar type.
        role: ``input``, ``inout`` or ``output``.
        words: alternatives for the arrays' names: of transforms, of places, of rotations.
    """

    def __init__(self, k: Author, dtype: Scalar = FLOAT, role: str = "input", suffix: str = "", packed: bool = False):
        self._k, self.packed = k, packed
        declare = getattr(k, role)
        self._poses: Arr | None = None
        self._places: Points | None = None
        if packed:
            self._poses = declare(f"body_q{suffix}|poses{suffix}|xforms{suffix}", transform(dtype))
        else:
            self._places = getattr(Layout(k, 3, dtype), role)(f"pos{suffix}|x{suffix}|com{suffix}")
            self._turns: Arr = declare(f"rot{suffix}|quat{suffix}|orient{suffix}", quat(dtype))

    @property
    def count(self) -> Term:
        """The number of bodies."""
        if self._poses is not None:
            return self._poses.shape(0)
        assert self._places is not None
        return self._places.count

    def load(self, i: Like, tag: str = "") -> tuple[Term, Term]:
        """Emit locals with the place and the rotation of body ``i``."""
        k = self._k
        if self._poses is not None:
            pose = let(k, f"pose{tag}|tf{tag}|q{tag}", self._poses[i])
            place, turn = wp.transform_get_translation(pose), wp.transform_get_rotation(pose)
            return let(k, f"p{tag}|x0{tag}|here{tag}", place), let(k, f"r{tag}|q0{tag}|rot_{tag}i", turn)
        assert self._places is not None
        place = self._places.load(k, f"p{tag}|x0{tag}|here{tag}", i)
        return place, let(k, f"r{tag}|q0{tag}|rot_{tag}i", self._turns[i])

    def store(self, i: Like, place: Term, turn: Term) -> None:
        """Emit the stores of the pose of body ``i``."""
        if self._poses is not None:
            type_ = self._poses.type.dtype  # type: ignore[union-attr]
            self._poses[i] = make(type_, place, turn)
            return
        assert self._places is not None
        self._places.store(self._k, i, place)
        self._turns[i] = turn


class Twists:
    """Angular and linear vectors of bodies: spatial vectors, or an array for each; so are wrenches."""

    def __init__(self, k: Author, dtype: Scalar, role: str, words: tuple[str, str, str], packed: bool) -> None:
        self._k = k
        declare = getattr(k, role)
        packed = packed and dtype is FLOAT  # Warp makes no other spatial vector of two vectors
        self._both: Arr | None = declare(words[0], vec(6, dtype)) if packed else None
        self._type = vec(6, dtype)
        if not packed:
            layout = Layout(k, 3, dtype)
            self._linear: Points = getattr(layout, role)(words[1])
            self._angular: Points = getattr(layout, role)(words[2])

    def load(self, i: Like, tag: str = "") -> tuple[Term, Term]:
        """Emit locals with the linear and the angular part of body ``i``."""
        k = self._k
        if self._both is not None:
            twist = let(k, f"qd{tag}|twist{tag}|sv{tag}", self._both[i])
            linear, angular = wp.spatial_bottom(twist), wp.spatial_top(twist)
            return let(k, f"v{tag}|lin{tag}|vel_{tag}i", linear), let(k, f"w{tag}|ang{tag}|om_{tag}i", angular)
        linear = self._linear.load(k, f"v{tag}|lin{tag}|vel_{tag}i", i)
        return linear, self._angular.load(k, f"w{tag}|ang{tag}|om_{tag}i", i)

    def store(self, i: Like, linear: Term, angular: Term) -> None:
        """Emit the stores of body ``i``."""
        if self._both is not None:
            self._both[i] = make(self._type, angular, linear)
            return
        self._linear.store(self._k, i, linear)
        self._angular.store(self._k, i, angular)

    def add(self, i: Like, linear: Term, angular: Term, sign: str = "add") -> None:
        """Emit atomic additions at body ``i``."""
        if self._both is not None:
            self._k.atomic(sign, self._both, i, make(self._type, angular, linear))
            return
        self._linear.add(self._k, i, linear, sign)
        self._angular.add(self._k, i, angular, sign)


def spin(k: Scope, turn: Term, angular: Term, dt: Term, dtype: Scalar) -> Term:
    """Return a rotation after a time at an angular velocity: by the derivative, or by axis and angle."""
    if k.c.chance(1, 2):
        rate = let(k, "wq|spin_q|omega_q", make(quat(dtype), angular, 0.0))
        return wp.normalize(turn + rate * turn * (dt * 0.5))
    speed = let(k, "speed_w|angle_rate", wp.length(angular) + 1.0e-5)
    step = let(k, "dq|turned", wp.quat_from_axis_angle(angular / speed, speed * dt))
    return wp.normalize(step * turn) if k.c.chance(1, 2) else step * turn


def moved(k: Scope, p: Term, r: Term, local: Term) -> Term:
    """Return a point of a body in the world."""
    return p + wp.quat_rotate(r, local)
