"""What the checks said of rows, as a table: what a unit's verification leaves in the store."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa

from .. import verify
from ..record import IO_EXAMPLE, VERDICTS, VERIFICATION, Reason, Rejection

VERIFIED_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("verification", VERIFICATION),
        ("io_example", IO_EXAMPLE),
        ("details", pa.string()),  # JSON: figures of each check, by its name
    ]
)
ROW_COLUMNS = (
    *("id", "kernel_name", "python_source", "args", "launch_dim"),
    *("cpp_forward", "cpp_backward", "cuda_forward", "cuda_backward"),
)
_FAILED = {check: Reason(f"{check}_failed") for check in VERDICTS}


def verified_table(rows: pa.Table, level: str, seed: int) -> pa.Table:
    """Return what the checks up to a level say of each row, schema :data:`VERIFIED_SCHEMA`, in the rows' order.

    Args:
        rows: with :data:`ROW_COLUMNS`; equal ids are one kernel, looked at once.
        level: one of :data:`~builder.record.LEVELS`.
        seed: decides the inputs that kernels are run with.
    """
    distinct = {row["id"]: row for row in rows.select(ROW_COLUMNS).to_pylist()}
    found = {one.id: one for one in verify.verify(list(distinct.values()), level=level, seed=seed)}
    return pa.Table.from_pylist([_row(found[id_]) for id_ in rows["id"].to_pylist()], VERIFIED_SCHEMA)


def _row(one: verify.Verification) -> dict[str, object]:
    verdicts = {check: getattr(one, check) for check in VERDICTS}
    reasons = [f"{check}: {verdict.reason}" for check, verdict in verdicts.items() if verdict.state in _TOLD]
    details = {check: dict(verdict.details) for check, verdict in verdicts.items()}
    return {
        "id": one.id,
        "verification": {check: verdict.state for check, verdict in verdicts.items()} | {"reason": "; ".join(reasons)},
        "io_example": details["execute"].pop("example", None),
        "details": json.dumps(details, sort_keys=True),
    }


_TOLD = ("failed", "nonsmooth", "not_applicable")


def failures(index: Sequence[int], verified: pa.Table) -> list[Rejection]:
    """Return the rejections of the candidates of which a check failed: the first check that did, and why.

    Args:
        index: the candidates, in the order of ``verified``.
        verified: schema :data:`VERIFIED_SCHEMA`.
    """
    rejections = []
    for candidate, verdicts in zip(index, verified["verification"].to_pylist(), strict=True):
        failed = next((check for check in VERDICTS if verdicts[check] == "failed"), None)
        if failed is not None:
            rejections.append(Rejection(candidate, _FAILED[failed], verdicts["reason"]))
    return rejections
