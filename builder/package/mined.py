"""Mined kernels in the store: a distribution's modules by chunks, each one file, so that a rerun goes on."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import metadata

import pyarrow as pa

from ..errors import SpecError
from ..mine.distribution import Distribution, find
from ..mine.licence import check_allowed
from ..mine.session import look_at
from ..mine.table import KERNEL_SCHEMA, Report, findings_table, joined
from ..resources import source_digest
from ..versions import versions
from .store import Store, default_store

CHUNK = 64  # modules that one worker process looks at: bounds its memory, and what a killed run loses
TIMEOUT = 60.0  # seconds that the import of one module, or the proof of one kernel, may take

# What a build needs of a mined kernel source; its code is generated again with the build's own options.
SOURCE_COLUMNS = KERNEL_SCHEMA.names[: KERNEL_SCHEMA.names.index("license") + 1]

# Called with (chunks done, chunks, kernel sources so far).
OnChunk = Callable[[int, int, int], None]


def mined(
    package: str,
    *,
    seed: int = 0,
    store: Store | None = None,
    num_proc: int = 1,
    timeout: float = TIMEOUT,
    allow_licences: Collection[str] = (),
) -> pa.Table:
    """Return the kernel sources of an installed distribution; row ``k`` is candidate ``k`` of ``(package, seed)``.

    Mining runs the package's code, in processes of their own. What was mined before is read from the store.

    Args:
        package: the name of a distribution, or of a package that one installs.
        seed: gives the order of the rows.
        store: where results are kept; the default store if not given.
        num_proc: worker processes at a time.
        timeout: seconds that the import of one module, or the proof of one kernel, may take.
        allow_licences: licences to accept beside the permissive ones.

    Returns:
        One row for each kernel source: ``text``, ``kernel_name``, ``category``, ``description``, ``features``,
        ``origin``, ``origin_version``, ``origin_path``, ``license``.

    Raises:
        MiningError: the package is not installed, or its licence is not allowed.
        WorkerError: no worker process can be started.
        StoreError: the store cannot be read or written.
    """
    distribution = find(package)
    check_allowed(distribution.name, distribution.licence, allow_licences)
    table, _ = mine(distribution, store or default_store(), num_proc=num_proc, timeout=timeout)
    return permuted(table, seed).select(SOURCE_COLUMNS)


def mine(
    distribution: Distribution,
    store: Store,
    *,
    num_proc: int = 1,
    timeout: float = TIMEOUT,
    on_chunk: OnChunk | None = None,
) -> tuple[pa.Table, Report]:
    """Return all rows of a distribution in order of path, with code, and what was left out.

    Raises:
        SpecError: ``num_proc`` or ``timeout`` is not positive.
        WorkerError: no worker process can be started.
        StoreError: the store cannot be read or written.
    """
    if num_proc < 1 or not timeout > 0:
        raise SpecError(f"num_proc is {num_proc} and timeout is {timeout:g}; give num_proc >= 1 and a timeout above 0")
    key = _key(distribution, timeout)
    stop = threading.Event()
    count = -(-len(distribution.modules) // CHUNK)

    def chunk(rank: int) -> pa.Table:
        table = store.get("mined", key, rank)
        if table is None:
            modules = distribution.modules[rank * CHUNK : (rank + 1) * CHUNK]
            table = findings_table(distribution, look_at(modules, timeout, stop))
            store.put("mined", key, rank, table)
        return table

    tables: list[pa.Table] = []
    with _pool(num_proc, stop) as pool:
        for table in pool.map(chunk, range(count)):
            tables.append(table)
            if on_chunk is not None:
                on_chunk(len(tables), count, sum(one.num_rows for one in tables))
    return joined(tables)


@contextmanager
def _pool(num_proc: int, stop: threading.Event) -> Iterator[ThreadPoolExecutor]:
    """Threads that wait for workers; an error, or Ctrl-C, ends the workers at once."""
    with ThreadPoolExecutor(num_proc) as pool:
        try:
            yield pool
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def permuted(table: pa.Table, seed: int) -> pa.Table:
    """Return the rows in an order that depends on the seed and on their texts only."""
    texts = table.column("text").to_pylist()
    ranks = [hashlib.blake2b(text.encode(), key=str(seed).encode(), digest_size=16).digest() for text in texts]
    return table.take(pa.array(sorted(range(len(texts)), key=ranks.__getitem__), pa.int64()))


def _key(distribution: Distribution, timeout: float) -> str:
    """Return 32 hex digits over all that decides what mining a distribution gives."""
    parts = {
        "name": distribution.name,
        "version": distribution.version,
        "licence": distribution.licence,
        "modules": [(m.path, hashlib.sha256(m.file.read_bytes()).hexdigest()) for m in distribution.modules],
        # Which modules can be imported, and what they then define, depends on what else is installed.
        "installed": sorted({f"{one.name}=={one.version}" for one in metadata.distributions()}),
        "chunk": CHUNK,
        "timeout": timeout,
        "python": sys.version_info[:2],
        "code": source_digest("mine", "codegen", "record.py"),
        "versions": versions(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
