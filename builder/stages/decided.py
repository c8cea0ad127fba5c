"""Which candidates are kept, and the rows that they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..curate.decide import Kept
from ..curate.decision import Deciding, Decision
from ..package.store import Store
from ..package.training import training_columns
from ..package.unit import rejections_of
from ..record import IO_EXAMPLE, Rejection, row_schema
from ..spec import BuildSpec
from .units import count_tokens, edges, programs, ptx, shown, verify

# The split whose rows hold an example of what the kernel does, so that what a model writes can be scored.
_SCORED = "test"


def offer(deciding: Deciding, spec: BuildSpec, store: Store, rank: int) -> list[Kept]:
    """Offer a unit to the in-order pass, less what a check failed; return what was kept of it."""
    table = edges(spec, store, rank)
    refused = rejections_of(table)
    failed: list[Rejection] = []
    if spec.programs_key():
        failed += rejections_of(programs(spec, store, rank))
    if spec.verify != "none":
        from ..package.verified import failures  # as in units.py

        without = {one.index for one in failed}
        checked = failures(table["index"].to_pylist(), verify(spec, store, rank))
        failed += [one for one in checked if one.index not in without]
    if failed:
        table = table.filter(pc.invert(pc.is_in(table["index"], pa.array([one.index for one in failed], pa.int64()))))
    return deciding.offer(table, refused + failed)


def saved_decision(spec: BuildSpec, store: Store) -> Decision | None:
    """Return stage 5's decision if its file exists."""
    table = store.get("decisions", spec.decision_key(), 0)
    if table is None:
        return None
    rejections = json.loads(table.schema.metadata[b"rejections"])
    return Decision(table.column("index").to_numpy(), table.column("split").to_numpy(), rejections)


def save_decision(spec: BuildSpec, store: Store, decision: Decision) -> None:
    """Write stage 5's file."""
    columns = [pa.array(decision.index, pa.int64()), pa.array(decision.split, pa.int8())]
    table = pa.table(columns, names=["index", "split"])
    noted = {"rejections": json.dumps(decision.rejections)}
    store.put("decisions", spec.decision_key(), 0, table.replace_schema_metadata(noted))


def _rows_of(
    spec: BuildSpec, store: Store, rank: int, kept: Sequence[int] | npt.NDArray[np.int64], split: str
) -> pa.Table:
    """Return the rows of some candidates of one unit, all of one split, as the config shows them."""
    unit = shown(spec, store, rank)
    counts = count_tokens(spec, store, rank)
    place = np.searchsorted(unit.column("index").to_numpy(), np.asarray(kept, dtype=np.int64))
    chosen = unit.take(pa.array(place))
    columns: dict[str, object] = {
        "io_example": pa.nulls(len(place), IO_EXAMPLE),
        **training_columns(spec, chosen),
        **{name: counts.column(name).take(pa.array(place)) for name in counts.column_names},
    }
    if spec.verify != "none":
        checked = verify(spec, store, rank).take(pa.array(place))
        columns["verification"] = checked["verification"]
        if split == _SCORED:
            columns["io_example"] = checked["io_example"]
    if spec.ptx:
        columns["ptx"] = ptx(spec, store, rank)["ptx"].take(pa.array(place))
    schema = row_schema(spec.config, spec.view, ptx=spec.ptx)
    table = [columns[name] if name in columns else chosen.column(name) for name in schema.names]
    return pa.table(table, schema=schema)


def rows(
    spec: BuildSpec, store: Store, decision: Decision, split: str, units: Iterable[int] | None = None
) -> Iterator[pa.Table]:
    """Stage 6: yield the rows of a split in candidate order, one table for each unit (of ``units``) that has any."""
    for rank in range(decision.units) if units is None else units:
        kept = decision.of(split, rank)
        if len(kept):
            yield _rows_of(spec, store, rank, kept, split)


def stream(spec: BuildSpec, store: Store, split: str) -> Iterator[pa.Table]:
    """Yield the rows of a split while the units are made and decided, in one in-order pass.

    Gives what :func:`rows` gives. Every unit made is kept in the store.

    Raises:
        SplitError: the sources ran out of new kernels, or (at the end) a split is empty.
    """
    deciding = Deciding(spec)
    while not deciding.full:
        rank = deciding.units
        kept = [row.index for row in offer(deciding, spec, store, rank) if row.split == split]
        if kept:
            yield _rows_of(spec, store, rank, kept, split)
    deciding.result()
