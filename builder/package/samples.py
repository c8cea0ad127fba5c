"""Sample directories: a Python kernel, its CUDA program, a Makefile and what is known of both, for each row."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..codegen import generate
from ..errors import CodegenRejection, FolderError
from ..shipped import category_names
from ..spec import SPLITS
from ..standalone.building import Outcome, compile_to_ptx, compile_with_nvcc, nvcc, run_on_host
from ..standalone.makefile import CLANG_FORMAT, makefile
from ..standalone.making import checked_programs
from ..verify import row_of
from .derived import Mark, derived_folder, read_tables, whole_shards
from .shards import write_file

MARK = Mark("export.json", "warp_cuda_pairs export", "an export")
_SHARES = {"train": 0.7, "validation": 0.2, "test": 0.1}
_KEPT = ("id", "origin", "license", "seed", "index", "skeleton", "warp_version", "builder_version")
_BATCH = 32


@dataclass(frozen=True, slots=True)
class _Sample:
    row: Mapping[str, Any]
    program: str


def export_samples(folder: Path, out: Path, *, per_category: int = 5, ptx: bool = True) -> dict[str, int]:
    """Write a directory for each of some rows: ``name.py``, ``name.cu``, ``Makefile`` and ``metadata.json``.

    Args:
        folder: what ``build --out`` made.
        out: the folder to write; an earlier export that is there is replaced.
        per_category: how many rows of each category, the first that have a program whose outputs are known.
        ptx: write ``name.ptx`` too where there is an nvcc.

    Returns:
        The number of samples of each category.

    Raises:
        FolderError: ``folder`` is not a whole built folder, or ``out`` is not ours or cannot be written.
    """
    samples = _chosen(folder, per_category)
    counts: dict[str, int] = defaultdict(int)
    with derived_folder(folder, out, MARK) as scratch:
        splits = _splits([sample.row for sample in samples])
        for number, sample in enumerate(samples):
            category = str(sample.row["category"])
            counts[category] += 1
            name = f"sample_{number:04d}_{category}"
            _write(scratch / name, name, sample, splits[number], ptx and bool(nvcc()))
        write_file(scratch, ".clang-format", CLANG_FORMAT)
        mark = {"format": MARK.format, "layout": "samples", "files": dict(counts)}
        write_file(scratch, MARK.file, json.dumps(mark, indent=1) + "\n")
    return dict(counts)


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a folder, each kernel once, in the order of the candidates."""
    seen: set[str] = set()
    rows = []
    for splits in whole_shards(folder).values():
        for paths in splits.values():
            for shard in paths:
                for table in read_tables(shard):
                    wanted = [*_KEPT, "kernel_name", "category", "description", "python_source"]
                    rows += table.select(wanted).to_pylist()
    for row in sorted(rows, key=lambda row: (row["seed"], row["index"])):
        if row["id"] not in seen:
            seen.add(row["id"])
            yield row


def _chosen(folder: Path, per_category: int) -> list[_Sample]:
    by_category: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(folder):
        by_category[str(row["category"])].append(row)
    chosen: list[_Sample] = []
    order = category_names()
    for category in sorted(by_category, key=lambda name: (order.index(name) if name in order else len(order), name)):
        rows = by_category[category]
        found: list[_Sample] = []
        while rows and len(found) < per_category:
            size = max(2 * (per_category - len(found)), 2)
            batch, rows = rows[: min(size, _BATCH)], rows[min(size, _BATCH) :]
            found += _checked(batch)
        chosen += found[:per_category]
    return chosen


def _checked(rows: Sequence[dict[str, Any]]) -> list[_Sample]:
    ready = []
    for row in rows:
        try:
            ready.append(row | row_of(row["python_source"], generate(row["python_source"])))
        except CodegenRejection:
            continue  # what another Warp refuses
    made = checked_programs(ready)
    return [_Sample(row, made[row["id"]].text) for row in ready if made[row["id"]].text and not made[row["id"]].unknown]


def _splits(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the split of each row: exact shares, in the order of the digests of the skeletons."""
    order = sorted(range(len(rows)), key=lambda n: (sha256(str(rows[n]["skeleton"]).encode()).digest(), n))
    splits = [""] * len(rows)
    bounds = [round(len(rows) * sum(list(_SHARES.values())[: k + 1])) for k in range(len(SPLITS))]
    for place, number in enumerate(order):
        splits[number] = next(name for name, bound in zip(SPLITS, bounds, strict=True) if place < bound)
    return splits


def _write(folder: Path, sample_id: str, sample: _Sample, split: str, ptx: bool) -> None:
    folder.mkdir()
    row, name = sample.row, str(sample.row["kernel_name"])
    write_file(folder, f"{name}.py", str(row["python_source"]))
    write_file(folder, f"{name}.cu", sample.program)
    write_file(folder, "Makefile", makefile(name))
    text = compile_to_ptx(sample.program) if ptx else ""
    if text:
        write_file(folder, f"{name}.ptx", text)
    metadata = {
        "sample_id": sample_id,
        "category": row["category"],
        "kernel_name": name,
        "python_file": f"{name}.py",
        "cuda_file": f"{name}.cu",
        "makefile": "Makefile",
        "ptx_file": f"{name}.ptx" if text else None,
        "ptx_generated": bool(text),
        "description": row["description"],
        "split": split,
        **{key: row[key] for key in _KEPT},
    }
    write_file(folder, "metadata.json", json.dumps(metadata, indent=2) + "\n")


def check_samples(out: Path) -> Iterator[tuple[str, str, Outcome]]:
    """Yield ``(sample, check, outcome)`` for each sample of a directory.

    The checks are ``files`` (all named ones are there), ``run`` (on this machine's CPU, against the values in the
    program) and, where there is an nvcc, ``nvcc`` (compiles without a warning).

    Raises:
        FolderError: it holds no samples.
    """
    folders = sorted(out.glob("sample_*_*"))
    if not folders:
        raise FolderError(f"{out} holds no samples; make some with: warp-cuda-pairs export DIR {out} --layout samples")
    for folder in folders:
        missing = _missing(folder)
        yield folder.name, "files", Outcome(not missing, f"missing: {missing}" if missing else "all there")
        if missing:
            continue
        metadata = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
        program = (folder / metadata["cuda_file"]).read_text(encoding="utf-8")
        yield folder.name, "run", run_on_host(program)
        if nvcc():
            yield folder.name, "nvcc", compile_with_nvcc(program)


def _missing(folder: Path) -> str:
    if not (folder / "metadata.json").is_file():
        return "metadata.json"
    metadata = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
    named = [metadata[key] for key in ("python_file", "cuda_file", "makefile", "ptx_file") if metadata.get(key)]
    return ", ".join(name for name in named if not (folder / name).is_file())
