"""The chain of stages: mine -> generate -> edges -> verify -> count tokens -> decide -> rows, and what is measured.

Each stage is a pure function of the spec and a rank, and leaves one file in the store; the file's
existence says that the stage is done. One process, a pool of processes and streaming run these same
functions, which is why they give the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from .curate.decide import Kept
from .curate.decision import Deciding, Decision
from .curate.edges import edges_table, table_keys
from .curate.keys import U32, analyse
from .package import tokens
from .package.measured import ZSTD_COLUMNS, ZSTD_ROWS, Compressed, Measured, measured_key
from .package.mined import mined
from .package.ptx import ptx_table
from .package.similarity import measure
from .package.stats import Stats
from .package.store import Store
from .package.training import training_columns, training_key, training_texts
from .package.unit import make_unit, rejections_of
from .package.verified import failures, verified_table
from .record import IO_EXAMPLE, row_schema
from .spec import SPLITS, SYNTHETIC, UNIT, BuildSpec

# The split whose rows hold an example of what the kernel does, so that what a model writes can be scored.
_SCORED = "test"


def mined_sources(spec: BuildSpec, store: Store) -> dict[str, pa.Table]:
    """Stage 0: return the kernel sources of each mined source of the spec, making their files where needed.

    Raises:
        MiningError: a distribution cannot be mined.
    """
    return {name: _mined(name, spec.seed, store.root) for name in spec.sources if name != SYNTHETIC}


@lru_cache(maxsize=8)
def _mined(name: str, seed: int, root: Path) -> pa.Table:
    return mined(name, seed=seed, store=Store(root))


def generate(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Stage 1: return unit ``rank`` (128 candidates, those generated), making its file where needed."""
    unit = store.get("units", spec.generation_key(), rank)
    if unit is None:
        unit, edges = make_unit(spec, rank, mined_sources(spec, store))
        store.put("edges", spec.edges_key(), rank, edges)
        store.put("units", spec.generation_key(), rank, unit)
    return unit


