"""Rows on quaternions, transforms and spatial vectors."""

from __future__ import annotations

from collections.abc import Iterator

from .row import Row, row


def _quaternions() -> Iterator[Row]:
    yield row("*", "Q Q -> Q", "quat", "quaternion product")
    yield row("+", "Q Q -> Q", "quat_sum", "quaternion addition")
    yield row("-", "Q Q -> Q", "quat_sum", "quaternion subtraction")
    yield row("*", "Q F -> Q", "quat_sum", "quaternion scaling")
    yield row("*", "F Q -> Q", "quat_sum", "quaternion scaling")
    yield row("neg", "Q -> Q", "quat_sum", "quaternion negation")
    yield row("wp.normalize", "Q -> Q", "quat", "quaternion normalisation")
    yield row("wp.quat_inverse", "Q -> Q", "quat", "quaternion inverse")
    yield row("wp.quat_slerp", "Q Q F -> Q", "quat", "spherical interpolation", None, None, "fraction")
    yield row("wp.quat_from_axis_angle", "V3 F -> Q", "quat_make", "quaternion from axis and angle", "unit_vector")
    yield row("wp.quat_rpy", "F F F -> Q", "quat_make", "quaternion from roll, pitch and yaw")
    yield row("wp.quat_from_matrix", "M3 -> Q", "quat_more", "quaternion from a matrix")
    yield row("wp.quat_identity", "-> Q", "quat_identity", "identity quaternion", extra="dtype={F}")
    yield row("{result}", "F F F F -> Q", "quat_fill", "quaternion construction")
    yield row("{result}", "V3 F -> Q", "quat_fill", "quaternion construction")
    yield row("wp.quat_rotate", "Q V3 -> V3", "rotate", "rotation of a vector")
    yield row("wp.quat_rotate_inv", "Q V3 -> V3", "rotate", "inverse rotation of a vector")
    yield row("wp.quat_to_matrix", "Q -> M3", "rotate", "matrix of a quaternion")
    yield row("wp.dot", "Q Q -> F", "quat_reduce", "quaternion dot product")
    yield row("wp.length", "Q -> F", "quat_reduce", "quaternion norm")
    yield row("wp.length_sq", "Q -> F", "quat_reduce", "squared quaternion norm")
    yield row("/", "Q F -> Q", "quat_sum", "quaternion division by a scalar", None, "nonzero")
    yield row("wp.lerp", "Q Q F -> Q", "quat_sum", "quaternion interpolation", None, None, "fraction")
    yield row("wp.div_approx", "Q F -> Q", "quat_more", "approximate quaternion division", None, "nonzero")
    yield row("/", "F Q -> Q", "quat_more", "division of a scalar by a quaternion")
    yield row("wp.div_approx", "F Q -> Q", "quat_more", "approximate division by a quaternion")
    yield row("pos", "Q -> Q", "plus", "unary plus")
    for target in ("f32", "f64", "f16"):
        yield row("{result}", f"Q -> Q.{target}", "quat_cast", "conversion of a quaternion")
    yield row("wp.quat_to_axis_angle", "Q V3 F ->", "quat_split", "axis and angle of a quaternion")
    yield row("wp.quat_to_axis_angle", "Q -> V3 F", "quat_split", "axis and angle of a quaternion")
    yield row("wp.quat_twist", "V3.f32 Q.f32 -> Q.f32", "quat_twist", "twist about an axis", "unit_vector")
    yield row("wp.quat_twist_angle", "V3.f32 Q.f32 -> f32", "quat_twist", "twist angle about an axis", "unit_vector")
    phrase = "signed twist angle about an axis"
    yield row("wp.quat_twist_angle_signed", "V3.f32 Q.f32 -> f32", "quat_twist", phrase, "unit_vector")
    yield row("wp.quat_to_rpy", "Q.f32 -> V3.f32", "quat_twist", "roll, pitch and yaw of a quaternion")
    yield row("wp.quat_to_euler", "Q.f32 i32 i32 i32 -> V3.f32", "euler", "Euler angles of a quaternion")
    yield row("wp.quat_from_euler", "V3.f32 i32 i32 i32 -> Q.f32", "euler", "quaternion from Euler angles")


