"""Verification of a built folder on one machine, by one or more processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from ..errors import SpecError
from ..package.store import Store
from ..package.verify_folder import Chunk, chunks, verify_chunk
from ..record import LEVELS
from ..shipped import unknown
from .engines import setup_worker
from .pool import Pool

# Called with (rows done, rows).
OnChunk = Callable[[int, int], None]


def verify(
    folder: Path, store: Store, *, level: str, num_proc: int = 1, on_chunk: OnChunk | None = None
) -> tuple[list[Chunk], list[pa.Table]]:
    """Return the rows of a built folder by chunks, and what the checks up to a level say of them.

    What was verified before is read from the store, so that a run that was killed goes on. The folder is only read.

    Raises:
        SpecError: the level or ``num_proc`` is not allowed.
        FolderError: ``folder`` is not a whole built folder.
        StoreError: the store cannot be read or written.
        WorkerError: worker processes keep dying.
    """
    if level not in LEVELS[1:]:
        raise SpecError(unknown("level", level, LEVELS[1:]))
    if num_proc < 1:
        raise SpecError(f"num_proc: must be a whole number of at least 1 (got {num_proc})")
    todo = chunks(folder, level)
    rows = sum(len(chunk.rows) for chunk in todo)
    tables: list[pa.Table] = []
    done = 0
    for chunk, table in zip(todo, _verified(todo, store, num_proc), strict=True):
        tables.append(table)
        done += len(chunk.rows)
        if on_chunk is not None:
            on_chunk(done, rows)
    return todo, tables


def _verified(todo: list[Chunk], store: Store, num_proc: int) -> Iterator[pa.Table]:
    if num_proc == 1:
        yield from (verify_chunk(chunk, store) for chunk in todo)
        return
    with closing(Pool(num_proc, setup_worker)) as pool:
        yield from pool.in_order(verify_chunk, ((chunk, store) for chunk in todo))
