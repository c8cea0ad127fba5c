"""The store: every stage's files, named by what they hold, shared by all configs and all processes.

A file is ``<kind>/<key>/<block>/<rank>-<checksum>.arrow``. ``key`` digests all that decides its bytes, so
two processes that make the same file write the same bytes to the same name, and whoever is second changes
nothing. A file appears under its name only when it is complete; ``checksum`` tells later damage.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from ..errors import StoreError
from .one_chunk import one_chunk
from .scratch import remove, remove_stale, scratch_name

CACHE_VARIABLE = "WARP_CUDA_PAIRS_CACHE"
KINDS = (
    "units",
    "edges",
    "tokens",
    "decisions",
    "compared",
    "compressed",
    "summaries",
    "mined",
    "verified",
    "ptx",
    "programs",
)

# A folder holds this many ranks, so that looking for a file costs the same however large the dataset.
_BLOCK = 1000
_CHECKSUM = 16

_log = logging.getLogger(__name__)
_Signature = tuple[int, int, int]


def default_store() -> Store:
    """Return the store at ``WARP_CUDA_PAIRS_CACHE``, else ``warp_cuda_pairs`` in the Hugging Face cache."""
    own = os.environ.get(CACHE_VARIABLE)
    if own:
        return Store(Path(own).expanduser())
    from huggingface_hub.constants import HF_HOME  # honours HF_HOME and XDG_CACHE_HOME

    return Store(Path(HF_HOME).expanduser() / "warp_cuda_pairs")


class Store:
    """The files of the stages below one folder.

    Safe for any number of processes on one folder. Pickles as its path.

    Args:
        root: the folder; made when the first file is put.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root).absolute()
        self._listings: dict[Path, dict[int, list[str]]] = {}
        self._verified: dict[Path, _Signature] = {}
        self._warned: set[tuple[Path, _Signature]] = set()

    def __reduce__(self) -> tuple[type[Store], tuple[Path]]:
        return type(self), (self.root,)

    def __repr__(self) -> str:
        return f"Store({str(self.root)!r})"

    def path(self, kind: str, key: str, rank: int) -> Path | None:
        """Return the path of a rank's file, or None if there is none or it is damaged.

        Raises:
            StoreError: the store cannot be read.
        """
        found = self._find(kind, key, rank)
        return None if found is None else found[0]

    def get(self, kind: str, key: str, rank: int) -> pa.Table | None:
        """Return a rank's table, memory-mapped, or None if it has to be made (again).

        The checksum is verified once for each file and Store. A damaged file is reported by a warning of
        this module's logger and then treated as missing; :meth:`put` replaces it.

        Raises:
            StoreError: the store cannot be read.
        """
        found = self._find(kind, key, rank)
        if found is None:
            return None
        with pa.ipc.open_file(pa.BufferReader(found[1])) as reader:
            return reader.read_all()

    def put(self, kind: str, key: str, rank: int, table: pa.Table) -> Path:
        """Write a rank's table and return its path.

        The file is complete when it appears: written to a scratch name, synced, renamed.

        Raises:
            StoreError: no space, no permission, or not a folder; no scratch file is left.
        """
        data = _serialise(table)
        folder = self._folder(kind, key, rank)
        path = folder / f"{rank:08d}-{_checksum(data)}.arrow"
        scratch = folder / scratch_name(f"{rank:08d}")
        with self.errors("write to"):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                _write(scratch, data)
                os.replace(scratch, path)
            except BaseException:
                remove(scratch)
                raise
        listing = self._listings.setdefault(folder, {})
        names = listing.setdefault(rank, [])
        if path.name not in names:
            names.append(path.name)
        return path

    def clean(self) -> int:
        """Remove what killed processes left half-written, and return how many files that were.

        Raises:
            StoreError: the store cannot be read.
        """
        with self.errors("read"):
            return remove_stale(self.root.glob("*/*/*/.*.tmp-*"))

    def _folder(self, kind: str, key: str, rank: int) -> Path:
        if kind not in KINDS:
            raise ValueError(f"unknown kind {kind!r}; allowed: {', '.join(KINDS)}")
        if rank < 0:
            raise ValueError(f"rank {rank} is negative")
        return self.root / kind / key / f"{rank // _BLOCK:05d}"

    def _find(self, kind: str, key: str, rank: int) -> tuple[Path, pa.Buffer] | None:
        folder = self._folder(kind, key, rank)
        with self.errors("read"):
            # The listing first as remembered, then as it is now: another process may have made the file.
            for names in (self._listings.get(folder, {}).get(rank, []), self._list(folder, rank)):
                for name in names:
                    data = self._map(folder / name)
                    if data is not None:
                        return folder / name, data
        return None

    def _list(self, folder: Path, rank: int) -> list[str]:
        listing: dict[int, list[str]] = {}
        with contextlib.suppress(FileNotFoundError):
            for name in sorted(os.listdir(folder)):
                number, _, rest = name.partition("-")
                if number.isdecimal() and rest.endswith(".arrow"):
                    listing.setdefault(int(number), []).append(name)
        self._listings[folder] = listing
        return listing.get(rank, [])

    def _map(self, path: Path) -> pa.Buffer | None:
        """Return the mapped bytes of a file whose checksum holds, else None."""
        try:
            status = path.stat()
            data = _mapped(path) if status.st_size > 0 else None
        except FileNotFoundError:
            return None
        signature = (status.st_ino, status.st_size, status.st_mtime_ns)
        if data is not None:
            if self._verified.get(path) == signature:
                return data
            if _checksum(data) == path.stem.split("-")[-1]:
                self._verified[path] = signature
                return data
        if (path, signature) not in self._warned:
            self._warned.add((path, signature))
            _log.warning("%s is damaged (its checksum does not hold); it is made again", path)
        return None

    @contextlib.contextmanager
    def errors(self, doing: str) -> Iterator[None]:
        """Turn what the system says against reading or writing the store into a StoreError."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or str(error)
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            remedy = f"{'free some space there, or ' if full else ''}set {CACHE_VARIABLE} to another folder"
            raise StoreError(f"cannot {doing} the store {self.root}: {reason}; {remedy}") from error


def _mapped(path: Path) -> pa.Buffer:
    # The buffer keeps the mapping; closing the file keeps a long pass from running out of descriptors.
    with pa.memory_map(str(path)) as source:
        return source.read_buffer()


def _checksum(data: pa.Buffer) -> str:
    return hashlib.sha256(data).hexdigest()[:_CHECKSUM]


def _serialise(table: pa.Table) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    table = one_chunk(table)
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _write(path: Path, data: pa.Buffer) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
