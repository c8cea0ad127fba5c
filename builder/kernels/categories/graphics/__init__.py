"""graphics: rays, distances, meshes, curves, point clouds, cameras; shading, paths of light, textures, frames."""

from __future__ import annotations

from ...families import one_of
from .cameras import camera, camera_rays
from .clouds import icp_residual, point_normals
from .codes import morton_codes
from .curves import curve_points, skinning
from .distances import distance_field
from .encodings import positional_encoding
from .fractals import fractal
from .frames import bloom, rasterise
from .globe import geodesic
from .light import harmonics, sky, volume
from .meshes import closest_point, mesh_normals, smooth_mesh
from .paths import path_bounce
from .rays import ray_shapes
from .seeds import jump_flood
from .shading import shade
from .splatting import splats
from .textures import textures
from .volumes import tsdf_update

_GEOMETRY = (
    ray_shapes, distance_field, closest_point, mesh_normals, smooth_mesh, curve_points, skinning, camera, geodesic,
    icp_residual, point_normals, tsdf_update, morton_codes, jump_flood,
)  # fmt: skip
_RENDERING = (
    shade, textures, path_bounce, camera_rays, volume, sky, harmonics, fractal, rasterise, splats, bloom,
    positional_encoding,
)  # fmt: skip

build = one_of("graphics", *_GEOMETRY, *_RENDERING)
