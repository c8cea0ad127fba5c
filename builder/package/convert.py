"""Gives a built folder another file format: the same rows, the same everything else, and a manifest that knows it.

What comes out is what ``build --format`` with that format gives, byte for byte, where the versions are those the folder
was built with.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from ..errors import FolderError, WarpCudaPairsError
from ..versions import version
from .card_command import command
from .derived import read_tables
from .folder import check_format, json_text, load_stats
from .manifest import (
    MANIFEST,
    README,
    ConfigEntry,
    FileEntry,
    check_folder,
    manifest_json,
    other_entries,
    read_entries,
    read_manifest,
)
from .page import as_built, readme
from .scratch import remove, remove_stale, scratch_name
from .shards import write_file, write_shards
from .store import CACHE_VARIABLE


@dataclass(frozen=True)
class _Folder:
    """A folder's place, manifest and configs."""

    root: Path
    manifest: Mapping[str, Any]
    entries: Mapping[str, ConfigEntry]


@contextlib.contextmanager
def in_format(folder: Path, format: str, place: Path) -> Iterator[Path]:
    """Yield a built folder in a file format: the folder itself, or a copy that is removed at the end of the block.

    Args:
        folder: what ``build --out`` made.
        format: ``arrow`` or ``parquet``.
        place: a folder to make the copy in; what killed processes left there is removed.

    Raises:
        SpecError: there is no such format.
        FolderError: ``folder`` is not a whole built folder, or the copy cannot be written.
    """
    if read_manifest(folder).get("file_format") == check_format(format):
        yield folder
        return
    copy = place / scratch_name("converted")
    try:
        with _errors(folder, format, place):
            place.mkdir(parents=True, exist_ok=True)
            remove_stale(place.glob(".converted.tmp-*"))
            copy.mkdir()
            convert_folder(folder, copy, format)
        yield copy
    finally:
        remove(copy)


@contextlib.contextmanager
def _errors(folder: Path, format: str, place: Path) -> Iterator[None]:
    try:
        yield
    except WarpCudaPairsError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise FolderError(
            f"cannot convert {folder} to {format} in {place}: {reason}; free some space there, set {CACHE_VARIABLE} to "
            "another folder, or give the --format it was built in"
        ) from error


def convert_folder(folder: Path, out: Path, format: str) -> None:
    """Write a built folder in another file format to the empty folder ``out``; the manifest last.

    README.md is rendered again where it is as it was rendered; where somebody edited it, only what tells of the
    files changes: ``configs`` and ``dataset_info`` of the front matter, and the rebuilding command.

    Raises:
        SpecError: there is no such format.
        FolderError: ``folder`` is not a whole built folder.
        OSError: ``out`` cannot be written.
    """
    check_format(format)
    problems = check_folder(folder)
    if problems:
        raise FolderError(f"{folder} is not what its manifest says ({problems[0]}); build the folder again")
    manifest = read_manifest(folder)
    old = _Folder(folder, manifest, read_entries(manifest))
    entries = {name: _convert_config(old, name, out, format) for name in old.entries}
    others = [_copy(folder, out, entry) for entry in other_entries(manifest)]
    made = manifest_json(entries, others, file_format=format, max_shard_bytes=manifest["max_shard_bytes"])
    # The shards are written by the pyarrow of today; all else is as it was built.
    made["versions"] = {**manifest["versions"], "pyarrow": version("pyarrow")}
    new = _Folder(out, made, entries)
    write_file(out, README, _card(old, new))
    write_file(out, MANIFEST, json_text(made))


def _convert_config(old: _Folder, config: str, out: Path, format: str) -> ConfigEntry:
    max_bytes, entry = old.manifest["max_shard_bytes"], old.entries[config]
    splits = {
        split: write_shards(out, config, split, _rows(old.root, files), format=format, max_bytes=max_bytes)
        for split, files in entry.splits.items()
    }
    return replace(entry, splits=splits)


def _rows(root: Path, files: Sequence[FileEntry]) -> Iterator[pa.Table]:
    for file in files:
        for table in read_tables(root / file.path):
            yield table.cast(pa.schema([field.with_type(_as_built(field.type)) for field in table.schema]))


def _as_built(kind: pa.DataType) -> pa.DataType:
    """Return the type of our rows: Parquet's own name for the values of a list is another."""
    if pa.types.is_list(kind):
        return pa.list_(_as_built(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_as_built(field.type)) for field in kind])
    return kind


def _copy(folder: Path, out: Path, entry: FileEntry) -> FileEntry:
    copied = write_file(out, entry.path, (folder / entry.path).read_bytes())
    if copied != entry:
        raise FolderError(f"{folder / entry.path} was changed while it was read; run the same command again")
    return copied


def _card(old: _Folder, new: _Folder) -> str:
    """Return README.md of the new folder."""
    stats = load_stats(old.root)
    try:
        text = (old.root / README).read_bytes().decode()
    except UnicodeDecodeError:
        raise _no_card(old, "it is not UTF-8 text") from None
    rendered = readme(new.root, new.manifest, new.entries, stats)
    if text == readme(old.root, old.manifest, old.entries, stats):
        return rendered
    return _edited(old, new, text, rendered)


def _edited(old: _Folder, new: _Folder, text: str, rendered: str) -> str:
    from huggingface_hub import DatasetCard

    try:
        card = DatasetCard(text)
    except (ValueError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise _no_card(old, f"its front matter cannot be read: {' '.join(str(error).split())}") from None
    fresh = DatasetCard(rendered)
    for name in ("configs", "dataset_info"):
        card.data[name] = fresh.data[name]
    said, says = (command(as_built(one.root, one.entries), one.manifest) for one in (old, new))
    card.text = card.text.replace(said, says)
    return str(card)


def _no_card(old: _Folder, reason: str) -> FolderError:
    return FolderError(
        f"{old.root / README} cannot be converted ({reason}); mend it, or let `warp-cuda-pairs card {old.root}` render "
        "it again"
    )
