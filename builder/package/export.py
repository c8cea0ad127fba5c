"""Writes a built folder's rows in another layout; all of it or nothing."""

from __future__ import annotations

import json
from pathlib import Path

from .derived import Mark, derived_folder, read_tables, whole_shards
from .shards import HashingFile, write_file

LAYOUTS = ("jsonl", "samples")
MARK = Mark("export.json", "warp_cuda_pairs export", "an export")


def export_jsonl(folder: Path, out: Path) -> dict[str, int]:
    """Write each split of a built folder as ``out/<config>/<split>.jsonl``, one row as JSON on each line.

    Everything is written to a scratch folder beside ``out`` and moved into place at the end. An earlier
    export that is there is replaced.

    Returns:
        The rows of each file, by its path below ``out``.

    Raises:
        FolderError: ``folder`` is not a whole built folder, or ``out`` is not ours or cannot be written.
    """
    shards = {
        f"{config}/{split}.jsonl": paths
        for config, splits in whole_shards(folder).items()
        for split, paths in splits.items()
    }
    with derived_folder(folder, out, MARK) as scratch:
        rows = {name: _write_jsonl(scratch / name, paths) for name, paths in shards.items()}
        mark = {"format": MARK.format, "layout": "jsonl", "files": rows}
        write_file(scratch, MARK.file, json.dumps(mark, indent=1) + "\n")
    return rows


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
