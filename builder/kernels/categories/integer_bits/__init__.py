"""integer_bits: hashes, codes, packing and counting on integers of every width."""

from __future__ import annotations

from ...families import one_of
from .codes import checksum, counting, packing, saturating, widths
from .hashes import hashes, morton, reverse

build = one_of("integer_bits", hashes, morton, reverse, packing, saturating, counting, checksum, widths)
