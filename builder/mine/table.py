"""What mining a distribution gives: one table of kernel sources with their code, and what was left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from .distribution import Distribution
from .licence import UNKNOWN
from .reasons import NOT_GENERATED, KernelReason
from .session import Findings

# What a worker knows of a kernel. The rest of a row is the distribution's.
KERNEL_SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("kernel_name", pa.string()),
        ("category", pa.string()),
        ("description", pa.string()),
        ("features", pa.list_(pa.string())),
        ("origin", pa.string()),
        ("origin_version", pa.string()),
        ("origin_path", pa.string()),
        ("license", pa.string()),
        ("args", pa.list_(pa.struct([pa.field("name", pa.string()), pa.field("type", pa.string())]))),
        ("launch_dim", pa.int32()),
        ("block_dim", pa.int32()),
        ("cpp_forward", pa.string()),
        ("cpp_backward", pa.string()),
        ("cuda_forward", pa.string()),
        ("cuda_backward", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class Report:
    """What of a distribution was not mined, and why.

    Attributes:
        registered: kernels that its modules register, each instance of a generic one on its own.
        mined: rows.
        kernels: ``(origin_path, kernel, reason, detail)`` of each registered kernel without a row.
        modules: ``(path, reason, detail)`` of each module that could not be imported.
    """

    registered: int
    mined: int
    kernels: tuple[tuple[str, str, str, str], ...]
    modules: tuple[tuple[str, str, str], ...]

    def reasons(self) -> dict[str, int]:
        """Return how many kernels each reason left out; every reason is there."""
        counted = Counter(reason for _, _, reason, _ in self.kernels)
        return {reason.value: counted[reason.value] for reason in KernelReason}

    def share(self) -> float:
        """Return the share of the kernels that Warp generates as they stand whose source was proved, 0 to 1."""
        reasons = self.reasons()
        generated = self.registered - sum(reasons[reason.value] for reason in NOT_GENERATED)
        return (self.mined + reasons[KernelReason.DUPLICATE.value]) / generated if generated else 0.0


def findings_table(distribution: Distribution, findings: Findings) -> pa.Table:
    """Return the rows of some modules; what was left out is in the table's metadata."""
    rows = [_row(distribution, kernel) for kernel in findings.kernels if "reason" not in kernel]
    left = [
        [_place(kernel), kernel["key"], kernel["reason"], kernel["detail"]]
        for kernel in findings.kernels
        if "reason" in kernel
    ]
    noted = {"kernels": json.dumps(left), "modules": json.dumps(findings.modules)}
    return pa.Table.from_pylist(rows, KERNEL_SCHEMA).replace_schema_metadata(noted)


def joined(tables: Iterable[pa.Table]) -> tuple[pa.Table, Report]:
    """Return the rows of all modules in order of path, line and text, no text twice, and the report."""
    tables = list(tables)
    rows = [row for table in tables for row in table.to_pylist()]
    left = [tuple(one) for table in tables for one in json.loads(table.schema.metadata[b"kernels"])]
    modules = [tuple(one) for table in tables for one in json.loads(table.schema.metadata[b"modules"])]
    rows.sort(key=lambda row: (_sortable(row["origin_path"]), row["kernel_name"], row["text"]))
    made = {row["origin_path"] for row in rows}
    # A generic kernel without instances is one only as long as no module makes an instance.
    left = [one for one in left if one[2] != KernelReason.GENERIC.value or one[0] not in made]
    kept: dict[str, dict[str, Any]] = {}
    for row in rows:
        first = kept.setdefault(row["text"], row)
        if first is not row:
            detail = f"as {first['origin_path']}"
            left.append((row["origin_path"], row["kernel_name"], KernelReason.DUPLICATE.value, detail))
    table = pa.Table.from_pylist(list(kept.values()), KERNEL_SCHEMA)
    ordered = tuple(sorted(left, key=lambda one: (_sortable(one[0]), *one[1:])))
    return table, Report(len(kept) + len(left), len(kept), ordered, tuple(sorted(modules)))


def _sortable(place: str) -> tuple[str, int]:
    path, _, line = place.rpartition(":")
    return path, int(line)


def _place(kernel: dict[str, Any]) -> str:
    return f"{kernel['path']}:{kernel['line']}"


def _row(distribution: Distribution, kernel: dict[str, Any]) -> dict[str, Any]:
    own = {name: kernel[name] for name in KERNEL_SCHEMA.names if name in kernel}
    return own | {
        "category": category(kernel["path"]),
        "origin": distribution.name,
        "origin_version": distribution.version,
        "origin_path": _place(kernel),
        "license": "NOASSERTION" if distribution.licence == UNKNOWN else distribution.licence,
    }


def category(path: str) -> str:
    """Return ``mined_<area>``: the first folder below the package that is not private, else ``mined_core``."""
    return f"mined_{next(_areas(path), 'core')}"


def _areas(path: str) -> Iterator[str]:
    for folder in path.split("/")[1:-1]:
        if not folder.startswith("_"):
            yield "".join(c if c.isalnum() and c.isascii() else "_" for c in folder.lower())
