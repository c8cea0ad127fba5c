"""The manifest: what a built folder holds, file by file, and what it was built from.

A folder without a readable ``manifest.json`` is not a dataset of ours; it is written last.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..errors import FolderError
from ..spec import SPLITS
from ..versions import versions
from .manifest_form import problem

MANIFEST = "manifest.json"
STATS = "stats.json"
README = "README.md"
TOKENIZER = "tokenizer.json"
FORMAT = "warp_cuda_pairs"
FORMAT_VERSION = 1

_READ = 1 << 20


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file: its path below the folder with ``/``, its sha256 in hex, bytes, and rows (0: not a table).

    ``arrow_bytes`` is what the rows take in memory, whatever the file's format.
    """

    path: str
    sha256: str
    bytes: int
    rows: int
    arrow_bytes: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the entry as it stands in the manifest."""
        return asdict(self)


@dataclass(frozen=True)
class ConfigEntry:
    """One config: its spec as JSON, its fingerprint, tokenizer, rejections by reason, files by split."""

    spec: Mapping[str, Any]
    fingerprint: str
    tokenizer_sha256: str
    rejections: Mapping[str, int]
    splits: Mapping[str, tuple[FileEntry, ...]]

    @property
    def files(self) -> tuple[FileEntry, ...]:
        """All files, in the order of the splits."""
        return tuple(entry for files in self.splits.values() for entry in files)

    @property
    def sha256(self) -> str:
        """64 hex digits over the names and digests of the files."""
        lines = "".join(f"{entry.sha256}  {entry.path}\n" for entry in self.files)
        return hashlib.sha256(lines.encode()).hexdigest()


def build_versions() -> dict[str, str]:
    """Return the versions a folder is built with: ours, Warp's, and those that shape its files."""
    libraries = {name: version(name) for name in ("datasets", "huggingface_hub", "matplotlib", "pyarrow", "tokenizers")}
    return {**versions(), **libraries, "python": platform.python_version()}


def manifest_json(
    configs: Mapping[str, ConfigEntry], others: Iterable[FileEntry], *, file_format: str, max_shard_bytes: int
) -> dict[str, Any]:
    """Return the manifest of a folder with these configs and other files, of JSON's types."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "file_format": file_format,
        "max_shard_bytes": max_shard_bytes,
        "versions": build_versions(),
        "configs": {name: _config_json(config) for name, config in configs.items()},
        "other_files": [entry.to_json() for entry in sorted(others, key=lambda entry: entry.path)],
    }


def _config_json(config: ConfigEntry) -> dict[str, Any]:
    return {
        "fingerprint": config.fingerprint,
        "sha256": config.sha256,
        "spec": dict(config.spec),
        "tokenizer_sha256": config.tokenizer_sha256,
        "rejections": {name: config.rejections[name] for name in sorted(config.rejections)},
        "splits": {
            name: {
                "rows": sum(entry.rows for entry in files),
                "bytes": sum(entry.bytes for entry in files),
                "files": [entry.to_json() for entry in files],
            }
            for name, files in config.splits.items()
        },
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a built folder.

    Raises:
        FolderError: there is none, it cannot be read, or it is not ours.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise FolderError(f"{folder} has no {MANIFEST}: it is not a folder that `build --out` made") from None
    except OSError as error:
        raise FolderError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise FolderError(f"{path} is damaged: it is not JSON; build the folder again") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FolderError(f"{path} is not a manifest of {FORMAT}")
    if data.get("format_version") != FORMAT_VERSION:
        found = data.get("format_version")
        raise FolderError(f"{path} has format version {found}; this version reads {FORMAT_VERSION}")
    if wrong := problem(data):
        raise FolderError(f"{path} is damaged ({wrong}); build the folder again")
    return data


def check_folder(folder: Path) -> list[str]:
    """Compare a built folder with its manifest.

    Returns:
        One line for each damaged, missing or extra file, in order of path; empty where all is well. Hidden
        files of the folder itself and the text of README.md are the user's.

    Raises:
        FolderError: there is no readable manifest.
    """
    problems = folder_problems(folder)
    return [problems[path] for path in sorted(problems)]


def folder_problems(folder: Path) -> dict[str, str]:
    """Return what :func:`check_folder` says, by path.

    Raises:
        FolderError: there is no readable manifest.
    """
    entries = _entries(read_manifest(folder))
    problems = {path: problem for path, entry in entries.items() if (problem := _problem(folder, entry))}
    if not (folder / README).is_file():
        problems[README] = f"missing: {README}"
    for path in _present(folder):
        if path not in entries and path not in (MANIFEST, README):
            problems[path] = f"extra: {path} is not in the manifest"
    return problems


def read_entries(manifest: Mapping[str, Any]) -> dict[str, ConfigEntry]:
    """Return the configs of a manifest that :func:`read_manifest` read."""
    return {name: _config_entry(config) for name, config in manifest["configs"].items()}


def other_entries(manifest: Mapping[str, Any]) -> list[FileEntry]:
    """Return the files that are no shards of a manifest that :func:`read_manifest` read."""
    return [FileEntry(**file) for file in manifest["other_files"]]


def _config_entry(data: Mapping[str, Any]) -> ConfigEntry:
    splits = {split: tuple(FileEntry(**file) for file in data["splits"][split]["files"]) for split in SPLITS}
    return ConfigEntry(data["spec"], data["fingerprint"], data["tokenizer_sha256"], data["rejections"], splits)


def _entries(manifest: Mapping[str, Any]) -> dict[str, FileEntry]:
    shards = [entry for config in read_entries(manifest).values() for entry in config.files]
    return {entry.path: entry for entry in [*shards, *other_entries(manifest)]}


def _present(folder: Path) -> list[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir())
    return sorted(path.as_posix() for path in found if not path.parts[0].startswith("."))


def _problem(folder: Path, entry: FileEntry) -> str | None:
    path = folder / entry.path
    try:
        size, digest = path.stat().st_size, hashlib.sha256()
        if size != entry.bytes:
            return f"damaged: {entry.path} has {size:,} bytes, the manifest says {entry.bytes:,}"
        with path.open("rb") as file:
            while chunk := file.read(_READ):
                digest.update(chunk)
    except (FileNotFoundError, NotADirectoryError):
        return f"missing: {entry.path}"
    except OSError as error:
        return f"damaged: {entry.path} cannot be read ({error.strerror})"
    if digest.hexdigest() != entry.sha256:
        return f"damaged: {entry.path} does not have the sha256 that the manifest says"
    return None
