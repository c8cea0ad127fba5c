"""What folders that are made of a built folder's rows share: what they read, and where they may be written."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import FolderError
from .manifest import check_folder, read_manifest
from .scratch import replacing
from .shards import BATCH_ROWS, folder_errors


@dataclass(frozen=True, slots=True)
class Mark:
    """The JSON file by which a folder of ours is known, and may be replaced.

    Attributes:
        file: its name.
        format: its value at ``format``.
        kind: how errors call such a folder.
    """

    file: str
    format: str
    kind: str

    def is_in(self, folder: Path) -> bool:
        """Say whether ``folder`` holds this file."""
        try:
            data: Any = json.loads((folder / self.file).read_bytes())
        except (FileNotFoundError, ValueError, RecursionError):
            return False
        return isinstance(data, Mapping) and data.get("format") == self.format


@contextlib.contextmanager
def derived_folder(folder: Path, out: Path, mark: Mark) -> Iterator[Path]:
    """Yield a scratch folder beside ``out`` to write to; it becomes ``out`` at the end of the block.

    An earlier folder with this mark is replaced. Where the block raises, ``out`` is what it was.

    Raises:
        FolderError: ``out`` lies in the built folder or holds it, is not ours, or cannot be written.
    """
    with folder_errors(out), replacing(_target(folder, out, mark)) as scratch:
        yield scratch
        _target(folder, out, mark)  # somebody may have put something there meanwhile


def _target(folder: Path, out: Path, mark: Mark) -> Path:
    """Return ``out``, absolute and with links followed, if a folder with this mark may be written there."""
    target, source = out.expanduser().resolve(), folder.expanduser().resolve()
    if target == source or source in target.parents or target in source.parents:
        raise FolderError(f"{out} lies in the built folder or holds it; give a folder beside it")
    if target.is_file():
        raise FolderError(f"{out} is a file; give a folder")
    if target.is_dir() and any(target.iterdir()) and not mark.is_in(target):
        raise FolderError(f"{out} is not empty and not {mark.kind} of ours; give a new or empty folder")
    return target


def whole_shards(folder: Path) -> dict[str, dict[str, list[Path]]]:
    """Return the shards of each split of each config, after a look at every file of the folder.

    Raises:
        FolderError: ``folder`` is not a whole built folder.
    """
    problems = [problem for problem in check_folder(folder) if not problem.startswith("extra: ")]
    if problems:
        raise FolderError(f"{folder} is not whole ({problems[0]}); `check` names every bad file; build it again")
    shards: dict[str, dict[str, list[Path]]] = {}
    for config, entry in read_manifest(folder)["configs"].items():
        for split, part in entry["splits"].items():
            if Path(config).name != config or Path(split).name != split:
                raise FolderError(f"{folder}: its manifest names a config or split with a path; build it again")
            shards.setdefault(config, {})[split] = [folder / file["path"] for file in part["files"]]
    return shards


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
