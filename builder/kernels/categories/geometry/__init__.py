"""geometry: rays, distances, meshes, curves, point clouds, cameras, and orders of space."""

from __future__ import annotations

from ...families import one_of
from .clouds import icp_residual, jump_flood, morton_codes, point_normals, tsdf_update
from .curves import camera, curve_points, geodesic, skinning
from .meshes import closest_point, mesh_normals, smooth_mesh
from .rays import distance_field, ray_shapes

_FAMILIES = (
    ray_shapes, distance_field, closest_point, mesh_normals, smooth_mesh, curve_points, skinning, camera, geodesic,
    icp_residual, point_normals, tsdf_update, morton_codes, jump_flood,
)  # fmt: skip

build = one_of("geometry", *_FAMILIES)
