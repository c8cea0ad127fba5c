"""image: filters, colour, geometry, morphology, features and effects on pixels."""

from __future__ import annotations

from ...families import one_of
from .colour import colour_convert
from .effects import blend, dither, stylise
from .features import corners, edges, similarity
from .filters import bilateral, convolve, sharpen
from .geometry import resize, warp_image
from .integrals import integral_rows
from .mosaic import demosaic
from .motion import block_matching, optical_flow
from .ranks import median, morphology
from .thresholds import threshold
from .tones import tone_map

_FAMILIES = (
    convolve, edges, bilateral, median, morphology, sharpen, colour_convert, tone_map, demosaic, resize, warp_image,
    integral_rows, corners, optical_flow, block_matching, similarity, blend, dither, threshold, stylise,
)  # fmt: skip

build = one_of("image", *_FAMILIES)
