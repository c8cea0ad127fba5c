"""graphics: rays, distances, meshes, curves, point clouds, cameras; shading, paths of light, textures, frames."""

from __future__ import annotations

from ...families import one_of
from .clouds import icp_residual, jump_flood, morton_codes, point_normals, tsdf_update
from .curves import camera, curve_points, geodesic, skinning
from .frames import bloom, fractal, positional_encoding, rasterise, splats
from .light import camera_rays, harmonics, path_bounce, shade, sky, textures, volume
from .meshes import closest_point, mesh_normals, smooth_mesh
from .rays import distance_field, ray_shapes

_GEOMETRY = (
    ray_shapes, distance_field, closest_point, mesh_normals, smooth_mesh, curve_points, skinning, camera, geodesic,
    icp_residual, point_normals, tsdf_update, morton_codes, jump_flood,
)  # fmt: skip
_RENDERING = (
    shade, textures, path_bounce, camera_rays, volume, sky, harmonics, fractal, rasterise, splats, bloom,
    positional_encoding,
)  # fmt: skip

build = one_of("graphics", *_GEOMETRY, *_RENDERING)
