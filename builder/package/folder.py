"""Writes a built folder: shards, stats, card and manifest; all of it or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..codegen import preamble
from ..errors import FolderError
from ..spec import BuildSpec
from .card import CardConfig, render_card
from .manifest import MANIFEST, README, STATS, ConfigEntry, FileEntry, manifest_json, read_manifest
from .recipes import write_recipes
from .scratch import remove, remove_stale, scratch_name
from .shards import MAX_SHARD_BYTES, folder_errors, write_shards, write_text
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
    """

    spec: BuildSpec
    fingerprint: str
    splits: Mapping[str, Callable[[], Iterator[pa.Table]]]
    stats: Stats
    rejections: Mapping[str, int]


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


def write_folder(out: Path, builds: Sequence[ConfigBuild], *, max_shard_bytes: int = MAX_SHARD_BYTES) -> None:
    """Write the configs to ``out``; equal builds give equal bytes.

    Everything is written to a scratch folder beside ``out`` and moved into place at the end, so ``out`` is
    the whole new dataset or what it was before. A folder of ours that is there is replaced.

    Args:
        out: a folder that does not exist, is empty, or was made by this function.
        builds: one or more, of different configs.
        max_shard_bytes: size at which a new shard is begun.

    Raises:
        FolderError: ``out`` is not ours, or cannot be written (no space, no permission).
        SplitError: a split has no row.
        ValueError: no build, or two of one config.
    """
    names = [build.spec.config for build in builds]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"give one build for each config, not {names}")
    target = check_target(out)
    with folder_errors(out):
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_stale(target.parent.glob(f".{target.name}.tmp-*"))
        scratch = target.with_name(scratch_name(target.name))
        try:
            scratch.mkdir()
            _fill(scratch, builds, max_shard_bytes)
            _move(scratch, target)
        finally:
            remove(scratch)


def _fill(root: Path, builds: Sequence[ConfigBuild], max_bytes: int) -> None:
    cards = {build.spec.config: _write_config(root, build, max_bytes) for build in builds}
    stats = {name: card.stats.to_json() for name, card in cards.items()}
    others = [write_text(root, name, preamble(device)) for device, name in PREAMBLES.items()]
    others.append(write_text(root, STATS, _json({"configs": stats})))
    others.extend(write_recipes(root, cards))
    write_text(root, README, render_card(cards))
    entries = {name: card.entry for name, card in cards.items()}
    write_text(root, MANIFEST, _json(manifest_json(entries, others)))


def _write_config(root: Path, build: ConfigBuild, max_bytes: int) -> CardConfig:
    config = build.spec.config
    splits: dict[str, tuple[FileEntry, ...]] = {}
    schema = None
    for split, rows in build.splits.items():
        splits[split], schema = write_shards(root, config, split, rows(), max_bytes=max_bytes)
    # Where a tokenizer lay says nothing to a reader, and its digest stands beside its name.
    spec: dict[str, Any] = {**build.spec.model_dump(), "tokenizer": build.stats.tokenizer}
    entry = ConfigEntry(spec, build.fingerprint, build.stats.tokenizer_sha256, build.rejections, splits)
    return CardConfig(entry, schema, build.stats)


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True, indent=1) + "\n"


def _move(scratch: Path, target: Path) -> None:
    """Put ``scratch`` where ``target`` is; on failure ``target`` is what it was."""
    if not target.exists():
        scratch.rename(target)
        return
    old = target.with_name(scratch_name(target.name))
    target.rename(old)
    try:
        scratch.rename(target)
    except BaseException:
        old.rename(target)
        raise
    remove(old)


def load_stats(folder: Path) -> dict[str, Stats]:
    """Return the stats of a built folder, by config.

    Raises:
        FolderError: there is no readable manifest, or the stats are missing or damaged.
    """
    read_manifest(folder)
    path = folder / STATS
    try:
        configs = json.loads(path.read_bytes())["configs"]
        return {name: Stats.from_json(stats) for name, stats in configs.items()}
    except OSError as error:
        raise FolderError(f"cannot read {path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FolderError(f"{path} is damaged; build the folder again") from None
