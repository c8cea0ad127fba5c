"""The programs of a unit's pairs."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from ..errors import CodegenRejection, StandaloneRejection
from ..record import STANDALONE, Reason
from .making import program_seed, standalone

_SCHEMA = pa.schema([(STANDALONE, pa.string())])


def programs_table(unit: pa.Table) -> pa.Table:
    """Return the program of each pair of a unit, empty where it has none; the metadata says why not.

    Args:
        unit: pairs, with ``index``, ``seed``, ``description`` and ``python_source``.
    """
    texts: list[str] = []
    rejections: list[list[Any]] = []
    for row in unit.select(["index", "seed", "description", "python_source"]).to_pylist():
        try:
            texts.append(standalone(row["python_source"], seed=program_seed(row), summary=row["description"]))
        except (StandaloneRejection, CodegenRejection) as rejection:
            texts.append("")
            rejections.append([row["index"], Reason.NOT_STANDALONE.value, str(rejection)])
    noted = {"rejections": json.dumps(rejections)}
    return pa.table({STANDALONE: texts}, schema=_SCHEMA).replace_schema_metadata(noted)