def edges(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Stage 2: return the unit's keys (skeletons, LSH bands, shingles), making their file where needed."""
    table = store.get("edges", spec.edges_key(), rank)
    if table is None:
        unit = generate(spec, store, rank)
        table = store.get("edges", spec.edges_key(), rank)
    if table is None:
        keys = [analyse(text) for text in unit.column("python_source").to_pylist()]
        table = edges_table(unit.column("index").to_pylist(), keys).replace_schema_metadata(unit.schema.metadata)
        store.put("edges", spec.edges_key(), rank, table)
    return table


def verify(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Stage 3: return what the spec's checks say of each pair of the unit, making the file where needed."""
    key = spec.verification_key(spec.verify)
    table = store.get("verified", key, rank)
    if table is None:
        table = verified_table(generate(spec, store, rank), spec.verify, spec.seed)
        store.put("verified", key, rank, table)
    return table


def ptx(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Stage 3a: return the PTX of each pair of the unit, making the file where needed."""
    table = store.get("ptx", spec.ptx_key(), rank)
    if table is None:
        table = ptx_table(generate(spec, store, rank))
        store.put("ptx", spec.ptx_key(), rank, table)
    return table


def count_tokens(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Stage 4: return prompt and completion token counts of the unit's rows, making their file where needed."""
    tokenizer = tokens.load(spec.tokenizer)
    key = training_key(spec, tokenizer.sha256)
    table = store.get("tokens", key, rank)
    if table is None:
        texts = training_texts(spec, generate(spec, store, rank))
        counts = [pa.array(tokenizer.count(column.to_pylist()), pa.int32()) for column in texts]
        table = pa.table(counts, names=["prompt_tokens", "completion_tokens"])
        store.put("tokens", key, rank, table)
    return table


def is_prepared(spec: BuildSpec, store: Store, rank: int) -> bool:
    """Say whether :func:`prepare` would find every file there and whole."""
    tokens_key = training_key(spec, tokens.load(spec.tokenizer).sha256)
    files = (("units", spec.generation_key()), ("edges", spec.edges_key()), ("tokens", tokens_key))
    checked = () if spec.verify == "none" else (("verified", spec.verification_key(spec.verify)),)
    compiled = (("ptx", spec.ptx_key()),) if spec.ptx else ()
    return all(store.path(kind, key, rank) is not None for kind, key in (*files, *checked, *compiled))


def prepare(spec: BuildSpec, store: Store, rank: int) -> int:
    """Run the stages that need no other unit; return the rank. What a worker does."""
    generate(spec, store, rank)
    edges(spec, store, rank)
    count_tokens(spec, store, rank)
    if spec.verify != "none":
        verify(spec, store, rank)
    if spec.ptx:
        ptx(spec, store, rank)
    return rank


# --- decide -------------------------------------------------------------------------------------------


def offer(deciding: Deciding, spec: BuildSpec, store: Store, rank: int) -> list[Kept]:
    """Offer a unit to the in-order pass, less what a check failed; return what was kept of it."""
    table = edges(spec, store, rank)
    refused = rejections_of(table)
    if spec.verify != "none":
        failed = failures(table["index"].to_pylist(), verify(spec, store, rank))
        table = table.filter(pc.invert(pc.is_in(table["index"], pa.array([one.index for one in failed], pa.int64()))))
        refused += failed
    return deciding.offer(table, refused)


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


# --- rows --------------------------------------------------------------------------------------------


def _rows_of(
    spec: BuildSpec, store: Store, rank: int, kept: Sequence[int] | npt.NDArray[np.int64], split: str
) -> pa.Table:
    """Return the rows of some candidates of one unit, all of one split, as the config shows them."""
    unit = generate(spec, store, rank)
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


def rows(spec: BuildSpec, store: Store, decision: Decision, split: str) -> Iterator[pa.Table]:
    """Stage 6: yield the rows of a split in candidate order, one table for each unit that has any."""
    for rank in range(decision.units):
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


# --- what is measured of all rows at once ----------------------------------------------------------------


def measured(spec: BuildSpec, store: Store, decision: Decision) -> Measured:
    """Stage 7: return how alike the kept candidates are and how far they compress, making the file where needed."""
    key = measured_key(spec)
    table = store.get("measured", key, 0)
    if table is None:
        similarity = measure(_shingles(spec, store, decision), decision.split, decision.index.tolist())
        zstd = {name: Compressed.of(texts) for name, texts in _leading_texts(spec, store, decision).items()}
        table = pa.table({"json": [json.dumps(Measured(similarity, zstd).to_json())]})
        store.put("measured", key, 0, table)
    return Measured.from_json(json.loads(table.column("json")[0].as_py()))


def _shingles(spec: BuildSpec, store: Store, decision: Decision) -> list[U32]:
    """Return the shingles of each kept candidate, in order."""
    found: list[U32] = []
    for rank in range(decision.units):
        kept = set(decision.of_unit(rank).tolist())
        indices, keys = table_keys(edges(spec, store, rank))
        found += [key.shingles for index, key in zip(indices, keys, strict=True) if index in kept]
    return found


def _leading_texts(spec: BuildSpec, store: Store, decision: Decision) -> dict[str, list[str]]:
    """Return the code of the first :data:`ZSTD_ROWS` kept candidates, in order, by column."""
    leading = decision.index[:ZSTD_ROWS]
    texts: dict[str, list[str]] = {name: [] for name in ZSTD_COLUMNS}
    for rank in range(int(leading[-1]) // UNIT + 1):
        unit = generate(spec, store, rank)
        kept = decision.of_unit(rank)
        place = np.searchsorted(unit.column("index").to_numpy(), kept[kept <= leading[-1]])
        for name, column in texts.items():
            column += unit.column(name).take(pa.array(place)).to_pylist()
    return texts


def statistics(spec: BuildSpec, store: Store, decision: Decision) -> Stats:
    """Return the statistics of a config's rows, summed over units and splits; the same in every view."""
    spec = spec.model_copy(update={"view": "prompt_completion"})
    tokenizer = tokens.load(spec.tokenizer)
    parts = [Stats(rejections=Counter(decision.rejections), measured=measured(spec, store, decision))]
    for split in SPLITS:
        for table in rows(spec, store, decision, split):
            parts.append(Stats.of(split, table, tokenizer=tokenizer.name, tokenizer_sha256=tokenizer.sha256))
    return Stats.merged(parts)
