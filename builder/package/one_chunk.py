"""Tables whose bytes depend on nothing but their values."""

from __future__ import annotations

import pyarrow as pa


def one_chunk(table: pa.Table) -> pa.Table:
    """Return the same rows in one chunk of newly made buffers.

    Arrow's IPC writer rounds a slice's buffers up into what its parent holds next, so a slice's file would
    tell how the table was cut. Joining with an empty slice makes Arrow copy, and a copy holds no more. What lies
    under the nulls of a struct, which depends on who made it, is made anew.
    """
    table = pa.concat_tables([table, table.slice(0, 0)]).combine_chunks()
    for place, field in enumerate(table.schema):
        if pa.types.is_struct(field.type) and table[place].null_count:
            table = table.set_column(place, field, _nulls_anew(table[place]))
    return table


def _nulls_anew(column: pa.ChunkedArray) -> pa.Array:
    if column.null_count == len(column):
        return pa.nulls(len(column), column.type)
    return pa.array(column.to_pylist(), column.type)
