"""What is installed: the versions that decide bytes."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata

from . import __version__


@cache
def installed(distribution: str) -> str | None:
    """Return the version of an installed distribution and a digest over its modules; None if there is none."""
    try:
        found = metadata.distribution(distribution)
    except (metadata.PackageNotFoundError, ValueError):
        return None
    modules = sorted(f"{file} {file.hash.value}" for file in found.files or () if file.suffix == ".py" and file.hash)
    return f"{found.version} {hashlib.sha256(chr(10).join(modules).encode()).hexdigest()}"


@cache
def version(distribution: str) -> str:
    """Return an installed distribution's version; remembered, because its metadata costs a millisecond to parse."""
    return metadata.version(distribution)


def versions() -> dict[str, str]:
    """Return the versions that decide bytes: ours, Warp's, and that of the MinHash which finds near-duplicates."""
    return {"builder": __version__, "warp": version("warp-lang"), "rensa": version("rensa")}
