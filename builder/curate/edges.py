"""Keys as an Arrow table: what the decision pass reads of each unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from .keys import BANDS, U32, Keys

EDGES_SCHEMA = pa.schema(
    [
        ("index", pa.int64()),
        ("skeleton", pa.string()),
        ("exact", pa.string()),
        ("bands", pa.list_(pa.uint32(), BANDS)),
        ("shingles", pa.list_(pa.uint32())),
    ]
)


def edges_table(index: Sequence[int], keys: Sequence[Keys]) -> pa.Table:
    """Return the keys of some candidates, one row each, schema :data:`EDGES_SCHEMA`."""
    sizes = [len(item.shingles) for item in keys]
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    empty = np.empty(0, dtype=np.uint32)
    return pa.Table.from_arrays(
        [
            pa.array(index, pa.int64()),
            pa.array([item.skeleton for item in keys], pa.string()),
            pa.array([item.exact for item in keys], pa.string()),
            pa.FixedSizeListArray.from_arrays(pa.array(np.concatenate([empty, *(k.bands for k in keys)])), BANDS),
            pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate([empty, *(k.shingles for k in keys)]))),
        ],
        schema=EDGES_SCHEMA,
    )


def table_keys(table: pa.Table) -> tuple[list[int], list[Keys]]:
    """Return what :func:`edges_table` was given; the arrays are views of the table where it is one chunk."""
    table = table.combine_chunks()
    if not table.num_rows:
        return [], []
    bands: U32 = _chunk(table, "bands").flatten().to_numpy(zero_copy_only=False).reshape(-1, BANDS)
    lists = _chunk(table, "shingles")
    values = lists.values.to_numpy(zero_copy_only=False)
    ends = lists.offsets.to_numpy()
    keys = [
        Keys(skeleton, exact, values[start:end], row)
        for skeleton, exact, start, end, row in zip(
            table["skeleton"].to_pylist(), table["exact"].to_pylist(), ends[:-1], ends[1:], bands, strict=True
        )
    ]
    return table["index"].to_pylist(), keys


def _chunk(table: pa.Table, name: str) -> pa.Array:
    return table[name].combine_chunks().chunk(0) if table[name].num_chunks != 1 else table[name].chunk(0)
