"""What users write for the fields of a spec, as YAML, on the command line or in Python -> values.

Each function takes what was written and returns what a field holds, or raises ValueError, which says what is allowed.
"""

from __future__ import annotations

import string
from collections.abc import Mapping

from .shipped import category_names, unknown
from .versions import installed

SPLITS = ("train", "validation", "test")
SYNTHETIC = "synthetic"
PLACEHOLDERS = ("kernel_name", "category", "description")


def whole(value: object) -> object:
    """Take a whole number: 1e4 and "10_000" are ones all the same."""
    if isinstance(value, bool):
        raise ValueError("must be a whole number, not a boolean")  # noqa: TRY004 (pydantic wants ValueError)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _weights(value: object) -> object:
    """Return weights given as text (``a=2,b``) or as a list of names as a mapping."""
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split(",")]
        return {name.strip(): weight.strip() if equals else 1.0 for name, equals, weight in pairs}
    return dict.fromkeys(value, 1.0) if isinstance(value, (list, tuple)) else value


def sources(value: object) -> object:
    """Take weights of sources, the synthetic one first."""
    value = _weights(value)
    if not isinstance(value, Mapping):
        return value
    for name in value:
        if name != SYNTHETIC and installed(str(name)) is None:
            raise ValueError(
                f"source {name!r} is not installed here; allowed: {SYNTHETIC!r}, or the name of an installed "
                f"distribution whose kernels to mine, such as 'warp-lang' (pip install {name})"
            )
    return {name: value[name] for name in sorted(value, key=lambda name: (name != SYNTHETIC, str(name)))}


def categories(value: object) -> object:
    """Take weights of categories, in one order: the order decides which category a draw means."""
    value = _weights(value)
    if not isinstance(value, Mapping):
        raise ValueError("give names, or a weight for each name: math=2,vector=1")  # noqa: TRY004
    for name in value:
        if name not in category_names():
            raise ValueError(unknown("category", name, category_names()))
    return {name: value[name] for name in category_names() if name in value}


def splits(value: object) -> object:
    """Take fractions of all three splits, by name or in order."""
    if isinstance(value, str):
        value = value.replace(",", "/").split("/")
    if isinstance(value, (list, tuple)) and len(value) == len(SPLITS):
        value = dict(zip(SPLITS, value, strict=True))
    if not isinstance(value, Mapping):
        raise ValueError(f"give one fraction for each of {', '.join(SPLITS)}: 0.9/0.05/0.05")  # noqa: TRY004
    for name in value:
        if name not in SPLITS:
            raise ValueError(unknown("split", name, SPLITS))
    for name in SPLITS:
        if name not in value:
            raise ValueError(f"split {name!r} would be empty; give all of {', '.join(SPLITS)} a fraction above 0")
    return {name: value[name] for name in SPLITS}


def sum_to_one(value: dict[str, float]) -> dict[str, float]:
    """Take fractions that sum to 1."""
    total = sum(value.values())
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"fractions must sum to 1, these sum to {total:g}")
    return value


def instruction(value: str) -> str:
    """Take a format string over :data:`PLACEHOLDERS`; it ends in a line's end."""
    try:
        names = [name for _, name, _, _ in string.Formatter().parse(value) if name is not None]
    except ValueError as error:
        raise ValueError(f"not a format string ({error}); write a literal brace as {{{{ or }}}}") from None
    for name in names:
        if name not in PLACEHOLDERS:
            raise ValueError(unknown("placeholder", name, PLACEHOLDERS))
    return value if value.endswith("\n") else value + "\n"
