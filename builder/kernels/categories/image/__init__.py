"""image: filters, colour, geometry, morphology, features and effects on pixels."""

from __future__ import annotations

from ...families import one_of
from .colour import colour_convert, demosaic, tone_map
from .effects import blend, dither, stylise, threshold
from .features import block_matching, corners, edges, optical_flow, similarity
from .filters import bilateral, convolve, median, morphology, sharpen
from .geometry import integral_rows, resize, warp_image

_FAMILIES = (
    convolve, edges, bilateral, median, morphology, sharpen, colour_convert, tone_map, demosaic, resize, warp_image,
    integral_rows, corners, optical_flow, block_matching, similarity, blend, dither, threshold, stylise,
)  # fmt: skip

build = one_of("image", *_FAMILIES)
