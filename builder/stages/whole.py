"""What is measured of the rows kept: by groups of units and by columns, then put together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..curate.decision import Decision
from ..curate.edges import table_keys
from ..errors import StoreError
from ..package import tokens
from ..package.measured import ZSTD_COLUMNS, ZSTD_ROWS, Compressed, Measured, measured_key
from ..package.similarity import Rows
from ..package.similarity import compare as compared_rows
from ..package.similarity import merged as merged_similarity
from ..package.stats import Stats
from ..package.store import Store
from ..spec import SPLITS, UNIT, BuildSpec
from .decided import rows, saved_decision
from .units import edges, generate

GROUP = 64  # units of a rank


def groups(decision: Decision) -> int:
    """Return how many groups of units hold the kept candidates."""
    return -(-decision.units // GROUP)


def compare(spec: BuildSpec, store: Store, rank: int) -> pa.Table:
    """Stage 7: return how alike the rows of a group are to all others, making the file where needed."""
    key = measured_key(spec)
    table = store.get("compared", key, rank)
    if table is None:
        decision = _decision(spec, store)
        others = ((_rows(spec, store, decision, at), (at > rank) - (at < rank)) for at in range(groups(decision)))
        table = compared_rows(_rows(spec, store, decision, rank), others)
        store.put("compared", key, rank, table)
    return table


def is_compared(spec: BuildSpec, store: Store, rank: int) -> bool:
    """Say whether :func:`compare` would find its file."""
    return store.path("compared", measured_key(spec), rank) is not None


def compress(spec: BuildSpec, store: Store, rank: int) -> Compressed:
    """Stage 7a: return how far the code in one of :data:`ZSTD_COLUMNS` compresses, making the file where needed."""
    key = measured_key(spec)
    table = store.get("compressed", key, rank)
    if table is None:
        one = Compressed.of(_leading_texts(spec, store, _decision(spec, store), ZSTD_COLUMNS[rank]))
        table = pa.table({"rows": [one.rows], "bytes": [one.bytes], "compressed": [one.compressed]})
        store.put("compressed", key, rank, table)
    return Compressed(**table.to_pylist()[0])


def is_compressed(spec: BuildSpec, store: Store, rank: int) -> bool:
    """Say whether :func:`compress` would find its file."""
    return store.path("compressed", measured_key(spec), rank) is not None


def summarise(spec: BuildSpec, store: Store, rank: int) -> Stats:
    """Stage 8: return the statistics of a group's rows, the same in every view, making the file where needed."""
    spec = _plain(spec)
    key = _summary_key(spec)
    table = store.get("summaries", key, rank)
    if table is None:
        sha256 = tokens.load(spec.tokenizer).sha256
        decision = _decision(spec, store)
        parts = [
            Stats.of(split, one, tokenizer="", tokenizer_sha256=sha256)
            for split in SPLITS
            for one in rows(spec, store, decision, split, _ranks(decision, rank))
        ]
        table = pa.table({"json": [Stats.merged(parts).dumps()]})
        store.put("summaries", key, rank, table)
    return Stats.from_json(json.loads(table["json"][0].as_py()))


def is_summarised(spec: BuildSpec, store: Store, rank: int) -> bool:
    """Say whether :func:`summarise` would find its file."""
    return store.path("summaries", _summary_key(_plain(spec)), rank) is not None


def measured(spec: BuildSpec, store: Store, decision: Decision) -> Measured:
    """Return how alike the kept candidates are and how far they compress."""
    similarity = merged_similarity((compare(spec, store, rank) for rank in range(groups(decision))), decision.rows)
    return Measured(similarity, {name: compress(spec, store, rank) for rank, name in enumerate(ZSTD_COLUMNS)})


def statistics(spec: BuildSpec, store: Store, decision: Decision) -> Stats:
    """Return the statistics of a config's rows, summed over groups; the same in every view.

    Ranks of the stages above whose files are not there are made here.
    """
    tokenizer = tokens.load(spec.tokenizer)
    first = Stats(
        tokenizer.name,
        tokenizer.sha256,
        rejections=Counter(decision.rejections),
        measured=measured(spec, store, decision),
    )
    summed = Stats.merged([first, *(summarise(spec, store, rank) for rank in range(groups(decision)))])
    summed.splits = {name: summed.splits[name] for name in SPLITS}
    return summed


@lru_cache(maxsize=2)
def _known_decision(root: Path, key: str, spec_json: str) -> Decision | None:
    return saved_decision(BuildSpec(**json.loads(spec_json)), Store(root))


def _decision(spec: BuildSpec, store: Store) -> Decision:
    """Return the decision, which is read once for each process."""
    decision = _known_decision(store.root, spec.decision_key(), spec.model_dump_json())
    if decision is None:
        _known_decision.cache_clear()
        raise StoreError(f"the decision that was in the store {store.root} is gone; run the build again")
    return decision


def _plain(spec: BuildSpec) -> BuildSpec:
    return spec.model_copy(update={"view": "prompt_completion"})


def _summary_key(spec: BuildSpec) -> str:
    return spec.fingerprint(tokens.load(spec.tokenizer).sha256)


def _ranks(decision: Decision, group: int) -> range:
    return range(group * GROUP, min((group + 1) * GROUP, decision.units))


def _rows(spec: BuildSpec, store: Store, decision: Decision, group: int) -> Rows:
    """Return the shingles, splits and candidates of a group's kept rows."""
    units = _ranks(decision, group)
    low, high = np.searchsorted(decision.index, (units.start * UNIT, units.stop * UNIT))
    index = decision.index[low:high]
    kept = set(index.tolist())
    found = [
        key.shingles
        for rank in units
        for candidate, key in zip(*table_keys(edges(spec, store, rank)), strict=True)
        if candidate in kept
    ]
    return Rows(found, decision.split[low:high], index)


def _leading_texts(spec: BuildSpec, store: Store, decision: Decision, column: str) -> list[str]:
    """Return the code in a column of the first :data:`ZSTD_ROWS` kept candidates, in order."""
    leading = decision.index[:ZSTD_ROWS]
    return [text for texts in _texts(spec, store, decision, column, int(leading[-1])) for text in texts]


def _texts(spec: BuildSpec, store: Store, decision: Decision, column: str, last: int) -> Iterator[list[str]]:
    for rank in range(last // UNIT + 1):
        unit = generate(spec, store, rank)
        kept = decision.of_unit(rank)
        place = np.searchsorted(unit.column("index").to_numpy(), kept[kept <= last])
        yield unit.column(column).take(pa.array(place)).to_pylist()
