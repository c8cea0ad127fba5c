"""Writes a built folder: shards, stats, card and manifest; all of it or nothing."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..codegen import preamble
from ..errors import FolderError, SpecError
from ..shipped import unknown
from ..spec import BuildSpec
from .manifest import MANIFEST, README, STATS, TOKENIZER, ConfigEntry, FileEntry, manifest_json, read_manifest
from .page import readme, write_plots
from .recipes import write_recipes
from .scratch import replacing, scratch_name
from .shards import FORMATS, MAX_SHARD_BYTES, folder_errors, write_file, write_shards
from .stats import Stats

# What stands above every row's code to compile it: once for the folder, not in each row.
PREAMBLES = {"cpu": "preamble.cpp", "cuda": "preamble.cu"}


@dataclass(frozen=True)
class ConfigBuild:
    """One config to write.

    Attributes:
        spec: what it was built from.
        fingerprint: the spec's, with the tokenizer's digest.
        splits: for each split, in order, a function that gives its rows as tables of equal schema.
        stats: of all splits; names the tokenizer.
        rejections: candidates not kept, by reason.
        tokenizer_json: content of the tokenizer that counted.
    """

    spec: BuildSpec
    fingerprint: str
    splits: Mapping[str, Callable[[], Iterator[pa.Table]]]
    stats: Stats
    rejections: Mapping[str, int]
    tokenizer_json: bytes


def check_target(out: Path) -> Path:
    """Say, before any work, whether a dataset may be written to ``out``; nothing is left there.

    Returns:
        ``out``, absolute and with links followed.

    Raises:
        FolderError: it is neither new, nor empty, nor a folder of ours; or it cannot be replaced.
    """
    with folder_errors(out):
        target = out.expanduser().resolve()
        _try_to_write(target)
        if not target.exists():
            return target
        if not target.is_dir():
            raise FolderError(f"{out} is a file; give a folder")
        if os.path.ismount(target):
            raise FolderError(f"{out} is a mount point and cannot be replaced; give a folder below it")
        if not any(target.iterdir()):
            return target
    try:
        read_manifest(target)
    except FolderError as error:
        raise FolderError(f"{out} is not empty and not ours ({error}); give a new or empty folder") from None
    return target


def _try_to_write(target: Path) -> None:
    """Make and remove a folder where the dataset's scratch folder will be, or above, as far as folders exist."""
    place = next(folder for folder in target.parents if folder.is_dir())
    probe = place / scratch_name(target.name)
    probe.mkdir()
    probe.rmdir()


def check_format(format: str) -> str:
    """Return the name of a file format.

    Raises:
        SpecError: it is none of :data:`builder.package.shards.FORMATS`.
    """
    if format not in FORMATS:
        raise SpecError(unknown("format", format, FORMATS))
    return format


def write_folder(
    out: Path, builds: Sequence[ConfigBuild], *, format: str = "arrow", max_shard_bytes: int = MAX_SHARD_BYTES
) -> None:
    """Write the configs to ``out``; equal builds give equal bytes.

    Everything is written to a scratch folder beside ``out`` and moved into place at the end, so ``out`` is
    the whole new dataset or what it was before. A folder of ours that is there is replaced.

    Args:
        out: a folder that does not exist, is empty, or was made by this function.
        builds: one or more, of different configs, counted with one tokenizer.
        format: ``arrow`` or ``parquet``.
        max_shard_bytes: size on disk at which a new shard is begun.

    Raises:
        FolderError: ``out`` is not ours, or cannot be written (no space, no permission).
        SpecError: there is no such format.
        SplitError: a split has no row.
        ValueError: no build, two of one config, or more than one tokenizer.
    """
    _check_builds(builds)
    check_format(format)
    target = check_target(out)
    with folder_errors(out), replacing(target) as scratch:
        _fill(scratch, builds, format, max_shard_bytes)
        check_target(out)  # a build takes long, and somebody may have put something there


def _check_builds(builds: Sequence[ConfigBuild]) -> None:
    names = [build.spec.config for build in builds]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"give one build for each config, not {names}")
    for build in builds:
        given = hashlib.sha256(builds[0].tokenizer_json).hexdigest()
        if build.stats.tokenizer_sha256 != given:
            counted = build.stats.tokenizer_sha256
            raise ValueError(f"{build.spec.config} was counted with tokenizer {counted}, the folder holds {given}")


def _fill(root: Path, builds: Sequence[ConfigBuild], format: str, max_bytes: int) -> None:
    entries = {build.spec.config: _write_config(root, build, format, max_bytes) for build in builds}
    stats = {build.spec.config: build.stats for build in builds}
    others = [write_file(root, name, preamble(device)) for device, name in PREAMBLES.items()]
    others.append(write_file(root, TOKENIZER, builds[0].tokenizer_json))
    others.append(write_file(root, STATS, json_text({"configs": {name: one.to_json() for name, one in stats.items()}})))
    others.extend(write_plots(root, stats))
    others.extend(write_recipes(root, entries, stats))
    manifest = manifest_json(entries, others, file_format=format, max_shard_bytes=max_bytes)
    write_file(root, README, readme(root, manifest, entries, stats))
    write_file(root, MANIFEST, json_text(manifest))


def _write_config(root: Path, build: ConfigBuild, format: str, max_bytes: int) -> ConfigEntry:
    config = build.spec.config
    splits: dict[str, tuple[FileEntry, ...]] = {}
    for split, rows in build.splits.items():
        splits[split] = write_shards(root, config, split, rows(), format=format, max_bytes=max_bytes)
    # Where a tokenizer lay says nothing to a reader, and its digest stands beside its name.
    spec: dict[str, Any] = {**build.spec.model_dump(), "tokenizer": build.stats.tokenizer}
    return ConfigEntry(spec, build.fingerprint, build.stats.tokenizer_sha256, build.rejections, splits)


def json_text(data: Mapping[str, Any]) -> str:
    """Return JSON as a folder's files hold it: equal data give equal text."""
    return json.dumps(data, sort_keys=True, indent=1) + "\n"


def load_stats(folder: Path) -> dict[str, Stats]:
    """Return the stats of a built folder, by config.

    Raises:
        FolderError: there is no readable manifest, or the stats are missing, or not what the manifest says.
    """
    manifest = read_manifest(folder)
    path = folder / STATS
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FolderError(f"cannot read {path}: {error.strerror}") from None
    wanted = {file["path"]: file["sha256"] for file in manifest["other_files"]}.get(STATS)
    stats = _parsed(data) if hashlib.sha256(data).hexdigest() == wanted else {}
    if set(stats) != set(manifest["configs"]):
        raise FolderError(f"{path} is damaged; build the folder again")
    return stats


def _parsed(data: bytes) -> dict[str, Stats]:
    """Return the stats in a file's content; none where it cannot be read."""
    try:
        return {name: Stats.from_json(one) for name, one in json.loads(data)["configs"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return {}
