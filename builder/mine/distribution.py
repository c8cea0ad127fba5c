"""An installed distribution: its version, its licence and its Python files. Nothing of it is imported here."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ..errors import MiningError
from .licence import licence_of


@dataclass(frozen=True, slots=True)
class Module:
    """A Python file of a distribution.

    Attributes:
        name: by which it is imported.
        path: relative to the folder that the distribution is installed in, with forward slashes.
        file: where it is.
    """

    name: str
    path: str
    file: Path


@dataclass(frozen=True, slots=True)
class Distribution:
    """An installed distribution.

    Attributes:
        name: as its metadata says.
        version: its version.
        licence: SPDX, or ``unknown``.
        modules: its modules in order of path; ``__main__`` modules, which run a program, are left out.
    """

    name: str
    version: str
    licence: str
    modules: tuple[Module, ...]


def find(package: str) -> Distribution:
    """Return an installed distribution by its own name, or by that of a package it installs.

    Raises:
        MiningError: it is not installed, or has no Python modules.
    """
    found = _metadata(package)
    name = str(found.metadata["Name"])
    modules = {module.name: module for module in sorted(_modules(found, package), key=lambda module: module.path)}
    if not modules:
        raise MiningError(f"{name} has no Python modules; name a distribution that has some")
    ordered = tuple(sorted(modules.values(), key=lambda module: module.path))
    return Distribution(_clean(name), _clean(found.version), licence_of(found), ordered)


def _metadata(package: str) -> metadata.Distribution:
    try:
        return metadata.distribution(package)
    except (metadata.PackageNotFoundError, ValueError):
        owners = sorted(set(metadata.packages_distributions().get(package, ())))
    if len(owners) == 1:
        return metadata.distribution(owners[0])
    if owners:
        raise MiningError(f"{package!r} belongs to several distributions; name one of {', '.join(owners)}")
    raise MiningError(f"{package!r} is not installed here; install it into this environment (pip install {package})")


def _modules(found: metadata.Distribution, package: str) -> Iterator[Module]:
    if not _is_editable(found):
        for file in found.files or ():
            if file.suffix == ".py" and ".." not in file.parts:
                yield from _module(file.as_posix(), Path(str(found.locate_file(file))))
        return
    # An editable installation does not list its files; its packages are where Python finds them.
    names = (found.read_text("top_level.txt") or f"{found.metadata['Name']} {package}").replace("-", "_").split()
    for top in dict.fromkeys(names):
        spec = importlib.util.find_spec(top) if top.isidentifier() else None
        for folder in (spec and spec.submodule_search_locations) or ():
            for path in sorted(Path(folder).rglob("*.py")):
                yield from _module(f"{top}/{path.relative_to(folder).as_posix()}", path)


def _is_editable(found: metadata.Distribution) -> bool:
    try:
        origin = json.loads(found.read_text("direct_url.json") or "{}")
    except ValueError:
        return False
    return bool(origin.get("dir_info", {}).get("editable"))


def _module(path: str, file: Path) -> Iterator[Module]:
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    if parts and parts[-1] != "__main__" and all(part.isidentifier() for part in parts) and file.is_file():
        yield Module(".".join(parts), _clean(path), file)


def _clean(text: str) -> str:
    """Return a name or path from a package's metadata without control characters, at most 200 long."""
    return "".join(c for c in text if c.isprintable())[:200]
