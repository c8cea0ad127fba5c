"""Verification of a built folder: its rows by chunks, each chunk's verdicts one file of the store."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.table import Table

from .. import codegen
from ..errors import CodegenRejection
from ..record import CODE_COLUMNS, LEVELS, STATES, VERDICTS
from ..resources import source_digest
from ..versions import versions
from .derived import read_tables, whole_shards
from .manifest import read_manifest
from .store import Store
from .verified import ROW_COLUMNS, VERIFIED_SCHEMA, verified_table

CHUNK = 128  # rows: what a killed run loses
_SHOWN = ("id", "category", "kernel_name", "python_source", "args", "launch_dim", "seed", "warp_version")


@dataclass(frozen=True)
class Chunk:
    """Some rows of a folder, and where their verdicts are kept.

    Attributes:
        rows: of several configs, each kernel once; of the code columns, those that any config shows.
        comments: whether the folder's code echoes lines of the kernel source.
    """

    level: str
    key: str
    rank: int
    comments: bool
    rows: tuple[Mapping[str, Any], ...]


def chunks(folder: Path, level: str) -> list[Chunk]:
    """Return the rows of a built folder, in the order of configs and splits, each kernel once.

    Raises:
        FolderError: ``folder`` is not a whole built folder.
    """
    rows: dict[str, dict[str, Any]] = {}
    for splits in whole_shards(folder).values():
        for path in (path for paths in splits.values() for path in paths):
            for table in read_tables(path):
                shown = [name for name in (*_SHOWN, *CODE_COLUMNS) if name in table.column_names]
                for row in table.select(shown).to_pylist():
                    rows.setdefault(row["id"], {}).update(row)
    configs = read_manifest(folder)["configs"].values()
    comments = all(config["spec"].get("source_comments", True) for config in configs)
    texts = hashlib.sha256(json.dumps(list(rows.values()), sort_keys=True).encode()).hexdigest()
    parts = {"rows": texts, "level": level, "code": source_digest("verify", "codegen"), "versions": versions()}
    key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
    every = list(rows.values())
    starts = range(0, len(every), CHUNK)
    return [Chunk(level, key, rank, comments, tuple(every[at : at + CHUNK])) for rank, at in enumerate(starts)]


def verify_chunk(chunk: Chunk, store: Store) -> pa.Table:
    """Return what the checks say of a chunk's rows, making the file where needed.

    A row whose code is not what its kernel source generates has failed, whatever else it does.

    Raises:
        StoreError: the store cannot be read or written.
    """
    table = store.get("verified", chunk.key, chunk.rank)
    if table is None:
        table = _verified(chunk)
        store.put("verified", chunk.key, chunk.rank, table)
    return table


def _verified(chunk: Chunk) -> pa.Table:
    made: list[Mapping[str, Any]] = []
    differing: dict[str, str] = {}
    for row in chunk.rows:
        try:
            code = codegen.generate(row["python_source"], source_comments=chunk.comments)
        except CodegenRejection as refusal:
            differing[row["id"]] = refusal.detail
            continue
        other = [name for name in CODE_COLUMNS if name in row and row[name] != getattr(code, name)]
        if other:
            own, here = row["warp_version"], versions()["warp"]
            why = "" if own == here else f" with Warp {here}; install the row's own, {own}"
            differing[row["id"]] = f"{', '.join(other)}: not what its python_source generates{why}"
        else:
            made.append({**row, **{name: getattr(code, name) for name in CODE_COLUMNS}})
    by_seed: dict[int, list[Mapping[str, Any]]] = {}
    for row in made:
        by_seed.setdefault(row["seed"], []).append(row)
    verdicts = {
        row["id"]: row
        for seed, rows in by_seed.items()
        for row in verified_table(pa.Table.from_pylist([_only(row) for row in rows]), chunk.level, seed).to_pylist()
    }
    verdicts |= {id_: _not_own_text(id_, reason) for id_, reason in differing.items()}
    return pa.Table.from_pylist([verdicts[row["id"]] for row in chunk.rows], VERIFIED_SCHEMA)


def _only(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ROW_COLUMNS}


def _not_own_text(id_: str, reason: str) -> dict[str, Any]:
    verdicts = {**dict.fromkeys(VERDICTS, "not_run"), "compile": "failed", "reason": f"compile: {reason}"}
    return {"id": id_, "verification": verdicts, "io_example": None, "details": "{}"}


def verdict_table(chunks_: list[Chunk], verified: list[pa.Table], level: str) -> Table:
    """Return the rows by category, check and verdict, as a rich table."""
    checks = VERDICTS[: LEVELS.index(level)]
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for chunk, table in zip(chunks_, verified, strict=True):
        for row, verdicts in zip(chunk.rows, table["verification"].to_pylist(), strict=True):
            for name in (row["category"], "all"):
                counts.setdefault(name, Counter()).update((check, verdicts[check]) for check in checks)
    seen = [(c, s) for c in checks for s in STATES if counts.get("all", Counter())[c, s]]
    table = Table("category", "rows", *(f"{check} {state}" for check, state in seen))
    for name in sorted(counts, key=lambda name: (name == "all", name)):
        total = sum(counts[name][checks[0], state] for state in STATES)
        table.add_row(name, f"{total:,}", *(f"{counts[name][one]:,}" for one in seen))
    return table