def _transforms() -> Iterator[Row]:
    yield row("*", "T T -> T", "xform", "composition of transforms")
    yield row("wp.transform_multiply", "T T -> T", "xform", "composition of transforms")
    yield row("wp.transform_inverse", "T -> T", "xform", "inverse transform")
    yield row("{result}", "V3 Q -> T", "xform_make", "transform construction")
    yield row("wp.transform_identity", "-> T", "xform_identity", "identity transform", extra="dtype={F}")
    yield row("wp.transform_set_translation", "T V3 ->", "xform_set", "replacement of a translation")
    yield row("wp.transform_set_rotation", "T Q ->", "xform_set", "replacement of a rotation")
    yield row("{result}", "F F F F F F F -> T", "xform_make", "transform construction")
    yield row("+", "T T -> T", "xform_sum", "addition of transforms")
    yield row("-", "T T -> T", "xform_sum", "subtraction of transforms")
    yield row("*", "T F -> T", "xform_sum", "scaling of a transform")
    yield row("*", "F T -> T", "xform_sum", "scaling of a transform")
    yield row("wp.lerp", "T T F -> T", "xform_sum", "interpolation of transforms", None, None, "fraction")
    yield row("wp.transform_get_translation", "T -> V3", "xform_part", "translation of a transform")
    yield row("wp.transform_get_rotation", "T -> Q", "xform_part", "rotation of a transform")
    yield row("wp.transform_point", "T V3 -> V3", "xform_apply", "transformation of a point")
    yield row("wp.transform_vector", "T V3 -> V3", "xform_apply", "transformation of a direction")
    yield row("wp.transform_point", "M4 V3 -> V3", "xform_mat", "transformation of a point by a matrix")
    yield row("wp.transform_vector", "M4 V3 -> V3", "xform_mat", "transformation of a direction by a matrix")
    yield row("wp.transform_from_matrix", "M4 -> T", "xform_mat", "transform from a matrix")
    yield row("wp.transform_to_matrix", "T -> M4", "xform_mat", "matrix of a transform")
    yield row("wp.transform_compose", "V3 Q V3 -> M4", "xform_mat", "composition of a transformation matrix")
    yield row("wp.transform_decompose", "M4 -> V3 Q V3", "xform_split", "decomposition of a transformation matrix")


def _spatial() -> Iterator[Row]:
    yield row("{result}", "V3.f32 V3.f32 -> V6.f32", "spatial_make", "spatial vector construction")
    yield row("{result}", "F F F F F F -> V6", "spatial_make", "spatial vector construction")
    yield row("wp.spatial_dot", "V6 V6 -> F", "spatial_reduce", "spatial dot product")
    yield row("wp.spatial_cross", "V6 V6 -> V6", "spatial", "spatial cross product")
    yield row("wp.spatial_cross_dual", "V6 V6 -> V6", "spatial", "dual spatial cross product")
    yield row("wp.spatial_top", "V6 -> V3", "spatial_part", "top of a spatial vector")
    yield row("wp.spatial_bottom", "V6 -> V3", "spatial_part", "bottom of a spatial vector")
    yield row("wp.spatial_adjoint", "M3 M3 -> M6", "spatial_mat", "spatial adjoint")
    yield row("wp.velocity_at_point", "V6.f32 V3.f32 -> V3.f32", "spatial_part", "velocity at a point")
    yield row("wp.transform_twist", "T.f32 V6.f32 -> V6.f32", "spatial", "transformation of a twist")
    yield row("wp.transform_wrench", "T.f32 V6.f32 -> V6.f32", "spatial", "transformation of a wrench")


def rows() -> Iterator[Row]:
    """Yield the rows in table order."""
    for part in (_quaternions, _transforms, _spatial):
        yield from part()
