"""Writes what was mined as pairs: ``kernels.parquet`` and ``mined.json``, both or neither."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .. import __version__
from ..curate.keys import analyse
from ..errors import CodegenRejection, FolderError
from ..mine.distribution import Distribution
from ..mine.table import Report
from ..record import NOT_VERIFIED, PAIR_SCHEMA
from ..versions import versions
from .mined import permuted
from .scratch import move_into_place, remove, scratch_name
from .shards import folder_errors, write_file

KERNELS = "kernels.parquet"
SUMMARY = "mined.json"
_FORMAT = "warp_cuda_pairs_mined"

Mined = tuple[Distribution, pa.Table, Report]


def check_mined_target(out: Path) -> Path:
    """Say, before any work, whether mined kernels may be written to ``out``.

    Returns:
        ``out``, absolute and with links followed.

    Raises:
        FolderError: it is neither new, nor empty, nor a folder that mining wrote.
    """
    with folder_errors(out):
        target = out.expanduser().resolve()
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            return target
        if not target.is_dir():
            raise FolderError(f"{out} is a file; give a folder")
        names = {path.name for path in target.iterdir()}
        if names and (names - {KERNELS, SUMMARY} or not _is_ours(target / SUMMARY)):
            raise FolderError(f"{out} is not empty and not a folder of mined kernels; give a new or empty folder")
        return target


def _is_ours(summary: Path) -> bool:
    try:
        return bool(json.loads(summary.read_text(encoding="utf-8"))["format"] == _FORMAT)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def write_mined(out: Path, mined: Sequence[Mined]) -> None:
    """Write the pairs of some distributions and the summary of what was left out.

    Equal results give equal bytes; the rows of a distribution are in the order of :func:`permuted` with seed 0.

    Raises:
        FolderError: ``out`` cannot be written; what was there is unchanged.
    """
    target = check_mined_target(out)
    with folder_errors(out):
        scratch = target.with_name(scratch_name(target.name))
        scratch.mkdir()
        try:
            with pq.ParquetWriter(scratch / KERNELS, PAIR_SCHEMA) as writer:
                for _, table, _ in mined:
                    writer.write_table(pa.Table.from_pylist(list(_pairs(table)), PAIR_SCHEMA))
            write_file(scratch, SUMMARY, json.dumps(_summary(mined), indent=2, ensure_ascii=False) + "\n")
            move_into_place(scratch, target)
        except BaseException:
            remove(scratch)
            raise


def _pairs(table: pa.Table) -> Iterator[dict[str, Any]]:
    for index, row in enumerate(permuted(table, 0).to_pylist()):
        text = row.pop("text")
        yield {
            **row,
            "id": hashlib.sha256(text.encode()).hexdigest()[:16],
            "seed": 0,
            "index": index,
            "skeleton": _skeleton(text),
            "warp_version": versions()["warp"],
            "builder_version": __version__,
            "python_source": text,
            "verification": NOT_VERIFIED,
        }


def _skeleton(text: str) -> str | None:
    try:
        return analyse(text, ast.parse(text)).skeleton
    except CodegenRejection:
        return None  # a construct that curation does not know yet; nothing else in the row depends on it


def _summary(mined: Sequence[Mined]) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "builder_version": __version__,
        "warp_version": versions()["warp"],
        "packages": [_package_summary(distribution, report) for distribution, _, report in mined],
    }


def _package_summary(distribution: Distribution, report: Report) -> dict[str, Any]:
    return {
        "name": distribution.name,
        "version": distribution.version,
        "license": distribution.licence,
        "modules": len(distribution.modules),
        "registered": report.registered,
        "mined": report.mined,
        "share": round(report.share(), 6),
        "reasons": report.reasons(),
        "kernels": [
            {"origin_path": path, "kernel": kernel, "reason": reason, "detail": detail}
            for path, kernel, reason, detail in report.kernels
        ],
        "failed_modules": [
            {"path": path, "reason": reason, "detail": detail} for path, reason, detail in report.modules
        ],
    }
