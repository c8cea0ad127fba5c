"""The stages of one unit, which need no other: what worker processes run.

What only some specs ask for is imported where it is run: a worker starts sooner without.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pyarrow as pa

from ..curate.edges import edges_table
from ..curate.keys import analyse
from ..package import tokens
from ..package.attempts import attempt
from ..package.mined import mined
from ..package.store import Store
from ..package.training import training_key, training_texts
from ..package.unit import make_unit
from ..record import STANDALONE
from ..spec import SYNTHETIC, BuildSpec


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
        with attempt(store, spec.generation_key(), rank) as watched:
            unit, edges = make_unit(spec, rank, mined_sources(spec, store), watched)
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


def programs(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Return the standalone program of each pair of the unit, empty where it has none, making the file where needed."""
    key = spec.programs_key()
    table = store.get("programs", key, rank)
    if table is None:
        from ..standalone.table import programs_table

        table = programs_table(generate(spec, store, rank))
        store.put("programs", key, rank, table)
    return table


def shown(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Return a unit with all columns that the config shows."""
    unit = generate(spec, store, rank)
    if not spec.programs_key():
        return unit
    return unit.append_column(STANDALONE, programs(spec, store, rank).column(STANDALONE))


def verify(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Stage 3: return what the spec's checks say of each pair of the unit, making the file where needed."""
    key = spec.verification_key(spec.verify)
    table = store.get("verified", key, rank)
    if table is None:
        from ..package.verified import verified_table

        table = verified_table(generate(spec, store, rank), spec.verify, spec.seed)
        store.put("verified", key, rank, table)
    return table


def ptx(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Stage 3a: return the PTX of each pair of the unit, making the file where needed."""
    table = store.get("ptx", spec.ptx_key(), rank)
    if table is None:
        from ..package.ptx import ptx_table

        table = ptx_table(generate(spec, store, rank))
        store.put("ptx", spec.ptx_key(), rank, table)
    return table


def count_tokens(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Stage 4: return prompt and completion token counts of the unit's rows, making their file where needed."""
    tokenizer = tokens.load(spec.tokenizer)
    key = training_key(spec, tokenizer.sha256)
    table = store.get("tokens", key, rank)
    if table is None:
        texts = training_texts(spec, shown(spec, store, rank))
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
    made = (("programs", spec.programs_key()),) if spec.programs_key() else ()
    return all(store.path(kind, key, rank) is not None for kind, key in (*files, *checked, *compiled, *made))


def prepare(spec: BuildSpec, store: Store, rank: int) -> int:
    """Run the stages that need no other unit; return the rank. What a worker does."""
    generate(spec, store, rank)
    edges(spec, store, rank)
    if spec.programs_key():
        programs(spec, store, rank)
    count_tokens(spec, store, rank)
    if spec.verify != "none":
        verify(spec, store, rank)
    if spec.ptx:
        ptx(spec, store, rank)
    return rank
