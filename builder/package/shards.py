"""Writes one split as numbered Arrow or Parquet files whose bytes do not depend on how the rows arrive."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import FolderError, SplitError, WarpCudaPairsError
from .manifest import FileEntry
from .one_chunk import one_chunk

# Rows of a record batch: the unit in which readers take rows in. A multiple of 8, so that a batch's bitmaps
# end where a byte ends and hold nothing of the next batch.
BATCH_ROWS = 512
MAX_SHARD_BYTES = 500_000_000
FORMATS = ("arrow", "parquet")
# What `datasets` itself writes for the Hub, so that an upload shares the chunks of an earlier one.
_CHUNKING = {"min_chunk_size": 256 * 1024, "max_chunk_size": 1024 * 1024, "norm_level": 0}


@contextlib.contextmanager
def folder_errors(out: Path) -> Iterator[None]:
    """Turn the operating system's errors about ``out`` into one clear :class:`FolderError`."""
    try:
        yield
    except WarpCudaPairsError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise FolderError(
            f"cannot write {out}: {reason}; what was there is unchanged; free some space or give another folder"
        ) from error


class HashingFile:
    """A new file that knows its size and sha256; synced to disk when it is closed."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("xb")
        self._digest = hashlib.sha256()
        self.size = 0
        self.closed = False

    def write(self, data: Any) -> int:
        """Append bytes."""
        view = memoryview(data)
        self._file.write(view)
        self._digest.update(view)
        self.size += view.nbytes
        return view.nbytes

    def flush(self) -> None:
        """Hand what is buffered to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """Sync and close."""
        if not self.closed:
            self.closed = True
            with self._file:
                self._file.flush()
                os.fsync(self._file.fileno())

    def abandon(self) -> None:
        """Close without caring for what is in it."""
        self.closed = True
        with contextlib.suppress(OSError):
            self._file.close()

    @property
    def sha256(self) -> str:
        """64 hex digits over what was written."""
        return self._digest.hexdigest()


def write_file(root: Path, name: str, content: str | bytes) -> FileEntry:
    """Write a file that is no table below ``root`` and return its entry."""
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    file = HashingFile(root / name)
    try:
        file.write(content.encode() if isinstance(content, str) else content)
        file.close()
    except BaseException:
        file.abandon()
        raise
    return FileEntry(name, file.sha256, file.size, 0)


def rebatch(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield the same rows, :data:`BATCH_ROWS` at a time in one chunk and without schema metadata."""
    waiting: list[pa.Table] = []
    rows = 0
    for table in tables:
        waiting.append(table.replace_schema_metadata(None))
        rows += table.num_rows
        while rows >= BATCH_ROWS:
            whole = pa.concat_tables(waiting)
            yield one_chunk(whole.slice(0, BATCH_ROWS))
            waiting, rows = [whole.slice(BATCH_ROWS)], rows - BATCH_ROWS
    if rows:
        yield one_chunk(pa.concat_tables(waiting))


def write_shards(
    root: Path,
    config: str,
    split: str,
    tables: Iterable[pa.Table],
    *,
    format: str = "arrow",
    max_bytes: int = MAX_SHARD_BYTES,
) -> tuple[FileEntry, ...]:
    """Write a split's rows below ``root`` as ``data/<config>/<split>-0000i-of-0000N.<format>``.

    An ``arrow`` file is an IPC stream (what ``datasets`` reads first, and maps into memory). A ``parquet`` file
    has content-defined chunks and a page index, and a row group for each batch, so that a viewer reads little to
    show a page. A shard ends with the first batch that takes it to ``max_bytes`` on disk. This project's errors
    that ``tables`` raises pass through.

    Raises:
        SplitError: there is no row.
        OSError: a file cannot be written.
    """
    folder = root / "data" / config
    folder.mkdir(parents=True, exist_ok=True)
    batches = rebatch(tables)
    first = next(batches, None)
    if first is None:
        raise SplitError(f"split {split!r} of config {config!r} has no row; give a larger num_kernels")
    written: list[FileEntry] = []
    pending: pa.Table | None = first
    while pending is not None:
        path = folder / f"{split}-{len(written):05d}"
        entry, pending = _write_shard(path, pending, batches, format, max_bytes)
        written.append(entry)
    entries = []
    for entry in written:
        name = f"{entry.path}-of-{len(written):05d}.{format}"
        (folder / entry.path).rename(folder / name)
        entries.append(replace(entry, path=(folder / name).relative_to(root).as_posix()))
    return tuple(entries)


@contextlib.contextmanager
def _parquet_writer(sink: pa.PythonFile, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    with pq.ParquetWriter(
        sink, schema, compression="zstd", use_content_defined_chunking=_CHUNKING, write_page_index=True
    ) as writer:
        yield writer
        writer.add_key_value_metadata({"content_defined_chunking": json.dumps(_CHUNKING)})


def _write_shard(
    path: Path, first: pa.Table, batches: Iterator[pa.Table], format: str, max_bytes: int
) -> tuple[FileEntry, pa.Table | None]:
    """Write batches until the shard is full; return its entry under its bare name, and the batch that comes next."""
    file = HashingFile(path)
    open_writer = pa.ipc.new_stream if format == "arrow" else _parquet_writer
    rows, arrow_bytes, pending = 0, 0, first
    try:
        with open_writer(pa.PythonFile(file, mode="w"), first.schema) as writer:
            while pending is not None and (rows == 0 or file.size < max_bytes):
                writer.write_table(pending)
                rows += pending.num_rows
                arrow_bytes += sum(map(pa.ipc.get_record_batch_size, pending.to_batches()))
                pending = next(batches, None)
        file.close()
    except BaseException:
        file.abandon()
        raise
    return FileEntry(path.name, file.sha256, file.size, rows, arrow_bytes), pending
