"""rendering: shading, paths of light, textures, volumes, splats, fractals, passes over a frame."""

from __future__ import annotations

from ...families import one_of
from .frames import bloom, fractal, positional_encoding, rasterise, splats
from .light import camera_rays, harmonics, path_bounce, shade, sky, textures, volume

_FAMILIES = (
    shade, textures, path_bounce, camera_rays, volume, sky, harmonics, fractal, rasterise, splats, bloom,
    positional_encoding,
)  # fmt: skip

build = one_of("rendering", *_FAMILIES)
