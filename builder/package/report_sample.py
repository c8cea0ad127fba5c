"""The sample of rows that the report page shows: spread over splits, categories and origins, the same each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import FolderError
from ..spec import SPLITS

# Columns of code, in the order in which they are shown.
CODE_TITLES = {
    "python_source": "Python",
    "cpp_forward": "C++ forward",
    "cuda_forward": "CUDA forward",
    "cpp_backward": "C++ backward",
    "cuda_backward": "CUDA backward",
    "cuda_standalone": "CUDA program",
}
_FACTS = (
    *("kernel_name", "category", "description", "origin", "origin_version", "origin_path", "license", "seed"),
    *("index", "skeleton", "features", "args", "launch_dim", "block_dim", "verification"),
)
_COUNTS = ("prompt_tokens", "completion_tokens")
_KEYS = ("id", "category", "origin")


@dataclass(frozen=True, order=True)
class Key:
    """What a row is chosen by."""

    split: str
    category: str
    origin: str
    id: str


@dataclass
class Sample:
    """One kernel as all configs of a folder show it.

    Attributes:
        split: where it lies.
        facts: its columns that every config has.
        code: column name -> text, from whichever config has the column.
        tokens: config -> tokens of prompt and of completion.
    """

    id: str
    split: str
    facts: dict[str, Any] = field(default_factory=dict)
    code: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, tuple[int, int]] = field(default_factory=dict)


def read_samples(folder: Path, manifest: Mapping[str, Any], count: int) -> tuple[list[Sample], int]:
    """Return at most ``count`` kernels of a built folder, and how many different ones it holds.

    Raises:
        FolderError: a file that the manifest names is missing or cannot be read.
    """
    keys = {
        Key(split, row["category"], row["origin"], row["id"])
        for _, split, batch in _batches(folder, manifest, _KEYS)
        for row in batch.to_pylist()
    }
    chosen = choose(keys, count)
    samples = {(key.split, key.id): Sample(key.id, key.split) for key in chosen}
    wanted = pa.array(sorted({key.id for key in chosen}), pa.string())
    columns = ("id", *_FACTS, *_COUNTS, *CODE_TITLES)
    for config, split, batch in _batches(folder, manifest, columns):
        for row in batch.filter(pc.is_in(batch.column("id"), value_set=wanted)).to_pylist():
            if (split, row["id"]) in samples:
                _take(samples[split, row["id"]], config, row)
    return [samples[key.split, key.id] for key in chosen], len(keys)


def choose(keys: set[Key], count: int) -> list[Key]:
    """Return ``count`` keys, in turn from each (split, category, origin), within it by id.

    Ids are digests of the source, so their order has nothing to do with what a kernel does.
    """
    groups: dict[tuple[str, str, str], list[Key]] = {}
    for key in sorted(keys):
        groups.setdefault((key.split, key.category, key.origin), []).append(key)
    turns = sorted((turn, key) for group in groups.values() for turn, key in enumerate(group))
    return sorted((key for _, key in turns[:count]), key=lambda key: (key.category, _order(key.split), key))


def _order(split: str) -> int:
    return SPLITS.index(split) if split in SPLITS else len(SPLITS)


def _take(sample: Sample, config: str, row: Mapping[str, Any]) -> None:
    for name in _FACTS:
        if row.get(name) is not None:
            sample.facts[name] = row[name]
    for name in CODE_TITLES:
        if row.get(name):
            sample.code[name] = row[name]
    counts = [row.get(name) for name in _COUNTS]
    if None not in counts:
        sample.tokens[config] = (int(counts[0] or 0), int(counts[1] or 0))


def _batches(
    folder: Path, manifest: Mapping[str, Any], columns: Sequence[str]
) -> Iterator[tuple[str, str, pa.RecordBatch]]:
    """Yield config, split and those of ``columns`` that are there, for every batch of every file."""
    for config, entry in manifest["configs"].items():
        for split, part in entry["splits"].items():
            for file in part["files"]:
                try:
                    for batch in _read(folder / file["path"], columns):
                        yield config, split, batch
                except (OSError, pa.ArrowException) as error:
                    raise FolderError(
                        f"cannot read {folder / file['path']}: {error}; `warp-cuda-pairs check {folder}` names "
                        "what is damaged"
                    ) from None


def _read(path: Path, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as parquet:
            there = [name for name in columns if name in parquet.schema_arrow.names]
            yield from parquet.iter_batches(columns=there)
        return
    with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
        there = [name for name in columns if name in reader.schema.names]
        for batch in reader:
            yield batch.select(there)
