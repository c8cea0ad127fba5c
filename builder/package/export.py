"""Writes a built folder's rows in another layout; all of it or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import FolderError
from .manifest import check_folder, read_manifest
from .scratch import move_into_place, remove, remove_stale, scratch_name
from .shards import BATCH_ROWS, HashingFile, folder_errors, write_file

LAYOUTS = ("jsonl",)
# Says that a folder is ours to replace; written last.
MARK = "export.json"
_FORMAT = "warp_cuda_pairs export"


def export_jsonl(folder: Path, out: Path) -> dict[str, int]:
    """Write each split of a built folder as ``out/<config>/<split>.jsonl``, one row as JSON on each line.

    Everything is written to a scratch folder beside ``out`` and moved into place at the end. An earlier
    export that is there is replaced.

    Returns:
        The rows of each file, by its path below ``out``.

    Raises:
        FolderError: ``folder`` is not a whole built folder, or ``out`` is not ours or cannot be written.
    """
    shards = _shards(folder)
    with folder_errors(out):
        target = _target(folder, out)
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_stale(target.parent.glob(f".{target.name}.tmp-*"))
        scratch = target.with_name(scratch_name(target.name))
        try:
            scratch.mkdir()
            rows = {name: _write_jsonl(scratch / name, paths) for name, paths in shards.items()}
            mark = {"format": _FORMAT, "layout": "jsonl", "files": rows}
            write_file(scratch, MARK, json.dumps(mark, indent=1) + "\n")
            move_into_place(scratch, target)
        finally:
            remove(scratch)
    return rows


def _shards(folder: Path) -> dict[str, list[Path]]:
    """Return the shards of each file to write, by its path, after a look at every one of them."""
    problems = [problem for problem in check_folder(folder) if not problem.startswith("extra: ")]
    if problems:
        raise FolderError(f"{folder} is not whole ({problems[0]}); `check` names every bad file; build it again")
    shards = {}
    for config, entry in read_manifest(folder)["configs"].items():
        for split, part in entry["splits"].items():
            if Path(config).name != config or Path(split).name != split:
                raise FolderError(f"{folder}: its manifest names a config or split with a path; build it again")
            shards[f"{config}/{split}.jsonl"] = [folder / file["path"] for file in part["files"]]
    return shards


def _target(folder: Path, out: Path) -> Path:
    """Return ``out``, absolute and with links followed, if an export may be written there."""
    target, source = out.expanduser().resolve(), folder.expanduser().resolve()
    if target == source or source in target.parents or target in source.parents:
        raise FolderError(f"{out} lies in the built folder or holds it; give a folder beside it")
    if target.is_file():
        raise FolderError(f"{out} is a file; give a folder")
    if target.is_dir() and any(target.iterdir()) and not _is_ours(target / MARK):
        raise FolderError(f"{out} is not empty and not an export of ours; give a new or empty folder")
    return target


def _is_ours(mark: Path) -> bool:
    try:
        data: Any = json.loads(mark.read_bytes())
    except (FileNotFoundError, ValueError):
        return False
    return isinstance(data, Mapping) and data.get("format") == _FORMAT


def read_tables(path: Path) -> Iterator[pa.Table]:
    """Yield the rows of a shard, Arrow or Parquet, a few hundred at a time."""
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH_ROWS):
                yield pa.Table.from_batches([batch])
        return
    with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
        for batch in reader:
            yield pa.Table.from_batches([batch])


def _write_jsonl(path: Path, shards: list[Path]) -> int:
    path.parent.mkdir(exist_ok=True)
    file, rows = HashingFile(path), 0
    try:
        for shard in shards:
            for table in read_tables(shard):
                lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()]
                file.write("".join(lines).encode())
                rows += len(lines)
        file.close()
    except BaseException:
        file.abandon()
        raise
    return rows
