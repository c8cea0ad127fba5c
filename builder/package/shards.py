"""Writes one split as numbered Arrow files whose bytes do not depend on how the rows arrive."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import FolderError, SplitError, WarpCudaPairsError
from .manifest import FileEntry
from .one_chunk import one_chunk

# Rows of a record batch: the unit in which readers take rows in. A multiple of 8, so that a batch's bitmaps
# end where a byte ends and hold nothing of the next batch.
BATCH_ROWS = 512
MAX_SHARD_BYTES = 500_000_000


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


def write_text(root: Path, name: str, text: str) -> FileEntry:
    """Write a text file below ``root`` and return its entry."""
    file = HashingFile(root / name)
    try:
        file.write(text.encode())
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
    root: Path, config: str, split: str, tables: Iterable[pa.Table], *, max_bytes: int = MAX_SHARD_BYTES
) -> tuple[tuple[FileEntry, ...], pa.Schema]:
    """Write a split's rows below ``root`` as ``data/<config>/<split>-0000i-of-0000N.arrow``.

    Each file is an Arrow IPC stream (what ``datasets`` reads first, and maps into memory). A shard ends with
    the first batch that takes it to ``max_bytes``. This project's errors that
    ``tables`` raises pass through.

    Returns:
        The files, and the schema of their rows.

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
    written: list[tuple[Path, HashingFile, int]] = []
    pending: pa.Table | None = first
    while pending is not None:
        path = folder / f"{split}-{len(written):05d}"
        file, rows, pending = _write_shard(path, pending, batches, max_bytes)
        written.append((path, file, rows))
    entries = []
    for path, file, rows in written:
        final = path.with_name(f"{path.name}-of-{len(written):05d}.arrow")
        path.rename(final)
        entries.append(FileEntry(final.relative_to(root).as_posix(), file.sha256, file.size, rows))
    return tuple(entries), first.schema


def _write_shard(
    path: Path, first: pa.Table, batches: Iterator[pa.Table], max_bytes: int
) -> tuple[HashingFile, int, pa.Table | None]:
    """Write batches until the shard is full; return the file, its rows, and the batch that comes next."""
    file = HashingFile(path)
    rows, pending = 0, first
    try:
        with pa.ipc.new_stream(pa.PythonFile(file, mode="w"), first.schema) as writer:
            while pending is not None and (rows == 0 or file.size < max_bytes):
                writer.write_table(pending)
                rows += pending.num_rows
                pending = next(batches, None)
        file.close()
    except BaseException:
        file.abandon()
        raise
    return file, rows, pending
