"""Sizes as people write them: ``500MB``, ``1.5 GiB``, ``1000000``."""

from __future__ import annotations

import re

from ..errors import SpecError

_PREFIXES = "KMGT"
_UNITS = {
    "": 1,
    "B": 1,
    **{f"{letter}B": 1000 ** (power + 1) for power, letter in enumerate(_PREFIXES)},
    **{f"{letter}IB": 1024 ** (power + 1) for power, letter in enumerate(_PREFIXES)},
}
_SIZE = re.compile(r"\s*([0-9][0-9_]*)(?:\.([0-9]+))?\s*([A-Za-z]*)\s*")


def parse_size(text: str | int) -> int:
    """Return a size in bytes.

    Args:
        text: a number of bytes, or a number with KB, MB, GB, TB (powers of 1,000) or KiB, MiB, GiB, TiB
            (powers of 1,024), in any case.

    Raises:
        SpecError: it is no such size, or less than one byte.
    """
    match = _SIZE.fullmatch(str(text))
    unit = _UNITS.get(match[3].upper()) if match else None
    if match is None or unit is None:
        raise SpecError(_message(text))
    fraction = match[2] or ""
    size: int = int(match[1] + fraction) * unit // 10 ** len(fraction)
    if size < 1:
        raise SpecError(_message(text))
    return size


def _message(text: object) -> str:
    return (
        f"shard size {str(text)!r} is not allowed; give bytes, or a number with KB, MB, GB, TB, KiB, MiB, GiB or "
        "TiB, of at least one byte: 500MB, 1GB, 1000000"
    )
