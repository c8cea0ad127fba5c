"""What is measured of all rows at once."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa

from ..curate.decision import Decision
from ..curate.edges import table_keys
from ..curate.keys import U32
from ..package import tokens
from ..package.measured import ZSTD_COLUMNS, ZSTD_ROWS, Compressed, Measured, measured_key
from ..package.similarity import measure
from ..package.stats import Stats
from ..package.store import Store
from ..spec import SPLITS, UNIT, BuildSpec
from .decided import rows
from .units import edges, generate


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
