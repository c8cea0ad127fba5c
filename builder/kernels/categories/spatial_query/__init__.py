"""spatial_query: neighbours in hash grids, boxes in hierarchies, points and rays on meshes, volumes and textures."""

from __future__ import annotations

from ...families import one_of
from . import fields, hierarchies, images, mesh_points, mesh_rays, neighbours, triangles

build = one_of(
    "spatial_query",
    *neighbours.FAMILIES,
    *hierarchies.FAMILIES,
    *mesh_points.FAMILIES,
    *mesh_rays.FAMILIES,
    *triangles.FAMILIES,
    *fields.FAMILIES,
    *images.FAMILIES,
)
