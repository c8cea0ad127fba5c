"""Finds the files that travel with the code (configs, cards) in a checkout and in a wheel."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_path(folder: str, name: str) -> Path:
    """Return the path of ``configs/<name>`` or ``cards/<name>``.

    A wheel keeps both folders in ``builder/_data``; a checkout keeps them beside ``builder``.

    Raises:
        FileNotFoundError: the file is in neither place.
    """
    for root in (_PACKAGE / "_data", _PACKAGE.parent):
        path = root / folder / name
        if path.is_file():
            return path
    raise FileNotFoundError(f"{folder}/{name} is missing from the installation of warp_cuda_pairs")


def data_names(folder: str, suffix: str) -> list[str]:
    """Return the sorted stems of the files of ``folder`` that end in ``suffix``."""
    for root in (_PACKAGE / "_data", _PACKAGE.parent):
        if (root / folder).is_dir():
            return sorted(path.stem for path in (root / folder).glob(f"*{suffix}"))
    raise FileNotFoundError(f"the folder {folder} is missing from the installation of warp_cuda_pairs")


@cache
def source_digest(*parts: str) -> str:
    """Return 16 hex digits over the sources (Python, and C++ headers) below ``builder/<part>`` (a file or a folder).

    It stands in cache keys, so that code which decides bytes cannot change without the key changing.
    """
    digest = hashlib.sha256()
    for part in parts:
        root = _PACKAGE / part
        paths = (
            [root]
            if root.is_file()
            else sorted(path for path in root.rglob("*") if path.suffix in (".py", ".h", ".jinja"))
        )
        if not paths:
            raise FileNotFoundError(f"builder/{part} has no Python source")
        for path in paths:
            digest.update(path.relative_to(_PACKAGE).as_posix().encode())
            digest.update(_file_digest(path))
    return digest.hexdigest()[:16]


@cache
def _file_digest(path: Path) -> bytes:
    # Most files stand in several keys, and a load from the cache should not wait for reading them twice.
    return hashlib.sha256(path.read_bytes()).digest()
